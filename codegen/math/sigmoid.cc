// sigmoid(x) = u / (u + u e^-x), u = 105/64 2^-37 (2^-96), so that u e^-x does not overflow where the result is
// denormal. e^-x = 2^n (1 + p); of u and u 2^n the smaller one is added to u 2^n p first, whose rounding is small then
// beside that of the denominator. With 105/64 this counts 0.82 ULP of the result at most; with 1 it counts 1, just below
// powers of two. Budget in ULP of the result: p 0.4, the denominator 0.82, the quotient 0.5.
#include <cmath>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitSigmoid(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  constexpr double kMantissa = 105.0 / 64;
  const int unit_exponent = e.is_f32() ? -37 : -96;
  // Above 60 the result is 1, below the lower clamp it is +0.
  Fp clamped = e.ClampAbove(e.Wrap(x), 60.0);
  clamped = e.ClampBelow(clamped, e.Pick(-104.0, -746.0));
  const ReducedExp r = ReduceExp(e, -clamped);
  const Fp unit = e.Const(std::ldexp(kMantissa, unit_exponent));
  const auto fraction = static_cast<uint64_t>(std::ldexp(kMantissa - 1, static_cast<int>(e.mantissa_bits())));
  const uint64_t unit_bits = (static_cast<uint64_t>(e.bias() + unit_exponent) << e.mantissa_bits()) + fraction;
  const Fp scale = e.FromBits(r.exponent + unit_bits);
  const Mask below = Less(scale, unit);
  const Fp small = e.Select(below, scale, unit), large = e.Select(below, unit, scale);
  return (unit / (e.Fma(scale, MantissaLessOne(r), small) + large)).v;
}

}  // namespace reel::codegen::math
