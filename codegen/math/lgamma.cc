// z = x, or 1 - x for x < 1/2. z < 8 moves to w in [0.75, 2.25) by factors of the gamma function,
// all in one logarithm: log gamma(z) = (w - 1) (w - 2) P(w) + log(product). z >= 8: Stirling's
// series. x < 1/2: log gamma(x) = -log(|sin(pi x)| / pi) - log gamma(1 - x). A few ULP for x > 0;
// for x < 0 a few ULP of the larger of the two terms.
#include "codegen/math/special.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// log gamma(z), z >= 1/2.
Fp PositiveLgamma(Emitter& e, Fp z) {
  const Mask small = Less(z, e.Const(0.75)), large = !Less(z, e.Const(8));
  Fp w = e.Select(small, z + 1.0, e.Select(large, e.Const(1), z));
  Fp product = e.Select(small, z, e.Select(large, z, e.Const(1)));
  for (int i = 0; i < 6; ++i) {
    const Mask above = !Less(w, e.Const(2.25));
    w = e.Select(above, w - 1.0, w);
    product = e.Select(above, product * w, product);
  }
  const Fp log = Log(product);
  const Fp near = LgammaNear1(w - 1.0) + e.Select(small, -log, log);
  const Fp stirling = (z - 0.5) * (log - 1.0) + (StirlingTail(z) + (kLogTwoPiHalf_f64 - 0.5));
  return e.Select(large, stirling, near);
}

Fp LgammaOf(Emitter& e, Fp x) {
  const Mask reflect = Less(x, e.Const(0.5));
  const Fp value = PositiveLgamma(e, e.Select(reflect, 1.0 - x, x));
  const Fp size = e.Abs(x), r = FromNearestInteger(x);
  const Fp sine = e.Abs(SinPi(r)) * 0.31830988618379067154;
  const Fp reflected = -Log(e.Select(Less(size, e.Const(0x1p-60)), size, sine)) - value;
  const Mask pole = Equal(r, e.Const(0)) | Equal(size, Infinity(e));
  return e.Select(reflect, e.Select(pole, Infinity(e), reflected), value);
}

}  // namespace

llvm::Value* EmitLgamma(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return CallInDouble(b, "lgamma", {x}, options,
                      [](Emitter& e, const std::vector<Fp>& in) { return LgammaOf(e, in[0]); });
}

}  // namespace reel::codegen::math
