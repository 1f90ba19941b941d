#include <limits>
#include <numbers>

#include "frontend/tensorflow/operators.h"

namespace reel::tensorflow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

Value AllOf(Emitter& e, const Values& conditions) {
  Value out = conditions[0];
  for (size_t i = 1; i < conditions.size(); ++i) out = e.And(out, conditions[i]);
  return out;
}

Value AreInfinite(Emitter& e, const Value& a, const Value& b) {
  const Value infinity = e.Scalar(a.type.dtype, kInfinity);
  return e.And(e.Compare("Equal", a, infinity), e.Compare("Equal", b, infinity));
}

// Erfinv has few digits near 0: a step of Halley's there.
Value InverseErf(Emitter& e, const Value& x) {
  const auto number = [&](double value) { return e.Scalar(x.type.dtype, value); };
  const Value y = e.Unary("Erfinv", x), error = e.Sub(e.Unary("Erf", y), x);
  const Value slope = e.Mul(number(2 * std::numbers::inv_sqrtpi), e.Unary("Exp", e.Unary("Neg", e.Mul(y, y))));
  const Value better = e.Sub(y, e.Div(error, e.Add(slope, e.Mul(y, error))));
  return e.Select(e.Compare("Less", e.Unary("Abs", x), number(0.75)), better, y);
}

}  // namespace

// Of f64 TensorFlow's is NaN for large numbers.
HANDLER(Erf) {
  Emitter& e = c.e;
  if (c.type().dtype != kFloat64) return {e.Unary(c.said, c.x[0])};
  const Value above = e.Scalar(kFloat64, 10), below = e.Scalar(kFloat64, -10);
  return {e.Unary(c.said, e.Binary("Minimum", e.Binary("Maximum", c.x[0], below), above))};
}

HANDLER(ErfInv) {
  const Value& x = c.x[0];
  const Value at_zero = c.e.Compare("Equal", x, c.e.Scalar(x.type.dtype, 0));  // with its sign
  return {c.e.Select(at_zero, x, InverseErf(c.e, x))};
}

// y with erfc(y) = x for x in (0, 1], mirrored above: of small x an estimate, whose digits each of Halley's steps
// triples.
HANDLER(ErfcInv) {
  Emitter& e = c.e;
  const Value& x = c.x[0];
  const auto number = [&](double value) { return e.Scalar(x.type.dtype, value); };
  const Value above = e.Compare("Greater", x, number(1)), near = e.Select(above, e.Sub(number(2), x), x);
  const Value log_half = e.Sub(e.Unary("Log", near), number(std::numbers::ln2));  // near / 2 may underflow
  const Value t = e.Unary("Sqrt", e.Mul(number(-2), log_half));
  // Abramowitz and Stegun 26.2.23 for the normal quantile, over sqrt(2)
  const Value top = e.Add(number(2.515517), e.Mul(t, e.Add(number(0.802853), e.Mul(t, number(0.010328)))));
  const Value tail = e.Add(number(0.189269), e.Mul(t, number(0.001308)));
  const Value bottom = e.Add(number(1), e.Mul(t, e.Add(number(1.432788), e.Mul(t, tail))));
  Value y = e.Mul(e.Sub(t, e.Div(top, bottom)), number(std::numbers::sqrt2 / 2));
  for (int step = 0; step < 2; ++step) {
    const Value error = e.Sub(e.Unary(c.said, y), near);
    const Value slope = e.Mul(number(2 * std::numbers::inv_sqrtpi), e.Unary("Exp", e.Unary("Neg", e.Mul(y, y))));
    y = e.Add(y, e.Div(error, e.Sub(slope, e.Mul(y, error))));
  }
  y = e.Select(e.Compare("Greater", near, number(0.5)), InverseErf(e, e.Sub(number(1), near)), y);
  y = e.Select(e.Compare("Equal", near, number(0)), number(kInfinity), y);
  y = e.Select(above, e.Unary("Neg", y), y);
  return {e.Select(e.Compare("Less", near, number(0)), number(kNotANumber), y)};
}

HANDLER(Lgamma) {
  Emitter& e = c.e;
  const Value infinity = e.Scalar(c.type().dtype, kInfinity);
  return {e.Select(e.Compare("Equal", e.Unary("Abs", c.x[0]), infinity), infinity, e.Unary(c.said, c.x[0]))};
}

// -inf at +0, +inf at -0.
HANDLER(Digamma) {
  Emitter& e = c.e;
  const Value &x = c.x[0], at_zero = e.Compare("Equal", x, e.Scalar(x.type.dtype, 0));
  return {e.Select(at_zero, e.Unary("Neg", e.Div(e.Scalar(x.type.dtype, 1), x)), e.Unary(c.said, x))};
}

// TensorFlow's f32 has two digits of large numbers; at the edges it has others.
HANDLER(IncompleteGamma) {
  Emitter& e = c.e;
  const Value a = e.Convert(c.x[0], kFloat64), x = e.Convert(c.x[1], kFloat64);
  const auto number = [&](double value) { return e.Scalar(kFloat64, value); };
  const Value at_zero = e.Compare("Equal", a, number(0)), positive = e.Compare("Greater", x, number(0));
  const Value known = AllOf(e, {e.Compare("GreaterEqual", a, number(0)), e.Compare("GreaterEqual", x, number(0)),
                                e.Not(e.And(at_zero, e.Not(positive))), e.Not(AreInfinite(e, a, x))});
  const Value limit = number(c.said == "Igamma" ? 1 : 0);
  const Value value = e.Select(at_zero, limit, e.Binary(c.said, a, x));
  return {e.Convert(e.Select(known, value, number(kNotANumber)), c.type().dtype)};
}

HANDLER(Betainc) {
  Emitter& e = c.e;
  const Value a = e.Convert(c.x[0], kFloat64), b = e.Convert(c.x[1], kFloat64), x = e.Convert(c.x[2], kFloat64);
  const Value zero = e.Scalar(kFloat64, 0), one = e.Scalar(kFloat64, 1), infinity = e.Scalar(kFloat64, kInfinity);
  const auto equal = [&](const Value& p, const Value& q) { return e.Compare("Equal", p, q); };
  const auto at_least = [&](const Value& p, const Value& q) { return e.Compare("GreaterEqual", p, q); };
  const Value none = e.And(equal(a, zero), equal(b, zero));
  const Value known = AllOf(e, {at_least(a, zero), at_least(b, zero), at_least(x, zero), at_least(one, x), e.Not(none),
                                e.Not(AreInfinite(e, a, b))});
  Value value = e.Emit(c.said, {a, b, x}, a.type);
  value = e.Select(e.Or(equal(b, zero), equal(a, infinity)), zero, value);
  value = e.Select(e.Or(equal(a, zero), equal(b, infinity)), one, value);
  value = e.Select(e.Or(equal(x, zero), equal(x, one)), e.Unary("Abs", x), value);
  return {e.Convert(e.Select(known, value, e.Scalar(kFloat64, kNotANumber)), c.type().dtype)};
}

}  // namespace reel::tensorflow
