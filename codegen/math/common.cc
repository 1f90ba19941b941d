#include "codegen/math/common.h"

#include <cmath>
#include <limits>

namespace reel::codegen::math::internal {

Emitter::Emitter(llvm::IRBuilderBase& builder, llvm::Type* type, const MathOptions& options)
    : builder_(builder),
      guard_(builder),
      type_(type),
      int_type_(type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()))),
      options_(options) {
  builder_.clearFastMathFlags();
}

Fp Emitter::Const(double value) { return {this, llvm::ConstantFP::get(type_, value)}; }

Int Emitter::IntConst(uint64_t value) {
  const llvm::APInt wide(64, value);
  return {this, llvm::ConstantInt::get(int_type_, wide.trunc(bits()))};
}

Fp Emitter::Fma(Fp a, Fp b, Fp c) {
  if (!has_fma()) return a * b + c;
  return {this, builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a.v, b.v, c.v})};
}

Fp Emitter::ProductError(Fp a, Fp b, Fp product) {
  if (has_fma()) return Fma(a, b, -product);
  // Dekker: halves of at most 12 (26) bits multiply exactly.
  const double splitter = Pick(4097.0, 134217729.0);
  const auto halves = [&](Fp x) {
    const Fp scaled = x * splitter;
    const Fp hi = scaled - (scaled - x);
    return Pair{hi, x - hi};
  };
  const Pair p = halves(a);
  const Pair q = halves(b);
  return ((p.hi * q.hi - product) + p.hi * q.lo + p.lo * q.hi) + p.lo * q.lo;
}

Pair Emitter::FastTwoSum(Fp a, Fp b) {
  const Fp sum = a + b;
  return {sum, b - (sum - a)};
}

Pair Emitter::TwoSum(Fp a, Fp b) {
  const Fp sum = a + b;
  const Fp b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

Fp Emitter::Polynomial(Fp x, llvm::ArrayRef<double> c) {
  Fp sum = Const(c.back());
  for (size_t i = c.size() - 1; i > 0; --i) sum = Fma(sum, x, Const(c[i - 1]));
  return sum;
}

Fp Emitter::Abs(Fp a) { return FromBits(Bits(a) & (sign_bit() - 1)); }

Fp Emitter::ClampAbove(Fp a, double limit) {
  return Select(Less(Const(limit), a), Const(limit), a);
}

Fp Emitter::ClampBelow(Fp a, double limit) {
  return Select(Greater(Const(limit), a), Const(limit), a);
}

// 1.5 * 2^mantissa_bits has unit ulp: adding it rounds, subtracting it gives the integer back.
Emitter::Rounded Emitter::RoundProduct(Fp x, double factor) {
  const double magic = Pick(0x1.8p23, 0x1.8p52);
  const Fp shifted = Fma(x, factor, magic);
  return {shifted - magic, Bits(shifted)};
}

// n = round(x log2(e)), r = x - n ln(2) = high + low; tail = low + r^2 Q(r), where
// Q = (e^r - 1 - r) / r^2 takes r rounded and the sum 1 + high + tail takes it exact.
// high = x - n ln2_hi is exact: ln2_hi has 15 (41) bits, and the difference fits the format.
ReducedExp ReduceExp(Emitter& e, Fp x) {
  const Emitter::Rounded n = e.RoundProduct(x, e.Pick(kLog2E_f32, kLog2E_f64));
  const Fp high = e.Fma(n.value, -e.Pick(kLn2Hi_f32, kLn2Hi_f64), x);
  const Fp low = n.value * -e.Pick(kLn2Lo_f32, kLn2Lo_f64);
  const Fp r = high + low;
  const Fp q = e.Polynomial(r, e.Pick(kExp_f32, kExp_f64));
  return {e.ShiftLeft(n.bits, e.mantissa_bits()), high, e.Fma(r * r, q, low)};
}

}  // namespace reel::codegen::math::internal
