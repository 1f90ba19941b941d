#include "frontend/eager/dispatch.h"
#include "frontend/stablehlo/import/context.h"
#include "ir/strings.h"
#include "reel/complex.h"
#include "reel/functions.h"
#include "reel/special.h"

namespace reel::stablehlo::reading {
namespace {

using internal::Dispatch;

template <Tensor (*kFunction)(const Operand&)>
Values One(const Context& c) {
  return {kFunction(c.x(0))};
}

// Reel's functions would stretch and promote.
void CheckEqualTypes(const Context& c) {
  if (c.x(0).type() != c.x(1).type())
    Malformed(StrCat("its operands are ", c.x(0).type().ToString(), " and ", c.x(1).type().ToString()));
}

template <Tensor (*kFunction)(const Operand&, const Operand&)>
Values Two(const Context& c) {
  CheckEqualTypes(c);
  return {kFunction(c.x(0), c.x(1))};
}

// Of bool or and and, as in the specification.
template <Tensor (*kFunction)(const Operand&, const Operand&), Tensor (*kOfBool)(const Operand&, const Operand&)>
Values TwoOrBool(const Context& c) {
  CheckEqualTypes(c);
  return {(c.x(0).dtype() == kBool ? kOfBool : kFunction)(c.x(0), c.x(1))};
}

Values ReadConvert(const Context& c) {
  const DType to = c.type().dtype;
  if (IsComplex(to) && !IsComplex(c.x(0).dtype())) {
    const Tensor part = Cast(c.x(0), RealOf(to));
    return {Complex(part, ZerosLike(part))};
  }
  const Tensor x = IsComplex(c.x(0).dtype()) && !IsComplex(to) ? Real(c.x(0)) : c.x(0);
  Value out = Cast(x, to);
  out.iota_axis = IsInteger(to) ? c.Input(0).iota_axis : -1;
  return {out};
}

// In order: by bits, as TOTALORDER of the specification: -NaN < -inf < -0 < +0 < inf < NaN.
Tensor OrderedBits(const Tensor& x) {
  const DType bits = x.dtype() == kFloat64 ? kInt64 : x.dtype() == kFloat32 ? kInt32 : kInt16;
  const Tensor i = Bitcast(x, bits);
  const Tensor low = BroadcastAlong(ScalarOf(bits, HighestInt(bits)), x.shape(), {});
  return Where(Less(i, ZerosLike(i)), LogicalXor(i, low), i);
}

Values ReadCompare(const Context& c) {
  CheckEqualTypes(c);
  Tensor a = c.x(0), b = c.x(1);
  if (c.Word("compare_type") == "TOTALORDER" && IsFloat(a.dtype())) {
    a = OrderedBits(a);
    b = OrderedBits(b);
  }
  const std::string direction = c.Word("comparison_direction");
  if (a.dtype() == kBool && direction != "EQ" && direction != "NE") {
    a = Cast(a, kUInt8);
    b = Cast(b, kUInt8);
  }
  if (direction == "EQ") return {Equal(a, b)};
  if (direction == "NE") return {NotEqual(a, b)};
  if (direction == "LT") return {Less(a, b)};
  if (direction == "LE") return {LessEqual(a, b)};
  if (direction == "GT") return {Greater(a, b)};
  if (direction == "GE") return {GreaterEqual(a, b)};
  Malformed(StrCat("'", direction, "' is no direction: EQ NE LT LE GT GE"));
}

Values ReadSelect(const Context& c) {
  Tensor condition = c.x(0);
  if (condition.dtype() != kBool) Malformed("its condition is not of i1");
  if (c.x(1).type() != c.x(2).type()) Malformed("its branches have two types");
  if (condition.rank() == 0) condition = BroadcastAlong(condition, c.x(1).shape(), {});
  return {Dispatch(ir::Op::kSelect, {condition, c.x(1), c.x(2)})};
}

// max(low, x), then min(high, ...): NaN stays.
Values ReadClamp(const Context& c) {
  const Tensor &x = c.x(1), low = c.x(0).rank() == 0 ? BroadcastAlong(c.x(0), x.shape(), {}) : c.x(0),
               high = c.x(2).rank() == 0 ? BroadcastAlong(c.x(2), x.shape(), {}) : c.x(2);
  return {Minimum(Maximum(x, low), high)};
}

Values ReadBitcastConvert(const Context& c) {
  const DType to = c.type().dtype, from = c.x(0).dtype();
  if (SizeOf(to) != SizeOf(from) || to == kBool || from == kBool || IsComplex(to) || IsComplex(from))
    Refuse(StrCat("from ", Name(from), " to ", Name(to), ": only between numbers of one size"));
  return {to == from ? c.x(0) : Bitcast(c.x(0), to)};
}

Values ReadNotOf(const Context& c) { return {LogicalNot(c.x(0))}; }
Values ReadMakeComplex(const Context& c) {
  CheckEqualTypes(c);
  return {Complex(c.x(0), c.x(1))};
}
Values ReadSign(const Context& c) {
  if (IsComplex(c.x(0).dtype())) Refuse("of complex numbers");
  return {Sign(c.x(0))};
}

Values ReadPower(const Context& c) {
  CheckEqualTypes(c);
  if (IsInteger(c.x(0).dtype())) Refuse("of integers; multiply, or convert to f64");
  return {Pow(c.x(0), c.x(1))};
}

constexpr ImportRow kElementwiseRows[] = {
    {"stablehlo.abs", One<Abs>},
    {"stablehlo.add", TwoOrBool<Add, LogicalOr>},
    {"stablehlo.and", Two<LogicalAnd>},
    {"stablehlo.atan2", Two<Atan2>},
    {"stablehlo.bitcast_convert", ReadBitcastConvert, "between numbers of one size"},
    {"stablehlo.cbrt", One<Cbrt>},
    {"stablehlo.ceil", One<Ceil>},
    {"stablehlo.clamp", ReadClamp},
    {"stablehlo.compare", ReadCompare},
    {"stablehlo.complex", ReadMakeComplex},
    {"stablehlo.convert", ReadConvert, "floats to integers saturate, NaN gives 0"},
    {"stablehlo.cosine", One<Cos>},
    {"stablehlo.divide", Two<Div>, "an integer divided by 0 gives 0"},
    {"stablehlo.exponential", One<Exp>},
    {"stablehlo.exponential_minus_one", One<Expm1>},
    {"stablehlo.floor", One<Floor>},
    {"stablehlo.imag", One<Imag>},
    {"stablehlo.is_finite", One<IsFinite>},
    {"stablehlo.log", One<Log>},
    {"stablehlo.log_plus_one", One<Log1p>},
    {"stablehlo.logistic", One<Sigmoid>},
    {"stablehlo.maximum", TwoOrBool<Maximum, LogicalOr>},
    {"stablehlo.minimum", TwoOrBool<Minimum, LogicalAnd>},
    {"stablehlo.multiply", TwoOrBool<Mul, LogicalAnd>},
    {"stablehlo.negate", One<Neg>},
    {"stablehlo.not", ReadNotOf},
    {"stablehlo.or", Two<LogicalOr>},
    {"stablehlo.power", ReadPower, "of floats and complex numbers"},
    {"stablehlo.real", One<Real>},
    {"stablehlo.remainder", Two<Rem>, "an integer by 0 gives 0"},
    {"stablehlo.round_nearest_even", One<Round>},
    {"stablehlo.rsqrt", One<Rsqrt>},
    {"stablehlo.select", ReadSelect},
    {"stablehlo.shift_left", Two<ShiftLeft>},
    {"stablehlo.shift_right_logical", Two<ShiftRight>},
    {"stablehlo.sign", ReadSign, "not of complex numbers"},
    {"stablehlo.sine", One<Sin>},
    {"stablehlo.sqrt", One<Sqrt>},
    {"stablehlo.subtract", Two<Sub>},
    {"stablehlo.tan", One<Tan>},
    {"stablehlo.tanh", One<Tanh>},
    {"stablehlo.xor", Two<LogicalXor>},
    {"chlo.acos", One<Acos>},
    {"chlo.acosh", One<Acosh>},
    {"chlo.asin", One<Asin>},
    {"chlo.asinh", One<Asinh>},
    {"chlo.atan", One<Atan>},
    {"chlo.atanh", One<Atanh>},
    {"chlo.conj", One<Conj>},
    {"chlo.cosh", One<Cosh>},
    {"chlo.digamma", One<Digamma>},
    {"chlo.erf", One<Erf>},
    {"chlo.erf_inv", One<ErfInv>},
    {"chlo.erfc", One<Erfc>},
    {"chlo.is_inf", One<IsInf>},
    {"chlo.lgamma", One<Lgamma>},
    {"chlo.next_after", Two<NextAfter>},
    {"chlo.polygamma", Two<Polygamma>},
    {"chlo.sinh", One<Sinh>},
    {"chlo.square", One<Square>},
    {"chlo.tan", One<Tan>},
    {"chlo.zeta", Two<Zeta>},
};

}  // namespace

absl::Span<const ImportRow> ElementwiseRows() { return kElementwiseRows; }

}  // namespace reel::stablehlo::reading
