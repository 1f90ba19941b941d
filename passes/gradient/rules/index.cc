#include "passes/gradient/rule.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

// What the forward part has checked is not checked, nor kept, again.
Value IndicesOf(const GradContext& g, ir::Builder& b) {
  Value v = g.in(1);
  while (b.function()->Is(v, Op::kCheckIndex)) v = b.function()->producer(v)->operands[0];
  return v;
}

// One value per index, for all elements of its slice: broadcast to the updates.
Value ForSlices(ir::Builder& b, Value v, const Shape& updates, int64_t axis) {
  Ints axes;
  for (int i = 0; i < b.shape(v).rank(); ++i) axes.push_back(axis + i);
  return b.shape(v) == updates ? v : b.Broadcast(v, updates, std::move(axes));
}

// Whether no later index is the same.
Value IsLastWriter(ir::Builder& b, Value indices, int64_t extent) {
  const Shape shape = b.shape(indices);
  const Value position = b.Reshape(b.Iota(kInt64, {shape.size()}, 0), shape);
  const Value nobody = b.Full({kInt64, {extent}}, -1);
  const Value writer = b.Scatter(Op::kScatterSet, nobody, indices, position, 0);
  return b.Equal(b.Gather(writer, indices, 0), position);
}

// Of the maxima (minima) of an element, operand and updates alike, each gets an equal share.
void ShareScattered(GradContext& g, ir::Builder& b) {
  const auto axis = g.node().attr<int64_t>("axis");
  const DType dtype = g.x_type().dtype;
  const Value hit_a = b.Cast(b.Equal(g.in(0), g.y()), dtype);
  const Value hit_c = b.Cast(b.Equal(g.in(2), b.Gather(g.y(), IndicesOf(g, b), axis)), dtype);
  const Value share = b.Div(g.dy(), b.ScatterAdd(hit_a, IndicesOf(g, b), hit_c, axis));
  g.Set(0, b.Mul(hit_a, share));
  if (g.wants(2)) g.Set(2, b.Mul(hit_c, b.Gather(share, IndicesOf(g, b), axis)));
}

// Products along the middle axis of x[before, n, after] of the elements before each one (after it,
// if reverse) whose segment number is the same; equal numbers are neighbours. By doubling: after
// step s an element has the s up to it.
class SegmentProducts {
 public:
  SegmentProducts(ir::Builder& b, Value segments, bool reverse) : b_(b), segments_(segments), reverse_(reverse) {}

  Value Of(Value x) {
    const int64_t n = b_.shape(x).dim(1);
    for (int64_t s = 1; s < n; s *= 2) x = b_.Mul(x, Shifted(x, s));
    return Shifted(x, 1);
  }

 private:
  // x[t - s] where that is in the segment of t, else 1.
  Value Shifted(Value x, int64_t s) {
    const int64_t by = reverse_ ? -s : s;
    const Value same = b_.Equal(segments_, ShiftAlong(b_, segments_, 0, by, -1));
    const Value mask = b_.Broadcast(same, b_.shape(x), {1});
    const Value shifted = ShiftAlong(b_, x, 1, by, 1);
    return b_.Select(mask, shifted, b_.ScalarLike(x, 1));
  }

  ir::Builder& b_;
  Value segments_;
  bool reverse_;
};

// For every update the product of all others with its index, also where some are 0.
Value ProductsOfOthers(ir::Builder& b, Value indices, Value updates, int64_t axis) {
  const Shape shape = b.shape(updates);
  const int64_t n = b.shape(indices).size();
  int64_t before = 1, after = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < axis) before *= shape.dim(i);
    if (i >= axis + b.shape(indices).rank()) after *= shape.dim(i);
  }
  const Value list = b.Reshape(indices, {n});
  const Value order = b.Argsort(list, 0, false);
  const Value sorted = b.Gather(b.Reshape(updates, {before, n, after}), order, 1);
  const Value segments = b.Gather(list, order, 0);
  const Value earlier = SegmentProducts(b, segments, false).Of(sorted);
  const Value later = SegmentProducts(b, segments, true).Of(sorted);
  const Value others = b.Mul(earlier, later);
  return b.Reshape(b.Gather(others, b.Argsort(order, 0, false), 1), shape);
}

}  // namespace

// Reading at indices and adding at indices are each other's transpose; out of range means nothing
// in both.
GRAD(Gather, kB, kNone) {
  const int64_t axis = g.node().attr<int64_t>("axis");
  g.Set(0, b.ScatterAdd(b.Zeros(g.x_type()), IndicesOf(g, b), g.dy(), axis));
}
GRAD(ScatterAdd, kB, kNone) {
  g.Set(0, g.dy());
  if (g.wants(2)) g.Set(2, b.Gather(g.dy(), IndicesOf(g, b), g.node().attr<int64_t>("axis")));
}
// What was overwritten gets nothing, and of several updates of one element the last gets all.
GRAD(ScatterSet, kB, kNone) {
  const auto axis = g.node().attr<int64_t>("axis");
  const Type updates = g.x_type(2);
  if (g.wants(0)) g.Set(0, b.Scatter(Op::kScatterSet, g.dy(), IndicesOf(g, b), b.Zeros(updates), axis));
  if (g.wants(2)) {
    const Value last = IsLastWriter(b, IndicesOf(g, b), g.x_shape().dim(static_cast<int>(axis)));
    const Value all = b.Gather(g.dy(), IndicesOf(g, b), axis), nothing = b.Zeros(updates);
    g.Set(2, b.Select(ForSlices(b, last, updates.shape, axis), all, nothing));
  }
}
GRAD(ScatterMax, kA | kB | kC, kY) { ShareScattered(g, b); }
GRAD(ScatterMin, kA | kB | kC, kY) { ShareScattered(g, b); }
GRAD(ScatterMul, kA | kB | kC, kNone) {
  const auto axis = g.node().attr<int64_t>("axis");
  if (g.wants(0)) g.Set(0, b.Scatter(Op::kScatterMul, g.dy(), IndicesOf(g, b), g.in(2), axis));
  if (g.wants(2)) {
    const Value factor = b.Gather(b.Mul(g.dy(), g.in(0)), IndicesOf(g, b), axis);
    g.Set(2, b.Mul(factor, ProductsOfOthers(b, IndicesOf(g, b), g.in(2), axis)));
  }
}
NOT_DIFFERENTIABLE(CheckIndex)
NOT_DIFFERENTIABLE(CheckInteger)
GRAD(DynamicSlice, kB, kNone) {
  const int64_t axis = g.node().attr<int64_t>("axis");
  g.Set(0, b.DynamicUpdate(b.Zeros(g.x_type()), g.dy(), g.in(1), axis));
}
GRAD(DynamicUpdate, kC, kNone) {
  const int64_t axis = g.node().attr<int64_t>("axis");
  const Type update = g.x_type(1);
  if (g.wants(0)) g.Set(0, b.DynamicUpdate(g.dy(), b.Zeros(update), g.in(2), axis));
  if (g.wants(1)) {
    const int64_t size = update.shape.dim(static_cast<int>(axis));
    g.Set(1, b.DynamicSlice(g.dy(), g.in(2), axis, size));
  }
}

}  // namespace reel::passes
