// |x| <= 1/2: asin(x) = x + x s P(s), s = x^2, and acos(x) = pi/2 - asin(x).
// beyond, z = (1 - |x|) / 2 (exact), w = sqrt(z) as a pair:
//   asin|x| = pi/2 - 2 (w + w z P(z)), acos|x| = 2 (w + w z P(z)), acos(-|x|) = pi - acos|x|.
// Budget in ULP: final 0.5, w z P(z) 0.1.
//
// atan(y/x): q = num/den as a pair with |q| <= sqrt(2) - 1, and a multiple C of pi/4:
//   C +- (q + q s P(s)), s = q^2.
// num/den is lo/hi of the two sizes, or (lo - hi)/(lo + hi) = tan(atan(lo/hi) - pi/4).
// Floats are computed in doubles.
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

constexpr double kSmallTangent = 0.41421356;  // tan(pi/8)

Fp Tail(Emitter& e, Fp x, llvm::ArrayRef<double> fine, llvm::ArrayRef<double> coarse) {
  const Fp s = x * x;
  return x * (s * e.Polynomial(s, e.Table(coarse, fine)));
}

// quarters * pi/4 + (x.hi + x.lo), |x| smaller than the multiple if that is not 0.
Fp AddQuarterTurns(Emitter& e, Fp quarters, Pair x) {
  const Pair sum = e.FastTwoSum(quarters * kQuarterPi_f64[0], x.hi);
  return sum.hi + (sum.lo + e.Fma(quarters, kQuarterPi_f64[1], x.lo));
}

// asin|x| = w + tail if small, else the pair w of 2 (w + tail) = acos|x|.
struct ArcParts {
  Mask big;
  Pair w;
  Fp tail;
};

ArcParts ReduceArc(Emitter& e, Fp x) {
  const Fp size = e.Abs(x);
  const Mask big = Greater(size, e.Const(0.5));
  const Fp z = e.Select(big, 0.5 - size * 0.5, size * size);
  const Pair root = e.SquareRoot({z, e.None()});
  const Pair w{e.Select(big, root.hi, size), e.Select(big, root.lo, e.None())};
  const Fp p = e.Polynomial(z, e.Table(kAsin_coarse, kAsin_f64));
  return {big, w, w.hi * (z * p)};
}

Fp Asin(Emitter& e, Fp x) {
  const auto [big, w, tail] = ReduceArc(e, x);
  const Fp twice = AddQuarterTurns(e, e.Const(2.0), {w.hi * -2.0, (w.lo + tail) * -2.0});
  return e.WithSignOf(e.Select(big, twice, w.hi + tail), x);
}

Fp Acos(Emitter& e, Fp x) {
  const auto [big, w, tail] = ReduceArc(e, x);
  const Int sign = e.SignBit(x);
  const Mask negative = NotZero(sign);
  const Fp quarters = e.Select(big, e.Select(negative, 4.0, 0.0), 2.0);
  // -asin(x), or 2w with the sign of x turned.
  const Fp factor = e.Select(big, e.Select(negative, -2.0, 2.0), e.Select(negative, 1.0, -1.0));
  return AddQuarterTurns(e, quarters, {w.hi * factor, (w.lo + tail) * factor});
}

Fp Atan(Emitter& e, Fp x) {
  const Fp size = e.ClampAbove(e.Abs(x), 1e20);  // pi/2 beyond
  const Mask middle = Greater(size, e.Const(kSmallTangent));
  const Mask large = Greater(size, e.Const(1 / kSmallTangent));
  const Fp one = e.Const(1.0);
  const Pair minus = e.TwoSum(size, -one), plus = e.TwoSum(size, one);
  const auto choose = [&](Fp small, Fp mid, Fp big) { return e.Select(large, big, e.Select(middle, mid, small)); };
  const Pair num{choose(size, minus.hi, -one), choose(e.None(), minus.lo, e.None())};
  const Pair den{choose(one, plus.hi, size), choose(e.None(), plus.lo, e.None())};
  const Pair q = e.Divide(num, den);
  const Fp tail = Tail(e, q.hi, kAtan_f64, kAtan_coarse);
  const Fp quarters = choose(e.Const(0.0), one, e.Const(2.0));
  return e.WithSignOf(AddQuarterTurns(e, quarters, {q.hi, q.lo + tail}), x);
}

// The larger and the smaller size, scaled so that nothing overflows, and residuals underflow only
// where the quotient does; it is that of |y| and |x|, also for infinities, and 0 for zeros.
struct Sizes {
  Fp hi;
  Fp lo;
};

Sizes Normalize(Emitter& e, Fp hi, Fp lo) {
  const Fp inf = e.Const(kInf);
  const Mask infinite = Equal(hi, inf);
  lo = e.Select(infinite, e.Select(Equal(lo, inf), 1.0, 0.0), lo);
  hi = e.Select(infinite | Equal(hi, e.Const(0.0)), 1.0, hi);
  if (e.coarse()) return {hi, lo};
  const Fp scale =
      e.Select(Less(hi, e.Const(1.0)), e.Const(0x1p900), e.Select(Less(hi, e.Const(0x1p800)), 0x1p100, 0x1p-100));
  return {hi * scale, lo * scale};
}

Fp Atan2(Emitter& e, Fp y, Fp x) {
  const Fp y_size = e.Abs(y), x_size = e.Abs(x);
  const Mask swap = Greater(y_size, x_size);
  const auto [hi, lo] = Normalize(e, e.Select(swap, y_size, x_size), e.Select(swap, x_size, y_size));
  const Mask middle = Greater(lo, hi * kSmallTangent);
  const Pair minus = e.TwoSum(lo, -hi), plus = e.TwoSum(hi, lo);
  const Pair num{e.Select(middle, minus.hi, lo), e.Select(middle, minus.lo, e.None())};
  const Pair den{e.Select(middle, plus.hi, hi), e.Select(middle, plus.lo, e.None())};
  const Pair q = e.Divide(num, den);
  const Fp tail = Tail(e, q.hi, kAtan_f64, kAtan_coarse);
  // atan = quarters pi/4 + q; swapped: 2 - quarters, -q; x negative: 4 - quarters, -q.
  Fp quarters = e.Select(middle, 1.0, 0.0);
  quarters = e.Select(swap, 2.0 - quarters, quarters);
  const Mask left = NotZero(e.SignBit(x));
  quarters = e.Select(left, 4.0 - quarters, quarters);
  const Fp sign = e.Select(swap ^ left, -1.0, 1.0);
  const Fp result = AddQuarterTurns(e, quarters, {q.hi * sign, (q.lo + tail) * sign});
  return e.Select(Unordered(x, y), x + y, e.WithSignOf(result, y));
}

}  // namespace

llvm::Value* EmitAsin(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, Asin);
}

llvm::Value* EmitAcos(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, Acos);
}

llvm::Value* EmitAtan(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, x, options, Atan);
}

llvm::Value* EmitAtan2(llvm::IRBuilderBase& b, llvm::Value* y, llvm::Value* x, const MathOptions& options) {
  return InDouble(b, y, x, options, Atan2);
}

}  // namespace reel::codegen::math
