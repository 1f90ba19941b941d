// |x| <= 1: erf(x) = x + x P(x^2 - 3/4). Budget in ULP: final 0.5, P 0.3. The offset makes P and
// its argument small where the result's ulp is smallest against x.
// beyond, t = |x|: erf(t) = 1 - e^r, r = log(erfc(t)) = t G(t) - t, e^r = 2^n (1 + p):
//   (1 - 2^n) - 2^n p.
// e^r <= 0.158, so r's error counts a sixth. Budget in ULP: final 0.5, r 0.35, p 0.1.
// Without FMA x P and t G round once more: floats carry the low part of x + x P, which denormals
// would not survive, both dtypes that of t G - t.
// Both sides are computed and one is selected; t is clamped where erf rounds to 1.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// x + x p.
Fp Small(Emitter& e, Fp x, Fp size, Fp p) {
  if (e.has_fma() || !e.is_f32()) return e.Fma(p, x, x);
  const Fp product = p * x;
  const Pair sum = e.FastTwoSum(x, product);
  const Fp low = sum.lo + e.ProductError(p, x, product);
  return sum.hi + e.Select(Less(size, e.Const(0x1p-60)), -0.0, low);  // -0 changes nothing
}

}  // namespace

llvm::Value* EmitErf(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  const Fp size = e.Abs(input);
  const Fp u = e.Fma(input, input, e.Const(-0.75));
  const Fp p = e.Polynomial(u, e.Pick(kErfSmall_f32, kErfSmall_f64));
  const Fp small = Small(e, input, size, p);

  const Fp t = e.ClampAbove(size, e.Pick(4.0, 6.0));
  const Fp g = e.Polynomial(t, e.Pick(kErfLarge_f32, kErfLarge_f64));
  ReducedExp r;
  if (e.has_fma()) {
    r = ReduceExp(e, e.Fma(g, t, -t));
  } else {
    const Pair sum = e.TwoSum(g * t, -t);
    r = ReduceExp(e, sum.hi, sum.lo);
  }
  const Fp scale = e.FromBits(r.exponent + e.one_bits());
  const Fp large = e.Fma(-scale, MantissaLessOne(r), 1.0 - scale);
  const Int sign = e.Bits(input) & e.sign_bit();
  const Fp signed_large = e.FromBits(e.Bits(large) | sign);
  return e.Select(Greater(size, e.Const(1.0)), signed_large, small).v;
}

}  // namespace reel::codegen::math
