#include "passes/store_turned.h"

#include <algorithm>
#include <map>
#include <numeric>
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

Ints OwnOrder(int rank) {
  Ints order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// How functions read a variable so far.
struct Reading {
  std::optional<Ints> order;  // of axes, that of all who read it
  bool several = false;       // it is read in several orders, or changed
  int64_t panel = 0;          // columns of panels that all who read it want
};
using Readings = std::map<std::string, Reading, std::less<>>;

// What reads each value of a function, by value.
using Readers = std::vector<std::vector<const Node*>>;
Readers ReadersOf(const Function& f) {
  Readers readers(static_cast<size_t>(f.num_values()));
  for (const Node& node : f.nodes()) {
    for (Value v : node.operands) readers[v.index()].push_back(&node);
  }
  return readers;
}

// Whether v is the second operand of a product whose columns are its last axis, and all of it: a matrix of weights, or
// the filter [k..., 1, c, o] of a convolution, unless phases of it are convolutions of their own.
bool HasColumns(const Function& f, const Node& node, Value v) {
  if (node.operands.size() < 2 || node.operands[1] != v || node.operands[0] == v) return false;
  const Shape& shape = f.type(v).shape;
  if (node.op == Op::kConv) {
    const Ints& spread = node.attr<Ints>("a_dilation");
    return shape.dim(shape.rank() - 3) == 1 &&
           std::all_of(spread.begin(), spread.end(), [](int64_t d) { return d == 1; });
  }
  if (node.op != Op::kContract || !node.attr<Ints>("b_batch").empty()) return false;
  const Ints& contracted = node.attr<Ints>("b_contract");
  return static_cast<int>(contracted.size()) == shape.rank() - 1 &&
         std::find(contracted.begin(), contracted.end(), shape.rank() - 1) == contracted.end();
}

// Columns of the panels in which this node had better read v: two cache lines, which are whole registers everywhere.
// 0: as it lies. It pays where rows, all columns apart, come from beyond L1; for a few rows of the result these are
// read in long runs, which may be whole rows.
int64_t PanelOf(const Function& f, const Node& node, Value v) {
  constexpr int64_t kPanelBytes = 128, kMinBytes = 256 << 10, kRunBytes = 1024, kFewRows = 4;
  const Type& type = f.type(v);
  const bool known = type.shape.is_constant() && f.type(node.result()).shape.is_constant();
  if (!known || type.bytes() < kMinBytes || !HasColumns(f, node, v)) return 0;
  if (type.dtype != kFloat32 && type.dtype != kFloat64) return 0;
  const int64_t panel = kPanelBytes / SizeOf(type.dtype), columns = type.shape.dim(type.shape.rank() - 1);
  if (columns % panel != 0 || columns == panel) return 0;
  const bool few = f.type(node.result()).shape.size() / columns < kFewRows;
  return few && columns * SizeOf(type.dtype) <= kRunBytes ? 0 : panel;
}

// The same for all that read v, through reshapes.
int64_t PanelOf(const Function& f, const Readers& readers, Value v) {
  int64_t panel = -1;
  for (Ints open{v.id}; !open.empty();) {
    const Value at{static_cast<int32_t>(open.back())};
    open.pop_back();
    for (const Node* node : readers[at.index()]) {
      if (node->op == Op::kReshape) {
        open.push_back(node->result().id);
        continue;
      }
      const int64_t wanted = PanelOf(f, *node, at);
      if (wanted == 0 || (panel > 0 && panel != wanted)) return 0;
      panel = wanted;
    }
  }
  return std::max<int64_t>(panel, 0);
}

// The order of axes in which a node reads a parameter.
Ints OrderOf(const Function& f, const Node& node, Value v) {
  return node.op == Op::kTranspose ? node.attr<Ints>("permutation") : OwnOrder(f.type(v).shape.rank());
}

// Adds how this function reads and changes what it has as state.
void Look(const Function& f, Readings* readings) {
  const Readers readers = ReadersOf(f);
  std::vector<bool> otherwise(static_cast<size_t>(f.num_parameters()), false);
  for (size_t i = 0; i < f.results().size(); ++i) {
    const Value v = f.results()[i];
    const int own = f.num_arguments() + static_cast<int>(i) - f.num_outputs();  // the parameter whose new value it is
    if (f.is_parameter(v) && v.id != own) otherwise[v.index()] = true;
    if (own >= f.num_arguments() && v.id != own) otherwise[static_cast<size_t>(own)] = true;
  }
  for (size_t s = 0; s < f.state().size(); ++s) {
    const Value v{f.num_arguments() + static_cast<int32_t>(s)};
    Reading& all = (*readings)[f.state()[s]];
    all.several |= otherwise[v.index()];
    for (const Node* node : readers[v.index()]) {
      const Ints order = OrderOf(f, *node, v);
      const int64_t panel = node->op == Op::kTranspose ? PanelOf(f, readers, node->result()) : PanelOf(f, readers, v);
      if (all.order && (*all.order != order || all.panel != panel)) all.several |= *all.order != order, all.panel = 0;
      if (!all.order) all.order = order, all.panel = panel;
    }
  }
}

// The function on variables as they are stored: it turns them back first, which what reads them undoes.
absl::StatusOr<Function> OnTurned(const Function& f, const ir::Module& m, const std::vector<TurnedVariable>& list) {
  Function out(f.name());
  Copier copier(f, &out);
  std::vector<const TurnedVariable*> turned(static_cast<size_t>(f.num_parameters()), nullptr);
  for (int i = 0; i < f.num_parameters(); ++i) {
    const ir::Parameter& p = f.parameter(i);
    if (i < f.num_arguments()) {
      copier.Map({i}, out.AddParameter(p.name, p.type));
      continue;
    }
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& v) { return v.name == p.name; });
    if (found != list.end()) turned[static_cast<size_t>(i)] = &*found;
    copier.Map({i}, out.AddState(p.name, found != list.end() ? StoredType(p.type, *found) : p.type));
  }
  ir::Builder b(&out, &m);
  for (int i = 0; i < f.num_parameters(); ++i) {
    const TurnedVariable* const v = turned[static_cast<size_t>(i)];
    if (!v) continue;
    Value x{i};
    if (v->panel > 0) {
      Ints joined = OwnOrder(b.shape(x).rank());  // [n, ..., panel] -> [..., n, panel]
      std::rotate(joined.begin(), joined.begin() + 1, joined.end() - 1);
      x = b.Transpose(x, joined);
      Shape shape = b.shape(x);
      shape.erase(shape.rank() - 1);
      shape.set(shape.rank() - 1, shape.dim(shape.rank() - 1) * v->panel);
      x = b.Reshape(x, shape);
    }
    copier.Map({i}, ir::IsIdentity(v->permutation) ? x : b.Transpose(x, Inverse(v->permutation)));
  }
  if (!b.status().ok()) return b.status();
  copier.CopyNodes();
  for (int i = 0; i < f.num_parameters(); ++i) copier.Map({i}, {i});  // what is not changed
  CopyResults(f, &out, copier);
  return out;
}

Type TypeIn(const Type& type, const Ints& order) {
  Shape shape;
  for (int64_t axis : order) shape.push_back(type.shape[static_cast<int>(axis)]);
  return {type.dtype, shape};
}

}  // namespace

Type StoredType(const Type& type, const TurnedVariable& turned) {
  const Type lies = TypeIn(type, turned.permutation);
  if (turned.panel == 0) return lies;
  const int last = lies.shape.rank() - 1;
  Shape shape{lies.shape.dim(last) / turned.panel};
  for (int i = 0; i < last; ++i) shape.push_back(lies.shape[i]);
  shape.push_back(turned.panel);
  return {type.dtype, shape};
}

Type TypeOfStored(const Type& stored, const TurnedVariable& turned) {
  Type lies = stored;
  if (turned.panel > 0) {
    Shape shape;
    for (int i = 1; i + 1 < stored.shape.rank(); ++i) shape.push_back(stored.shape[i]);
    shape.push_back(stored.shape.dim(0) * turned.panel);
    lies.shape = shape;
  }
  return TypeIn(lies, Inverse(turned.permutation));
}

absl::StatusOr<std::vector<TurnedVariable>> StoreTurned(ir::Module* m, const TurnLiteral& turn) {
  Readings readings;
  for (const auto& f : m->functions()) Look(*f, &readings);
  std::vector<TurnedVariable> list;
  for (ir::Variable& v : m->mutable_variables()) {
    const auto it = readings.find(v.name);
    if (it == readings.end() || !it->second.order || it->second.several) continue;
    const TurnedVariable turned{v.name, *it->second.order, it->second.panel};
    if (turned.panel == 0 && ir::IsIdentity(turned.permutation)) continue;
    const auto* initial = std::get_if<ir::Literal>(&v.initial);
    if (!initial || !v.type.shape.is_constant()) continue;
    v.initial = turn(*initial, turned);
    v.type = StoredType(v.type, turned);
    list.push_back(turned);
  }
  if (list.empty()) return list;
  for (const auto& f : m->functions()) {
    auto turned = OnTurned(*f, *m, list);
    if (!turned.ok()) return turned.status();
    *f = *std::move(turned);
  }
  return list;
}

}  // namespace reel::passes
