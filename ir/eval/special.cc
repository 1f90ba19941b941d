#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ir/eval/kernels.h"

// Special functions in long double, each by a plain method that shares nothing with codegen/math:
// Newton's method, recurrences, series, continued fractions run until nothing changes.

namespace reel::ir {
namespace {

using Real = long double;

constexpr Real kInf = std::numeric_limits<Real>::infinity();
constexpr Real kRealNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kPi = std::numbers::pi_v<Real>;
constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr int kMaxIterations = 2000000;

// out[k] = f(x[k], ...) for operands of one float type.
template <typename F>
EvalTensor Map(const KernelContext& c, F f) {
  EvalTensor out = ZeroTensor(c.result);
  for (size_t k = 0; k < out.f.size(); ++k) {
    const auto x = [&](int n) { return static_cast<Real>(c.operand(n).f[k]); };
    if constexpr (std::is_invocable_v<F, Real>) {
      out.f[k] = static_cast<double>(f(x(0)));
    } else if constexpr (std::is_invocable_v<F, Real, Real>) {
      out.f[k] = static_cast<double>(f(x(0), x(1)));
    } else {
      out.f[k] = static_cast<double>(f(x(0), x(1), x(2)));
    }
  }
  return out;
}

// --- inverse error functions: Newton's method ---

// y with erf(y) = x for |x| <= 1/2.
Real SolveErf(Real x) {
  Real y = x * std::sqrt(kPi) / 2;
  for (int i = 0; i < 40; ++i) y -= (std::erf(y) - x) * std::sqrt(kPi) / 2 * std::exp(y * y);
  return y;
}

// y > 0 with erfc(y) = m for 0 < m <= 1/2. log(erfc) is concave: the steps stay on one side.
Real SolveErfc(Real m) {
  if (m == 0) return kInf;
  Real y = std::sqrt(-std::log(m));
  for (int i = 0; i < 40; ++i) {
    const Real value = std::erfc(y);
    y += std::log(value / m) * value * std::sqrt(kPi) / 2 * std::exp(y * y);
  }
  return y;
}

Real ErfInv(Real x) {
  if (!(std::fabs(x) <= 1)) return kRealNaN;
  if (std::fabs(x) <= 0.5L) return x == 0 ? x : SolveErf(x);
  return std::copysign(SolveErfc(1 - std::fabs(x)), x);
}

Real ErfcInv(Real x) {
  if (!(x >= 0 && x <= 2)) return kRealNaN;
  if (x == 1) return 0;
  if (x >= 0.5L && x <= 1.5L) return SolveErf(1 - x);
  return x < 1 ? SolveErfc(x) : -SolveErfc(2 - x);
}

// --- gamma ---

// std::lgamma writes the global signgam: a race where several threads evaluate.
Real LogGamma(Real x) {
  int sign = 0;
  return ::lgammal_r(x, &sign);
}

// c[0] + c[1] x + ...
template <size_t N>
Real Polynomial(Real x, const Real (&c)[N]) {
  Real sum = 0;
  for (size_t k = N; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 20: B_2j / (2j (2j - 1) x^(2j-1)).
Real StirlingCorrection(Real x) {
  static constexpr Real kTerms[] = {1.0L / 12,   -1.0L / 360,      1.0L / 1260, -1.0L / 1680,
                                    1.0L / 1188, -691.0L / 360360, 1.0L / 156,  -3617.0L / 122400};
  return Polynomial(1 / (x * x), kTerms) / x;
}

Real Digamma(Real x) {
  if (std::isnan(x) || x == -kInf) return kRealNaN;
  if (x == 0) return std::signbit(x) ? kInf : -kInf;
  if (x < 0) {
    const Real r = x - std::round(x);
    if (r == 0) return kRealNaN;
    return Digamma(1 - x) - kPi / std::tan(kPi * r);
  }
  Real sum = 0;
  for (; x < 40; x += 1) sum -= 1 / x;
  const Real r = 1 / (x * x);
  static constexpr Real kTerms[] = {0,           1.0L / 12,  -1.0L / 120,     1.0L / 252,
                                    -1.0L / 240, 1.0L / 132, -691.0L / 32760, 1.0L / 12};
  const Real tail = Polynomial(r, kTerms);  // B_2j / (2j x^2j)
  return sum + (std::log(x) - 1 / (2 * x) - tail);
}

// x - log(1 + x)
Real XMinusLog1p(Real x) {
  if (std::fabs(x) > 0.05L) return x - std::log1p(x);
  Real sum = 0, power = x * x;
  for (int n = 2; n < 40; ++n, power *= -x) sum += power / n;
  return sum;
}

// x^a e^-x / gamma(a + 1)
Real GammaTerm(Real a, Real x) {
  if (a < 20) return std::exp(a * std::log(x) - x - LogGamma(a + 1));
  return std::exp(-a * XMinusLog1p((x - a) / a) - StirlingCorrection(a)) / std::sqrt(2 * kPi * a);
}

// P(a, x) = x^a e^-x / gamma(a + 1) (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)
Real LowerSeries(Real a, Real x) {
  Real sum = 1, term = 1;
  for (int n = 1; n < kMaxIterations && term > kEpsilon * sum; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return GammaTerm(a, x) * sum;
}

// Q(a, x) by Lentz's method: 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...)))
Real UpperFraction(Real a, Real x) {
  constexpr Real kTiny = 1e-4000L;
  Real b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int n = 1; n < kMaxIterations; ++n) {
    const Real an = -n * (n - a);
    b += 2;
    d = an * d + b;
    c = b + an / c;
    if (d == 0) d = kTiny;
    if (c == 0) c = kTiny;
    d = 1 / d;
    h *= d * c;
    if (std::fabs(d * c - 1) <= 2 * kEpsilon) break;
  }
  return a * GammaTerm(a, x) * h;
}

// Q(a, x) for a < 1, x < 2, where 1 - P cancels: 1 - w (1 + a sum (-x)^n / (n! (a + n))),
// w = x^a / gamma(1 + a).
Real UpperSmall(Real a, Real x) {
  const Real log_gamma = a < 1e-9L ? a * (kPi * kPi / 12 * a - std::numbers::egamma_v<Real>) : LogGamma(1 + a);
  const Real log_w = a * std::log(x) - log_gamma;
  Real sum = 0, term = 1;
  for (int n = 1; n < 80; ++n) {
    term *= -x / n;
    sum += term / (a + n);
  }
  return -std::expm1(log_w) - std::exp(log_w) * a * sum;
}

// P or Q for huge a: Temme's uniform expansion, of which two terms are enough.
Real Uniform(Real a, Real x, bool upper) {
  const Real mu = (x - a) / a;
  const Real eta = std::copysign(std::sqrt(2 * XMinusLog1p(mu)), mu);
  Real c0, c1;
  if (std::fabs(eta) < 1e-3L) {
    c0 = -1.0L / 3 + eta * (1.0L / 12 - eta * (2.0L / 135 - eta * (1.0L / 864)));
    c1 = -1.0L / 540 - eta / 288;
  } else {
    c0 = 1 / mu - 1 / eta;
    c1 = 1 / (eta * eta * eta) - 1 / (mu * mu * mu) - 1 / (mu * mu) - 1 / (12 * mu);
  }
  const Real rest = std::exp(-a * eta * eta / 2) / std::sqrt(2 * kPi * a) * (c0 + c1 / a);
  const Real y = eta * std::sqrt(a / 2);
  return upper ? std::erfc(y) / 2 + rest : std::erfc(-y) / 2 - rest;
}

// P (upper = false) or Q (true).
Real IncompleteGamma(Real a, Real x, bool upper) {
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == kInf && x == kInf)) return kRealNaN;
  if (x == 0 || a == kInf) return upper;
  if (x == kInf || a == 0) return !upper;
  if (a > 1e6L) {
    return !upper && x < 0.99L * a ? LowerSeries(a, x) : Uniform(a, x, upper);
  }
  if (upper && a < 1 && x < 2) return UpperSmall(a, x);
  if (x < a + 1) return upper ? 1 - LowerSeries(a, x) : LowerSeries(a, x);
  return upper ? UpperFraction(a, x) : 1 - UpperFraction(a, x);
}

// --- zeta ---

// q^s zeta(s, q) for s > 1, q > 0: twenty terms and the Euler-Maclaurin formula for the rest.
Real ScaledZeta(Real s, Real q) {
  static constexpr Real kBernoulli[] = {1.0L / 12,          -1.0L / 720,
                                        1.0L / 30240,       -1.0L / 1209600,
                                        1.0L / 47900160,    -691.0L / 1307674368000,
                                        1.0L / 74724249600, -3617.0L / 10670622842880000};  // B_2j / (2j)!
  Real sum = 0;
  for (int k = 0; k < 20; ++k) sum += std::pow(q / (q + k), s);
  const Real a = q + 20, t = std::pow(q / a, s);
  if (t < 1e-25L) return sum;
  sum += t * (a / (s - 1)) + t / 2;
  Real factor = t * s / a;
  for (int j = 0; j < 8; ++j) {
    sum += kBernoulli[j] * factor;
    factor *= (s + 2 * j + 1) / a * ((s + 2 * j + 2) / a);
  }
  return sum;
}

// n! zeta(s, q) for q > 0.
Real PositiveZeta(Real s, Real q, Real n) {
  if (q == kInf) return 0;
  if (n > 1700 || s > 1e4L) {
    return std::exp(LogGamma(n + 1) - s * std::log(q)) * ScaledZeta(s, q);
  }
  return std::tgamma(n + 1) * std::pow(q, -s) * ScaledZeta(s, q);
}

// n! zeta(s, q)
Real FactorialZeta(Real n, Real s, Real q) {
  if (std::isnan(s) || std::isnan(q) || s < 1) return kRealNaN;
  if (s == 1 || (q <= 0 && q == std::floor(q))) return kInf;
  if (s == kInf) {
    if (q == 1) return 1;
    return q > 1 ? 0 : kInf;
  }
  if (q > 0) return PositiveZeta(s, q, n);
  if (s != std::floor(s)) return kRealNaN;
  // The terms below 0 are those of two other zetas. Of two infinite ones the nearer pole's is
  // larger.
  const Real g = -q - std::floor(-q), sign = std::fmod(s, 2.0L) == 0 ? 1 : -1;
  const Real right = PositiveZeta(s, 1 - g, n), left = sign * PositiveZeta(s, g, n);
  Real sum = right + left;
  if (std::isnan(sum)) sum = g == 0.5L ? 0 : g > 0.5L ? kInf : -kInf;
  return std::isinf(sum) ? sum : sum - sign * PositiveZeta(s, 1 - q, n);
}

Real Polygamma(Real n, Real x) {
  if (std::isnan(x) || !(n >= 0) || n != std::floor(n) || n == kInf) return kRealNaN;
  if (n == 0) return Digamma(x);
  const Real value = FactorialZeta(n, n + 1, x);
  return std::fmod(n, 2.0L) == 0 ? -value : value;
}

// --- beta ---

// x^a (1 - x)^b / (a B(a, b))
Real BetaTerm(Real a, Real b, Real x, Real y) {
  const Real n = a + b;
  if (std::min(a, b) < 20) {
    return std::exp(a * std::log(x) + b * (x < 0.5L ? std::log1p(-x) : std::log(y)) + LogGamma(n) - LogGamma(a + 1) -
                    LogGamma(b));
  }
  const Real delta = b * x - a * y;
  const Real correction = StirlingCorrection(n) - StirlingCorrection(a) - StirlingCorrection(b);
  return std::sqrt(b / (2 * kPi * a * n)) *
         std::exp(correction - a * XMinusLog1p(delta / a) - b * XMinusLog1p(-delta / b));
}

// I_x(a, b) by Lentz's method (DLMF 8.17.22), for x below (a + 1) / (a + b + 2).
Real BetaFraction(Real a, Real b, Real x, Real y) {
  constexpr Real kTiny = 1e-4000L;
  Real c = 1, d = 1 - (a + b) * x / (a + 1);
  if (d == 0) d = kTiny;
  d = 1 / d;
  Real h = d;
  for (int m = 1; m < kMaxIterations; ++m) {
    const Real even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const Real odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const Real term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      if (d == 0) d = kTiny;
      if (c == 0) c = kTiny;
      d = 1 / d;
      h *= d * c;
    }
    if (std::fabs(d * c - 1) <= 2 * kEpsilon) break;
  }
  return BetaTerm(a, b, x, y) * h;
}

Real Betainc(Real a, Real b, Real x) {
  if (!(a >= 0) || !(b >= 0) || !(x >= 0 && x <= 1)) return kRealNaN;
  if ((a == 0 && b == 0) || (a == kInf && b == kInf)) return kRealNaN;
  if (x == 0 || x == 1) return std::fabs(x);
  if (a == 0 || b == kInf) return 1;
  if (b == 0 || a == kInf) return 0;
  // Also past the mean for a small b, where 1 - I would cancel.
  if (x <= (a + 1) / (a + b + 2) || (b < 1 && x < 0.99L)) return BetaFraction(a, b, x, 1 - x);
  return 1 - BetaFraction(b, a, 1 - x, x);
}

}  // namespace

KERNEL(Erfc) {
  return Map(c, [](Real x) { return std::erfc(x); });
}
KERNEL(ErfInv) { return Map(c, ErfInv); }
KERNEL(ErfcInv) { return Map(c, ErfcInv); }
KERNEL(Lgamma) { return Map(c, LogGamma); }
KERNEL(Digamma) { return Map(c, Digamma); }
KERNEL(Igamma) {
  return Map(c, [](Real a, Real x) { return IncompleteGamma(a, x, false); });
}
KERNEL(Igammac) {
  return Map(c, [](Real a, Real x) { return IncompleteGamma(a, x, true); });
}
KERNEL(Zeta) {
  return Map(c, [](Real s, Real q) { return FactorialZeta(0, s, q); });
}
KERNEL(Polygamma) { return Map(c, Polygamma); }
KERNEL(Betainc) { return Map(c, Betainc); }

}  // namespace reel::ir
