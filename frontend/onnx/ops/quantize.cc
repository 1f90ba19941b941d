#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/ops/conv.h"
#include "ir/strings.h"
#include "reel/functions.h"

// Quantized numbers: x = (q - zero) * scale, q in 8 or 32 bits. Products are exact sums in i32.

namespace reel::onnx {
namespace {

struct Range {
  double low, high;
};
Range RangeOf(DType dtype) {
  if (dtype == kUInt8) return {0, 255};
  if (dtype == kInt8) return {-128, 127};
  Refuse(StrCat("quantized numbers of ", Name(dtype)));
}

// A scale or zero point for each element of x: one number, or one along an axis.
Tensor PerAxis(const Tensor& t, int64_t axis, int rank) {
  return t.size() == 1 ? Reshape(t, {}) : Along(t, NormalAxis(axis, rank), rank);
}
Tensor Number(const Tensor& t) { return PerAxis(t, 0, 1); }

// y / scale rounded to even, moved by zero, as dtype at the ends of its range.
Tensor Quantized(const Tensor& y, const Tensor& scale, const Tensor& zero, DType dtype) {
  const Range range = RangeOf(dtype);
  const Tensor q = Round(y / scale) + Cast(zero, y.dtype());
  return Cast(Minimum(Maximum(q, range.low), range.high), dtype);
}

Tensors ImportQuantizeLinear(const NodeContext& c) {
  const Tensor x = Cast(c.In(0), kFloat32);
  const int64_t axis = c.Int("axis", 1);
  const Tensor zero = c.In(2, Cast(Tensor(0), kUInt8));
  return {Quantized(x, PerAxis(c.In(1), axis, x.rank()), PerAxis(zero, axis, x.rank()), zero.dtype())};
}

Tensors ImportDequantizeLinear(const NodeContext& c) {
  Tensor q = Cast(c.In(0), kFloat32);
  const int64_t axis = c.Int("axis", 1);
  if (c.Has(2)) q = q - PerAxis(Cast(c.In(2), kFloat32), axis, q.rank());
  return {q * PerAxis(c.In(1), axis, q.rank())};
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
