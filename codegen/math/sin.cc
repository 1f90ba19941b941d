// sin(x) = sign(x) sin|x|; reduction and polynomials in trig.cc.
#include "codegen/math/trig.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitSin(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  const Fp result = SinOfReduced(e, ReduceAngle(e, e.Abs(input)));
  const Int sign = e.Bits(input) & e.sign_bit();
  return e.FromBits(e.Bits(result) ^ sign).v;
}

}  // namespace reel::codegen::math
