// |x| = n ln(2) + r, w = 2^-2n:
//   sinh|x| = 2^(n-1) ((1 - w) cosh r + (1 + w) sinh r)
//   cosh x  = 2^(n-1) ((1 + w) cosh r + (1 - w) sinh r)
// with sinh r = high + (low + r s S(s)), cosh r = 1 + s (1/2 + s C(s)), s = r^2. What is large,
// 1 -+ w, high and w high, is summed as exact pairs. Budget in ULP: final 0.5, rest 0.2.
//
// asinh|x| = log(|x| + sqrt(x^2 + 1)), acosh x = log(x + sqrt(x^2 - 1)) and
// atanh|x| = log(1 + 2|x| / (1 - |x|)) / 2 of pairs; asinh and atanh up to 1/2: x + x s P(s).
// Beyond 2^30 asinh and acosh are log(2|x|). Floats are computed in doubles.
#include <cmath>
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

constexpr double kHuge = 0x1p30;

// What both need: n with the parts of sinh r and cosh r - 1, and w.
struct Halves {
  Int exponent;  // (n - 1) << mantissa_bits
  Fp w;
  Fp high;
  Fp sinh_tail;
  Fp cosh_tail;
};

Halves ReduceHyperbolic(Emitter& e, Fp x) {
  const ReducedLn2 r = ReduceLn2(e, e.ClampAbove(e.Abs(x), e.Pick(91.0, 712.0)));
  const Fp sum = r.high + r.low;
  const Fp s = sum * sum;
  const Fp sinh_tail = e.Fma(sum * s, e.Polynomial(s, e.Pick(kSinh_f32, kSinh_f64)), r.low);
  const Fp cosh_tail = s * e.Fma(s, e.Polynomial(s, e.Pick(kCosh_f32, kCosh_f64)), e.Const(0.5));
  // 2^-2n; beyond 2^-120 (floats 2^-60) it does not matter.
  const Int n = e.Min(r.exponent, static_cast<uint64_t>(e.Pick(30, 60)) << e.mantissa_bits());
  const Fp w = e.FromBits(e.IntConst(e.one_bits()) - (n + n));
  return {r.exponent - e.one_step(), w, r.high, sinh_tail, cosh_tail};
}

}  // namespace

llvm::Value* EmitSinh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  const Halves h = ReduceHyperbolic(e, input);
  const Pair base = e.FastTwoSum(e.Const(1.0), -h.w);
  const Pair first = e.FastTwoSum(base.hi, h.high);
  const Pair second = e.FastTwoSum(first.hi, h.w * h.high);
  const Fp rest = e.Fma(base.hi, h.cosh_tail, (base.lo + first.lo) + second.lo);
  const Fp tail = e.Fma(h.w, h.sinh_tail, h.sinh_tail + rest);
  return e.WithSignOf(e.Scale(second.hi + tail, h.exponent), input).v;
}

llvm::Value* EmitCosh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Halves h = ReduceHyperbolic(e, e.Wrap(x));
  const Pair base = e.FastTwoSum(e.Const(1.0), h.w);
  const Pair first = e.FastTwoSum(base.hi, h.high);
  const Pair second = e.FastTwoSum(first.hi, -(h.w * h.high));
  const Fp rest = e.Fma(base.hi, h.cosh_tail, (base.lo + first.lo) + second.lo);
  const Fp tail = e.Fma(-h.w, h.sinh_tail, h.sinh_tail + rest);
  return e.Scale(second.hi + tail, h.exponent).v;
}

namespace {

// log(x + root), or log(2x) for a huge x.
Fp LogOfSum(Emitter& e, Fp x, Pair root) {
  const Mask huge = Greater(x, e.Const(kHuge));
  const Pair sum = e.TwoSum(x, root.hi);
  const Pair v{e.Select(huge, x, sum.hi), e.Select(huge, e.None(), sum.lo + root.lo)};
  const Fp result = LogOfPair(e, v, e.Select(huge, 1.0, 0.0));
  return e.Select(Less(x, e.Const(std::numeric_limits<double>::infinity())), result, x);
}

// x + x s P(s) up to 1/2.
Fp SmallOr(Emitter& e, Fp size, llvm::ArrayRef<double> fine, llvm::ArrayRef<double> coarse, Fp beyond) {
  const Fp s = size * size;
  const Fp p = e.Polynomial(s, e.Table(coarse, fine));
  return e.Select(Greater(size, e.Const(0.5)), beyond, e.Fma(size * s, p, size));
}

Fp Asinh(Emitter& e, Fp x) {
  const Fp size = e.Abs(x);
  const Fp usual = e.ClampAbove(size, kHuge);
  const Fp square = usual * usual;
  const Pair sum = e.TwoSum(square, e.Const(1.0));
  const Pair root = e.SquareRoot({sum.hi, sum.lo + e.ProductError(usual, usual, square)});
  return e.WithSignOf(SmallOr(e, size, kAsinh_f64, kAsinh_coarse, LogOfSum(e, size, root)), x);
}

Fp Acosh(Emitter& e, Fp x) {
  const Fp one = e.Const(1.0);
  const Fp usual = e.ClampAbove(x, kHuge);
  const Pair square = e.Multiply(e.TwoSum(usual, -one), e.TwoSum(usual, one));
  const Fp result = LogOfSum(e, x, e.SquareRoot(square));
  return e.Select(Less(x, one), std::nan(""), result);
}

Fp Atanh(Emitter& e, Fp x) {
  const Fp size = e.Abs(x), one = e.Const(1.0);
  const Pair q = e.Divide({size + size, e.None()}, {1.0 - size, e.None()});
  const Pair sum = e.TwoSum(one, q.hi);
  const Fp half = LogOfPair(e, {sum.hi, sum.lo + q.lo}) * 0.5;
  Fp beyond = e.Select(Less(size, one), half, std::numeric_limits<double>::infinity());
  beyond = e.Select(Greater(size, one), std::nan(""), beyond);
  return e.WithSignOf(SmallOr(e, size, kAtanh_f64, kAtanh_coarse, beyond), x);
}

}  // namespace

llvm::Value* EmitAsinh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, Asinh);
}

llvm::Value* EmitAcosh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, Acosh);
}

llvm::Value* EmitAtanh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, Atanh);
}

}  // namespace reel::codegen::math
