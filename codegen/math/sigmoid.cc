// sigmoid(x) = u / (u + u e^-x), u = 99/64 2^-37 (2^-96), so that u e^-x does not overflow where the result is
// denormal. e^-x = 2^(n / size) (1 + p): u 2^(n / size) comes from a table of `size` numbers and the bits of n above, p
// is small beside 1, so that neither the reduction nor the polynomial rounds much. Of u and the power the smaller one
// is added to the power times p first. Budget in ULP of the result: the denominator 0.98 at most (with u = 2^-37 it
// is 1.5, just below powers of two), the quotient 0.5.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitSigmoid(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const llvm::ArrayRef<double> grid = e.Pick(kSigmoidGrid_f32, kSigmoidGrid_f64);
  const auto size = static_cast<unsigned>(grid.size());
  // Above 60 the result is 1, below the lower clamp it is +0.
  Fp clamped = e.ClampAbove(e.Wrap(x), 60.0);
  clamped = e.ClampBelow(clamped, e.Pick(-104.0, -746.0));
  const Emitter::Rounded n = e.RoundProduct(clamped, -e.Pick(kLog2E_f32, kLog2E_f64) * size);
  const auto [bits, lost] = LookUp(e, n.bits, "sigmoid", grid, e.Pick(kSigmoidLost_f32, kSigmoidLost_f64));
  const Fp scale = e.FromBits(e.Bits(bits) + e.ShiftLeft(n.bits, e.mantissa_bits() - llvm::Log2_32(size)));
  const Fp high = e.Fma(n.value, -e.Pick(kSigmoidStepHi_f32, kSigmoidStepHi_f64), -clamped);
  const Fp r = high + e.Fma(n.value, -e.Pick(kSigmoidStepLo_f32, kSigmoidStepLo_f64), lost);
  const Fp p = e.Fma(r * r, e.Polynomial(r, e.Pick(kSigmoidExp_f32, kSigmoidExp_f64)), r);
  const Fp unit = e.Const(grid[0]);
  const Mask below = Less(scale, unit);
  const Fp small = e.Select(below, scale, unit), large = e.Select(below, unit, scale);
  return (unit / (e.Fma(scale, p, small) + large)).v;
}

}  // namespace reel::codegen::math
