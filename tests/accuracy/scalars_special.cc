#include <reel/special.h>

#include <array>
#include <cmath>

#include "tests/accuracy/scalars.h"

namespace reel::testing {
namespace {

// f32 and halves are computed in f64 and rounded once.
constexpr Promise Of(double f64) { return {{0.51, f64, 0.51, 0.51}}; }

bool Any(Reals x, bool (*is)(const Real&)) {
  for (const Real& v : x) {
    if (is(v)) return true;
  }
  return false;
}
Real Half(const Real& x) { return x / 2; }
Real Ndtr_(const Real& x) { return Half(Erfc(-x / Sqrt(Real(2)))); }

// A bound of `ulps` + 2 |log w| as one of `ulps` of a larger number.
Real WithExponent(const Real& value, const Real& log_w, double ulps) {
  return Abs(value) * (Real(1) + Real(2) * Abs(log_w) / Real(ulps));
}
// Where x / sqrt(2) is rounded, e^(-x^2 / 2) takes x^2 times that.
Real TailSize(const Real& value, const Real& x) { return WithExponent(value, x * x / 2, 3); }
Real NdtrSize(Reals x) { return x[0] < 0 && !IsInf(x[0]) ? TailSize(Ndtr_(x[0]), x[0]) : Real(0); }
Real LogNdtrSize(Reals x) { return x[0] > 0 && !IsInf(x[0]) ? TailSize(Ndtr_(-x[0]), x[0]) : Real(0); }

// Far out MPFR's exponents end: the asymptotic series there.
Real LogNdtr_(Reals in) {
  const Real& x = in[0];
  if (x > 0) return Log1p(-Ndtr_(-x));
  if (Real(-1e4) < x || IsNan(x)) return Log(Ndtr_(x));
  const Real r = Real(1) / (x * x);
  const Real series = -r * (Real(1) - r * (Real(3) - r * (Real(15) - Real(105) * r)));
  return -Half(x * x) - Log(-x * Sqrt(Real(2) * Pi())) + Log1p(series);
}

long double Erfc(long double x) { return std::erfc(x); }
long double Exp(long double x) { return std::exp(x); }
long double Log(long double x) { return std::log(x); }
using testing::Erfc, testing::Exp, testing::Log;

// y >= 0 with erfc(y) = q, by Newton's method on log(erfc), which is concave: it converges from everywhere. In 64 bits
// first, then twice in all.
template <typename T>
T ErfcInvStep(const T& y, const T& log_q, const T& slope) {
  const T c = Erfc(y);
  return y + (Log(c) - log_q) * c / (slope * Exp(-y * y));
}

Real ErfcInvOf(const Real& q) {
  if (q == 1 || q == 0) return q == 1 ? Real(0) : Real(INFINITY);
  const Real log_q = Log(q), slope = Real(2) / Sqrt(Pi());
  const auto narrow_log = static_cast<long double>(log_q.ToDouble()),
             narrow_slope = static_cast<long double>(slope.ToDouble());
  long double y = narrow_log < -3 ? std::sqrt(-narrow_log) : 0;
  for (int i = 0; i < 40; ++i) y = ErfcInvStep(y, narrow_log, narrow_slope);
  Real out = static_cast<double>(y);
  for (int i = 0; i < 2; ++i) out = ErfcInvStep(out, log_q, slope);
  return out;
}
Real ErfInvOf(const Real& x) {
  if (x == 0 || IsNan(x) || Abs(x) > 1) return x == 0 ? x : Real(NAN);
  if (Real(0.5) < Abs(x)) return x < 0 ? -ErfcInvOf(Real(1) + x) : ErfcInvOf(Real(1) - x);
  const Real slope = Real(2) / Sqrt(Pi());
  Real y = x / slope;
  for (int i = 0; i < 60; ++i) {
    const Real step = (x - Erf(y)) / (slope * Exp(-y * y));
    y = y + step;
    if (Abs(step) <= Abs(y) * Real(0x1p-60)) break;  // the next one would be 2^-120
  }
  return y;
}
Real ErfcInvAll(const Real& x) {
  if (IsNan(x) || x < 0 || x > 2) return Real(NAN);
  if (x < 0.5) return ErfcInvOf(x);
  return x > 1.5 ? -ErfcInvOf(Real(2) - x) : -ErfInvOf(x - Real(1));
}

// The larger of the two terms that make the function below 0: lgamma(1 - x) and log(sin(pi x) / pi), and so on.
Real LgammaSize(Reals in) {
  const Real& x = in[0];
  return x < 0 ? Max(Abs(Real::LogGamma(Real(1) - x)), Real(1)) : Real(0);
}
Real DigammaSize(Reals in) {
  const Real& x = in[0];
  if (!(x < 0) || IsInf(x)) return 0;
  const Real angle = Pi() * (x - Rounded(x, MPFR_RNDN));
  return Max(Abs(Digamma(Real(1) - x)), Abs(Pi() / Real::Of(mpfr_tan, angle)));
}

// Sum over k of (q + k)^-s, s > 1, q > 0: 60 terms, then Euler-Maclaurin.
Real Hurwitz(const Real& s, const Real& q) {
  constexpr int kTerms = 60, kCorrections = 40;
  Real sum = 0;
  for (int k = 0; k < kTerms; ++k) sum = sum + Pow(q + Real(k), -s);
  const Real a = q + Real(kTerms), power = Pow(a, -s);
  sum = sum + power * a / (s - Real(1)) + power / 2;
  // B_2k / (2k)! = (-1)^(k + 1) 2 zeta(2k) / (2 pi)^2k
  static const auto* const factors = [] {
    auto* out = new std::vector<Real>;
    for (int k = 1; k <= kCorrections; ++k) {
      const Real zeta = Real::Of(mpfr_zeta, Real(2 * k));
      out->push_back(Real(k % 2 ? 2 : -2) * zeta / Pow(Real(2) * Pi(), Real(2 * k)));
    }
    return out;
  }();
  Real rising = s * power / a;
  for (int k = 1; k <= kCorrections; ++k) {
    sum = sum + (*factors)[static_cast<size_t>(k - 1)] * rising;
    rising = rising * (s + Real(2 * k - 1)) * (s + Real(2 * k)) / (a * a);
  }
  return sum;
}
Real Zeta_(Reals x) { return Any(x, IsNan) ? Real(NAN) : Hurwitz(x[0], x[1]); }
Real Polygamma_(Reals x) {
  if (x[0] == 0) return Digamma(x[1]);
  const Real value = Gamma(x[0] + Real(1)) * Hurwitz(x[0] + Real(1), x[1]);
  return IsInteger(x[0] / 2) ? -value : value;
}

// x^a e^-x / gamma(a + 1), and the series of P(a, x).
Real GammaPower(Reals x) { return Exp(x[0] * Log(x[1]) - x[1] - Real::LogGamma(x[0] + Real(1))); }
Real LowerGamma(Reals x) {
  Real term = GammaPower(x), sum = term;
  for (int n = 1; n < 20000 && Abs(sum) * Real(0x1p-200) < Abs(term); ++n) {
    term = term * x[1] / (x[0] + Real(n));
    sum = sum + term;
  }
  return sum;
}
Real Igamma_(Reals x) { return x[1] == 0 ? Real(0) : LowerGamma(x); }
Real Igammac_(Reals x) {
  if (x[1] < x[0] || x[1] < 1) return x[1] == 0 ? Real(1) : Real(1) - LowerGamma(x);
  return Real::Of(mpfr_gamma_inc, x[0], x[1]) / Gamma(x[0]);
}
Real IgammaSize(Reals x) { return x[1] == 0 ? Real(0) : WithExponent(Igamma_(x), Log(GammaPower(x)), 3); }
Real IgammacSize(Reals x) { return x[1] == 0 ? Real(0) : WithExponent(Igammac_(x), Log(GammaPower(x)), 3); }

// I_x(a, b) by its series in x below the mean, else 1 - I_(1 - x)(b, a).
Real LogBeta(const Real& a, const Real& b) { return Real::LogGamma(a) + Real::LogGamma(b) - Real::LogGamma(a + b); }
Real BetaPower(Reals x) { return Exp(x[0] * Log(x[2]) + x[1] * Log1p(-x[2]) - LogBeta(x[0], x[1])); }
Real BetaSeries(const Real& a, const Real& b, const Real& x) {
  const Real power = BetaPower(std::array<Real, 3>{a, b, x});
  Real term = power / a, sum = term;
  for (int n = 0; n < 20000 && Abs(sum) * Real(0x1p-200) < Abs(term); ++n) {
    term = term * x * (a + b + Real(n)) / (a + Real(n + 1));
    sum = sum + term;
  }
  return sum;
}
Real Betainc_(Reals x) {
  if (x[2] == 0 || x[2] == 1) return x[2];
  const bool below = x[2] <= x[0] / (x[0] + x[1]);
  return below ? BetaSeries(x[0], x[1], x[2]) : Real(1) - BetaSeries(x[1], x[0], Real(1) - x[2]);
}
Real BetaincSize(Reals x) {
  return x[2] == 0 || x[2] == 1 ? Real(0) : WithExponent(Betainc_(x), Log(BetaPower(x)), 10);
}

double Within(double x, double low, double high) {
  if (!std::isfinite(x)) return (low + high) / 2;
  const double t = std::fabs(x);
  return t >= low && t <= high ? t : low + std::fmod(t, high - low);
}
double GammaArguments(double x, int) { return Within(x, 0x1p-9, 100); }
double BetaArguments(double x, int i) { return i < 2 ? Within(x, 0x1p-4, 100) : Within(x, 0, 1); }
double ZetaArguments(double x, int i) { return i == 0 ? Within(x, 1.0625, 50) : Within(x, 0x1p-9, 100); }
double PolygammaArguments(double x, int i) { return i == 0 ? std::floor(Within(x, 0, 10)) : Within(x, 0x1p-9, 100); }
double Positive(double x, int) { return std::fabs(x) > 1e300 ? std::sqrt(std::fabs(x)) : std::fabs(x); }

#define F1(name) [](Arguments x) { return name(x[0]); }
#define F2(name) [](Arguments x) { return name(x[0], x[1]); }

const Scalar kFunctions[] = {
    {16, "erfc", 1, F1(Erfc), [](Reals x) { return Erfc(x[0]); }, Of(3), {-7, 28}},
    {4, "erf_inv", 1, F1(ErfInv), [](Reals x) { return ErfInvOf(x[0]); }, Of(5), {-1, 1}},
    {16, "erfc_inv", 1, F1(ErfcInv), [](Reals x) { return ErfcInvAll(x[0]); }, Of(5), {0, 2}},
    {8, "lgamma", 1, F1(Lgamma), [](Reals x) { return Real::LogGamma(x[0]); }, Of(3), {-20, 200}, LgammaSize},
    {8, "digamma", 1, F1(Digamma), [](Reals x) { return Digamma(x[0]); }, Of(3), {-20, 200}, DigammaSize},
    {16,
     "ndtr",
     1,
     F1(Ndtr),
     [](Reals x) { return Ndtr_(x[0]); },
     Of(4),
     {-40, 9},
     nullptr,
     nullptr,
     nullptr,
     NdtrSize},
    {16, "log_ndtr", 1, F1(LogNdtr), LogNdtr_, Of(4), {-60, 40}, nullptr, nullptr, nullptr, LogNdtrSize},
    {16, "ndtri", 1, F1(Ndtri), [](Reals x) { return -Sqrt(Real(2)) * ErfcInvAll(Real(2) * x[0]); }, Of(5), {0, 1}},
    {16, "zeta", 2, F2(Zeta), Zeta_, Of(6), {}, nullptr, ZetaArguments},
    {16, "polygamma", 2, F2(Polygamma), Polygamma_, Of(25), {}, nullptr, PolygammaArguments},
    {16, "igamma", 2, F2(Igamma), Igamma_, Of(6), {}, IgammaSize, GammaArguments},
    {16, "igammac", 2, F2(Igammac), Igammac_, Of(12), {}, IgammacSize, GammaArguments},
    {16,
     "betainc",
     3,
     [](Arguments x) { return Betainc(x[0], x[1], x[2]); },
     Betainc_,
     Of(50),
     {},
     BetaincSize,
     BetaArguments},
    {8,
     "lbeta",
     2,
     F2(Lbeta),
     [](Reals x) { return LogBeta(x[0], x[1]); },
     Of(6),
     {},
     [](Reals x) {
       return Max(Max(Abs(Real::LogGamma(x[0])), Abs(Real::LogGamma(x[1]))), Abs(Real::LogGamma(x[0] + x[1])));
     },
     Positive},
};

}  // namespace

std::span<const Scalar> SpecialFunctions() { return kFunctions; }

}  // namespace reel::testing
