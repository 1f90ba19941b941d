// tanh(k h + d) = t + (1 - t^2) v / (1 + t v), t = tanh(k h), v = tanh(d), |d| <= h/2, h of few bits: k h and d are
// exact. t and 1 - t^2 come from tables. With d coth(d) = 1 + d^2 g(d^2) and y = t + d g, v / (1 + t v) =
// d - d^2 y / (1 + d y): a small number less than d, and rounded once; for k = 0 it is the result. Budget in ULP of the
// result: t 0.25 (h is chosen for it), the sum 0.5, g 0.5 for floats and k = 0, the roundings of the quotient 0.3.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitTanh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  // Beyond the clamp tanh rounds to 1.
  const Fp size = e.ClampAbove(e.Abs(input), e.Pick(9.2, 19.2));
  const double step = e.Pick(kTanhStep_f32, kTanhStep_f64);
  const Emitter::Rounded k = e.RoundProduct(size, 1 / step);
  const Fp d = e.Fma(k.value, -step, size);
  const auto [t, slope] =
      LookUp(e, k.bits, "tanh", e.Pick(kTanhGrid_f32, kTanhGrid_f64), e.Pick(kTanhSlope_f32, kTanhSlope_f64));
  const Fp s = d * d;
  const Fp y = e.Fma(d, e.Polynomial(s, e.Pick(kTanhGap_f32, kTanhGap_f64)), t);
  const Fp v = e.Fma(-s, y / e.Fma(d, y, e.Const(1.0)), d);
  return e.WithSignOf(e.Fma(slope, v, t), input).v;
}

}  // namespace reel::codegen::math
