#include <cmath>

#include "ir/strings.h"
#include "passes/gradient/rule.h"

// Special functions. A derivative without closed form is an error that names the operand: a user
// who does not need it stops the gradient there.

namespace reel::passes {
namespace {

constexpr double kTwoOverSqrtPi = 1.1283791670955125738961589031215452;

// Fails if operand i is wanted; y is what the op is a function of there.
void NoDerivative(GradContext& g, ir::Builder& b, int i, std::string_view name) {
  if (!g.wants(i)) return;
  b.Fail(
      absl::UnimplementedError(StrCat(ir::Name(g.node().op), ": the derivative with respect to ", name, " (operand ", i,
                                      ") has no closed form and is not implemented; use stop_gradient on ", name)));
}

// (sqrt(pi) / 2) exp(y^2), the derivative of erf_inv at its value y; finite for a zero seed.
ir::Value ErfInvSlope(ir::Builder& b, ir::Value dy, ir::Value value) {
  const ir::Value zero = b.ScalarLike(dy, 0), no_seed = b.Equal(dy, zero);
  const ir::Value inside = b.Less(b.Abs(value), b.ScalarLike(value, INFINITY));
  const ir::Value y = b.Select(inside, value, b.Select(no_seed, zero, value));
  const ir::Value e = b.Exp(b.Mul(y, y));
  return b.Mul(b.ScalarLike(y, 1 / kTwoOverSqrtPi), e);
}

// x^(a-1) e^-x / gamma(a), the density of the gamma distribution. At x = 0 the logarithm times
// a - 1 would be NaN for a = 1, where the density is 1.
ir::Value GammaDensity(ir::Builder& b, ir::Value a, ir::Value x) {
  const ir::Value power = b.Sub(a, b.ScalarLike(a, 1)), zero = b.ScalarLike(a, 0);
  const ir::Value flat = b.Equal(power, zero);
  const ir::Value log_x = b.Log(b.Select(flat, b.ScalarLike(x, 1), x)), log_gamma = b.Lgamma(a);
  return b.Exp(b.Sub(b.Sub(b.Mul(power, log_x), x), log_gamma));
}

}  // namespace

GRAD(Erfc, kX, kNone) {  // erfc' = -2/sqrt(pi) exp(-x^2)
  const ir::Value e = b.Exp(b.Neg(b.Mul(g.x(), g.x())));
  g.Set(0, b.Mul(g.dy(), b.Mul(b.ScalarLike(g.dy(), -kTwoOverSqrtPi), e)));
}
GRAD(ErfInv, kNone, kY) { g.Set(0, b.Mul(g.dy(), ErfInvSlope(b, g.dy(), g.y()))); }
GRAD(ErfcInv, kNone, kY) { g.Set(0, b.Neg(b.Mul(g.dy(), ErfInvSlope(b, g.dy(), g.y())))); }
GRAD(Lgamma, kX, kNone) { g.Set(0, b.Mul(g.dy(), b.Digamma(g.x()))); }  // lgamma' = digamma
GRAD(Digamma, kX, kNone) {  // digamma' = polygamma(1, x)
  g.Set(0, b.Mul(g.dy(), b.Polygamma(b.ScalarLike(g.x(), 1), g.x())));
}

GRAD_EACH(Igamma, kNone, kNone, kA | kB, kNone) {  // dP/dx = x^(a-1) e^-x / gamma(a)
  NoDerivative(g, b, 0, "a");
  if (g.wants(1)) g.Set(1, b.Mul(g.dy(), GammaDensity(b, g.in(0), g.in(1))));
}
GRAD_EACH(Igammac, kNone, kNone, kA | kB, kNone) {  // dQ/dx = -dP/dx
  NoDerivative(g, b, 0, "a");
  if (g.wants(1)) g.Set(1, b.Neg(b.Mul(g.dy(), GammaDensity(b, g.in(0), g.in(1)))));
}
GRAD_EACH(Zeta, kNone, kNone, kA | kB, kNone) {  // d zeta(s, q)/dq = -s zeta(s + 1, q)
  NoDerivative(g, b, 0, "s");
  if (!g.wants(1)) return;
  const ir::Value s = g.in(0), next = b.Zeta(b.Add(s, b.ScalarLike(s, 1)), g.in(1));
  g.Set(1, b.Neg(b.Mul(g.dy(), b.Mul(s, next))));
}
GRAD_EACH(Polygamma, kNone, kNone, kA | kB, kNone) {  // d psi_n(x)/dx = psi_(n+1)(x)
  NoDerivative(g, b, 0, "n");
  if (!g.wants(1)) return;
  const ir::Value n = g.in(0);
  g.Set(1, b.Mul(g.dy(), b.Polygamma(b.Add(n, b.ScalarLike(n, 1)), g.in(1))));
}
// dI/dx = x^(a-1) (1-x)^(b-1) / B(a, b); a power of 0 is 1, also at the end where its base is 0.
GRAD(Betainc, kA | kB | kC, kNone) {
  NoDerivative(g, b, 0, "a");
  NoDerivative(g, b, 1, "b");
  if (!g.wants(2)) return;
  const ir::Value p = g.in(0), q = g.in(1), x = g.in(2), one = b.ScalarLike(x, 1);
  const auto log_power = [&](ir::Value base, ir::Value exponent) {
    const ir::Value power = b.Sub(exponent, one);
    const ir::Value flat = b.Equal(power, b.ScalarLike(x, 0));
    return b.Mul(power, b.Log(b.Select(flat, one, base)));
  };
  const ir::Value gamma_p = b.Lgamma(p), gamma_q = b.Lgamma(q), both = b.Lgamma(b.Add(p, q));
  const ir::Value log_beta = b.Sub(b.Add(gamma_p, gamma_q), both);
  const ir::Value power_p = log_power(x, p), power_q = log_power(b.Sub(one, x), q);
  g.Set(2, b.Mul(g.dy(), b.Exp(b.Sub(b.Add(power_p, power_q), log_beta))));
}

}  // namespace reel::passes
