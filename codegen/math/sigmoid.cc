// sigmoid(x) = u / (u + u e^-x), u = 2^-37 (2^-96), so that u e^-x does not overflow where the result
// is denormal. e^-x = 2^n (1 + p), and u + u 2^n is exact but where n is as large as a mantissa is long. Budget in ULP
// of the result: p 0.2, the denominator 1 (where the result is just below a power of two), the quotient 0.5; around that
// n another 0.7.
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
  return (unit / e.Fma(scale, MantissaLessOne(r), scale + unit)).v;
}

}  // namespace reel::codegen::math
