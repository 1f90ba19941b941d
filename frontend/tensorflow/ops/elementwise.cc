#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/tensorflow/operators.h"

namespace reel::tensorflow {
namespace {

using ir::Op;

// What division does with 0 and with MIN / -1 is TensorFlow's: the divisor is 1 there, and the result selected.
struct SafeDivision {
  explicit SafeDivision(const OpContext& c)
      : e(c.e), a(c.x[0]), b(c.x[1]), zero(e.ScalarInt(b.type.dtype, 0)), by_zero(e.Compare("Equal", b, zero)) {
    Value unsafe = by_zero;
    if (!IsUnsigned(b.type.dtype)) {
      by_minus_one = e.Compare("Equal", b, e.ScalarInt(b.type.dtype, -1));
      unsafe = e.Or(by_zero, by_minus_one);
    }
    safe = e.Select(unsafe, e.ScalarInt(b.type.dtype, 1), b);
  }
  Emitter& e;
  Value a, b, zero, by_zero, by_minus_one, safe;
};

Value FloatToInteger(Emitter& e, Value x, DType to) {
  if (IsHalf(x.type.dtype)) x = e.Convert(x, kFloat32);
  const DType from = x.type.dtype;
  const int bits = static_cast<int>(SizeOf(to)) * 8 - (IsUnsigned(to) ? 0 : 1);
  const double beyond = std::ldexp(1.0, bits), lowest = IsUnsigned(to) ? 0 : -beyond;
  const Value above = e.Compare("GreaterEqual", x, e.Scalar(from, beyond));
  const Value in_range = e.And(e.Compare("Greater", x, e.Scalar(from, lowest)), e.Not(above));
  // What a cast makes of other numbers is undefined.
  Value out = e.Convert(e.Select(in_range, x, e.Scalar(from, 0)), to);
  out = e.Select(above, e.ScalarInt(to, HighestInt(to)), out);
  return e.Select(e.Compare("LessEqual", x, e.Scalar(from, lowest)), e.ScalarInt(to, LowestInt(to)), out);
}

// f32 of f64 toward zero, its last bit set where digits are lost: rounded again, it is as if rounded once.
Value RoundedToOdd(Emitter& e, const Value& x) {
  const Value y = e.Convert(x, kFloat32), back = e.Convert(y, kFloat64);
  const Value bits = e.Bitcast(y, kInt32), one = e.ScalarInt(kInt32, 1);
  const Value above = e.Compare("Greater", e.Unary("Abs", back), e.Unary("Abs", x));
  const Value toward_zero = e.Select(above, e.Sub(bits, one), bits);
  const Value lossy = e.Compare("NotEqual", back, x);
  const Value odd = e.Select(lossy, e.Binary("BitwiseOr", toward_zero, one), bits);
  return e.Select(e.Compare("Equal", x, x), e.Bitcast(odd, kFloat32), y);
}

}  // namespace

HANDLER(Neg) {
  if (!IsUnsigned(c.type().dtype)) return {c.e.Unary(c.said, c.x[0])};
  return {c.e.Sub(c.e.ScalarInt(c.type().dtype, 0), c.x[0])};
}

HANDLER(SignedOnly) { return {IsUnsigned(c.type().dtype) ? c.x[0] : c.e.Unary(c.said, c.x[0])}; }

HANDLER(Sign) {
  if (IsFloat(c.type().dtype)) {  // TensorFlow's is +0 of -0
    const Value zero = c.e.Scalar(c.type().dtype, 0);
    return {c.e.Select(c.e.Compare("Equal", c.x[0], zero), c.x[0], c.e.Unary(c.said, c.x[0]))};
  }
  if (!IsUnsigned(c.type().dtype)) return {c.e.Unary(c.said, c.x[0])};
  return {c.e.Binary("Minimum", c.x[0], c.e.ScalarInt(c.type().dtype, 1))};
}

HANDLER(Trunc) {
  const Value& x = c.x[0];
  const Value negative = c.e.Compare("Less", x, c.e.Scalar(x.type.dtype, 0));
  return {c.e.Select(negative, c.e.Unary("Ceil", x), c.e.Unary("Floor", x))};
}

// A cube root of |x| in f64, then Newton's step y - (y^3 - |x|) / (3 y^2), with the sign of x.
HANDLER(CubeRoot) {
  Emitter& e = c.e;
  const Value x = e.Convert(c.x[0], kFloat64), size = e.Unary("Abs", x);
  const auto number = [&](double value) { return e.Scalar(kFloat64, value); };
  const Value estimate = e.Binary("Pow", size, number(1.0 / 3));
  const Value square = e.Mul(estimate, estimate);
  const Value step = e.Div(e.Sub(e.Mul(square, estimate), size), e.Mul(number(3), square));
  const Value plain = e.And(e.Compare("Greater", size, number(0)),
                            e.Compare("Less", size, number(std::numeric_limits<double>::infinity())));
  const Value root = e.Select(plain, e.Sub(estimate, step), size);
  const Value negative = e.Compare("Less", x, number(0));
  const Value out = e.Select(e.Compare("Equal", x, number(0)), x, e.Select(negative, e.Unary("Neg", root), root));
  return {e.Convert(out, c.type().dtype)};
}

HANDLER(Exp2) { return {c.e.Binary(c.said, c.e.Scalar(c.type().dtype, 2), c.x[0])}; }

HANDLER(ScaledLog) {
  const double base = c.node.op == Op::kLog2 ? std::numbers::ln2 : std::numbers::ln10;
  return {c.e.Mul(c.e.Unary(c.said, c.x[0]), c.e.Scalar(c.type().dtype, 1 / base))};
}

HANDLER(Cast) {
  Emitter& e = c.e;
  const Value& x = c.x[0];
  const DType from = x.type.dtype, to = c.type().dtype;
  if (from == to) return {e.Unary("Identity", x)};
  if (to == kBool) return {e.Compare("NotEqual", x, e.Scalar(from, 0))};
  if (IsFloat(from) && IsInteger(to)) return {FloatToInteger(e, x, to)};
  if (!IsHalf(to) || IsHalf(from) || from == kFloat32 || from == kBool) return {e.Convert(x, to)};
  return {e.Convert(RoundedToOdd(e, e.Convert(x, kFloat64)), to)};
}

HANDLER(Bitcast) { return {c.e.Bitcast(c.x[0], c.type().dtype)}; }

// The row's operation is that of bool.
HANDLER(ByKind) {
  const bool logical = c.type().dtype == kBool;
  switch (c.node.op) {
    case Op::kNot: return {c.e.Unary(logical ? c.said : "Invert", c.x[0])};
    case Op::kAnd: return {c.e.Binary(logical ? c.said : "BitwiseAnd", c.x[0], c.x[1])};
    case Op::kOr: return {c.e.Binary(logical ? c.said : "BitwiseOr", c.x[0], c.x[1])};
    default: return {c.e.Binary(logical ? c.said : "BitwiseXor", c.x[0], c.x[1])};
  }
}

HANDLER(Div) {
  Emitter& e = c.e;
  if (!IsInteger(c.type().dtype)) return {e.Binary(c.said, c.x[0], c.x[1])};
  const SafeDivision d(c);
  Value out = e.Binary("TruncateDiv", d.a, d.safe);
  if (d.by_minus_one.node >= 0) out = e.Select(d.by_minus_one, e.Unary("Neg", d.a), out);
  return {e.Select(d.by_zero, d.zero, out)};
}

HANDLER(Rem) {
  Emitter& e = c.e;
  const DType dtype = c.type().dtype;
  if (!IsInteger(dtype)) return {e.Binary(c.said, c.x[0], c.x[1])};
  const SafeDivision d(c);
  if (dtype == kInt32 || dtype == kInt64) return {e.Binary(c.said, d.a, d.safe)};  // rem 1 is 0
  return {e.Sub(d.a, e.Mul(e.Binary("TruncateDiv", d.a, d.safe), d.safe))};
}

HANDLER(Pow) {
  Emitter& e = c.e;
  const Value &a = c.x[0], &b = c.x[1], one = e.Scalar(a.type.dtype, 1);
  const Value sure = e.Or(e.Compare("Equal", b, e.Scalar(a.type.dtype, 0)), e.Compare("Equal", a, one));
  return {e.Select(sure, one, e.Binary(c.said, a, b))};
}

HANDLER(Select) { return {c.e.Select(c.x[0], c.x[1], c.x[2])}; }

HANDLER(Shift) {
  Emitter& e = c.e;
  const Value& by = c.x[1];
  const DType dtype = by.type.dtype;
  const Value zero = e.ScalarInt(dtype, 0);
  Value in_range = e.Compare("Less", by, e.ScalarInt(dtype, SizeOf(dtype) * 8));
  if (!IsUnsigned(dtype)) in_range = e.And(in_range, e.Compare("GreaterEqual", by, zero));
  const Value safe = e.Select(in_range, by, zero);
  const auto bits = [&](const Value& x) {
    switch (dtype) {
      case kInt8: return e.Bitcast(x, kUInt8);
      case kInt16: return e.Bitcast(x, kUInt16);
      case kInt32: return e.Bitcast(x, kUInt32);
      case kInt64: return e.Bitcast(x, kUInt64);
      default: return x;
    }
  };
  const bool right = c.node.op == Op::kShiftRight;  // with zeros: of an unsigned integer
  const Value out =
      right ? e.Bitcast(e.Binary(c.said, bits(c.x[0]), bits(safe)), dtype) : e.Binary(c.said, c.x[0], safe);
  return {e.Select(in_range, out, zero)};
}

}  // namespace reel::tensorflow
