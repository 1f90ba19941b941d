// e^x = 2^n (1 + r (1 + r q)), see ReduceExp. Budget in ULP of the result: final fma 0.5, r and 1 + r q
// 0.2 each, coefficients 0.1. Without FMA 2^n (1 + (high + (low + r^2 q))): final sum 0.5, that before it
// 0.25 (its ulp is a quarter of the result's), the rest 0.1.
// The clamp leaves enough room for the results +0 and +inf to form by themselves.
//
// 2^x = 2^n (1 + (high + tail)) with r = x - n exact, high + low = r ln(2), tail = low + r^2 P(r).
//
// e^x - 1 = 2^n ((1 - 2^-n) + high + r^2/2 + tail): the sums before the tail are exact pairs, since
// half of their size may cancel for n = 1; tail = low + r^3 (Q(r) - 1/2)/r. Budget in ULP: final
// 0.5, tail 0.2.
#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

llvm::Value* EmitExp(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  Fp clamped = e.ClampAbove(e.Wrap(x), e.Pick(89.0, 710.0));
  clamped = e.ClampBelow(clamped, e.Pick(-104.0, -746.0));
  const ReducedExp r = ReduceExp(e, clamped);
  return e.Scale(Mantissa(r), r.exponent, r.n).v;
}

llvm::Value* EmitExp2(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  Fp clamped = e.ClampAbove(e.Wrap(x), e.Pick(129.0, 1025.0));
  clamped = e.ClampBelow(clamped, e.Pick(-151.0, -1076.0));
  const Emitter::Rounded n = e.RoundProduct(clamped, 1.0);
  const Fp r = clamped - n.value;
  const llvm::ArrayRef<double> ln2 = e.Pick(kLn2Parts_f32, kLn2Parts_f64);
  const Fp high = r * ln2[0];
  const Fp low = e.Fma(r, e.Const(ln2[1]), e.ProductError(r, e.Const(ln2[0]), high));
  const Fp q = e.Polynomial(r, e.Pick(kExp2_f32, kExp2_f64));
  const Fp mantissa = (high + e.Fma(r * r, q, low)) + 1.0;
  return e.Scale(mantissa, e.ShiftLeft(n.bits, e.mantissa_bits()), n.value).v;
}

llvm::Value* EmitExpm1(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  Emitter e(b, x->getType(), options);
  const Fp input = e.Wrap(x);
  Fp clamped = e.ClampAbove(input, e.Pick(89.0, 710.0));
  clamped = e.ClampBelow(clamped, e.Pick(-20.0, -40.0));
  const ReducedLn2 reduced = ReduceLn2(e, clamped);
  const Pair r = e.FastTwoSum(reduced.high, reduced.low);
  const Fp square = r.hi * r.hi;
  const Fp square_low = e.ProductError(r.hi, r.hi, square) + (r.hi + r.hi) * r.lo;
  const llvm::ArrayRef<double> c = e.Pick(kExp_f32, kExp_f64);  // c[0] = 1/2
  const Fp cube = (r.hi * square) * e.Polynomial(r.hi, c.drop_front());
  // 2^-n; beyond 2^-64 it does not matter.
  const Int n = e.Min(reduced.exponent, uint64_t{64} << e.mantissa_bits());
  const Fp inverse_scale = e.FromBits(e.IntConst(e.one_bits()) - n);
  const Pair base = e.TwoSum(e.Const(1.0), -inverse_scale);
  const Pair first = e.FastTwoSum(base.hi, r.hi);
  const Pair second = e.FastTwoSum(first.hi, square * 0.5);
  const Fp rest = e.Fma(square_low, e.Const(0.5), (base.lo + first.lo) + (second.lo + r.lo));
  return e.WithSignOf(e.Scale(second.hi + (cube + rest), reduced.exponent, reduced.n), input).v;
}

}  // namespace reel::codegen::math
