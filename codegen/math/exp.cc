// e^x = 2^n (1 + (high + tail)), see ReduceExp. Budget in ULP of the result: final sum 0.5, high +
// tail 0.25 (its ulp is a quarter of the result's), tail and its coefficients 0.1.
// 2^n is applied as 2^(n/2) * 2^(n - n/2): the first product is exact, the second rounds once, also
// into the denormals. The clamp leaves enough room for the results +0 and +inf to form by
// themselves.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitExp(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  Fp clamped = e.ClampAbove(e.Wrap(x), e.Pick(89.0, 710.0));
  clamped = e.ClampBelow(clamped, e.Pick(-104.0, -746.0));
  const ReducedExp r = ReduceExp(e, clamped);
  const Fp mantissa = (r.high + r.tail) + 1.0;
  // The exponent field of n >> 1, then of the rest.
  const uint64_t exponent_field = ~uint64_t{0} << e.mantissa_bits();
  const Int half = Int{&e, b.CreateAShr(r.exponent.v, 1)} & exponent_field;
  const Fp scale1 = e.FromBits(half + e.one_bits());
  const Fp scale2 = e.FromBits((r.exponent - half) + e.one_bits());
  return (mantissa * scale1 * scale2).v;
}

}  // namespace reel::codegen::math
