#include "passes/store_turned.h"

#include <map>
#include <optional>

#include "ir/builder.h"
#include "passes/rewrite.h"
#include "passes/sink_transposes.h"

namespace reel::passes {
namespace {

using ir::Function;
using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

// By variable: in which order its readers want it so far; none: in its own, or in several.
using Orders = std::map<std::string, std::optional<Ints>, std::less<>>;

// Takes from `orders` what this function reads otherwise or changes.
void Look(const Function& f, Orders* orders) {
  const auto n = static_cast<size_t>(f.num_parameters());
  std::vector<std::optional<Ints>> wanted(n);
  std::vector<bool> otherwise(n, false);
  for (const Node& node : f.nodes()) {
    for (Value v : node.operands) {
      if (!f.is_parameter(v)) continue;
      std::optional<Ints>& order = wanted[v.index()];
      if (node.op != Op::kTranspose || (order && *order != node.attr<Ints>("permutation")))
        otherwise[v.index()] = true;
      else
        order = node.attr<Ints>("permutation");
    }
  }
  for (size_t i = 0; i < f.results().size(); ++i) {
    const Value v = f.results()[i];
    const int own = f.num_arguments() + static_cast<int>(i) - f.num_outputs();  // the parameter whose new value it is
    if (f.is_parameter(v) && v.id != own) otherwise[v.index()] = true;
    if (own >= f.num_arguments() && v.id != own) otherwise[static_cast<size_t>(own)] = true;
  }
  for (size_t s = 0; s < f.state().size(); ++s) {
    const size_t p = static_cast<size_t>(f.num_arguments()) + s;
    const auto [it, first] = orders->emplace(f.state()[s], wanted[p]);
    if (otherwise[p]) it->second = std::nullopt;
    if (wanted[p] && it->second != wanted[p]) it->second = std::nullopt;
  }
}

Type TypeIn(const Type& type, const Ints& order) {
  Shape shape;
  for (int64_t axis : order) shape.push_back(type.shape[static_cast<int>(axis)]);
  return {type.dtype, shape};
}

// The function on variables in other orders: it turns them back first, which the transposes that read them undo.
absl::StatusOr<Function> OnTurned(const Function& f, const ir::Module& m, const Orders& orders) {
  Function out(f.name());
  Copier copier(f, &out);
  std::vector<const Ints*> turned(static_cast<size_t>(f.num_parameters()), nullptr);
  for (int i = 0; i < f.num_parameters(); ++i) {
    const ir::Parameter& p = f.parameter(i);
    if (i < f.num_arguments()) {
      copier.Map({i}, out.AddParameter(p.name, p.type));
      continue;
    }
    if (const auto& order = orders.find(p.name)->second) turned[static_cast<size_t>(i)] = &*order;
    const Ints* order = turned[static_cast<size_t>(i)];
    copier.Map({i}, out.AddState(p.name, order ? TypeIn(p.type, *order) : p.type));
  }
  ir::Builder b(&out, &m);
  for (int i = 0; i < f.num_parameters(); ++i) {
    const Ints* order = turned[static_cast<size_t>(i)];
    if (order) copier.Map({i}, b.Transpose({i}, Inverse(*order)));
  }
  if (!b.status().ok()) return b.status();
  copier.CopyNodes();
  for (int i = 0; i < f.num_parameters(); ++i) copier.Map({i}, {i});  // what is not changed
  CopyResults(f, &out, copier);
  return out;
}

}  // namespace

absl::StatusOr<std::vector<TurnedVariable>> StoreTurned(ir::Module* m, const TurnLiteral& turn) {
  Orders orders;
  for (const auto& f : m->functions()) Look(*f, &orders);
  std::vector<TurnedVariable> list;
  for (ir::Variable& v : m->mutable_variables()) {
    const auto it = orders.find(v.name);
    if (it == orders.end() || !it->second) continue;
    const auto* initial = std::get_if<ir::Literal>(&v.initial);
    if (!initial || !v.type.shape.is_constant()) {
      it->second = std::nullopt;
      continue;
    }
    v.initial = turn(*initial, *it->second);
    v.type = TypeIn(v.type, *it->second);
    list.push_back({v.name, *it->second});
  }
  if (list.empty()) return list;
  for (const auto& f : m->functions()) {
    auto turned = OnTurned(*f, *m, orders);
    if (!turned.ok()) return turned.status();
    *f = *std::move(turned);
  }
  return list;
}

}  // namespace reel::passes
