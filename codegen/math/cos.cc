// cos(x) = sin(|x| + pi/2): one more quadrant; reduction and polynomials in trig.cc.
#include "codegen/math/trig.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitCos(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  ReducedAngle angle = ReduceAngle(e, e.Abs(e.Wrap(x)));
  angle.quadrant = angle.quadrant + uint64_t{1};
  return SinOfReduced(e, angle).v;
}

}  // namespace reel::codegen::math
