#include <limits>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/small.h"
#include "ir/strings.h"
#include "reel/functions.h"

namespace reel::onnx {
namespace {

template <Tensor (*kOp)(const Operand&)>
Tensors Unary(const NodeContext& c) {
  return {kOp(c.In(0))};
}
template <Tensor (*kOp)(const Operand&, const Operand&)>
Tensors Binary(const NodeContext& c) {
  return {kOp(c.In(0), SecondOperand(c))};
}
// Any number of operands, from left to right.
template <Tensor (*kOp)(const Operand&, const Operand&)>
Tensors Variadic(const NodeContext& c) {
  Tensor out = c.In(0);
  for (size_t i = 1; i < c.num_inputs(); ++i) out = kOp(out, c.In(i));
  return {out};
}

Tensors ImportMean(const NodeContext& c) { return {Variadic<Add>(c)[0] / static_cast<double>(c.num_inputs())}; }

// saturate and round_mode are of small floats; small integers keep their lowest bits.
Tensors ImportCast(const NodeContext& c) {
  const RoundOptions options{c.Int("saturate", 1) != 0, c.String("round_mode", "up"), true};
  const Tensor x = c.Carried(0);
  const SmallType* small = FindSmall(c.Int("to", 1));
  if (!small) return {Cast(x, c.DTypeAttribute("to", kFloat32))};
  c.MarkSmall(0, small->number);
  return {RoundTo(*small, x, options)};
}
Tensors ImportCastLike(const NodeContext& c) {
  const RoundOptions options{c.Int("saturate", 1) != 0, c.String("round_mode", "up"), true};
  const Tensor x = c.Carried(0);
  const SmallType* small = FindSmall(c.Small(1));
  if (!small) return {Cast(x, c.In(1).dtype())};
  c.MarkSmall(0, small->number);
  return {RoundTo(*small, x, options)};
}
// A bool is a byte that is 0 or 1.
Tensors ImportBitCast(const NodeContext& c) {
  const Tensor x = c.In(0).dtype() == kBool ? Cast(c.In(0), kUInt8) : c.In(0);
  const DType to = c.DTypeAttribute("to", kFloat32);
  return {to == kBool ? x != ScalarLike(x, 0) : x.dtype() == to ? x : Bitcast(x, to)};
}

Tensors ImportConstant(const NodeContext& c) {
  if (const auto value = c.Literal("value")) {
    if (const int64_t small = c.Find("value")->small) c.MarkSmall(0, small);
    return {Tensor::FromBytes(value->dtype(), value->shape(), value->bytes().data())};
  }
  if (c.HasAttribute("value_int")) return {Tensor(c.Int("value_int"))};
  if (c.HasAttribute("value_float")) return {Tensor(static_cast<float>(c.Float("value_float", 0)))};
  if (c.HasAttribute("value_ints")) return {IntsTensor(c.Ints("value_ints"))};
  if (c.HasAttribute("value_floats")) {
    const std::vector<double> values = c.Floats("value_floats");
    return {Tensor::FromData(std::vector<float>(values.begin(), values.end()), {static_cast<int64_t>(values.size())})};
  }
  Refuse("this kind of constant is not supported");
}

Tensors ImportWhere(const NodeContext& c) { return {Where(c.In(0), c.In(1), c.In(2))}; }

// Bounds are attributes before opset 11.
Tensors ImportClip(const NodeContext& c) {
  Tensor x = c.In(0);
  if (c.opset() < 11) {
    if (c.HasAttribute("min")) x = Maximum(x, c.Float("min", 0));
    if (c.HasAttribute("max")) x = Minimum(x, c.Float("max", 0));
    return {x};
  }
  if (c.Has(1)) x = Maximum(x, c.In(1));
  if (c.Has(2)) x = Minimum(x, c.In(2));
  return {x};
}

Tensors ImportIsInf(const NodeContext& c) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Tensor x = c.In(0);
  const bool above = c.Int("detect_positive", 1) != 0, below = c.Int("detect_negative", 1) != 0;
  if (!above && !below) return {Zeros(x.shape(), kBool)};
  return {(above && below ? Abs(x) : x) == ScalarLike(x, above ? kInf : -kInf)};
}

// The result has the dtype of the base. Integers wrap.
Tensors ImportPow(const NodeContext& c) {
  const Tensor a = c.In(0), b = SecondOperand(c);
  if (IsInteger(a.dtype()) && IsInteger(b.dtype())) {
    const bool mix = (a.dtype() == kUInt64) == (b.dtype() == kUInt64);
    return {Cast(Pow(a, mix ? b : Cast(b, a.dtype())), a.dtype())};
  }
  if (IsFloat(a.dtype()) && c.IsKnown(1) && b.size() == 1 && b.rank() <= a.rank()) {
    const double exponent = c.KnownFloat(1);  // of 2 and 3 products, as ONNX Runtime: a tenth of the general function
    if (exponent == 2) return {Square(a)};
    if (exponent == 3) return {Square(a) * a};
  }
  const DType dtype = IsFloat(a.dtype()) ? a.dtype() : kFloat64;
  return {Cast(Pow(Cast(a, dtype), Cast(b, dtype)), a.dtype())};
}

Tensors ImportMod(const NodeContext& c) {
  const Tensor a = c.In(0), b = c.In(1);
  if (c.Int("fmod", 0) != 0) return {Rem(a, b)};
  if (!IsFloat(a.dtype())) return {Mod(a, b)};
  if (c.opset() < 28) Wrong("floats need fmod = 1 before opset 28");
  const Tensor zero = ScalarLike(a, 0);  // of the sign of b
  const Tensor m = Mod(a, b);
  return {Where(m == zero, Copysign(zero, b), m)};
}

// To the right, the sign of a signed number fills: the complement of a shifted complement.
Tensors ImportBitShift(const NodeContext& c) {
  const Tensor x = c.In(0), by = c.In(1);
  const std::string direction = c.String("direction", "");
  if (direction == "LEFT") return {ShiftLeft(x, by)};
  if (direction != "RIGHT") Wrong("attribute direction must be LEFT or RIGHT");
  if (IsUnsigned(x.dtype())) return {ShiftRight(x, by)};
  return {Where(x < ScalarLike(x, 0), ~ShiftRight(~x, by), ShiftRight(x, by))};
}

constexpr OpRow kRows[] = {
    {"Abs", 6, Unary<Abs>},
    {"Acos", 7, Unary<Acos>},
    {"Acosh", 9, Unary<Acosh>},
    {"Add", 6, Binary<Add>},
    {"And", 6, Binary<LogicalAnd>},
    {"Asin", 7, Unary<Asin>},
    {"Asinh", 9, Unary<Asinh>},
    {"Atan", 7, Unary<Atan>},
    {"Atanh", 9, Unary<Atanh>},
    {"BitCast", 26, ImportBitCast},
    {"BitShift", 11, ImportBitShift},
    {"BitwiseAnd", 18, Binary<BitwiseAnd>},
    {"BitwiseNot", 18, Unary<BitwiseNot>},
    {"BitwiseOr", 18, Binary<BitwiseOr>},
    {"BitwiseXor", 18, Binary<BitwiseXor>},
    {"Cast", 6, ImportCast},
    {"CastLike", 15, ImportCastLike},
    {"Ceil", 6, Unary<Ceil>},
    {"Clip", 6, ImportClip},
    {"Constant", 1, ImportConstant},
    {"Cos", 7, Unary<Cos>},
    {"Cosh", 9, Unary<Cosh>},
    {"Div", 6, Binary<Div>},
    {"Equal", 6, Binary<Equal>},
    {"Erf", 9, Unary<Erf>},
    {"Exp", 6, Unary<Exp>},
    {"Floor", 6, Unary<Floor>},
    {"Greater", 6, Binary<Greater>},
    {"GreaterOrEqual", 12, Binary<GreaterEqual>},
    {"IsInf", 10, ImportIsInf},
    {"IsNaN", 9, Unary<IsNan>},
    {"Less", 6, Binary<Less>},
    {"LessOrEqual", 12, Binary<LessEqual>},
    {"Log", 6, Unary<Log>},
    {"Max", 6, Variadic<Maximum>},
    {"Mean", 6, ImportMean},
    {"Min", 6, Variadic<Minimum>},
    {"Mod", 10, ImportMod},
    {"Mul", 6, Binary<Mul>},
    {"Neg", 6, Unary<Neg>},
    {"Not", 1, Unary<LogicalNot>},
    {"Or", 6, Binary<LogicalOr>},
    {"Pow", 6, ImportPow},
    {"Reciprocal", 6, Unary<Reciprocal>},
    {"Round", 11, Unary<Round>},
    {"Sigmoid", 6, Unary<Sigmoid>},
    {"Sign", 9, Unary<Sign>},
    {"Sin", 7, Unary<Sin>},
    {"Sinh", 9, Unary<Sinh>},
    {"Sqrt", 6, Unary<Sqrt>},
    {"Sub", 6, Binary<Sub>},
    {"Sum", 6, Variadic<Add>},
    {"Tan", 7, Unary<Tan>},
    {"Tanh", 6, Unary<Tanh>},
    {"Where", 9, ImportWhere},
    {"Xor", 6, Binary<LogicalXor>},
};

}  // namespace

absl::Span<const OpRow> ElementwiseOps() { return kRows; }

}  // namespace reel::onnx
