#include <cmath>
#include <numbers>

#include "frontend/stablehlo/operators.h"
#include "ir/strings.h"

namespace reel::stablehlo {
namespace {

using ir::Op;

std::string_view DirectionOf(Op op) {
  switch (op) {
    case Op::kEqual: return "EQ";
    case Op::kNotEqual: return "NE";
    case Op::kLess: return "LT";
    case Op::kLessEqual: return "LE";
    case Op::kGreater: return "GT";
    default: return "GE";
  }
}

// What division does with 0 and with MIN / -1 is the backend's: the divisor is 1 there, and the result selected.
struct SafeDivision {
  SafeDivision(const OpContext& c)
      : e(c.e), a(c.x[0]), b(c.x[1]), zero(e.FullInt(b.type, 0)), one(e.FullInt(b.type, 1)) {
    by_zero = e.Compare("EQ", b, zero);
    Value unsafe = by_zero;
    if (!IsUnsigned(b.type.dtype)) {
      by_minus_one = e.Compare("EQ", b, e.FullInt(b.type, -1));
      unsafe = e.Or(by_zero, by_minus_one);
    }
    safe = e.Select(unsafe, one, b);
  }
  Emitter& e;
  Value a, b, zero, one, by_zero, by_minus_one, safe;
};

Value FloatToInteger(Emitter& e, Value x, DType to) {
  if (IsHalf(x.type.dtype)) x = e.Convert(x, kFloat32);
  const Type type{to, x.type.shape};
  const int bits = static_cast<int>(SizeOf(to)) * 8 - (IsUnsigned(to) ? 0 : 1);
  const double beyond = std::ldexp(1.0, bits), lowest = IsUnsigned(to) ? 0 : -beyond;
  Value out = e.Convert(x, to);
  out = e.Select(e.Compare("GE", x, e.FullLike(x, beyond)), e.FullInt(type, HighestInt(to)), out);
  out = e.Select(e.Compare("LE", x, e.FullLike(x, lowest)), e.FullInt(type, LowestInt(to)), out);
  return e.Select(e.Compare("NE", x, x), e.FullInt(type, 0), out);
}

}  // namespace

HANDLER(SignedOnly) { return {IsUnsigned(c.type().dtype) ? c.x[0] : c.e.Unary(c.said, c.x[0])}; }

HANDLER(Sign) {
  if (!IsUnsigned(c.type().dtype)) return {c.e.Unary(c.said, c.x[0])};
  return {c.e.Binary("stablehlo.minimum", c.x[0], c.e.FullInt(c.type(), 1))};
}

HANDLER(Trunc) {
  const Value& x = c.x[0];
  const Value negative = c.e.Compare("LT", x, c.e.FullLike(x, 0));
  return {c.e.Select(negative, c.e.Unary("stablehlo.ceil", x), c.e.Unary("stablehlo.floor", x))};
}

HANDLER(Exp2) { return {c.e.Binary(c.said, c.e.FullLike(c.x[0], 2), c.x[0])}; }

HANDLER(ScaledLog) {
  const double base = c.node.op == Op::kLog2 ? std::numbers::ln2 : std::numbers::ln10;
  return {c.e.Mul(c.e.Unary(c.said, c.x[0]), c.e.FullLike(c.x[0], 1 / base))};
}

HANDLER(Cast) {
  const Value& x = c.x[0];
  const DType from = x.type.dtype, to = c.type().dtype;
  if (from == to) return {x};
  if (to == kBool) return {c.e.Compare("NE", x, c.e.FullLike(x, 0))};
  if (IsFloat(from) && IsInteger(to)) return {FloatToInteger(c.e, x, to)};
  return {c.e.Convert(x, to)};
}

HANDLER(Div) {
  if (!IsInteger(c.type().dtype)) return {c.e.Binary(c.said, c.x[0], c.x[1])};
  const SafeDivision d(c);
  Value out = c.e.Binary(c.said, d.a, d.safe);
  if (!d.by_minus_one.name.empty()) out = c.e.Select(d.by_minus_one, c.e.Neg(d.a), out);
  return {c.e.Select(d.by_zero, d.zero, out)};
}

HANDLER(Rem) {
  if (!IsInteger(c.type().dtype)) return {c.e.Binary(c.said, c.x[0], c.x[1])};
  const SafeDivision d(c);
  return {c.e.Binary(c.said, d.a, d.safe)};  // rem 1 is 0
}

HANDLER(Pow) {
  Emitter& e = c.e;
  const Value &a = c.x[0], &b = c.x[1], one = e.FullLike(a, 1);
  const Value sure = e.Or(e.Compare("EQ", b, e.FullLike(b, 0)), e.Compare("EQ", a, one));
  return {e.Select(sure, one, e.Binary(c.said, a, b))};
}

HANDLER(Shift) {
  Emitter& e = c.e;
  const Value& by = c.x[1];
  const Value zero = e.FullInt(by.type, 0);
  Value in_range = e.Compare("LT", by, e.FullInt(by.type, SizeOf(by.type.dtype) * 8));
  if (!IsUnsigned(by.type.dtype)) in_range = e.And(in_range, e.Compare("GE", by, zero));
  return {e.Select(in_range, e.Binary(c.said, c.x[0], e.Select(in_range, by, zero)), zero)};
}

HANDLER(Compare) { return {c.e.Compare(DirectionOf(c.node.op), c.x[0], c.x[1])}; }

}  // namespace reel::stablehlo
