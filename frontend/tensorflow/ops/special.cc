#include <limits>
#include <numbers>

#include "frontend/tensorflow/operators.h"

namespace reel::tensorflow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

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
  y = e.Select(e.Compare("Greater", near, number(0.5)), e.Unary("Erfinv", e.Sub(number(1), near)), y);
  y = e.Select(e.Compare("Equal", near, number(0)), number(kInfinity), y);
  y = e.Select(above, e.Unary("Neg", y), y);
  return {e.Select(e.Compare("Less", near, number(0)), number(std::numeric_limits<double>::quiet_NaN()), y)};
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

}  // namespace reel::tensorflow
