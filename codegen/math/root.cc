// rsqrt: y = 1 / sqrt(x) rounded twice, then one step y + y/2 (1 - x y^2) with the bracket exact to
// its last bits: t = x y ~ sqrt(x) as a pair, which neither overflows nor underflows. 0.5 ULP and a
// little.
//
// cbrt: |x| = 2^(3q + j) m, j in {-1, 0, 1}; r = (2^j m)^(-1/3) from a polynomial and a step of
// order three (two for floats), y = 2^j m r^2 and one Newton step with y^3 - 2^j m exact to its
// last bits.
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitRsqrt(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  Fp input = e.Wrap(x);
  Mask huge{};
  if (!e.has_fma()) {  // exact products split their operands, which must not overflow
    huge = Greater(input, e.Const(e.Pick(0x1p100, 0x1p900)));
    input = e.Select(huge, input * e.Pick(0x1p-40, 0x1p-200), input);
  }
  const Fp y = 1.0 / e.Sqrt(input);
  const Fp t = input * y;
  const Fp t_low = e.ProductError(input, y, t);
  const Fp rest = e.Fma(-t_low, y, e.Residual(e.Const(1.0), t, y));
  const Fp better = e.Fma(y * 0.5, rest, y);
  Fp result = e.Select(Unordered(rest, rest), y, better);  // 0 and inf
  if (!e.has_fma()) result = e.Select(huge, result * e.Pick(0x1p-20, 0x1p-100), result);
  return result.v;
}

namespace {

Fp Cbrt(Emitter& e, Fp x) {
  const Fp size = e.Abs(x);
  const Mask tiny = Less(size, e.Const(0x1p-1022));
  const Fp normal = e.coarse() ? size : e.Select(tiny, size * 0x1p54, size);
  const uint64_t mantissa_field = (uint64_t{1} << 52) - 1;
  const Int bits = e.Bits(normal);
  const Fp k = e.FromBits(e.ShiftRight(bits, 52) | (e.one_bits() + (uint64_t{52} << 52))) - (0x1p52 + 1023);
  const Emitter::Rounded q = e.RoundProduct(k, 1.0 / 3);
  const Fp j = e.Fma(q.value, -3.0, k);
  const Mask low = Less(j, e.Const(-0.5)), high = Greater(j, e.Const(0.5));
  const Fp m = e.FromBits((bits & mantissa_field) | e.one_bits());
  const Fp c = m * e.Select(low, 0.5, e.Select(high, 2.0, 1.0));
  const double root2 = 1.2599210498948731648;
  Fp r = e.Polynomial(m, kInverseCbrt_f64) * e.Select(low, root2, e.Select(high, 1 / root2, 1.0));
  const Fp h = e.Fma(-(c * r), r * r, e.Const(1.0));
  if (e.coarse()) {
    r = e.Fma(r * h, 1.0 / 3, r);
  } else {
    r = e.Fma(r * h, e.Fma(h, 2.0 / 9, 1.0 / 3), r);
  }
  Fp y = c * (r * r);
  if (!e.coarse()) {
    const Fp square = y * y;
    const Fp cube = square * y;
    const Fp low_parts = e.Fma(e.ProductError(y, y, square), y, e.ProductError(square, y, cube));
    y = e.Fma((cube - c) + low_parts, (r * r) * (-1.0 / 3), y);
  }
  Fp result = y * e.FromBits(e.ShiftLeft(q.bits, 52) + e.one_bits());
  if (!e.coarse()) result = e.Select(tiny, result * 0x1p-18, result);
  const double inf = std::numeric_limits<double>::infinity();
  const Mask usual = Greater(size, e.Const(0.0)) & Less(size, e.Const(inf));
  return e.Select(usual, e.WithSignOf(result, x), x);
}

}  // namespace

llvm::Value* EmitCbrt(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, Cbrt);
}

}  // namespace reel::codegen::math
