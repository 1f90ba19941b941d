// |x| <= 1: erf(x) = x + x P(x^2 - 3/4). Budget in ULP: final 0.5, P 0.3. The offset makes P and
// its argument small where the result's ulp is smallest against x.
// beyond, t = |x|: erf(t) = 1 - e^r, r = log(erfc(t)) = t G(t) - t, e^r = 2^n (1 + high + tail):
//   (1 - 2^n) - 2^n (high + tail).
// e^r <= 0.158, so r's error counts a sixth. Budget in ULP: final 0.5, r 0.35, high + tail 0.1.
// Without FMA t G rounds once more, which the low part of t G - t makes up for.
// Both sides are computed and one is selected; t is clamped where erf rounds to 1.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitErf(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  const Fp size = e.Abs(input);
  const Fp u = e.Fma(input, input, e.Const(-0.75));
  const Fp p = e.Polynomial(u, e.Pick(kErfSmall_f32, kErfSmall_f64));
  const Fp small = e.Fma(p, input, input);

  const Fp t = e.ClampAbove(size, e.Pick(4.0, 6.0));
  const Fp g = e.Polynomial(t, e.Pick(kErfLarge_f32, kErfLarge_f64));
  ReducedExp r;
  if (e.has_fma()) {
    r = ReduceExp(e, e.Fma(g, t, -t));
  } else {
    const Pair sum = e.TwoSum(g * t, -t);
    r = ReduceExp(e, sum.hi);
    r.tail = r.tail + sum.lo;
  }
  const Fp scale = e.FromBits(r.exponent + e.one_bits());
  const Fp large = e.Fma(-scale, r.high + r.tail, 1.0 - scale);
  const Int sign = e.Bits(input) & e.sign_bit();
  const Fp signed_large = e.FromBits(e.Bits(large) | sign);
  return e.Select(Greater(size, e.Const(1.0)), signed_large, small).v;
}

}  // namespace reel::codegen::math
