#include <numeric>
#include <optional>

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

// Of one function: columns of products stay cut into panels until something else than a map reads them.
class Splitter {
 public:
  bool operator()(const Node& node, Copier& copier, Builder& b) {
    const Function& f = *b.function();
    const ir::ValueList operands = copier(node.operands);
    if (node.op == Op::kContract) {
      const Value panels = PanelsOf(f, operands[1], node);
      if (!panels.valid() || f.type(operands[0]).shape.rank() >= kMaxRank) return false;
      const auto ints = [&](const char* name) { return node.attr<Ints>(name); };
      const Value y =
          b.Contract(operands[0], panels, {ints("a_batch"), ints("b_batch"), ints("a_contract"), ints("b_contract")});
      copier.Map(node.result(), Join(b, y));
      return true;
    }
    if (!ir::Info(node.op).Has(ir::kElementwise) || node.num_results != 1) return false;
    const Value* joined = nullptr;
    for (const Value& v : operands) {
      if (joined_.contains(v.id)) joined = &v;
    }
    if (!joined) return false;
    const Shape cut = f.type(f.producer(*joined)->operands[0]).shape;
    ir::ValueList parts;
    for (Value v : operands) parts.push_back(Cut(b, v, cut));
    copier.Map(node.result(), Join(b, b.Emit(node.op, parts, node.attrs())));
    return true;
  }

 private:
  // What a contraction's second operand shows as one axis of columns, stored panel by panel: [..., n, panel].
  static Value PanelsOf(const Function& f, Value b, const Node& contract) {
    const Node* reshape = f.producer(b);
    const Node* turn = reshape && reshape->op == Op::kReshape ? f.producer(reshape->operands[0]) : nullptr;
    if (!turn || turn->op != Op::kTranspose || !f.is_parameter(turn->operands[0])) return {};
    const auto& order = turn->attr<Ints>("permutation");
    const Shape &to = f.type(b).shape, &from = f.type(turn->result()).shape;
    const int last = to.rank() - 1;
    if (from.rank() != last + 2 || last < 1 || order[order.size() - 2] != 0) return {};
    if (order.back() != static_cast<int64_t>(order.size()) - 1) return {};
    for (int i = 0; i < last; ++i) {
      if (from[i] != to[i]) return {};
    }
    for (const char* name : {"b_batch", "b_contract"}) {
      for (int64_t axis : contract.attr<Ints>(name)) {
        if (axis == last) return {};
      }
    }
    return turn->result();
  }

  // [..., n, panel] as [..., n * panel].
  Value Join(Builder& b, Value y) {
    if (!y.valid()) return y;
    Shape shape = b.shape(y);
    const int64_t panel = shape.dim(shape.rank() - 1);
    shape.erase(shape.rank() - 1);
    shape.set(shape.rank() - 1, shape.dim(shape.rank() - 1) * panel);
    const Value joined = b.Reshape(y, shape);
    if (joined.valid()) joined_.insert(joined.id);
    return joined;
  }

  // The other way, of what a map reads beside.
  Value Cut(Builder& b, Value v, const Shape& cut) const {
    const Function& f = *b.function();
    const Node* node = f.producer(v);
    if (joined_.contains(v.id)) return node->operands[0];
    if (auto splat = SplatOf(f, v)) return b.Broadcast(b.Constant(*std::move(splat)), cut, {});
    const auto last = static_cast<int64_t>(cut.rank()) - 2;  // of v
    if (!node || node->op != Op::kBroadcast) return b.Reshape(v, cut);
    Value x = node->operands[0];
    Ints axes = node->attr<Ints>("axes");
    Shape shape = f.type(x).shape;
    if (!axes.empty() && axes.back() == last) {
      const bool one = shape.dim(shape.rank() - 1) == 1;
      shape.set(shape.rank() - 1, one ? 1 : cut.dim(cut.rank() - 2));
      shape.push_back(one ? 1 : cut.dim(cut.rank() - 1));
      axes.push_back(last + 1);
      x = b.Reshape(x, shape);
    }
    return b.Broadcast(x, cut, axes);
  }

  HashSet<int32_t> joined_;  // values of the new function
};

}  // namespace

absl::StatusOr<bool> SplitPanels(ir::Module* m, const PassContext&) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    const auto rewritten = Rewrite(f.get(), m, Splitter());
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
