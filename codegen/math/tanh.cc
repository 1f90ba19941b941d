// tanh|x| = -E / (2 + E), E = e^(-2|x|) - 1 in (-1, 0], and the sign of x put back.
// With 2^n (1 + high + tail) = e^(-2|x|): E = (-1 + 2^n) + 2^n high + 2^n tail; the first two sums
// are exact pairs, so E = E_hi + E_lo is good to about 0.1 ULP even near 0, where n = 0 and E ~
// -2|x|. One correction step of the quotient takes E_lo and the rounding of 2 + E in. Budget in
// ULP: 0.5 + 0.3.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// (hi + lo) of E above for t = -2|x|.
Pair ExpMinusOne(Emitter& e, Fp t) {
  const ReducedExp r = ReduceExp(e, t);
  const Fp scale = e.FromBits(r.exponent + e.one_bits());
  const Pair base = e.FastTwoSum(e.Const(-1.0), scale);
  const Pair sum = e.FastTwoSum(base.hi, scale * r.high);
  return e.FastTwoSum(sum.hi, e.Fma(scale, r.tail, sum.lo + base.lo));
}

}  // namespace

llvm::Value* EmitTanh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  // Beyond the clamp tanh rounds to 1.
  const Fp size = e.ClampAbove(e.Abs(input), e.Pick(10.0, 20.0));
  const Pair num = ExpMinusOne(e, size * -2.0);
  const Pair den = e.FastTwoSum(e.Const(2.0), num.hi);
  const Fp den_lo = den.lo + num.lo;
  const Fp reciprocal = 1.0 / den.hi;
  const Fp quotient = num.hi * reciprocal;
  // rest = num - quotient * den
  const Fp rest =
      e.Fma(-quotient, den_lo, e.Residual(num.hi, quotient, den.hi) + num.lo);
  return e.WithSignOf(e.Abs(e.Fma(rest, reciprocal, quotient)), input).v;
}

}  // namespace reel::codegen::math
