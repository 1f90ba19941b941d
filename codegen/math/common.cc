#include "codegen/math/common.h"

#include <bit>
#include <cmath>
#include <limits>

namespace reel::codegen::math::internal {

Emitter::Emitter(llvm::IRBuilderBase& builder, llvm::Type* type, const MathOptions& options, bool coarse)
    : builder_(builder),
      guard_(builder),
      type_(type),
      int_type_(type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()))),
      options_(options),
      coarse_(coarse) {
  builder_.clearFastMathFlags();
}

Fp Emitter::Const(double value) { return {this, llvm::ConstantFP::get(type_, value)}; }

Int Emitter::IntConst(uint64_t value) {
  const llvm::APInt wide(64, value);
  return {this, llvm::ConstantInt::get(int_type_, wide.trunc(bits()))};
}

Fp Emitter::Fma(Fp a, Fp b, Fp c) {
  if (!has_fma() || !a.v || !b.v || !c.v) return a * b + c;
  return {this, builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a.v, b.v, c.v})};
}

Fp Emitter::ProductError(Fp a, Fp b, Fp product) {
  if (coarse_) return None();
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

Fp Emitter::Residual(Fp num, Fp quotient, Fp den) {
  if (has_fma()) return Fma(-quotient, den, num);
  const Fp product = quotient * den;
  return (num - product) - ProductError(quotient, den, product);
}

Pair Emitter::Divide(Pair num, Pair den) {
  if (coarse_) return {num.hi / den.hi, None()};
  const Fp reciprocal = 1.0 / den.hi;
  const Fp quotient = num.hi * reciprocal;
  const Fp rest = Residual(num.hi, quotient, den.hi) + num.lo;
  return {quotient, (den.lo.v ? Fma(-quotient, den.lo, rest) : rest) * reciprocal};
}

Pair Emitter::SquareRoot(Pair x) {
  const Fp root = Sqrt(x.hi);
  if (coarse_) return {root, None()};
  const Fp twice = ClampBelow(root + root, Pick(0x1p-120, 0x1p-1000));
  return {root, (Residual(x.hi, root, root) + x.lo) / twice};
}

Pair Emitter::Multiply(Pair a, Pair b) {
  const Fp product = a.hi * b.hi;
  return {product, ProductError(a.hi, b.hi, product) + (a.hi * b.lo + a.lo * b.hi)};
}

Pair Emitter::FastTwoSum(Fp a, Fp b) {
  const Fp sum = a + b;
  if (coarse_) return {sum, None()};
  return {sum, b - (sum - a)};
}

Pair Emitter::TwoSum(Fp a, Fp b) {
  const Fp sum = a + b;
  if (coarse_) return {sum, None()};
  const Fp b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

Fp Emitter::Polynomial(Fp x, llvm::ArrayRef<double> c) {
  Fp sum = Const(c.back());
  for (size_t i = c.size() - 1; i > 0; --i) sum = Fma(sum, x, Const(c[i - 1]));
  return sum;
}

Fp Emitter::Abs(Fp a) { return FromBits(Bits(a) & (sign_bit() - 1)); }

Int Emitter::SignBit(Fp a) { return Bits(a) & sign_bit(); }

Fp Emitter::Select(Mask m, Fp a, Fp b) {
  if (!a.v && !b.v) return a;
  if (!a.v) a = Const(0);
  if (!b.v) b = Const(0);
  return {this, builder_.CreateSelect(m.v, a.v, b.v)};
}

Fp Emitter::ClampAbove(Fp a, double limit) { return Select(Less(Const(limit), a), Const(limit), a); }

Fp Emitter::ClampBelow(Fp a, double limit) { return Select(Greater(Const(limit), a), Const(limit), a); }

// 1.5 * 2^mantissa_bits has unit ulp: adding it rounds, subtracting it gives the integer back.
Emitter::Rounded Emitter::RoundProduct(Fp x, double factor) {
  const double magic = Pick(0x1.8p23, 0x1.8p52);
  const Fp shifted = Fma(x, factor, magic);
  return {shifted - magic, Bits(shifted)};
}

// 2^(n/2), then 2^(n - n/2).
Fp Emitter::Scale(Fp x, Int exponent) {
  const uint64_t exponent_field = ~uint64_t{0} << mantissa_bits();
  const Int half = Int{this, builder_.CreateAShr(exponent.v, 1)} & exponent_field;
  return x * FromBits(half + one_bits()) * FromBits((exponent - half) + one_bits());
}

namespace {

using llvm::Value;

// x with `lanes` lanes: its first ones, or more that hold anything.
Value* Resized(llvm::IRBuilderBase& b, Value* x, unsigned first, unsigned lanes) {
  const auto count = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  llvm::SmallVector<int> mask(lanes, -1);
  for (unsigned i = 0; i < lanes && first + i < count; ++i) mask[i] = static_cast<int>(first + i);
  return b.CreateShuffleVector(x, mask);
}

// x 2^n by vscalef, which takes 4, 8 or 16 floats (2, 4 or 8 doubles) at once.
Value* ScaleRegister(llvm::IRBuilderBase& b, Value* x, Value* n) {
  const auto bits = static_cast<unsigned>(x->getType()->getPrimitiveSizeInBits().getFixedValue());
  const bool f32 = x->getType()->getScalarType()->isFloatTy();
  using namespace llvm::Intrinsic;
  const auto id = bits == 512   ? (f32 ? x86_avx512_mask_scalef_ps_512 : x86_avx512_mask_scalef_pd_512)
                  : bits == 256 ? (f32 ? x86_avx512_mask_scalef_ps_256 : x86_avx512_mask_scalef_pd_256)
                                : (f32 ? x86_avx512_mask_scalef_ps_128 : x86_avx512_mask_scalef_pd_128);
  const bool all16 = bits == 512 && f32;
  llvm::SmallVector<Value*> arguments = {x, n, x, all16 ? b.getInt16(0xffff) : b.getInt8(0xff)};
  constexpr int kRoundAsSet = 4;
  if (bits == 512) arguments.push_back(b.getInt32(kRoundAsSet));
  return b.CreateIntrinsic(id, {}, arguments);
}

Value* ScaleVector(llvm::IRBuilderBase& b, Value* x, Value* n) {
  const auto* type = llvm::cast<llvm::FixedVectorType>(x->getType());
  const unsigned lanes = type->getNumElements(), most = 512 / type->getScalarSizeInBits();
  llvm::SmallVector<Value*> parts;
  for (unsigned first = 0; first < lanes; first += most) {
    const unsigned width = std::max(std::bit_ceil(std::min(lanes - first, most)), most / 4);
    if (width == lanes) return ScaleRegister(b, x, n);
    parts.push_back(ScaleRegister(b, Resized(b, x, first, width), Resized(b, n, first, width)));
  }
  Value* all = parts.size() == 1 ? parts[0] : llvm::concatenateVectors(b, parts);
  return Resized(b, all, 0, lanes);
}

}  // namespace

// Both round once, and NaNs keep their bits.
Fp Emitter::Scale(Fp x, Int exponent, Fp n) {
  if (!options_.has_scale) return Scale(x, exponent);
  if (type_->isVectorTy()) return {this, ScaleVector(builder_, x.v, n.v)};
  llvm::Type* pair = llvm::FixedVectorType::get(type_, 128 / bits());
  const auto wide = [&](Fp scalar) {
    return builder_.CreateInsertElement(llvm::PoisonValue::get(pair), scalar.v, uint64_t{0});
  };
  return {this, builder_.CreateExtractElement(ScaleVector(builder_, wide(x), wide(n)), uint64_t{0})};
}

namespace {

// n = round(x log2(e)), high = x - n ln2_hi is exact: ln2_hi has 15 (41) bits, and the difference
// fits the format. low is left out.
ReducedLn2 ReduceLn2Hi(Emitter& e, Fp x) {
  const Emitter::Rounded n = e.RoundProduct(x, e.Pick(kLog2E_f32, kLog2E_f64));
  const Fp high = e.Fma(n.value, -e.Pick(kLn2Hi_f32, kLn2Hi_f64), x);
  return {e.ShiftLeft(n.bits, e.mantissa_bits()), n.value, high, e.None()};
}

}  // namespace

ReducedLn2 ReduceLn2(Emitter& e, Fp x) {
  ReducedLn2 reduced = ReduceLn2Hi(e, x);
  reduced.low = reduced.n * -e.Pick(kLn2Lo_f32, kLn2Lo_f64);
  return reduced;
}

Fp ExpPolynomial(Emitter& e, Fp r, double times) {
  const llvm::ArrayRef<double> table = e.Table(kExp_coarse, e.Pick(kExp_f32, kExp_f64));
  llvm::SmallVector<double> c(table.begin(), table.end());
  double power = 1;
  for (double& coefficient : c) coefficient *= power *= times;
  return e.Polynomial(r, c);
}

// With FMA r alone will do: see Mantissa.
ReducedExp ReduceExp(Emitter& e, Fp x, Fp x_low) {
  const auto [exponent, n, high, none] = ReduceLn2Hi(e, x);
  const double ln2_low = -e.Pick(kLn2Lo_f32, kLn2Lo_f64);
  const bool alone = e.has_fma() && !x_low.v;
  const Fp low = alone ? none : n * ln2_low + x_low;
  const Fp r = alone ? e.Fma(n, ln2_low, high) : high + low;
  return {exponent, n, high, low, r, ExpPolynomial(e, r)};
}

// r (1 + r q) is not rounded with FMA, which makes good what r lost.
Fp Mantissa(const ReducedExp& reduced) {
  if (reduced.low.v) return MantissaLessOne(reduced) + 1.0;
  Emitter& e = *reduced.r.e;
  return e.Fma(reduced.r, e.Fma(reduced.q, reduced.r, e.Const(1.0)), e.Const(1.0));
}

Fp MantissaLessOne(const ReducedExp& reduced) {
  const auto& [exponent, n, high, low, r, q] = reduced;
  return low.v ? high + r.e->Fma(r * r, q, low) : r.e->Fma(r * r, q, r);
}

ReducedLog ReduceLog(Emitter& e, Fp x) {
  // biased = bits(x) - bits(sqrt(1/2)) + (bias << shift) holds k + bias above the mantissa field.
  const unsigned shift = e.mantissa_bits();
  const uint64_t mantissa_field = (uint64_t{1} << shift) - 1;
  const uint64_t root_bits = e.is_f32() ? 0x3f3504f3u : 0x3fe6a09e667f3bcdu;
  const Int biased = e.Bits(x) + (e.one_bits() - root_bits);
  const Fp m = e.FromBits((biased & mantissa_field) + root_bits);
  // (k + bias) as a float: its bits under those of 2^shift, less 2^shift + bias.
  const double unit = std::ldexp(1.0, static_cast<int>(shift));
  const uint64_t unit_bits = e.one_bits() + (static_cast<uint64_t>(shift) << shift);
  const Fp k = e.FromBits(e.ShiftRight(biased, shift) | unit_bits) - (unit + e.bias());
  return {k, m - 1.0, biased & ~mantissa_field};
}

ReducedLog ReduceAnyLog(Emitter& e, Fp x) {
  const int shift = static_cast<int>(e.mantissa_bits());
  const Mask tiny = Less(x, e.Const(e.Pick(0x1p-126, 0x1p-1022)));
  ReducedLog r = ReduceLog(e, e.Select(tiny, x * std::ldexp(1.0, shift), x));
  r.k = r.k - e.Select(tiny, shift, 0.0);
  return r;
}

// log x = k ln2_hi + f + (k ln2_lo + f^2 Q(f)) as in log.cc, with f a pair: its low part counts
// f_lo / (1 + f) ~ f_lo (1 - f).
Fp LogOfPair(Emitter& e, Pair x, Fp extra) {
  const ReducedLog reduced = ReduceLog(e, x.hi);
  const unsigned shift = e.mantissa_bits();
  Pair f{reduced.f, x.lo};
  if (x.lo.v) {
    // 2^-k; beyond 2^100 the low part does not matter.
    const uint64_t one = e.one_bits();
    const uint64_t limit = one + (uint64_t{100} << shift);
    const Fp scale = e.FromBits(e.IntConst(2 * one) - e.Min(reduced.exponent, limit));
    f = e.FastTwoSum(reduced.f, x.lo * scale);
  }
  const Fp k = reduced.k + extra;
  const Pair sum = e.FastTwoSum(k * e.Pick(kLn2Hi_f32, kLn2Hi_f64), f.hi);
  Fp low = e.Fma(k, e.Const(e.Pick(kLn2Lo_f32, kLn2Lo_f64)), sum.lo);
  if (f.lo.v) low = low + e.Fma(-f.hi, f.lo, f.lo);
  const Fp q = e.Polynomial(f.hi, e.Table(kLog_coarse, e.Pick(kLog_f32, kLog_f64)));
  return sum.hi + e.Fma(f.hi * f.hi, q, low);
}

namespace {

// log(1 + f), f exact: z = f / (2 + f), u = z^2, all pairs,
//   2 (z + z u (1/3 + u (1/5 + u T(u)))), T in plain doubles: it counts 2^-15.
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

}  // namespace

Pair LogPair(Emitter& e, Fp size) {
  if (e.coarse()) return {LogOfPair(e, {size, e.None()}), e.None()};
  const ReducedLog r = ReduceAnyLog(e, size);
  const Pair mantissa = LogOfMantissa(e, r.f);
  const Pair sum = e.FastTwoSum(r.k * kLn2Hi_f64, mantissa.hi);
  return e.FastTwoSum(sum.hi, sum.lo + e.Fma(r.k, kLn2Lo_f64, mantissa.lo));
}

namespace {

llvm::Value* Widen(llvm::IRBuilderBase& b, llvm::Value* x) {
  return b.CreateFPExt(x, x->getType()->getWithNewType(b.getDoubleTy()));
}

}  // namespace

llvm::Value* InDouble(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options, Fp (*f)(Emitter& e, Fp x)) {
  const bool narrow = x->getType()->getScalarType()->isFloatTy();
  llvm::Value* wide = narrow ? Widen(b, x) : x;
  Emitter e(b, wide->getType(), options, narrow);
  llvm::Value* y = f(e, e.Wrap(wide)).v;
  return narrow ? b.CreateFPTrunc(y, x->getType()) : y;
}

llvm::Value* InDouble(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, const MathOptions& options,
                      Fp (*f)(Emitter& e, Fp x, Fp y)) {
  const bool narrow = x->getType()->getScalarType()->isFloatTy();
  llvm::Value* wide = narrow ? Widen(b, x) : x;
  Emitter e(b, wide->getType(), options, narrow);
  llvm::Value* z = f(e, e.Wrap(wide), e.Wrap(narrow ? Widen(b, y) : y)).v;
  return narrow ? b.CreateFPTrunc(z, x->getType()) : z;
}

}  // namespace reel::codegen::math::internal
