#include <algorithm>
#include <optional>

#include "frontend/eager/dispatch.h"
#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/weak_numbers.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {

using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;

Tensor Full(const Shape& shape, double value, DType dtype) {
  return internal::BroadcastTensor(internal::ScalarOf(dtype, value), shape);
}
Tensor Zeros(const Shape& shape, DType dtype) { return Full(shape, 0, dtype); }
Tensor Ones(const Shape& shape, DType dtype) { return Full(shape, 1, dtype); }
Tensor ZerosLike(const Operand& x) {
  const LocationScope scope(x);
  return Zeros(x.type().shape, x.type().dtype);
}
Tensor OnesLike(const Operand& x) {
  const LocationScope scope(x);
  return Ones(x.type().shape, x.type().dtype);
}

Tensor Iota(const Shape& shape, int64_t axis, DType dtype) {
  axis = NormalizeAxis("iota", axis, shape.rank());
  return Dispatch(ir::Op::kIota, absl::Span<const Tensor>(), {{"axis", axis}, {"dtype", dtype}, {"shape", shape}});
}

Tensor Arange(int64_t start, int64_t stop, DType dtype) {
  int64_t count = 0;
  if (stop > start && __builtin_sub_overflow(stop, start, &count))
    ThrowInvalid(StrCat("arange: ", start, " to ", stop, " is too large"));
  if (start == 0) return Iota({count}, 0, dtype);
  // Exact in integers, then rounded once.
  if (!IsInteger(dtype)) return Cast(Add(Iota({count}, 0, kInt64), start), dtype);
  return Add(Iota({count}, 0, dtype), start);
}

namespace {

// The extent that is left for -1 beside `known` others.
Extent OpenExtent(const Tensor& x, int64_t known) {
  int64_t count = 1;
  std::optional<Extent> symbol;
  bool one = true;
  for (Extent e : x.shape()) {
    if (e.is_constant()) {
      count *= e.value();
    } else {
      one = !symbol;
      symbol = e;
    }
  }
  if (!symbol && known != 0 && count % known == 0) return count / known;
  if (symbol && one && count == known) return *symbol;
  ThrowInvalid(StrCat("reshape: ", x.type().ToString(), " does not divide into rows of ", known,
                      symbol ? " elements, as many as the symbolic extent says; it must stay an axis of its own"
                             : " elements; give all extents"));
}

}  // namespace

Tensor Reshape(const Operand& x, const std::vector<int64_t>& shape) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (shape.size() > kMaxRank) ThrowInvalid(StrCat("reshape: at most ", kMaxRank, " extents, got ", shape.size()));
  int64_t known = 1;
  int open = -1;
  Shape to;
  for (int64_t d : shape) {
    if (d < -1 || (d == -1 && open >= 0))
      ThrowInvalid("reshape: of the extents at most one may be -1, no other negative");
    if (d == -1)
      open = to.rank();
    else if (__builtin_mul_overflow(known, d, &known))
      ThrowInvalid("reshape: the shape is too large");
    to.push_back(d);
  }
  if (open >= 0) to.set(open, OpenExtent(t, known));
  return Dispatch(ir::Op::kReshape, {t}, {{"shape", to}});
}

Tensor ReshapeTo(const Operand& x, const Shape& shape) {
  const LocationScope scope(x, "Reshape");
  return Dispatch(ir::Op::kReshape, {Materialize(x)}, {{"shape", shape}});
}

Tensor internal::CountOf(const Tensor& x, const std::vector<int64_t>& axes) {
  int64_t count = 1;
  Shape symbols;
  for (int64_t axis : axes) {
    const Extent e = x.shape()[static_cast<int>(axis)];
    e.is_constant() ? (void)(count *= e.value()) : symbols.push_back(e);
  }
  const Tensor known(count);
  if (symbols.rank() == 0) return known;
  const Tensor n = ReduceSum(Ones(symbols, kInt64));
  return count == 1 ? n : Mul(n, known);
}

Tensor ExtentOf(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return internal::CountOf(t, {NormalizeAxis("extent_of", axis, t.rank())});
}

Tensor Transpose(const Operand& x, const std::vector<int64_t>& permutation) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  std::vector<int64_t> axes = permutation;
  if (axes.empty()) {
    for (int i = t.rank(); i-- > 0;) axes.push_back(i);
  }
  for (int64_t& axis : axes) axis = NormalizeAxis("transpose", axis, t.rank());
  return Dispatch(ir::Op::kTranspose, {t}, {{"permutation", axes}});
}

Tensor ExpandDims(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  axis = NormalizeAxis("expand_dims", axis, t.rank() + 1);
  if (t.rank() == kMaxRank) {
    ThrowInvalid(StrCat("expand_dims: ", t.type().ToString(), " has ", kMaxRank, " axes already; Reshape it to fewer"));
  }
  Shape shape = t.shape();
  shape.insert(static_cast<int>(axis), 1);
  return Reshape(t, shape);
}

Tensor Squeeze(const Operand& x, const Axes& axes) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  std::vector<bool> drop(static_cast<size_t>(t.rank()));
  if (axes.all()) {
    for (int i = 0; i < t.rank(); ++i) drop[static_cast<size_t>(i)] = t.shape()[i] == Extent(1);
  } else {
    for (int64_t axis : axes.list()) {
      axis = NormalizeAxis("squeeze", axis, t.rank());
      if (t.shape()[static_cast<int>(axis)] != Extent(1)) {
        ThrowInvalid(StrCat("squeeze: axis ", axis, " of ", t.type().ToString(), " is not 1"));
      }
      drop[static_cast<size_t>(axis)] = true;
    }
  }
  Shape shape;
  for (int i = 0; i < t.rank(); ++i) {
    if (!drop[static_cast<size_t>(i)]) shape.push_back(t.shape()[i]);
  }
  return Reshape(t, shape);
}

Tensor BroadcastTo(const Operand& x, const Shape& shape) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (internal::BroadcastShapes(ir::Op::kBroadcast, t.shape(), shape) != shape) {
    ThrowInvalid(StrCat("broadcast: ", t.type().ToString(), " does not broadcast to ", shape.ToString(),
                        "; its extents must be 1 or those of the shape"));
  }
  return internal::BroadcastTensor(t, shape);
}

Tensor Slice(const Operand& x, const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
             const std::vector<int64_t>& strides) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const auto rank = static_cast<size_t>(t.rank());
  if (starts.size() != rank || limits.size() != rank) {
    ThrowInvalid(StrCat("slice: ", starts.size(), " starts and ", limits.size(), " limits for ", t.type().ToString(),
                        "; give one of each per axis"));
  }
  std::vector<int64_t> from = starts, to = limits;
  for (size_t i = 0; i < rank; ++i) {
    const Extent e = t.shape()[static_cast<int>(i)];
    const bool whole = from[i] == 0 && to[i] == kEnd && (strides.empty() || strides[i] == 1);
    if (whole) to[i] = e.is_constant() ? e.value() : -1;
    if (whole) continue;
    const int64_t n = e.value();
    if (from[i] < 0) from[i] += n;
    if (to[i] < 0) to[i] += n;
    if (to[i] == kEnd) to[i] = n;
  }
  return Dispatch(
      ir::Op::kSlice, {t},
      {{"starts", from}, {"limits", to}, {"strides", strides.empty() ? std::vector<int64_t>(rank, 1) : strides}});
}

Tensor Pad(const Operand& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high, double value) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Dispatch(ir::Op::kPad, {t, internal::ScalarOf(t.dtype(), value)},
                  {{"low", low}, {"high", high}, {"interior", std::vector<int64_t>(low.size(), 0)}});
}

Tensor internal::PadWith(const Tensor& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
                         const Operand& value) {
  const Tensor number = Cast(NumberBeside(value, x.dtype()), x.dtype());
  return Dispatch(ir::Op::kPad, {x, number},
                  {{"low", low}, {"high", high}, {"interior", std::vector<int64_t>(low.size(), 0)}});
}

namespace {

// a followed by b along an axis: b written behind a.
Tensor Join(const Tensor& a, const Tensor& b, int64_t axis) {
  const auto n = static_cast<size_t>(axis);
  std::vector<int64_t> low(static_cast<size_t>(a.rank()), 0), high = low;
  high[n] = b.shape().dim(static_cast<int>(axis));
  return DynamicUpdate(Pad(a, low, high), b, Tensor(a.shape().dim(static_cast<int>(axis))), axis);
}

}  // namespace

// Neighbours are joined, then their neighbours: n log n elements move.
Tensor Concat(const std::vector<Tensor>& parts, int64_t axis) {
  if (parts.empty()) ThrowInvalid("concat: there are no tensors; pass at least one");
  Shape shape = parts[0].shape();
  axis = NormalizeAxis("concat", axis, shape.rank());
  const int a = static_cast<int>(axis);
  for (const Tensor& part : parts) {
    Shape expected = part.shape();
    if (expected.rank() == shape.rank()) expected.set(a, shape[a]);
    if (expected != shape || part.dtype() != parts[0].dtype()) {
      ThrowInvalid(StrCat("concat: ", part.type().ToString(), " does not fit beside ", parts[0].type().ToString(),
                          " along axis ", axis, "; all other extents and the dtype must agree"));
    }
  }
  std::vector<Tensor> list = parts;
  while (list.size() > 1) {
    std::vector<Tensor> joined;
    for (size_t i = 0; i + 1 < list.size(); i += 2) joined.push_back(Join(list[i], list[i + 1], axis));
    if (list.size() % 2 == 1) joined.push_back(list.back());
    list = std::move(joined);
  }
  return parts.size() == 1 ? Identity(list[0]) : list[0];
}

Tensor Stack(const std::vector<Tensor>& parts, int64_t axis) {
  if (parts.empty()) ThrowInvalid("stack: there are no tensors; pass at least one");
  std::vector<Tensor> rows;
  for (const Tensor& part : parts) rows.push_back(ExpandDims(part, axis));
  return Concat(rows, axis);
}

}  // namespace reel
