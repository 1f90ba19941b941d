// sigmoid(x) = 1 / (1 + e^-x), both terms of the denominator scaled by u = 2^-37 (2^-96), so that
// e^-x does not overflow where the result is denormal; the last product u * (...) rounds into the
// denormals. Denominator u + u 2^n (1 + T), T = high + tail, is a pair (exact sums of the larger
// and the smaller term); one correction step of the reciprocal takes the low part in.
// Budget in ULP: final 0.5, T 0.25 of e^-x where that matters, rest 0.1.
#include <cmath>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitSigmoid(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const int unit_exponent = e.is_f32() ? -37 : -96;
  const double unit = std::ldexp(1.0, unit_exponent);
  // Above 60 the result is 1, below the lower clamp it is +0.
  Fp clamped = e.ClampAbove(e.Wrap(x), 60.0);
  clamped = e.ClampBelow(clamped, e.Pick(-104.0, -746.0));
  const ReducedExp r = ReduceExp(e, -clamped);
  const uint64_t unit_bits =
      static_cast<uint64_t>(e.bias() + unit_exponent) << e.mantissa_bits();
  const Fp scale = e.FromBits(r.exponent + unit_bits);
  const Pair mantissa = e.FastTwoSum(e.Const(1.0), r.high + r.tail);
  const Fp power = scale * mantissa.hi;

  const Fp larger = e.ClampBelow(power, unit);
  const Fp smaller = e.ClampAbove(power, unit);
  const Pair den = e.FastTwoSum(larger, smaller);
  const Fp den_lo = e.Fma(scale, mantissa.lo, den.lo);
  const Fp reciprocal = 1.0 / den.hi;
  const Fp rest =
      e.Fma(-reciprocal, den_lo, e.Residual(e.Const(1.0), reciprocal, den.hi));
  return (e.Fma(reciprocal, rest, reciprocal) * unit).v;
}

}  // namespace reel::codegen::math
