// x = 2^k m, m in [sqrt(1/2), sqrt(2)), f = m - 1 (exact):
//   log x = k ln2_hi + f + (k ln2_lo + f^2 Q(f)).
// k ln2_hi is exact and k ln2_hi + f is kept as an exact pair, so only the last bracket (at most
// 0.09 where the result is at least 0.34) and the final sum round. Budget in ULP: final 0.5,
// f^2 Q 0.3, rest 0.1. Denormals are scaled up by 2^mantissa_bits first.
#include <cmath>
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// x <= 0, +inf and NaN.
Fp LogSpecials(Emitter& e, Fp x, Fp result) {
  const double inf = std::numeric_limits<double>::infinity();
  result = e.Select(Less(x, e.Const(inf)), result, x);
  result = e.Select(Equal(x, e.Const(0.0)), e.Const(-inf), result);
  return e.Select(Less(x, e.Const(0.0)), e.Const(std::nan("")), result);
}

}  // namespace

llvm::Value* EmitLog(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  const unsigned shift = e.mantissa_bits();
  const Mask tiny = Less(input, e.Const(e.Pick(0x1p-126, 0x1p-1022)));
  const Fp normal = e.Select(tiny, input * std::ldexp(1.0, static_cast<int>(shift)), input);

  // biased = bits(x) - bits(sqrt(1/2)) + (bias << shift) holds k + bias above the mantissa field.
  const uint64_t root_bits = e.is_f32() ? 0x3f3504f3u : 0x3fe6a09e667f3bcdu;
  const Int biased = e.Bits(normal) + (e.one_bits() - root_bits);
  const Fp m = e.FromBits((biased & ((uint64_t{1} << shift) - 1)) + root_bits);
  // (k + bias) as a float: its bits under those of 2^shift, less 2^shift + bias.
  const double unit = std::ldexp(1.0, static_cast<int>(shift));
  const uint64_t unit_bits = e.one_bits() + (static_cast<uint64_t>(shift) << shift);
  const Fp offset = e.Select(tiny, e.Const(unit + e.bias() + shift), e.Const(unit + e.bias()));
  const Fp k = e.FromBits(e.ShiftRight(biased, shift) | unit_bits) - offset;

  const Fp f = m - 1.0;
  const Pair sum = e.FastTwoSum(k * e.Pick(kLn2Hi_f32, kLn2Hi_f64), f);
  const Fp low = e.Fma(k, e.Pick(kLn2Lo_f32, kLn2Lo_f64), sum.lo);
  const Fp q = e.Polynomial(f, e.Pick(kLog_f32, kLog_f64));
  return LogSpecials(e, input, sum.hi + e.Fma(f * f, q, low)).v;
}

}  // namespace reel::codegen::math
