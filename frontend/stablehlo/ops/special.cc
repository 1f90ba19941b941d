#include <limits>
#include <numbers>

#include "frontend/stablehlo/operators.h"

namespace reel::stablehlo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value IsInfinite(Emitter& e, const Value& x) {
  return e.Compare("EQ", e.Unary("stablehlo.abs", x), e.FullLike(x, kInfinity));
}

}  // namespace

// y with erfc(y) = x for x in (0, 1], mirrored above: of small x an estimate, whose digits each of Halley's steps
// triples.
HANDLER(ErfcInv) {
  Emitter& e = c.e;
  const Value& x = c.x[0];
  const auto number = [&](double value) { return e.FullLike(x, value); };
  const Value above = e.Compare("GT", x, number(1)), near = e.Select(above, e.Sub(number(2), x), x);
  const Value log_half = e.Sub(e.Unary("stablehlo.log", near), number(std::numbers::ln2));  // near / 2 may underflow
  const Value t = e.Unary("stablehlo.sqrt", e.Mul(number(-2), log_half));
  // Abramowitz and Stegun 26.2.23 for the normal quantile, over sqrt(2)
  const Value top = e.Add(number(2.515517), e.Mul(t, e.Add(number(0.802853), e.Mul(t, number(0.010328)))));
  const Value tail = e.Add(number(0.189269), e.Mul(t, number(0.001308)));
  const Value bottom = e.Add(number(1), e.Mul(t, e.Add(number(1.432788), e.Mul(t, tail))));
  Value y = e.Mul(e.Sub(t, e.Div(top, bottom)), number(std::numbers::sqrt2 / 2));
  for (int step = 0; step < 2; ++step) {
    const Value error = e.Sub(e.Unary(c.said, y), near);
    const Value slope =
        e.Mul(number(2 * std::numbers::inv_sqrtpi), e.Unary("stablehlo.exponential", e.Neg(e.Mul(y, y))));
    y = e.Add(y, e.Div(error, e.Sub(slope, e.Mul(y, error))));
  }
  y = e.Select(e.Compare("GT", near, number(0.5)), e.Unary("chlo.erf_inv", e.Sub(number(1), near)), y);
  y = e.Select(e.Compare("EQ", near, number(0)), number(kInfinity), y);
  y = e.Select(above, e.Neg(y), y);
  return {e.Select(e.Compare("LT", near, number(0)), number(std::numeric_limits<double>::quiet_NaN()), y)};
}

HANDLER(Lgamma) {
  const Value& x = c.x[0];
  return {c.e.Select(IsInfinite(c.e, x), c.e.FullLike(x, kInfinity), c.e.Unary(c.said, x))};
}

// -inf at +0, +inf at -0.
HANDLER(Digamma) {
  Emitter& e = c.e;
  const Value& x = c.x[0];
  const Value zero = e.Compare("EQ", x, e.FullLike(x, 0));
  return {e.Select(zero, e.Neg(e.Div(e.FullLike(x, 1), x)), e.Unary(c.said, x))};
}

}  // namespace reel::stablehlo
