// |x| < 1/2: 1 - erf(x). Beyond, t = |x|: erfc(t) = e^(-t^2) R(t) / (1 + 2 t), R = e^(t^2) erfc(t)
// (1 + 2 t) by a polynomial in (t - 4) / (t + 4); t^2 as a pair. erfc(-t) = 2 - erfc(t). About 3
// ULP in f64, also where the result is denormal; f32 is computed in f64 and rounded once.
#include "codegen/math/special.h"

namespace reel::codegen::math {

using namespace internal;

namespace internal {

Fp Erfc(Fp x) {
  Emitter& e = *x.e;
  const Fp t = e.ClampAbove(e.Abs(x), 28);
  const Fp square = t * t;
  const Fp r = e.Polynomial((t - 4.0) / (t + 4.0), kErfcx_f64) / (t * 2.0 + 1.0);
  const Fp positive = ExpTimes({-square, -e.ProductError(t, t, square)}, r);
  const Fp far = e.Select(Less(x, e.Const(0)), 2.0 - positive, positive);
  const Fp near = 1.0 - Fp{&e, EmitErf(e.builder(), x.v, e.options())};
  return e.Select(Less(t, e.Const(0.5)), near, far);
}

}  // namespace internal

llvm::Value* EmitErfc(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return FormulaInDouble(b, {x}, options, [](Emitter&, const std::vector<Fp>& in) { return Erfc(in[0]); });
}

}  // namespace reel::codegen::math
