// Maps of which one slice is read, of at most half of the elements, are computed for these alone: the slice goes to
// what the map reads. A blur of which every second pixel goes on, the last state of a sequence.

#include "ir/builder.h"
#include "ir/hash_map.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Function;
using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

constexpr int64_t kMostNodes = 256;  // of the maps below a slice: copies that its like could make of a long chain

class SliceSinker {
 public:
  explicit SliceSinker(const Function& f) : f_(f), reads_(CountReads(f)) {}

  bool operator()(const Node& node, Copier& copier, Builder& b) {
    if (node.op != Op::kSlice) return false;
    const Value x = node.operands[0];
    const Shape &from = f_.type(x).shape, &to = f_.type(node.result()).shape;
    if (!from.is_constant() || !IsOwnMap(x) || to.size() == 0 || 2 * to.size() > from.size()) return false;
    cut_.clear();
    const std::vector<Value> order = MapsBelow(x);
    if (order.empty()) return false;
    for (Value v : order) {  // operands first
      const Node& map = *f_.producer(v);
      ir::ValueList operands;
      for (Value o : map.operands) operands.push_back(Cut(o, node, to, copier, b));
      cut_.emplace(v.id, b.Emit(map.op, operands, map.attrs()));
    }
    copier.Map(node.result(), cut_.at(x.id));
    return true;
  }

 private:
  // Checks look at all elements, whatever is read of them.
  bool IsOwnMap(Value v) const {
    const Node* node = f_.producer(v);
    return node && Info(node->op).Has(ir::kElementwise) && !ir::IsCheck(node->op) && node->num_results == 1 &&
           reads_[v.index()] == 1;
  }

  // The maps that x is made of and nothing else reads, operands first; none if they are too many.
  std::vector<Value> MapsBelow(Value x) const {
    std::vector<Value> found{x};
    for (size_t i = 0; i < found.size(); ++i) {
      if (static_cast<int64_t>(found.size()) > kMostNodes) return {};
      for (Value o : f_.producer(found[i])->operands) {
        if (IsOwnMap(o)) found.push_back(o);
      }
    }
    ir::ChargeVisits(found.size());
    return {found.rbegin(), found.rend()};
  }

  // What the slice shows of an operand of a map.
  Value Cut(Value o, const Node& slice, const Shape& to, const Copier& copier, Builder& b) {
    if (const auto it = cut_.find(o.id); it != cut_.end()) return it->second;
    Value cut;
    const Node* node = f_.producer(o);
    if (auto splat = SplatOf(f_, o)) {
      cut = b.Broadcast(b.Constant(*std::move(splat)), to, {});
    } else if (node && node->op == Op::kBroadcast) {
      cut = b.Broadcast(CutOfBroadcast(*node, slice, copier, b), to, node->attr<Ints>("axes"));
    } else {
      cut = b.Slice(copier(o), slice.attr<Ints>("starts"), slice.attr<Ints>("limits"), slice.attr<Ints>("strides"));
    }
    cut_.emplace(o.id, cut);
    return cut;
  }
  Value CutOfBroadcast(const Node& node, const Node& slice, const Copier& copier, Builder& b) const {
    const Value x = node.operands[0];
    const auto& axes = node.attr<Ints>("axes");
    Ints starts, limits, strides;
    bool whole = true;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      const bool one = f_.type(x).shape.dim(static_cast<int>(i)) == 1;
      starts.push_back(one ? 0 : slice.attr<Ints>("starts")[axis]);
      limits.push_back(one ? 1 : slice.attr<Ints>("limits")[axis]);
      strides.push_back(one ? 1 : slice.attr<Ints>("strides")[axis]);
      whole = whole && starts[i] == 0 && strides[i] == 1 && limits[i] == f_.type(x).shape.dim(static_cast<int>(i));
    }
    return whole ? copier(x) : b.Slice(copier(x), starts, limits, strides);
  }

  const Function& f_;
  const std::vector<int> reads_;
  HashMap<int32_t, Value> cut_;  // of the slice at hand, by value of the old function
};

}  // namespace

absl::StatusOr<bool> SinkSlices(ir::Module* m, const PassContext& context) {
  if (!context.differentiation_done) return false;
  bool changed = false;
  for (const auto& f : m->functions()) {
    const auto rewritten = Rewrite(f.get(), m, SliceSinker(*f));
    if (!rewritten.ok()) return rewritten;
    if (*rewritten) *f = WithoutDeadNodes(*f);
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
