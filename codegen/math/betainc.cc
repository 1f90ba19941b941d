// I_x(a, b) = w / (1 + d1/(1 + d2/(1 + ...))) (DLMF 8.17.22) by Lentz's method, for x below
// (a+1)/(a+b+2); else 1 - I_(1-x)(b, a). w = x^a (1-x)^b / (a B(a, b)), from deviations from the
// mean where a and b are large, so that nothing large cancels.
// Relative error: a few ULP times (1 + |log w|). The steps grow with sqrt(max(a, b)) near the mean;
// the limit is enough for a, b up to about 1e8.
#include "codegen/math/special.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

constexpr double kTiny = 0x1p-900;
constexpr int kMaxSteps = 30000;

struct Beta {
  Fp a, b, x, y;  // y = 1 - x
  Fp log_x, log_y;
  Fp delta;  // b x - a y
};

// log(gamma(a + b) / gamma(large)), large = max(a, b) >= 8, small = min(a, b).
Fp LogGammaRatio(Fp small, Fp large, Fp sum) {
  const Fp tails = StirlingTail(sum) - StirlingTail(large);
  return (large - 0.5) * Log1p(small / large) + (small * (Log(sum) - 1.0) + tails);
}

Fp LeadingTerm(Emitter& e, const Beta& p) {
  const Fp sum = p.a + p.b, small = Smaller(p.a, p.b), large = Larger(p.a, p.b);
  const Mask both = !Less(small, e.Const(8)), one = !Less(large, e.Const(8));
  // gamma(a + b) / (gamma(a + 1) gamma(b)) by logarithms, one of them a ratio.
  const Mask a_large = Greater(p.a, p.b);
  const Fp gamma_a = Lgamma(e.Select(one & a_large, e.Const(1), p.a + 1.0));
  const Fp gamma_b = Lgamma(e.Select(one & !a_large, e.Const(1), p.b));
  const Fp gamma_sum = Lgamma(e.Select(one, e.Const(1), sum));
  const Fp ratio = e.Select(one, LogGammaRatio(small, large, sum), gamma_sum);
  const Fp divisor = e.Select(one & a_large, p.a, e.Const(1));  // gamma(a + 1) = a gamma(a)
  const Fp direct = p.a * p.log_x + p.b * p.log_y + ((ratio - gamma_a) - gamma_b);

  const Fp deviation_a = p.a * Log1pMinusX(p.delta / p.a, p.x * (sum / p.a));
  const Fp deviation_b = p.b * Log1pMinusX(-p.delta / p.b, p.y * (sum / p.b));
  const Fp tails = StirlingTail(sum) - StirlingTail(p.a) - StirlingTail(p.b);
  const Fp factor = e.Sqrt(p.b / sum / p.a * (1 / kTwoPi));
  const Fp exponent = e.Select(both, (deviation_a + deviation_b) + tails, direct);
  return ExpTimes({exponent, e.Const(0)}, e.Select(both, factor, 1.0 / divisor));
}

Fp NotZero(Fp x) { return x.e->Select(Equal(x, x.e->Const(0)), x.e->Const(kTiny), x); }

// The fraction 1 / (1 + d1/(1 + ...)).
Fp Fraction(Emitter& e, const Beta& p) {
  const Fp sum = p.a + p.b;
  const Fp first = 1.0 / NotZero(1.0 - p.x * (sum / (p.a + 1.0)));
  std::vector<Fp> state{e.Const(1), first, first};  // c, d, value
  Iterate(e, Equal(p.x, p.x), state, kMaxSteps, [&](std::vector<Fp>& s, Fp m) {
    const Fp twice = p.a + m * 2.0;
    const Fp even = (m / (twice - 1.0)) * ((p.b - m) / twice) * p.x;
    const Fp odd = -(((p.a + m) / twice) * ((sum + m) / (twice + 1.0)) * p.x);
    Fp factor = e.Const(1);
    for (const Fp& term : {even, odd}) {
      s[1] = 1.0 / NotZero(e.Fma(term, s[1], e.Const(1)));
      s[0] = NotZero(term / s[0] + 1.0);
      factor = s[0] * s[1];
      s[2] = s[2] * factor;
    }
    return Greater(e.Abs(factor - 1.0), e.Const(0x1p-53));
  });
  return state[2];
}

// Arguments at the edge of the domain and outside of it.
Fp Specials(Emitter& e, Fp a, Fp b, Fp x, Fp value) {
  const Fp zero = e.Const(0), one = e.Const(1), infinity = Infinity(e);
  const Mask a_zero = Equal(a, zero), b_zero = Equal(b, zero);
  const Mask a_infinite = Equal(a, infinity), b_infinite = Equal(b, infinity);
  value = e.Select(b_zero | a_infinite, zero, value);
  value = e.Select(a_zero | b_infinite, one, value);
  value = e.Select(Equal(x, zero) | Equal(x, one), e.Abs(x), value);
  const Mask undefined = (a_zero & b_zero) | (a_infinite & b_infinite);
  const Mask outside = Less(a, zero) | Less(b, zero) | (Less(x, zero) | Greater(x, one));
  const Mask nan = IsNan(a) | IsNan(b) | IsNan(x);
  return e.Select(undefined | outside | nan, NaN(e), value);
}

Fp BetaincOf(Emitter& e, Fp a, Fp b, Fp x) {
  const Mask low = Less(x, e.Const(0.5));
  const Fp y = 1.0 - x;
  const Fp log_x = Log(x), log_y = e.Select(low, Log1p(-x), Log(y));
  const Fp delta = e.Fma(a + b, x, -a);
  // A small b would cancel in 1 - I: stay on this side as long as the fraction converges well.
  const Mask past_mean = Greater(x, (a + 1.0) / (a + b + 2.0));
  const Mask swap = past_mean & !(Less(b, e.Const(1)) & Less(x, e.Const(0.9999)));
  const auto pick = [&](Fp u, Fp v) { return e.Select(swap, u, v); };
  const Beta p{pick(b, a),         pick(a, b),         pick(y, x),         pick(x, y),
               pick(log_y, log_x), pick(log_x, log_y), pick(-delta, delta)};
  const Fp value = Smaller(LeadingTerm(e, p) * Fraction(e, p), e.Const(1));
  return Specials(e, a, b, x, pick(1.0 - value, value));
}

}  // namespace

llvm::Value* EmitBetainc(llvm::IRBuilderBase& b, llvm::Value* a, llvm::Value* q, llvm::Value* x,
                         const MathOptions& options) {
  return CallInDouble(b, "betainc", {a, q, x}, options,
                      [](Emitter& e, const std::vector<Fp>& in) { return BetaincOf(e, in[0], in[1], in[2]); });
}

}  // namespace reel::codegen::math
