#include <algorithm>
#include <cmath>
#include <numeric>

#include "frontend/eager/dispatch.h"
#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/shapes.h"

namespace reel {
namespace {

using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::SliceAxis;
using internal::ThrowInvalid;
using Ints = std::vector<int64_t>;

size_t N(int64_t i) { return static_cast<size_t>(i); }

Tensor RollAxis(const Tensor& x, int64_t shift, int64_t axis) {
  const int64_t n = x.shape().dim(static_cast<int>(axis));
  if (n == 0) return x;
  shift = (shift % n + n) % n;
  return shift == 0 ? x : Concat({SliceAxis(x, axis, n - shift, n), SliceAxis(x, axis, 0, n - shift)}, axis);
}

Ints Identity(int rank) {
  Ints order(N(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// x with one more axis, broadcast to these extents: what needs more memory than there can be, or
// more axes, is refused.
Tensor Widened(const char* op, const Tensor& x, int64_t axis, const Ints& dims) {
  if (x.rank() == kMaxRank) {
    ThrowInvalid(
        StrCat(op, ": ", x.type().ToString(), " has ", kMaxRank, " axes, and one more is needed; Reshape it to fewer"));
  }
  return BroadcastTo(ExpandDims(x, axis), Shape(dims));
}

// Last two axes of a tensor of matrices.
std::pair<int64_t, int64_t> MatrixDims(const char* op, const Tensor& x) {
  if (x.rank() < 2) {
    ThrowInvalid(StrCat(op, ": needs matrices, got ", x.type().ToString(), "; Reshape it to rank 2 or more"));
  }
  return {x.shape().dim(x.rank() - 2), x.shape().dim(x.rank() - 1)};
}

}  // namespace

Tensor Flip(const Operand& x, const Axes& axes) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  Ints list = axes.all() ? Identity(t.rank()) : axes.list();
  for (int64_t& axis : list) axis = NormalizeAxis("flip", axis, t.rank());
  std::sort(list.begin(), list.end());
  return Dispatch(ir::Op::kReverse, {t}, {{"axes", list}});
}

Tensor Roll(const Operand& x, const std::vector<int64_t>& shifts, const std::vector<int64_t>& axes) {
  const LocationScope scope(x);
  Tensor t = Materialize(x);
  if (shifts.size() != axes.size()) {
    ThrowInvalid(StrCat("roll: ", shifts.size(), " shifts for ", axes.size(), " axes; give one per axis"));
  }
  for (size_t i = 0; i < axes.size(); ++i) t = RollAxis(t, shifts[i], NormalizeAxis("roll", axes[i], t.rank()));
  return reel::Identity(t);
}

Tensor Roll(const Operand& x, int64_t shift) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Reshape(RollAxis(Reshape(t, {t.size()}), shift, 0), t.shape().dims());
}

// [n] -> [1, n] -> [r, n] -> [r n], one axis at a time.
Tensor Tile(const Operand& x, const std::vector<int64_t>& repeats) {
  const LocationScope scope(x);
  Tensor t = Materialize(x);
  Ints list = repeats;
  while (list.size() < N(t.rank())) list.insert(list.begin(), 1);
  while (N(t.rank()) < list.size()) t = ExpandDims(t, 0);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0) ThrowInvalid(StrCat("tile: ", list[i], " repeats of axis ", i, " are negative"));
    if (list[i] == 1) continue;
    Ints dims = t.shape().dims(), wide = dims;
    wide.insert(wide.begin() + static_cast<std::ptrdiff_t>(i), list[i]);
    t = Widened("tile", t, static_cast<int64_t>(i), wide);
    dims[i] *= list[i];
    t = Reshape(t, dims);
  }
  return reel::Identity(t);
}

Tensor Repeat(const Operand& x, int64_t repeats, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  axis = NormalizeAxis("repeat", axis, t.rank());
  if (repeats < 0) ThrowInvalid(StrCat("repeat: ", repeats, " repeats are negative"));
  Ints dims = t.shape().dims(), wide = dims;
  wide.insert(wide.begin() + axis + 1, repeats);
  const Tensor repeated = Widened("repeat", t, axis + 1, wide);
  dims[N(axis)] *= repeats;
  return Reshape(repeated, dims);
}

std::vector<Tensor> Split(const Operand& x, const std::vector<int64_t>& extents, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  axis = NormalizeAxis("split", axis, t.rank());
  const int64_t n = t.shape().dim(static_cast<int>(axis));
  int64_t total = 0;
  for (int64_t e : extents) {
    if (e < 0 || __builtin_add_overflow(total, e, &total)) ThrowInvalid(StrCat("split: extent ", e, " is no extent"));
  }
  if (total != n) {
    ThrowInvalid(StrCat("split: extents add up to ", total, ", axis ", axis, " of ", t.type().ToString(), " has ", n));
  }
  std::vector<Tensor> parts;
  int64_t at = 0;
  for (int64_t e : extents) {
    parts.push_back(SliceAxis(t, axis, at, at + e));
    at += e;
  }
  return parts;
}

std::vector<Tensor> Split(const Operand& x, int64_t parts, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  axis = NormalizeAxis("split", axis, t.rank());
  const int64_t n = t.shape().dim(static_cast<int>(axis));
  if (parts < 1 || n % parts != 0) {
    ThrowInvalid(StrCat("split: axis ", axis, " of ", t.type().ToString(), " does not divide into ", parts,
                        " parts; give the extent of each"));
  }
  return Split(t, Ints(N(parts), n / parts), axis);
}

std::vector<Tensor> Unstack(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  axis = NormalizeAxis("unstack", axis, t.rank());
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < t.shape().dim(static_cast<int>(axis)); ++i) {
    parts.push_back(Squeeze(SliceAxis(t, axis, i, i + 1), axis));
  }
  return parts;
}

Tensor MoveAxis(const Operand& x, int64_t from, int64_t to) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  from = NormalizeAxis("move_axis", from, t.rank());
  to = NormalizeAxis("move_axis", to, t.rank());
  Ints order = Identity(t.rank());
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return Transpose(t, order);
}

Tensor SwapAxes(const Operand& x, int64_t a, int64_t b) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  Ints order = Identity(t.rank());
  std::swap(order[N(NormalizeAxis("swap_axes", a, t.rank()))], order[N(NormalizeAxis("swap_axes", b, t.rank()))]);
  return Transpose(t, order);
}

Tensor Ravel(const Operand& x, int64_t begin, int64_t end) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (t.rank() == 0) return Reshape(t, {1});
  begin = NormalizeAxis("ravel", begin, t.rank());
  end = NormalizeAxis("ravel", end, t.rank());
  if (begin > end) ThrowInvalid(StrCat("ravel: axis ", begin, " is after axis ", end));
  Ints dims;
  for (int i = 0; i < t.rank(); ++i) {
    if (i > begin && i <= end) {
      dims.back() *= t.shape().dim(i);
    } else {
      dims.push_back(t.shape().dim(i));
    }
  }
  return Reshape(t, dims);
}

namespace {

// Which of n elements stands at position i, which may be outside.
int64_t Mirrored(int64_t i, int64_t n, PadMode mode) {
  if (mode == PadMode::kEdge || n == 1) return std::clamp<int64_t>(i, 0, n - 1);
  const int64_t period = mode == PadMode::kWrap ? n : mode == PadMode::kReflect ? 2 * (n - 1) : 2 * n;
  const int64_t at = (i % period + period) % period;
  return at < n ? at : mode == PadMode::kReflect ? period - at : period - 1 - at;
}

// Is there memory for the axis with so many more elements? Looked for before they are counted.
void CheckRoom(const char* op, const Tensor& x, int axis, int64_t before, int64_t after) {
  Type type = x.type();
  int64_t extent = type.shape.dim(axis);
  const bool counted =
      !__builtin_add_overflow(extent, before, &extent) && !__builtin_add_overflow(extent, after, &extent);
  type.shape.set(axis, extent);
  const int64_t least = int64_t{sizeof(int64_t)} * (counted && extent < int64_t{1} << 56 ? extent : 0);  // positions
  if (counted && least > 0 && FitsInMemory(type.shape) &&
      runtime::Buffer::TryAllocate(static_cast<size_t>(std::max(least, type.bytes()))))
    return;
  internal::ThrowError(ErrorCode::kResourceExhausted,
                       StrCat(op, ": no memory for ", before, " and ", after, " elements around axis ", axis, " of ",
                              x.type().ToString(), ", ", SizeOf(x.dtype()), " bytes each"));
}

}  // namespace

Tensor Pad(const Operand& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high, PadMode mode) {
  const LocationScope scope(x);
  Tensor t = Materialize(x);
  if (low.size() != N(t.rank()) || high.size() != N(t.rank())) {
    ThrowInvalid(StrCat("pad: ", low.size(), " low and ", high.size(), " high for ", t.type().ToString(),
                        "; give one of each per axis"));
  }
  for (int axis = 0; axis < t.rank(); ++axis) {
    const int64_t n = t.shape().dim(axis), before = low[N(axis)], after = high[N(axis)];
    if (before < 0 || after < 0) {
      ThrowInvalid(StrCat("pad: padding ", before, " and ", after, " of axis ", axis, " is negative; Slice instead"));
    }
    if (before + after == 0) continue;
    if (n == 0) ThrowInvalid(StrCat("pad: axis ", axis, " of ", t.type().ToString(), " has no elements to repeat"));
    CheckRoom("pad", t, axis, before, after);
    Ints from;
    for (int64_t i = -before; i < n + after; ++i) from.push_back(Mirrored(i, n, mode));
    const auto count = static_cast<int64_t>(from.size());
    t = Gather(t, Tensor::FromData(from, {count}), axis);
  }
  return reel::Identity(t);
}

std::vector<Tensor> Meshgrid(const std::vector<Tensor>& vectors, bool xy) {
  const auto rank = static_cast<int64_t>(vectors.size());
  Ints dims;
  for (const Tensor& v : vectors) {
    if (v.rank() != 1) ThrowInvalid(StrCat("meshgrid: needs vectors, got ", v.type().ToString(), "; Ravel it"));
    dims.push_back(v.size());
  }
  if (rank > kMaxRank) ThrowInvalid(StrCat("meshgrid: ", rank, " vectors; a grid has at most ", kMaxRank, " axes"));
  const auto place = [&](int64_t i) { return xy && rank > 1 && i < 2 ? 1 - i : i; };
  Ints shape(dims.size());
  for (int64_t i = 0; i < rank; ++i) shape[N(place(i))] = dims[N(i)];
  std::vector<Tensor> grid;
  for (int64_t i = 0; i < rank; ++i) {
    Ints along(dims.size(), 1);
    along[N(place(i))] = dims[N(i)];
    grid.push_back(BroadcastTo(Reshape(vectors[N(i)], along), Shape(shape)));
  }
  return grid;
}

Tensor Linspace(double start, double stop, int64_t count, DType dtype, bool endpoint) {
  if (count < 0) ThrowInvalid(StrCat("linspace: count ", count, " is negative"));
  const auto steps = static_cast<double>(endpoint ? count - 1 : count);
  const Tensor i = Iota({count}, 0, kFloat64);
  Tensor values = steps > 0 ? Add(Mul(i, (stop - start) / steps), start) : Full({count}, start, kFloat64);
  if (endpoint && count > 1) values = Where(Equal(i, steps), stop, values);
  return Cast(IsInteger(dtype) ? Floor(values) : values, dtype);
}

Tensor Eye(int64_t rows, int64_t columns, int64_t k, DType dtype) {
  const Shape shape{rows, columns < 0 ? rows : columns};
  return Cast(Equal(Add(Iota(shape, 0), k), Iota(shape, 1)), dtype);
}

// Element i of x is at [i, i + k], or [i - k, i]: a column, or row, masked by the diagonal.
Tensor Diag(const Operand& x, int64_t k) {
  const LocationScope scope(x);
  Tensor t = Materialize(x);
  if (t.rank() == 0) ThrowInvalid("diag: needs a vector, got a scalar; Reshape it to [1]");
  Ints low(N(t.rank()), 0), high = low;
  high.back() = std::abs(k);
  t = ExpandDims(Pad(t, low, high), k >= 0 ? -1 : -2);
  Shape shape = t.shape();
  const Extent n = shape[shape.rank() - (k >= 0 ? 2 : 1)];
  shape.set(shape.rank() - 2, n);
  shape.set(shape.rank() - 1, n);
  const Tensor on = Equal(Add(Iota(shape, -2), k), Iota(shape, -1));
  return Where(on, BroadcastTo(t, shape), internal::ScalarOf(t.dtype(), 0));
}

// Elements columns + 1 apart in the matrix as one row.
Tensor DiagPart(const Operand& x, int64_t k) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const auto [rows, columns] = MatrixDims("diag_part", t);
  const int64_t length = std::max<int64_t>(k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns), 0);
  Ints dims = t.shape().dims();
  dims.pop_back();
  dims.back() = rows * columns;
  Ints starts(dims.size(), 0), limits = dims, strides(dims.size(), 1);
  starts.back() = length == 0 ? 0 : k >= 0 ? k : -k * columns;
  limits.back() = length == 0 ? 0 : starts.back() + (length - 1) * (columns + 1) + 1;
  strides.back() = columns + 1;
  return Slice(Reshape(t, dims), starts, limits, strides);
}

Tensor Trace(const Operand& x, int64_t k) {
  const LocationScope scope(x);
  return ReduceSum(DiagPart(x, k), -1);
}

Tensor TriangularMask(int64_t rows, int64_t columns, int64_t k) {
  const Shape shape{rows, columns};
  const DType dtype = std::max(rows, columns) <= INT32_MAX / 2 ? kInt32 : kInt64;  // more lanes
  const auto diagonal = static_cast<double>(std::clamp(k, -rows, columns));
  return LessEqual(Iota(shape, 1, dtype), Add(Iota(shape, 0, dtype), internal::ScalarOf(dtype, diagonal)));
}

Tensor Tril(const Operand& x, int64_t k) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const auto [rows, columns] = MatrixDims("tril", t);
  return Where(TriangularMask(rows, columns, k), t, internal::ScalarOf(t.dtype(), 0));
}

Tensor Triu(const Operand& x, int64_t k) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const auto [rows, columns] = MatrixDims("triu", t);
  const Tensor below = TriangularMask(rows, columns, std::clamp(k, -rows, columns) - 1);
  return Where(below, internal::ScalarOf(t.dtype(), 0), t);
}

}  // namespace reel
