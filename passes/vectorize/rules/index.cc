#include <numeric>

#include "passes/vectorize/rule.h"

// Indices that are the same for all rows leave the rows alone. Indices per row address the rows and
// the axis as one axis of rows * extent slices.

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

// Indices [rows, ...] into an axis as indices into rows * extent slices; -1 where out of range.
Value InAllRows(ir::Builder& b, Value indices, int64_t extent) {
  const Value i = b.Cast(indices, kInt64);
  const Value size = b.ScalarLike(i, static_cast<double>(extent)), zero = b.ScalarLike(i, 0);
  const Value low = b.GreaterEqual(i, zero), valid = b.And(low, b.Less(i, size));
  const Value row = b.Iota(kInt64, Shape(b.shape(i)), 0), first = b.Mul(row, size);
  return b.Select(valid, b.Add(first, i), b.ScalarLike(i, -1));
}

// x[rows, ..., extent, ...], with the extent at `axis` of one row, as [rows * extent, rest...].
Value Slices(ir::Builder& b, Value x, int64_t axis) {
  const Value front = MoveAxis(b, x, axis + 1, 1);
  if (!front.valid()) return {};
  const Shape from = b.shape(front);
  Shape shape{from.dim(0) * from.dim(1)};
  for (int i = 2; i < from.rank(); ++i) shape.push_back(from[i]);
  return b.Reshape(front, shape);
}

// The inverse of Slices: `shape` is that of x.
Value FromSlices(ir::Builder& b, Value x, int64_t axis, const Shape& shape) {
  Shape front{shape[0], shape[static_cast<int>(axis) + 1]};
  for (int i = 1; i < shape.rank(); ++i) {
    if (i != axis + 1) front.push_back(shape[i]);
  }
  const Value y = b.Reshape(x, front);
  return y.valid() ? MoveAxis(b, y, 1, axis + 1) : Value{};
}

// [rows, before..., indices..., after...] <-> [rows, indices..., before..., after...], where there
// are `axis` axes before: where axis i of the second is in the first.
std::vector<int64_t> IndicesFirst(int rank, int64_t axis, int index_rank) {
  std::vector<int64_t> order{0};
  for (int64_t i = 0; i < index_rank; ++i) order.push_back(1 + axis + i);
  for (int64_t i = 0; i < axis; ++i) order.push_back(1 + i);
  for (int64_t i = 1 + axis + index_rank; i < rank; ++i) order.push_back(i);
  return order;
}
std::vector<int64_t> Inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> out(order.size());
  for (size_t i = 0; i < order.size(); ++i) out[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return out;
}

// Slices of operand 0 along an axis at indices [rows, ...].
Value GatherPerRow(BatchContext& c, ir::Builder& b, Value indices, int64_t axis) {
  if (!indices.valid()) return {};
  if (!c.batched(0)) {
    const Value y = b.Gather(c.in(0), indices, axis);
    return y.valid() ? MoveAxis(b, y, axis, 0) : y;
  }
  if (!c.x_type().shape.is_constant()) c.CountRows();
  const int64_t extent = c.x_type().shape.dim(static_cast<int>(axis));
  const int index_rank = b.shape(indices).rank() - 1;
  const Value y = b.Gather(Slices(b, c.in(0), axis), InAllRows(b, indices, extent), 0);
  if (!y.valid()) return {};
  return b.Transpose(y, Inverse(IndicesFirst(b.shape(y).rank(), axis, index_rank)));
}

// The scatter op on all rows at indices [rows, ...].
Value ScatterPerRow(BatchContext& c, ir::Builder& b, Op op, Value indices, Value updates, int64_t axis) {
  const Value x = c.rows(0);
  if (!x.valid() || !indices.valid() || !updates.valid()) return {};
  const Shape shape = b.shape(x);
  const int index_rank = b.shape(indices).rank() - 1;
  const Value all = InAllRows(b, indices, shape.dim(static_cast<int>(axis) + 1));
  const Value slices = Slices(b, x, axis);
  const Value parts = b.Transpose(updates, IndicesFirst(b.shape(updates).rank(), axis, index_rank));
  return FromSlices(b, b.Scatter(op, slices, all, parts, 0), axis, shape);
}

void BatchScatter(BatchContext& c, ir::Builder& b) {
  const auto axis = c.node().attr<int64_t>("axis");
  if (!c.batched(1)) {
    const Value x = c.rows(0), updates = c.rows(2);
    return c.Emit({x, c.in(1), updates}, c.Shifted({"axis"}));
  }
  c.CountRows();
  if (b.status().ok()) c.Set(0, ScatterPerRow(c, b, c.node().op, c.in(1), c.rows(2), axis));
}

// The positions [rows, size] of slices from `start` [rows], clamped into [0, extent - size].
Value Positions(ir::Builder& b, Value start, int64_t extent, int64_t size) {
  const auto last = static_cast<double>(extent - size);
  if (b.type(start).dtype == kUInt64) start = b.Min(start, b.ScalarLike(start, last));
  const Value i = b.Cast(start, kInt64), highest = b.ScalarLike(i, last), zero = b.ScalarLike(i, 0);
  const Value first = b.Max(b.Min(i, highest), zero);
  if (!first.valid()) return {};
  const Shape shape{b.shape(first)[0], size};
  const Value offset = b.Iota(kInt64, shape, 1);
  return b.Add(b.Broadcast(first, shape, {0}), offset);
}

}  // namespace

BATCH(Gather) {
  if (!c.batched(1)) return c.Emit({c.in(0), c.in(1)}, c.Shifted({"axis"}));
  if (c.batched(0)) c.CountRows();
  if (b.status().ok()) c.Set(0, GatherPerRow(c, b, c.in(1), c.node().attr<int64_t>("axis")));
}

BATCH(ScatterAdd) { BatchScatter(c, b); }
BATCH(ScatterSet) { BatchScatter(c, b); }
BATCH(ScatterMax) { BatchScatter(c, b); }
BATCH(ScatterMin) { BatchScatter(c, b); }
BATCH(ScatterMul) { BatchScatter(c, b); }

BATCH(DynamicSlice) {
  if (!c.batched(1)) return c.Emit({c.in(0), c.in(1)}, c.Shifted({"axis"}));
  const auto axis = c.node().attr<int64_t>("axis"), size = c.node().attr<int64_t>("size");
  const int64_t extent = c.x_type().shape.dim(static_cast<int>(axis));
  c.CountRows();
  if (!b.status().ok()) return;
  c.Set(0, GatherPerRow(c, b, Positions(b, c.in(1), extent, size), axis));
}

BATCH(DynamicUpdate) {
  if (!c.batched(2)) {
    const Value x = c.rows(0), update = c.rows(1);
    return c.Emit({x, update, c.in(2)}, c.Shifted({"axis"}));
  }
  const auto axis = c.node().attr<int64_t>("axis");
  const int64_t extent = c.x_type(0).shape.dim(static_cast<int>(axis)),
                size = c.x_type(1).shape.dim(static_cast<int>(axis));
  c.CountRows();
  if (!b.status().ok()) return;
  const Value positions = Positions(b, c.in(2), extent, size);
  c.Set(0, ScatterPerRow(c, b, Op::kScatterSet, positions, c.rows(1), axis));
}

}  // namespace reel::passes
