#include "passes/sink_transposes.h"

#include <algorithm>
#include <numeric>

#include "ir/hash_map.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

// Of one function: rewrites what reads transposed images.
class Sinker {
 public:
  // Whether the node became a transpose of the same op on images as they lie.
  bool operator()(const Node& node, Copier& copier, Builder& b) {
    const ir::Function& f = *b.function();
    const bool map = ir::Info(node.op).Has(ir::kElementwise), update = node.op == Op::kDynamicUpdate;
    if (!map && !update && node.op != Op::kPad) return false;
    ir::ValueList operands = copier(node.operands);
    const size_t images = map ? operands.size() : update ? 2 : 1;  // the first operands
    const Node* transpose = nullptr;
    for (size_t i = 0; i < images && !transpose; ++i) {
      const Node* maker = f.producer(operands[i]);
      if (maker && maker->op == Op::kTranspose && IsImage(f, maker->operands[0])) transpose = maker;
    }
    if (!transpose) return false;
    const Ints order = transpose->attr<Ints>("permutation");
    for (size_t i = 0; i < images; ++i) {
      if (!MayTurn(f, operands[i], order)) return false;
    }
    if (node.op == Op::kPad) {
      copier.Map(node.result(), Keep(b, PadBelow(b, operands[0], operands[1], node.attrs())));
      return true;
    }
    for (size_t i = 0; i < images; ++i) operands[i] = Turned(b, operands[i], order);
    const Value y = map ? b.Emit(node.op, operands, node.attrs())
                        : b.DynamicUpdate(operands[0], operands[1], operands[2],
                                          order[static_cast<size_t>(node.attr<int64_t>("axis"))]);
    copier.Map(node.result(), Keep(b, b.Transpose(y, order)));
    return true;
  }

 private:
  // Whether a value lies as a convolution or a pooling leaves it, but for reshapes.
  bool IsImage(const ir::Function& f, Value v) const {
    constexpr int kReshapes = 2;  // of a group's channels: time
    for (int i = 0; i <= kReshapes; ++i) {
      const Node* node = f.producer(v);
      if (images_.contains(v.id)) return true;
      if (!node) return false;
      if (node->op == Op::kConv) return true;
      if (ir::Info(node->op).Has(ir::kReduction) && f.Is(node->operands[0], Op::kWindow)) return true;
      if (node->op != Op::kReshape) return false;
      v = node->operands[0];
    }
    return false;
  }

  // The transpose, of a value that is now an image.
  Value Keep(Builder& b, Value transposed) {
    if (transposed.valid()) images_.insert(b.function()->producer(transposed)->operands[0].id);
    return transposed;
  }

  // Whether the value that this order shows as v costs nothing.
  static bool MayTurn(const ir::Function& f, Value v, const Ints& order) {
    const Node* node = f.producer(v);
    if (node && node->op == Op::kTranspose) return node->attr<Ints>("permutation") == order;
    return (node && node->op == Op::kBroadcast) || SplatOf(f, v).has_value();
  }

  // x of v = transpose(x, order).
  static Value Turned(Builder& b, Value v, const Ints& order) {
    const ir::Function& f = *b.function();
    const Node* node = f.producer(v);
    if (node->op == Op::kTranspose) return node->operands[0];
    const Shape shape = f.type(v).shape;
    Shape turned;
    for (int64_t axis : Inverse(order)) turned.push_back(shape[static_cast<int>(axis)]);
    if (auto splat = SplatOf(f, v)) return b.Broadcast(b.Constant(*std::move(splat)), turned, {});
    const Value x = node->operands[0];
    Ints axes, from(node->attr<Ints>("axes").size());
    for (int64_t axis : node->attr<Ints>("axes")) axes.push_back(order[static_cast<size_t>(axis)]);
    std::iota(from.begin(), from.end(), 0);
    std::sort(from.begin(), from.end(),
              [&](int64_t i, int64_t j) { return axes[static_cast<size_t>(i)] < axes[static_cast<size_t>(j)]; });
    std::sort(axes.begin(), axes.end());
    return b.Broadcast(b.Transpose(x, from), turned, axes);
  }

  HashSet<int32_t> images_;  // values of the new function
};

}  // namespace

Ints Inverse(const Ints& permutation) {
  Ints inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return inverse;
}

Value PadBelow(Builder& b, Value transposed, Value value, const ir::Attributes& pad) {
  const Node& transpose = *b.function()->producer(transposed);
  const Ints order = transpose.attr<Ints>("permutation");
  const Value x = transpose.operands[0];
  const auto before = [&](const char* name) {
    Ints turned(order.size());
    for (size_t i = 0; i < order.size(); ++i) turned[static_cast<size_t>(order[i])] = pad.Get<Ints>(name)[i];
    return turned;
  };
  return b.Transpose(b.Pad(x, value, before("low"), before("high"), before("interior")), order);
}

absl::StatusOr<bool> SinkTransposes(ir::Module* m, const PassContext&) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    const auto rewritten = Rewrite(f.get(), m, Sinker());
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
