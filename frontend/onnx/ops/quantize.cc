#include <algorithm>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/ops/conv.h"
#include "frontend/onnx/small.h"
#include "ir/strings.h"
#include "reel/functions.h"
#include "reel/shapes.h"

// Quantized numbers: x = (q - zero) * scale, q in 8 or 32 bits. Products are exact sums in i32.

namespace reel::onnx {
namespace {

struct Range {
  double low, high;
};
Range RangeOf(DType dtype) {
  if (dtype == kUInt8) return {0, 255};
  if (dtype == kInt8) return {-128, 127};
  if (dtype == kUInt16) return {0, 65535};
  if (dtype == kInt16) return {-32768, 32767};
  Refuse(StrCat("quantized numbers of ", Name(dtype)));
}

// A scale or zero point for each element of x: one number, or one along an axis.
Tensor PerAxis(const Tensor& t, int64_t axis, int rank) {
  return t.size() == 1 ? Reshape(t, {}) : Along(t, NormalAxis(axis, rank), rank);
}
// The same, or one a block of block_size elements along the axis.
Tensor PerBlock(const NodeContext& c, const Tensor& t, const Tensor& x) {
  const int64_t axis = c.Int("axis", 1), block = c.Int("block_size", 0);
  if (block == 0) return PerAxis(t, axis, x.rank());
  const int64_t a = NormalAxis(axis, x.rank());
  const int64_t extent = x.shape().dim(static_cast<int>(a));
  if (block < 0 || block > std::max<int64_t>(extent, 1) || t.rank() != x.rank() ||
      t.shape().dim(static_cast<int>(a)) != (extent + block - 1) / block)
    Wrong(StrCat("scales ", t.type().ToString(), " for blocks of ", block, " along axis ", a, " of ",
                 x.type().ToString()));
  std::vector<int64_t> starts(static_cast<size_t>(x.rank()), 0);
  return Slice(Repeat(t, block, a), starts, x.shape().dims());
}
Tensor Number(const Tensor& t) { return PerAxis(t, 0, 1); }

// y / scale rounded to even, moved by zero, as dtype at the ends of its range.
Tensor Quantized(const Tensor& y, const Tensor& scale, const Tensor& zero, DType dtype) {
  const Range range = RangeOf(dtype);
  const Tensor q = Cast(Round(y / scale), kFloat32) + Cast(zero, kFloat32);
  return Cast(Minimum(Maximum(q, range.low), range.high), dtype);
}

// An attribute that names a dtype; 0 or none: this one.
DType DTypeOr(const NodeContext& c, std::string_view name, DType otherwise) {
  return c.Int(name, 0) == 0 ? otherwise : c.DTypeAttribute(name, otherwise);
}

Tensors ImportQuantizeLinear(const NodeContext& c) {
  const Tensor x = c.In(0), scale = c.In(1);
  const bool saturate = c.Int("saturate", 1) != 0;  // small floats
  const SmallType* small = FindSmall(c.Has(2) ? c.Small(2) : c.Int("output_dtype", 0));
  const DType given = c.Has(2) ? c.Carried(2).dtype() : small ? small->carrier : kUInt8;
  const DType dtype = FindSmall(c.Int("output_dtype", 0)) ? given : DTypeOr(c, "output_dtype", given);
  const DType precision = DTypeOr(c, "precision", IsFloat(scale.dtype()) ? scale.dtype() : kFloat32);
  if (dtype != given && c.Has(2)) Wrong("output_dtype is not that of the zero point");
  const Tensor zero = c.Has(2) ? PerBlock(c, c.Carried(2), x) : Cast(Tensor(0), dtype);
  if (small) {
    const Tensor y = Cast(x, precision) / PerBlock(c, Cast(scale, precision), x);
    c.MarkSmall(0, small->number);
    const Tensor q = Cast(IsFloat(dtype) ? y : Round(y), kFloat32) + Cast(zero, kFloat32);
    return {RoundTo(*small, q, {.saturate = saturate})};
  }
  return {Quantized(Cast(x, precision), PerBlock(c, Cast(scale, precision), x), zero, dtype)};
}

Tensors ImportDequantizeLinear(const NodeContext& c) {
  Tensor q = Cast(c.Carried(0), kFloat32);
  const DType dtype = DTypeOr(c, "output_dtype", c.In(1).dtype());
  if (c.Has(2)) q = q - PerBlock(c, Cast(c.Carried(2), kFloat32), q);
  return {Cast(q, dtype) * PerBlock(c, Cast(c.In(1), dtype), q)};
}

// u8 over the range of x and 0.
Tensors ImportDynamicQuantizeLinear(const NodeContext& c) {
  const Tensor x = c.In(0);
  const Tensor low = Minimum(ReduceMin(x), 0.0), high = Maximum(ReduceMax(x), 0.0);
  const Tensor scale = (high - low) / 255.0;
  const Tensor zero = Cast(Minimum(Maximum(Round(-low / scale), 0.0), 255.0), kUInt8);
  return {Quantized(x, scale, zero, kUInt8), scale, zero};
}

// Integers minus their zero point, which is one number or one a row (axis 0 of a, the last of b).
Tensor Centred(const NodeContext& c, size_t i, size_t zero, int64_t axis) {
  const Tensor x = Cast(c.In(i), kInt32);
  if (!c.Has(zero)) return x;
  return x - PerAxis(Cast(c.In(zero), kInt32), axis, x.rank());
}

Tensors ImportMatMulInteger(const NodeContext& c) {
  const Tensor a = Centred(c, 0, 2, -2), b = Centred(c, 1, 3, -1);
  return {MatMul(a, b)};
}

// Inputs: a, its scale, its zero; b, its scale, its zero; the result's scale and zero.
Tensors ImportQLinearMatMul(const NodeContext& c) {
  const Tensor a = Centred(c, 0, 2, -2), b = Centred(c, 3, 5, -1);
  const Tensor scale = Number(c.In(6)) / (Number(c.In(1)) * Number(c.In(4)));
  return {Quantized(Cast(MatMul(a, b), kFloat32), scale, Number(c.In(7)), c.In(7).dtype())};
}

Tensors ImportConvInteger(const NodeContext& c) {
  const Tensor x = Centred(c, 0, 2, 0), w = Centred(c, 1, 3, 0);
  return {Conv(x, w, ReadConv(c, x))};
}

// As QLinearMatMul; filters have scales and zeros of their own; the bias is in units of the sums.
Tensors ImportQLinearConv(const NodeContext& c) {
  const Tensor x = Centred(c, 0, 2, 0), w = Centred(c, 3, 5, 0);
  Tensor y = Conv(x, w, ReadConv(c, x));
  if (c.Has(8)) y = y + Along(c.In(8), 1, y.rank());
  const Tensor scale = Number(c.In(6)) / (Number(c.In(1)) * PerAxis(c.In(4), 1, y.rank()));
  return {Quantized(Cast(y, kFloat32), scale, Number(c.In(7)), c.In(7).dtype())};
}

constexpr OpRow kRows[] = {
    {"ConvInteger", 10, ImportConvInteger},
    {"DequantizeLinear", 10, ImportDequantizeLinear},
    {"DynamicQuantizeLinear", 11, ImportDynamicQuantizeLinear},
    {"MatMulInteger", 10, ImportMatMulInteger},
    {"QLinearConv", 10, ImportQLinearConv},
    {"QLinearMatMul", 10, ImportQLinearMatMul},
    {"QuantizeLinear", 10, ImportQuantizeLinear},
};

}  // namespace

absl::Span<const OpRow> QuantizeOps() { return kRows; }

}  // namespace reel::onnx
