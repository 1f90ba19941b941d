// |x|^y = e^(y log|x|) with log|x| as a pair (LogPair). Budget in ULP: final 0.5, high + tail as in
// exp.cc. Floats are computed in doubles without low parts.
// Special values: C23 F.10.4.5 (IEEE 754-2019 pow).
#include <cmath>
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// e^(y log(size)), saturated to 0 and inf.
Fp Power(Emitter& e, Fp size, Fp y) {
  const Pair log = LogPair(e, size);
  const Fp product = y * log.hi;
  const Mask usual = Less(e.Abs(product), e.Const(1000.0));
  const Fp low = e.Select(usual, e.ProductError(y, log.hi, product) + y * log.lo, e.None());
  const ReducedExp r = ReduceExp(e, e.ClampBelow(e.ClampAbove(product, 710.0), -746.0), low);
  return e.Scale(Mantissa(r), r.exponent, r.n);
}

Fp Pow(Emitter& e, Fp x, Fp y) {
  const Fp size = e.Abs(x), zero = e.Const(0.0), one = e.Const(1.0), inf = e.Const(kInf);
  Fp result = Power(e, size, y);
  const Mask is_zero = Equal(size, zero), is_inf = Equal(size, inf), negative = Less(y, zero);
  result = e.Select(is_zero | is_inf, e.Select(is_zero ^ negative, 0.0, kInf), result);
  result = e.Select(Equal(size, one), one, result);  // also for y = +-inf
  const Fp half = y * 0.5;
  const Mask integer = Equal(e.Truncate(y), y);
  const Mask odd = integer & !Equal(e.Truncate(half), half);
  result = e.Select(odd & NotZero(e.SignBit(x)), -result, result);
  result = e.Select(Less(x, zero) & !is_inf & !integer, std::nan(""), result);
  result = e.Select(Unordered(x, y), x + y, result);
  return e.Select(Equal(y, zero) | Equal(x, one), one, result);
}

}  // namespace

llvm::Value* EmitPow(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, const MathOptions& options) {
  return InDouble(b, x, y, options, Pow);
}

}  // namespace reel::codegen::math
