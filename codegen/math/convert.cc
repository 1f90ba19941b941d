// Maximum, minimum and saturating conversion: LLVM's own intrinsics have the meaning we want and
// lower to a handful of instructions on every x86-64 level (max, compare, blend), without calls.
#include "codegen/math/math.h"

namespace reel::codegen::math {

llvm::Value* EmitMaximum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateIntrinsic(llvm::Intrinsic::maximum, {x->getType()}, {x, y});
}

llvm::Value* EmitMinimum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateIntrinsic(llvm::Intrinsic::minimum, {x->getType()}, {x, y});
}

llvm::Value* EmitFloatToIntSaturate(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Type* to) {
  llvm::Type* result = x->getType()->getWithNewType(to->getScalarType());
  return b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {result, x->getType()}, {x});
}

}  // namespace reel::codegen::math
