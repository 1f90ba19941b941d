// x = 2^k m, m in [sqrt(1/2), sqrt(2)), f = m - 1 (exact):
//   log x = k ln2_hi + f + (k ln2_lo + f^2 Q(f)).
// k ln2_hi is exact and k ln2_hi + f is kept as an exact pair, so only the last bracket (at most
// 0.09 where the result is at least 0.34) and the final sum round. Budget in ULP: final 0.5,
// f^2 Q 0.3, rest 0.1. Denormals are scaled up by 2^mantissa_bits first.
//
// log2 x = k + g - f g/2 + f^3 P(f), g = f/ln(2) as a pair. Exact for powers of two: f = 0 there.
// Budget in ULP: final 0.5, f g/2 0.25, rest 0.05.
//
// log1p x: the logarithm of 1 + x as a pair.
#include <cmath>
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// x <= lowest, +inf and NaN.
Fp LogSpecials(Emitter& e, Fp x, double lowest, Fp result) {
  result = e.Select(Less(x, e.Const(kInf)), result, x);
  result = e.Select(Equal(x, e.Const(lowest)), -kInf, result);
  return e.Select(Less(x, e.Const(lowest)), std::nan(""), result);
}

}  // namespace

llvm::Value* EmitLog(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const auto [k, f, exponent] = ReduceAnyLog(e, e.Wrap(x));
  const Pair sum = e.FastTwoSum(k * e.Pick(kLn2Hi_f32, kLn2Hi_f64), f);
  const Fp low = e.Fma(k, e.Const(e.Pick(kLn2Lo_f32, kLn2Lo_f64)), sum.lo);
  const Fp q = e.Polynomial(f, e.Pick(kLog_f32, kLog_f64));
  return LogSpecials(e, e.Wrap(x), 0, sum.hi + e.Fma(f * f, q, low)).v;
}

llvm::Value* EmitLog2(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const auto [k, f, exponent] = ReduceAnyLog(e, e.Wrap(x));
  const llvm::ArrayRef<double> log2e = e.Pick(kLog2EParts_f32, kLog2EParts_f64);
  const Fp linear = f * log2e[0];
  const Fp linear_low = e.Fma(f, e.Const(log2e[1]), e.ProductError(f, e.Const(log2e[0]), linear));
  const Pair sum = e.FastTwoSum(k, linear);
  const Fp p = e.Polynomial(f, e.Pick(kLog2_f32, kLog2_f64));
  const Fp minus_half = f * -0.5;
  const Fp low = e.Fma(minus_half, linear_low, linear_low) + sum.lo;
  const Fp tail = e.Fma(minus_half, linear, e.Fma(f * (f * f), p, low));
  return LogSpecials(e, e.Wrap(x), 0, sum.hi + tail).v;
}

// log x as a pair times log10(e) as a pair: the sum rounds once.
llvm::Value* EmitLog10(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, [](Emitter& e, Fp size) {
    const Pair log10e{e.Const(0x1.bcb7b1526e50ep-2), e.Const(0x1.95355baaafad3p-57)};
    const Pair y = e.Multiply(LogPair(e, size), log10e);
    return LogSpecials(e, size, 0, y.hi + y.lo);
  });
}

llvm::Value* EmitLog1p(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  const Fp result = LogOfPair(e, e.TwoSum(e.Const(1.0), input));
  return LogSpecials(e, input, -1, e.WithSignOf(result, input)).v;
}

}  // namespace reel::codegen::math
