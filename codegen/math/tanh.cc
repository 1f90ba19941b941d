// tanh|x| = -E / (2 + E), E = e^(-2|x|) - 1 in (-1, 0], and the sign of x put back.
// With 2^n (1 + p) = e^(-2|x|): E = (2^n - 1) + 2^n p, where both terms are exact but for p's own
// rounding; near 0 n = 0 and E = p, which is good to its last bit. Budget in ULP of the result: E 0.5,
// p 0.5, 2 + E 1 (where the result is just below 1), quotient 0.5. Exact sums would save 1.5 of
// these and take twice the time. All is halved, which is exact and saves the product -2 |x|.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitTanh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  // Beyond the clamp tanh rounds to 1.
  const Fp negative = e.FromBits(e.Bits(input) | e.sign_bit());
  const ReducedExp r = ReduceExp(e, e.ClampBelow(negative, -e.Pick(10.0, 20.0)), e.None(), 2);
  const Fp scale = e.FromBits(r.exponent + e.one_bits());
  const Fp half_scale = e.FromBits(r.exponent + (e.one_bits() - e.one_step()));
  const Fp num = e.Fma(scale, r.high + r.tail, half_scale - 0.5);
  return e.WithSignOf(e.Abs(num / (num + 1.0)), input).v;
}

}  // namespace reel::codegen::math
