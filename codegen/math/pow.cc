// |x|^y = e^(y log|x|) with log|x| as a pair good to 2^-66, after the methods of Dekker (1971) and
// of SLEEF (Shibata and Petrogalli, 2020):
//   |x| = 2^k m, z = (m - 1) / (m + 1), u = z^2, all pairs,
//   log|x| = k ln(2) + 2 (z + z u (1/3 + u (1/5 + u T(u)))),
// T in plain doubles: it counts 2^-15. Budget in ULP: final 0.5, high + tail as in exp.cc.
// Floats are computed in doubles without low parts.
// Special values: C23 F.10.4.5 (IEEE 754-2019 pow).
#include <cmath>
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

const double kInf = std::numeric_limits<double>::infinity();

// log(1 + f), f exact.
Pair LogOfMantissa(Emitter& e, Fp f) {
  const Pair z = e.Divide({f, e.None()}, e.FastTwoSum(e.Const(2.0), f));
  const Pair u = e.Multiply(z, z);
  const auto plus = [&](const double* parts, Pair x) {
    const Pair sum = e.FastTwoSum(e.Const(parts[0]), x.hi);
    return Pair{sum.hi, sum.lo + (x.lo + parts[1])};
  };
  const Fp tail = u.hi * e.Polynomial(u.hi, kAtanhTail_f64);
  const Pair fifth = plus(kFifth_f64, {tail, e.None()});
  const Pair third = plus(kThird_f64, e.Multiply(u, fifth));
  const Pair rest = e.Multiply(z, e.Multiply(u, third));
  const Pair sum = e.FastTwoSum(z.hi, rest.hi);
  return {sum.hi * 2.0, (sum.lo + (z.lo + rest.lo)) * 2.0};
}

// log(size) as a pair; size is positive and finite.
Pair LogPair(Emitter& e, Fp size) {
  if (e.coarse()) return {LogOfPair(e, {size, e.None()}), e.None()};
  const Mask tiny = Less(size, e.Const(0x1p-1022));
  const ReducedLog r = ReduceLog(e, e.Select(tiny, size * 0x1p54, size));
  const Fp k = r.k - e.Select(tiny, 54.0, 0.0);
  const Pair mantissa = LogOfMantissa(e, r.f);
  const Pair sum = e.FastTwoSum(k * kLn2Hi_f64, mantissa.hi);
  return e.FastTwoSum(sum.hi, sum.lo + e.Fma(k, kLn2Lo_f64, mantissa.lo));
}

// e^(y log(size)), saturated to 0 and inf.
Fp Power(Emitter& e, Fp size, Fp y) {
  const Pair log = LogPair(e, size);
  const Fp product = y * log.hi;
  const Mask usual = Less(e.Abs(product), e.Const(1000.0));
  const Fp low = e.Select(usual, e.ProductError(y, log.hi, product) + y * log.lo, e.None());
  const ReducedExp r = ReduceExp(e, e.ClampBelow(e.ClampAbove(product, 710.0), -746.0), low);
  return e.Scale((r.high + r.tail) + 1.0, r.exponent);
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

llvm::Value* EmitPow(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y,
                     const MathOptions& options) {
  return InDouble(b, x, y, options, Pow);
}

}  // namespace reel::codegen::math
