// Values that are stacked, [a, b, c, d] along a short axis, as one map that chooses: select(position == k, part k,
// rest). One kernel then computes all of them at a time, in registers, and what they share once: a stage of a Fourier
// transform is the sums of eight complex numbers, by sums that these share. As updates of a table each part is a
// kernel.

#include <algorithm>

#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Function;
using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

constexpr int64_t kMostParts = 16;  // more would not stay in registers, and kernels unroll no more (kMaxUnrolled)
constexpr int64_t kMostTurns = 4;  // of a last axis: lanes store them by turns (kMaxTurns of codegen/schedule)
constexpr int64_t kLanes = 16;  // elements behind each other in a part that are worth a loop

class PartSelector {
 public:
  explicit PartSelector(const Function& f)
      : f_(f), live_(LiveNodes(f)), reads_(static_cast<size_t>(f.num_values()), 0), reader_(reads_.size(), nullptr) {
    for (size_t n = 0; n < live_.size(); ++n) {
      if (!live_[n]) continue;
      for (Value v : f.nodes()[n].operands) {
        ++reads_[v.index()];
        reader_[v.index()] = &f.nodes()[n];
      }
    }
    for (Value v : f.results()) reads_[v.index()] += 2;  // it has memory
  }

  // The parts that a node, the last of a chain of updates, lays side by side, in order; empty if it is none, or better
  // left as it is.
  std::vector<Value> PartsOf(const Node& node) const {
    const Value v = node.result();
    if (node.op != Op::kDynamicUpdate || !live_[static_cast<size_t>(f_.producer_index(v))]) return {};
    const auto axis = node.attr<int64_t>("axis");
    if (!Fits(f_.type(v), static_cast<int>(axis)) || !IsStored(v)) return {};
    const bool by_turns = Behind(shape(v), static_cast<int>(axis)) == 1;
    Stack stack{axis, !by_turns, std::vector<Value>(static_cast<size_t>(shape(v).dim(static_cast<int>(axis)))), 0};
    const Node* update = &node;
    while (update && update->op == Op::kDynamicUpdate && update->attr<int64_t>("axis") == axis) {
      const auto start = SplatOf(f_, update->operands[2]);
      if (!start || !IsInteger(start->dtype()) || start->dtype() == kUInt64) return {};
      if (!Enter(update->operands[1], start->AsInt(0), &stack)) return {};
      if (stack.found == stack.parts.size()) return stack.parts;
      update = f_.producer(update->operands[0]);
    }
    const bool whole = update && Enter(update->result(), 0, &stack) && stack.found == stack.parts.size();
    return whole ? stack.parts : std::vector<Value>();
  }

 private:
  struct Stack {
    int64_t axis;
    bool computed;  // each part must be
    std::vector<Value> parts;  // by position; invalid: not known yet
    size_t found;
  };

  const Shape& shape(Value v) const { return f_.type(v).shape; }

  static int64_t Behind(const Shape& shape, int axis) {
    int64_t behind = 1;
    for (int i = axis + 1; i < shape.rank(); ++i) behind *= shape.dim(i);
    return behind;
  }
  // Lanes go along what is behind the axis; with nothing behind it, they are stored by turns.
  static bool Fits(const Type& type, int axis) {
    const Shape& shape = type.shape;
    if (!shape.is_constant() || IsComplex(type.dtype) || shape.size() == 0) return false;
    const int64_t count = shape.dim(axis);
    if (count < 2 || count > kMostParts) return false;
    const int64_t behind = Behind(shape, axis);
    const bool by_turns = behind == 1 && count <= kMostTurns && shape.size() >= kLanes * count;
    return behind >= kLanes || by_turns;
  }

  // Whether the stack has memory whatever its parts are: several read it, or a reshape that asks for it in order.
  bool IsStored(Value v) const {
    const auto dims = WithoutOnes(shape(v)).size();
    while (reads_[v.index()] == 1 && reader_[v.index()]->op == Op::kReshape) {
      v = reader_[v.index()]->result();
      if (WithoutOnes(shape(v)).size() < dims) return true;
    }
    return reads_[v.index()] > 1;
  }

  // Enters what is written from `start` on, before what is there already: one computed part, in padding that is written
  // over. Whether that is all.
  bool Enter(Value written, int64_t start, Stack* stack) const {
    const auto axis = static_cast<size_t>(stack->axis);
    const int64_t extent = shape(written).dim(static_cast<int>(axis));
    int64_t at = 0;
    if (const Node* pad = f_.producer(written); extent > 1) {
      if (!pad || pad->op != Op::kPad || !PadsAlone(*pad, axis)) return false;
      written = pad->operands[0];
      at = pad->attr<Ints>("low")[axis];
    }
    if (start < 0 || start + extent > static_cast<int64_t>(stack->parts.size())) return false;
    for (int64_t k = 0; k < extent; ++k) {
      Value& part = stack->parts[static_cast<size_t>(start + k)];
      if (part.valid()) continue;
      if (k != at || (stack->computed && !IsComputed(written))) return false;
      part = written;
      ++stack->found;
    }
    return true;
  }
  // Whether a pad puts one element somewhere along an axis, and does nothing else.
  bool PadsAlone(const Node& pad, size_t axis) const {
    const auto &low = pad.attr<Ints>("low"), &high = pad.attr<Ints>("high"), &interior = pad.attr<Ints>("interior");
    for (size_t i = 0; i < low.size(); ++i) {
      if (interior[i] != 0 || low[i] < 0 || high[i] < 0 || (i != axis && (low[i] != 0 || high[i] != 0))) return false;
    }
    return shape(pad.operands[0]).dim(static_cast<int>(axis)) == 1;
  }

  // By an elementwise op, at the place where it is stacked.
  bool IsComputed(Value v) const {
    const Node* node = f_.producer(v);
    while (node && node->op == Op::kReshape) node = f_.producer(node->operands[0]);
    return node && Info(node->op).Has(ir::kElementwise);
  }

  const Function& f_;
  const std::vector<bool> live_;  // by node; the others are left from before
  std::vector<int> reads_;
  std::vector<const Node*> reader_;  // the last one
};

// A part in the shape of the stack: repeated along the axis.
Value Repeated(ir::Builder& b, Value part, const Shape& to, int64_t axis) {
  const Function& f = *b.function();
  Ints all, axes, kept;
  for (int i = 0; i < to.rank(); ++i) {
    all.push_back(i);
    if (i == axis) continue;
    axes.push_back(i);
    kept.push_back(to.dim(i));
  }
  const bool expanded = f.Is(part, Op::kReshape) && b.shape(f.producer(part)->operands[0]) == Shape(kept);
  return expanded ? b.Broadcast(f.producer(part)->operands[0], to, axes) : b.Broadcast(part, to, all);
}

Value Selected(ir::Builder& b, const std::vector<Value>& parts, const Shape& to, int64_t axis) {
  const Value position = b.Iota(kInt64, to, axis);
  Value all = Repeated(b, parts.back(), to, axis);
  for (size_t k = parts.size() - 1; k-- > 0;) {
    const Value here = b.Equal(position, b.ScalarLike(position, static_cast<double>(k)));
    all = b.Select(here, Repeated(b, parts[k], to, axis), all);
  }
  return all;
}

}  // namespace

absl::StatusOr<bool> SelectParts(ir::Module* m, const PassContext& context) {
  if (!context.differentiation_done) return false;
  bool any = false;
  for (const auto& f : m->functions()) {
    const PartSelector selector(*f);
    const auto changed = Rewrite(f.get(), m, [&](const Node& node, Copier& copier, ir::Builder& b) {
      std::vector<Value> parts = selector.PartsOf(node);
      if (parts.empty()) return false;
      for (Value& part : parts) part = copier(part);
      copier.Map(node.result(), Selected(b, parts, f->type(node.result()).shape, node.attr<int64_t>("axis")));
      return true;
    });
    if (!changed.ok()) return changed.status();
    any = any || *changed;
  }
  return any;
}

}  // namespace reel::passes
