#include "passes/gradient/residuals.h"

#include <algorithm>
#include <set>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

using ir::Value;

constexpr int64_t kLongProduct = 64;

class Chooser {
 public:
  Chooser(const ir::Function& full, int num_forward)
      : full_(full), users_(static_cast<size_t>(full.num_values())), forward_(static_cast<size_t>(full.num_values())) {
    ir::ChargeVisits(full.nodes().size());
    for (int i = 0; i < num_forward; ++i) forward_[static_cast<size_t>(i)] = true;
    for (size_t n = 0; n < full.nodes().size(); ++n) {
      const ir::Node& node = full.nodes()[n];
      bool forward = true;
      for (Value v : node.operands) {
        forward = forward && forward_[v.index()];
        users_[v.index()].insert(static_cast<int32_t>(n));
      }
      for (int i = 0; i < node.num_results; ++i) forward_[node.result(i).index()] = forward;
    }
    for (Value v : full.results()) users_[v.index()].insert(-1);
  }

  // Goes down from the saved parameters as long as that makes less to save. Products below are saved
  // too: reading one back costs far less than computing it again.
  std::set<Value> Cut(const Mask& saved) const {
    std::set<Value> cut = SmallestCut(saved);
    std::vector<bool> below(static_cast<size_t>(full_.num_values()));
    ir::ChargeVisits(full_.nodes().size());
    for (Value v : cut) below[v.index()] = true;
    for (const ir::Node& node : full_.nodes()) {
      if (node.num_results == 0) continue;
      const bool again =
          std::any_of(node.operands.begin(), node.operands.end(), [&](Value v) { return below[v.index()]; });
      if (!again || !forward_[node.result().index()]) continue;
      for (int i = 0; i < node.num_results; ++i) below[node.result(i).index()] = true;
      if (IsLongProduct(node)) cut.insert(node.result());
    }
    return cut;
  }

 private:
  // A sum of at least 64 products per element: 32 operations a byte and more.
  bool IsLongProduct(const ir::Node& node) const {
    const Type& y = full_.type(node.result());
    if (!y.shape.is_constant() || y.shape.size() == 0) return false;
    int64_t k = 1;
    const auto times = [&k](Extent n) { k = n.is_constant() ? k * n.value() : 0; };
    if (node.op == ir::Op::kConv) {  // by a filter [k..., g, c, o]
      const Shape& filter = full_.type(node.operands[1]).shape;
      for (int i = 0; i + 1 < filter.rank(); ++i) {
        if (i != filter.rank() - 3) times(filter[i]);
      }
      return k >= kLongProduct;
    }
    if (node.op != ir::Op::kContract) return false;
    const Shape& a = full_.type(node.operands[0]).shape;
    for (int64_t axis : node.attr<std::vector<int64_t>>("a_contract")) {
      times(a[static_cast<int>(axis)]);
    }
    return k >= kLongProduct;
  }

  std::set<Value> SmallestCut(const Mask& saved) const {
    std::set<Value> cut, open;
    for (size_t i = 0; i < saved.size(); ++i) {
      if (saved[i]) open.insert({static_cast<int32_t>(i)});
    }
    while (!open.empty()) {  // users have larger numbers
      const Value v = *open.begin();
      ir::ChargeVisits(1);
      open.erase(open.begin());
      const std::vector<Value> next = ReadOf(v);
      int64_t bytes = 0;
      for (Value u : next) bytes += cut.contains(u) || open.contains(u) ? 0 : Bytes(u);
      if (next.empty() || bytes >= Bytes(v)) {
        cut.insert(v);
      } else {
        open.insert(next.begin(), next.end());
      }
    }
    return cut;
  }

  int64_t Bytes(Value v) const {
    const Type& type = full_.type(v);
    return type.shape.is_constant() ? type.bytes() : 0;
  }

  // The results of all nodes that read v; none if one of them is not of the forward part.
  std::vector<Value> ReadOf(Value v) const {
    std::vector<Value> out;
    for (int32_t n : users_[v.index()]) {
      if (n < 0) return {};
      const ir::Node& node = full_.nodes()[static_cast<size_t>(n)];
      for (int i = 0; i < node.num_results; ++i) {
        const Value u = node.result(i);
        if (!forward_[u.index()] || !full_.type(u).shape.is_constant()) return {};
        out.push_back(u);
      }
    }
    return out;
  }

  const ir::Function& full_;
  std::vector<std::set<int32_t>> users_;  // by value: nodes, -1 = a result
  std::vector<bool> forward_;             // by value: computed from forward parameters alone
};

constexpr int64_t kMaxInlinedNodes = 20000;

}  // namespace

absl::StatusOr<ir::Function> Flatten(const ir::Function& f, const ir::Module& m) {
  int64_t left = kMaxInlinedNodes;
  ir::Module part;  // what loops and branches name is left out: in loops in loops it would be copied again and again
  ir::Function& top = part.AddFunction(WithoutCalls(f, m, /*with_vjp=*/false, &left));
  if (const auto changed = Cse(&part, {}); !changed.ok()) return changed.status();
  return WithoutDeadNodes(top);
}

Residuals ChooseResiduals(const ir::Function& full, int num_forward, const Mask& saved, const Mask& constants) {
  const std::set<Value> cut = Chooser(full, num_forward).Cut(saved);
  ir::Function all(full.name());
  Copier copier(full, &all);
  HashSet<std::string> names;
  for (int i = 0; i < full.num_parameters(); ++i) names.insert(full.parameter(i).name);
  for (int i = 0; i < num_forward; ++i) {
    if (!constants[static_cast<size_t>(i)]) continue;
    copier.Map({i}, all.AddParameter(full.parameter(i).name, full.parameter(i).type));
  }
  Residuals out{{cut.begin(), cut.end()}, Mask(constants.size()), ir::Function("")};
  for (Value v : cut) {
    std::string name = StrCat("row", v.id);
    while (!names.insert(name).second) name += "_";
    copier.Map(v, all.AddParameter(name, full.type(v)));
  }
  for (int i = num_forward; i < full.num_parameters(); ++i) {
    copier.Map({i}, all.AddParameter(full.parameter(i).name, full.parameter(i).type));
  }
  ir::ChargeVisits(full.nodes().size());
  for (const ir::Node& node : full.nodes()) {
    // What only the replaced values lead to has no names for its operands.
    bool known = node.num_results == 0 || !copier(node.result()).valid();
    for (Value v : node.operands) known = known && copier(v).valid();
    if (known) copier.CopyNode(node);
  }
  std::vector<Value> results;
  for (Value v : full.results()) results.push_back(copier(v));
  all.SetResults(std::move(results));

  // Constants and rows that nothing reads any more.
  std::vector<bool> read(static_cast<size_t>(all.num_parameters()));
  const auto use = [&](Value v) {
    if (all.is_parameter(v)) read[v.index()] = true;
  };
  const std::vector<bool> live = LiveNodes(all);
  for (Value v : all.results()) use(v);
  for (size_t n = 0; n < live.size(); ++n) {
    if (!live[n]) continue;
    for (Value v : all.nodes()[n].operands) use(v);
  }
  size_t p = 0;
  for (size_t i = 0; i < constants.size(); ++i) {
    if (constants[i]) out.constants[i] = read[p++];
  }
  std::erase_if(out.rows, [&](Value) { return !read[p++]; });
  for (; p < read.size(); ++p) read[p] = true;
  out.gradient = WithoutDeadNodes(all, &read);
  return out;
}

std::vector<Value> EmitRows(const ir::Function& full, const Residuals& residuals, const std::vector<Value>& parameters,
                            ir::Builder& b) {
  ir::ChargeVisits(full.nodes().size());
  std::vector<bool> needed(full.nodes().size());
  const auto need = [&](Value v) {
    if (const int32_t n = full.producer_index(v); n >= 0) needed[static_cast<size_t>(n)] = true;
  };
  for (Value v : residuals.rows) need(v);
  for (size_t n = needed.size(); n-- > 0;) {
    if (!needed[n]) continue;
    for (Value v : full.nodes()[n].operands) need(v);
  }
  Copier copier(full, b.function());
  for (size_t i = 0; i < parameters.size(); ++i) {
    copier.Map({static_cast<int32_t>(i)}, parameters[i]);
  }
  for (size_t n = 0; n < needed.size(); ++n) {
    if (needed[n]) copier.CopyNode(full.nodes()[n]);
  }
  std::vector<Value> rows;
  for (Value v : residuals.rows) rows.push_back(copier(v));
  return rows;
}

}  // namespace reel::passes
