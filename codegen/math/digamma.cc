// z = x, or 1 - x for x < 0. z < 8 moves to w in [1, 2] by the recurrence, whose terms 1/w are
// summed as one fraction: digamma(z) = (w - root) P(w) + sum. z >= 8: log z - 1/(2z) - series in
// 1/z^2. x < 0: digamma(x) = digamma(1 - x) - pi / tan(pi x). A few ULP for x > 0; for x < 0 a few
// ULP of the larger of the two terms.
#include "codegen/math/special.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// digamma(z), z >= 0.
Fp PositiveDigamma(Emitter& e, Fp z) {
  const Mask small = Less(z, e.Const(1)), large = !Less(z, e.Const(8));
  Fp w = e.Select(small, z + 1.0, e.Select(large, e.Const(1), z));
  Fp numerator = e.Select(small, e.Const(-1), e.Const(0));
  Fp denominator = e.Select(small, z, e.Const(1));
  for (int i = 0; i < 6; ++i) {
    const Mask above = Greater(w, e.Const(2));
    w = e.Select(above, w - 1.0, w);
    numerator = e.Select(above, e.Fma(numerator, w, denominator), numerator);
    denominator = e.Select(above, denominator * w, denominator);
  }
  const Fp root = (w - kDigammaRootHi_f64) - kDigammaRootLo_f64;
  const Fp near = e.Fma(root, e.Polynomial(w - 1.5, kDigamma_f64), numerator / denominator);
  const Fp r = 1.0 / z;
  const Fp tail = e.Fma(e.Polynomial(r * r, kDigammaTail_f64), r, e.Const(0.5)) * r;
  return e.Select(large, Log(z) - tail, near);
}

Fp DigammaOf(Emitter& e, Fp x) {
  const Mask negative = Less(x, e.Const(0));
  const Fp value = PositiveDigamma(e, e.Select(negative, 1.0 - x, x));
  const Fp r = FromNearestInteger(x);
  const Fp cotangent = SinPi(0.5 - e.Abs(r)) * kPiHi_f64 / SinPi(r);
  const Fp reflected = value - e.Select(Greater(x, e.Const(-0x1p-60)), 1.0 / x, cotangent);
  const Fp defined = e.Select(Equal(r, e.Const(0)), NaN(e), reflected);
  return e.Select(negative, defined, value);
}

}  // namespace

llvm::Value* EmitDigamma(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return CallInDouble(b, "digamma", {x}, options,
                      [](Emitter& e, const std::vector<Fp>& in) { return DigammaOf(e, in[0]); });
}

}  // namespace reel::codegen::math
