// P(a, x) and Q(a, x) = 1 - P, by where (a, x) is:
//   a >= 40, |x/a - 1| < 0.3   Temme's uniform expansion (DLMF 8.12)
//   x <= 1.1 or x <= a         P = w (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)
//   x <= 1.1, Q small          Q = 1 - x^a/gamma(1+a) (1 + a sum (-x)^n / (n! (a+n)))
//   else                       Q = a w / (x+1-a- 1(1-a)/(x+3-a- ...)), Lentz's method
// w = x^a e^-x / gamma(a + 1). Relative error: a few ULP times (1 + |log w|).
#include "codegen/math/special.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

constexpr double kEpsilon = 0x1p-54;
constexpr int kMaxIgammaSteps = 2000;

// w, from the deviation log(1 + mu) - mu, mu = x/a - 1, where a >= 8.
Fp LeadingTerm(Emitter& e, Fp a, Fp x, Fp deviation) {
  const Pair power = Sum(Product(LogPair(x), a), {-x, e.Const(0)});
  const Pair small = Sum(power, {-Lgamma(a + 1.0), e.Const(0)});
  const Mask large = !Less(a, e.Const(8));
  const Pair exponent{e.Select(large, a * deviation - StirlingTail(a), small.hi),
                      e.Select(large, e.Const(0), small.lo)};
  return ExpTimes(exponent, e.Select(large, 1.0 / e.Sqrt(a * kTwoPi), e.Const(1)));
}

// P / w
Fp LowerSeries(Emitter& e, Mask active, Fp a, Fp x) {
  std::vector<Fp> state{e.Const(1), e.Const(1)};  // term, sum
  Iterate(e, active, state, kMaxIgammaSteps, [&](std::vector<Fp>& s, Fp n) {
    s[0] = s[0] * (x / (a + n));
    s[1] = s[1] + s[0];
    return Greater(s[0], s[1] * kEpsilon);
  });
  return state[1];
}

// Q / (a w)
Fp UpperFraction(Emitter& e, Mask active, Fp a, Fp x) {
  const Fp b = (x - a) + 1.0;
  std::vector<Fp> state{b, e.Const(0x1p500), 1.0 / b, 1.0 / b};  // b, c, d, value
  Iterate(e, active, state, kMaxIgammaSteps, [&](std::vector<Fp>& s, Fp n) {
    const Fp numerator = n * (a - n);
    s[0] = s[0] + 2.0;
    s[2] = 1.0 / (numerator * s[2] + s[0]);
    s[1] = s[0] + numerator / s[1];
    const Fp factor = s[1] * s[2];
    s[3] = s[3] * factor;
    return Greater(e.Abs(factor - 1.0), e.Const(2 * kEpsilon));
  });
  return state[3];
}

// Q where it is small beside P although x is small: then a is small.
Fp UpperSmall(Emitter& e, Mask active, Fp a, Fp x) {
  std::vector<Fp> state{e.Const(1), e.Const(0)};  // (-x)^n / n!, sum
  Iterate(e, active, state, 60, [&](std::vector<Fp>& s, Fp n) {
    s[0] = -(s[0] * (x / n));
    const Fp term = s[0] / (a + n);
    s[1] = s[1] + term;
    return Greater(e.Abs(term), e.Abs(s[1]) * kEpsilon);
  });
  const Fp log_power = a * Log(x) - LgammaNear1(a);
  return -Expm1(log_power) - Exp(log_power) * (a * state[1]);
}

// Q, or P by upper = false: erfc(+-eta sqrt(a/2))/2 +- e^(-a eta^2/2)/sqrt(2 pi a) sum
// C_k(eta)/a^k, with eta^2/2 = -deviation and the sign of mu.
Fp Uniform(Emitter& e, Fp a, Fp mu, Fp deviation, bool upper) {
  const Fp half_square = -deviation;
  const Fp eta = e.WithSignOf(e.Abs(e.Sqrt(half_square * 2.0)), mu);
  const Fp reciprocal = 1.0 / a;
  Fp sum = e.Const(0);
  for (size_t k = std::size(kTemme); k-- > 0;) {
    sum = e.Fma(sum, reciprocal, e.Polynomial(eta, kTemme[k]));
  }
  const Fp rest = ExpTimes({-(a * half_square), e.Const(0)}, sum) / e.Sqrt(a * kTwoPi);
  const Fp y = e.WithSignOf(e.Abs(e.Sqrt(a * half_square)), upper ? mu : -mu);
  const Fp main = Erfc(y) * 0.5;
  return upper ? main + rest : main - rest;
}

// Arguments at the edge of the domain and outside of it.
Fp Specials(Emitter& e, Fp a, Fp x, Fp value, bool upper) {
  const Fp zero = e.Const(0), infinity = Infinity(e);
  const Mask a_zero = Equal(a, zero), x_zero = Equal(x, zero);
  const Mask a_infinite = Equal(a, infinity), x_infinite = Equal(x, infinity);
  value = e.Select(x_zero | a_infinite, e.Const(upper ? 1 : 0), value);
  value = e.Select(x_infinite | a_zero, e.Const(upper ? 0 : 1), value);
  const Mask undefined = (a_zero & x_zero) | (a_infinite & x_infinite);
  const Mask outside = Less(a, zero) | Less(x, zero) | (IsNan(a) | IsNan(x));
  return e.Select(undefined | outside, NaN(e), value);
}

Fp IncompleteGamma(Emitter& e, Fp a, Fp x, bool upper) {
  const Fp mu = (x - a) / a;
  const Fp deviation = Log1pMinusX(mu, x / a);
  const Mask uniform = Less(e.Abs(mu), e.Const(0.3)) & !Less(a, e.Const(40));
  const Mask low = !(Greater(x, e.Const(1.1)) & Greater(x, a));
  // Where Q < P for x <= 1.1 (Didonato and Morris, 1986).
  const Mask half = Less(x, e.Const(0.5));
  const Fp bound = e.Select(half, -0.4 / Log(x), x * 0.75);
  const Mask small = Less(a, bound) & !Greater(x, e.Const(1.1));

  const Fp w = LeadingTerm(e, a, x, deviation);
  const Fp lower = w * LowerSeries(e, low & !uniform, a, x);
  const Fp fraction = a * w * UpperFraction(e, !(low | uniform), a, x);
  Fp value;
  if (upper) {
    const Fp direct = e.Select(small, UpperSmall(e, small, a, x), 1.0 - lower);
    value = e.Select(low, direct, fraction);
  } else {
    value = e.Select(low, lower, 1.0 - fraction);
  }
  value = e.Select(uniform, Uniform(e, a, mu, deviation, upper), value);
  value = Smaller(Larger(value, e.Const(0)), e.Const(1));
  return Specials(e, a, x, value, upper);
}

}  // namespace

llvm::Value* EmitIgamma(llvm::IRBuilderBase& b, llvm::Value* a, llvm::Value* x, const MathOptions& options) {
  return CallInDouble(b, "igamma", {a, x}, options,
                      [](Emitter& e, const std::vector<Fp>& in) { return IncompleteGamma(e, in[0], in[1], false); });
}

llvm::Value* EmitIgammac(llvm::IRBuilderBase& b, llvm::Value* a, llvm::Value* x, const MathOptions& options) {
  return CallInDouble(b, "igammac", {a, x}, options,
                      [](Emitter& e, const std::vector<Fp>& in) { return IncompleteGamma(e, in[0], in[1], true); });
}

}  // namespace reel::codegen::math
