#include "reel/indexing.h"

#include <algorithm>
#include <bit>

#include "absl/types/span.h"
#include "frontend/eager/composite.h"
#include "frontend/eager/dispatch.h"
#include "frontend/ops/extremes.h"
#include "frontend/ops/index.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/shapes.h"

namespace reel {
namespace {

using internal::CheckIndices;
using internal::Dispatch;
using internal::IndexTensor;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;
using Ints = std::vector<int64_t>;

int64_t AxisExtent(const Tensor& x, int64_t axis) { return x.shape().dim(static_cast<int>(axis)); }

ir::Op OpOf(ScatterMode mode) {
  switch (mode) {
    case ScatterMode::kAdd: return ir::Op::kScatterAdd;
    case ScatterMode::kMul: return ir::Op::kScatterMul;
    case ScatterMode::kMax: return ir::Op::kScatterMax;
    case ScatterMode::kMin: return ir::Op::kScatterMin;
    default: return ir::Op::kScatterSet;
  }
}

Tensor ScatterOf(const char* name, ir::Op op, const Operand& x, const Operand& indices, const Operand& updates,
                 int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  axis = NormalizeAxis(name, axis, t.rank());
  const Tensor checked = CheckIndices(name, t, i, axis);
  return Dispatch(op, {t, checked, internal::ConvertWeak(updates, t.dtype())}, {{"axis", axis}});
}

// x as a vector of its first `axes` axes, each element what follows them.
Tensor Flatten(const Tensor& x, int64_t axes) {
  Ints dims = x.shape().dims();
  int64_t n = 1;
  for (int64_t i = 0; i < axes; ++i) n *= dims[static_cast<size_t>(i)];
  dims.erase(dims.begin(), dims.begin() + axes);
  dims.insert(dims.begin(), n);
  return Reshape(x, dims);
}

// The row-major position in the first axes of `shape` of every row of indices [i..., k]; -1 if a
// part is out of range.
Tensor LinearIndex(const char* op, const Tensor& x, const Tensor& indices) {
  const int64_t parts = indices.rank() == 0 ? -1 : AxisExtent(indices, -1 + indices.rank());
  if (parts < 0 || parts > x.rank()) {
    ThrowInvalid(StrCat(op, ": the last axis of the indices ", indices.type().ToString(),
                        " must have at most as many entries as ", x.type().ToString(), " has axes"));
  }
  Shape shape(std::span<const Extent>(indices.shape().begin(), indices.shape().end() - 1));
  Tensor position = Zeros(shape, kInt64), valid = Full(shape, 1, kBool);
  Ints starts(static_cast<size_t>(indices.rank()), 0), limits(starts.size(), kEnd);
  for (int64_t p = 0; p < parts; ++p) {
    starts.back() = p;
    limits.back() = p + 1;
    const Tensor part = CheckIndices(op, x, Cast(Squeeze(Slice(indices, starts, limits), -1), kInt64), p);
    const int64_t n = AxisExtent(x, p);
    position = Add(Mul(position, n), part);
    valid = LogicalAnd(valid, LogicalAnd(GreaterEqual(part, 0), Less(part, n)));
  }
  return Where(valid, position, -1);
}

}  // namespace

Tensor ScatterSet(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis) {
  return ScatterOf("scatter_set", ir::Op::kScatterSet, x, indices, updates, axis);
}
Tensor ScatterMax(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis) {
  return ScatterOf("scatter_max", ir::Op::kScatterMax, x, indices, updates, axis);
}
Tensor ScatterMin(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis) {
  return ScatterOf("scatter_min", ir::Op::kScatterMin, x, indices, updates, axis);
}
Tensor ScatterMul(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis) {
  return ScatterOf("scatter_mul", ir::Op::kScatterMul, x, indices, updates, axis);
}

Tensor GatherNd(const Operand& x, const Operand& indices) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  const Tensor position = LinearIndex("gather_nd", t, i);
  return Dispatch(ir::Op::kGather, {Flatten(t, i.shape().dim(i.rank() - 1)), position}, {{"axis", int64_t{0}}});
}

Tensor TensorScatter(const Operand& x, const Operand& indices, const Operand& updates, ScatterMode mode) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices), u = internal::ConvertWeak(updates, t.dtype());
  const Tensor position = LinearIndex("tensor_scatter", t, i);
  const Tensor flat = Flatten(t, i.shape().dim(i.rank() - 1));
  return Reshape(Dispatch(OpOf(mode), {flat, position, u}, {{"axis", int64_t{0}}}), t.shape().dims());
}

Tensor ScatterNd(const Operand& indices, const Operand& updates, const Shape& shape, ScatterMode mode) {
  const LocationScope scope(indices);
  const Tensor u = Materialize(updates);
  return TensorScatter(Zeros(shape, u.dtype()), indices, u, mode);
}

namespace {

// Positions in all of x, as a vector, of the elements that indices name along an axis; -1 where out
// of range.
Tensor AlongAxis(const char* op, const Tensor& x, Tensor indices, int64_t axis) {
  if (indices.rank() != x.rank()) {
    ThrowInvalid(StrCat(op, ": indices ", indices.type().ToString(), " must have the rank of ", x.type().ToString(),
                        "; ExpandDims them"));
  }
  indices = CheckIndices(op, x, indices, axis);
  Shape shape = x.shape();
  shape.set(static_cast<int>(axis), indices.shape()[static_cast<int>(axis)]);
  indices = BroadcastTo(Cast(indices, kInt64), shape);
  const Ints strides = RowMajorStrides(x.shape());
  const int64_t n = AxisExtent(x, axis);
  Tensor position = Mul(indices, strides[static_cast<size_t>(axis)]);
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis && shape.dim(i) > 1) position = Add(position, Mul(Iota(shape, i), strides[static_cast<size_t>(i)]));
  }
  return Where(LogicalAnd(GreaterEqual(indices, 0), Less(indices, n)), position, -1);
}

}  // namespace

Tensor TakeAlongAxis(const Operand& x, const Operand& indices, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  axis = NormalizeAxis("take_along_axis", axis, t.rank());
  const Tensor position = AlongAxis("take_along_axis", t, i, axis);
  return Dispatch(ir::Op::kGather, {Flatten(t, t.rank()), position}, {{"axis", int64_t{0}}});
}

Tensor PutAlongAxis(const Operand& x, const Operand& indices, const Operand& values, int64_t axis, ScatterMode mode) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  axis = NormalizeAxis("put_along_axis", axis, t.rank());
  const Tensor position = AlongAxis("put_along_axis", t, i, axis);
  const Tensor v = BroadcastTo(internal::ConvertWeak(values, t.dtype()), position.shape());
  return Reshape(Dispatch(OpOf(mode), {Flatten(t, t.rank()), position, v}, {{"axis", int64_t{0}}}), t.shape().dims());
}

// --- sort ---

Tensor Argsort(const Operand& x, int64_t axis, bool descending) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Dispatch(ir::Op::kArgsort, {t},
                  {{"axis", NormalizeAxis("argsort", axis, t.rank())}, {"descending", descending}});
}

Tensor Sort(const Operand& x, int64_t axis, bool descending) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  axis = NormalizeAxis("sort", axis, t.rank());
  return internal::Compose(
      "sort", {t}, {static_cast<double>(axis), static_cast<double>(descending)},
      [&](absl::Span<const Tensor> in) { return TakeAlongAxis(in[0], Argsort(in[0], axis, descending), axis); });
}

TopKResult TopK(const Operand& x, int64_t k, int64_t axis, bool largest) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  axis = NormalizeAxis("top_k", axis, t.rank());
  if (k < 0 || k > AxisExtent(t, axis)) {
    ThrowInvalid(
        StrCat("top_k: k ", k, " must be in [0, ", AxisExtent(t, axis), "], axis ", axis, " of ", t.type().ToString()));
  }
  Ints starts(static_cast<size_t>(t.rank()), 0), limits(starts.size(), kEnd);
  limits[static_cast<size_t>(axis)] = k;
  const double numbers[] = {static_cast<double>(k), static_cast<double>(axis), static_cast<double>(largest)};
  const Tensor indices = internal::Compose("top_k", {t}, numbers, [&](absl::Span<const Tensor> in) {
    return Slice(Argsort(in[0], axis, largest), starts, limits);
  });
  return {TakeAlongAxis(t, indices, axis), indices};
}

// The position grows by halving steps as long as what is there stands before the value.
Tensor SearchSorted(const Operand& sorted, const Operand& values, Side side) {
  const LocationScope scope(sorted);
  const internal::TensorList t = internal::Promote(ir::Op::kLess, {&sorted, &values});
  const Tensor a = StopGradient(t[0]), v = StopGradient(t[1]);
  if (a.rank() != 1) {
    ThrowInvalid(StrCat("search_sorted: the sorted values ", a.type().ToString(), " must be a vector"));
  }
  const int64_t n = a.size();
  Tensor position = Zeros(v.shape(), kInt64);
  for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n))); step > 0; step /= 2) {
    const Tensor next = Add(position, step), last = Minimum(Sub(next, 1), n - 1);
    const Tensor there = Gather(a, last);
    // As Argsort orders: NaN is the largest.
    Tensor passes = side == Side::kLeft ? Less(there, v) : LessEqual(there, v);
    if (IsFloat(v.dtype())) {
      const Tensor nan = NotEqual(v, v);
      passes = LogicalOr(passes, side == Side::kLeft ? LogicalAnd(nan, Equal(there, there)) : nan);
    }
    position = Where(LogicalAnd(LessEqual(next, n), passes), next, position);
  }
  return position;
}

Tensor IsIn(const Operand& x, const Operand& values) {
  const LocationScope scope(x);
  const internal::TensorList t = internal::Promote(ir::Op::kEqual, {&x, &values});
  if (t[1].size() == 0) return Full(t[0].shape(), 0, kBool);
  const Tensor sorted = Sort(Reshape(StopGradient(t[1]), {-1})), v = StopGradient(t[0]);
  const Tensor at = Minimum(SearchSorted(sorted, v), sorted.size() - 1);
  return Equal(Gather(sorted, at), v);
}

// --- counting and segments ---

Tensor Bincount(const Operand& x, int64_t length) { return Bincount(x, length, Tensor(int64_t{1})); }

Tensor Bincount(const Operand& x, int64_t length, const Operand& weights) {
  const LocationScope scope(x);
  const Tensor i = IndexTensor(x), w = Materialize(weights);
  if (length < 0) ThrowInvalid(StrCat("bincount: length ", length, " is negative"));
  // Dropped, not an error: only 0 .. length - 1 are counted.
  return Dispatch(ir::Op::kScatterAdd, {Zeros({length}, w.dtype()), i, BroadcastTo(w, i.shape())},
                  {{"axis", int64_t{0}}});
}

namespace {

Tensor SegmentOf(const char* name, ScatterMode mode, const Tensor& x, const Operand& segments, int64_t count,
                 const Tensor& begin) {
  const Tensor s = IndexTensor(segments);
  if (count < 0) ThrowInvalid(StrCat(name, ": ", count, " segments are not a number of segments"));
  if (s.rank() > x.rank() || !std::equal(s.shape().begin(), s.shape().end(), x.shape().begin())) {
    ThrowInvalid(
        StrCat(name, ": segments ", s.type().ToString(), " must be a number for each row of ", x.type().ToString()));
  }
  Shape shape{count};
  for (int i = s.rank(); i < x.rank(); ++i) shape.push_back(x.shape()[i]);
  return ScatterOf(name, OpOf(mode), internal::BroadcastTensor(begin, shape), s, x, 0);
}

}  // namespace

Tensor SegmentSum(const Operand& x, const Operand& segments, int64_t count) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return SegmentOf("segment_sum", ScatterMode::kAdd, t, segments, count, internal::ScalarOf(t.dtype(), 0));
}
Tensor SegmentProd(const Operand& x, const Operand& segments, int64_t count) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return SegmentOf("segment_prod", ScatterMode::kMul, t, segments, count, internal::ScalarOf(t.dtype(), 1));
}
Tensor SegmentMax(const Operand& x, const Operand& segments, int64_t count) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return SegmentOf("segment_max", ScatterMode::kMax, t, segments, count, internal::LimitOf(t.dtype(), false));
}
Tensor SegmentMin(const Operand& x, const Operand& segments, int64_t count) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return SegmentOf("segment_min", ScatterMode::kMin, t, segments, count, internal::LimitOf(t.dtype(), true));
}
Tensor SegmentMean(const Operand& x, const Operand& segments, int64_t count) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), s = IndexTensor(segments);
  if (!IsFloat(t.dtype())) {
    ThrowInvalid(StrCat("segment_mean: needs floats, got ", t.type().ToString(), "; Cast it to kFloat32"));
  }
  const Tensor sum = SegmentSum(t, s, count), rows = SegmentSum(Ones(s.shape(), t.dtype()), s, count);
  Ints dims(static_cast<size_t>(sum.rank()), 1);
  dims[0] = count;
  return Div(sum, Reshape(Maximum(rows, 1), dims));
}

Tensor OneHot(const Operand& indices, int64_t depth, const Operand& on, const Operand& off, int64_t axis) {
  const LocationScope scope(indices);
  const Tensor i = IndexTensor(indices);
  axis = NormalizeAxis("one_hot", axis, i.rank() + 1);
  const Tensor hot = OneHot(i, depth, kBool), last = Where(hot, on, off);
  return axis == i.rank() ? last : MoveAxis(last, -1, axis);
}

namespace {

[[noreturn]] void DependsOnValues(const char* op, const char* instead) {
  internal::ThrowError(
      ErrorCode::kUnimplemented,
      StrCat(op, ": the shape of the result depends on values, which compiled code cannot have; ", instead));
}

}  // namespace

Tensor Nonzero(const Operand& x) {
  const LocationScope scope(x);
  DependsOnValues("nonzero", "use Where(condition, a, b), CountNonzero, or Argsort of the condition, descending");
}

Tensor Unique(const Operand& x) {
  const LocationScope scope(x);
  DependsOnValues("unique", "use Sort and compare neighbours, or Bincount");
}

}  // namespace reel
