// tanh|x| = -E / (2 + E), E = e^(-2|x|) - 1 in (-1, 0], and the sign of x put back.
// With 2^n (1 + p) = e^(-2|x|): E = (2^n - 1) + 2^n p, where both terms are exact but for p's own
// rounding; near 0 n = 0 and E = p, which is good to its last bit. Budget in ULP of the result: E 0.5,
// p 0.5, 2 + E 1 (where the result is just below 1), quotient 0.5. Exact sums would save 1.5 of
// these and take twice the time. All is halved, which is exact and saves the product -2 |x|. For floats with
// FMA ln(2) is in one piece: it is good to 30 bits, and where n is large, 2^n makes its error small.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitTanh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  // Beyond the clamp tanh rounds to 1.
  const Fp negative = e.FromBits(e.Bits(input) | e.sign_bit());
  const Fp clamped = e.ClampBelow(negative, -e.Pick(10.0, 20.0));
  const Emitter::Rounded n = e.RoundProduct(clamped, 2 * e.Pick(kLog2E_f32, kLog2E_f64));
  Fp r = clamped;
  if (e.is_f32() && e.has_fma()) {
    r = e.Fma(n.value, -kLn2Parts_f32[0] / 2, r);
  } else {
    r = e.Fma(n.value, -e.Pick(kLn2Hi_f32, kLn2Hi_f64) / 2, r);
    r = e.Fma(n.value, -e.Pick(kLn2Lo_f32, kLn2Lo_f64) / 2, r);
  }
  const Int exponent = e.ShiftLeft(n.bits, e.mantissa_bits());
  const Fp scale = e.FromBits(exponent + e.one_bits());
  const Fp half_scale = e.FromBits(exponent + (e.one_bits() - e.one_step()));
  const Fp num = e.Fma(scale, e.Fma(r * r, ExpPolynomial(e, r, 2), r), half_scale - 0.5);
  return e.WithSignOf(e.Abs(num / (num + 1.0)), input).v;
}

}  // namespace reel::codegen::math
