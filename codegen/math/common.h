// What the math functions share: values with operators, so that a formula reads as a formula,
// error-free sums and products, exponent tricks and the reduction behind everything exponential.
#ifndef REEL_CODEGEN_MATH_COMMON_H_
#define REEL_CODEGEN_MATH_COMMON_H_

#include <cstdint>
#include <limits>

#include "codegen/llvm/ir_headers.h"
#include "codegen/math/coefficients.inc"
#include "codegen/math/math.h"

namespace reel::codegen::math::internal {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kTwoPi = 6.2831853071795864769;

class Emitter;

/// A float value (scalar or vector) of the emitter's type. Without v it is an exact zero that
/// formulas drop: the low parts of coarse arithmetic.
struct Fp {
  Emitter* e;
  llvm::Value* v;
};

/// Integers of the same width and count as the emitter's floats.
struct Int {
  Emitter* e;
  llvm::Value* v;
};

/// One bit per element.
struct Mask {
  Emitter* e;
  llvm::Value* v;
};

/// hi + lo, where lo is at most about an ulp of hi.
struct Pair {
  Fp hi;
  Fp lo;
};

/// Emits into one builder for one float type; clears and restores the builder's fast-math flags.
class Emitter {
 public:
  /// Coarse: doubles that will be rounded to float. Error-free sums and products have no low parts,
  /// so one formula serves both dtypes.
  Emitter(llvm::IRBuilderBase& builder, llvm::Type* type, const MathOptions& options, bool coarse = false);

  llvm::IRBuilderBase& builder() { return builder_; }
  llvm::Type* type() const { return type_; }
  llvm::Type* int_type() const { return int_type_; }
  const MathOptions& options() const { return options_; }
  bool has_fma() const { return options_.has_fma; }
  bool coarse() const { return coarse_; }
  bool is_f32() const { return type_->getScalarType()->isFloatTy(); }
  unsigned bits() const { return is_f32() ? 32 : 64; }
  unsigned mantissa_bits() const { return is_f32() ? 23 : 52; }
  int bias() const { return is_f32() ? 127 : 1023; }
  /// Bit pattern of 1.0.
  uint64_t one_bits() const { return static_cast<uint64_t>(bias()) << mantissa_bits(); }
  uint64_t sign_bit() const { return uint64_t{1} << (bits() - 1); }

  /// The value or table for the emitter's dtype.
  double Pick(double f32, double f64) const { return is_f32() ? f32 : f64; }
  llvm::ArrayRef<double> Pick(llvm::ArrayRef<double> f32, llvm::ArrayRef<double> f64) const {
    return is_f32() ? f32 : f64;
  }

  /// One in the exponent field.
  uint64_t one_step() const { return uint64_t{1} << mantissa_bits(); }

  /// The table for a double that will be rounded to float, or not.
  llvm::ArrayRef<double> Table(llvm::ArrayRef<double> coarse, llvm::ArrayRef<double> fine) const {
    return coarse_ ? coarse : fine;
  }

  Fp Wrap(llvm::Value* v) { return {this, v}; }
  /// An exact zero that formulas drop.
  Fp None() { return {this, nullptr}; }
  Fp Const(double value);
  Int IntConst(uint64_t value);

  /// a * b + c: rounded once with FMA, twice without.
  Fp Fma(Fp a, Fp b, Fp c);
  Fp Fma(double a, Fp b, Fp c) { return Fma(Const(a), b, c); }
  Fp Fma(Fp a, double b, Fp c) { return Fma(a, Const(b), c); }
  Fp Fma(Fp a, double b, double c) { return Fma(a, Const(b), Const(c)); }
  /// The rounding error a * b - product of product = a * b, exact.
  Fp ProductError(Fp a, Fp b, Fp product);
  /// num - quotient * den, exact where quotient is num / den up to a few roundings.
  Fp Residual(Fp num, Fp quotient, Fp den);
  /// num / den as a pair.
  Pair Divide(Pair num, Pair den);
  /// sqrt(x) as a pair, 0 for x = 0.
  Pair SquareRoot(Pair x);
  /// a * b as a pair.
  Pair Multiply(Pair a, Pair b);
  /// a + b as a pair; needs |a| >= |b|, or a a multiple of ulp(b).
  Pair FastTwoSum(Fp a, Fp b);
  /// a + b as a pair for any a and b.
  Pair TwoSum(Fp a, Fp b);
  /// c[0] + c[1] x + ... by Horner's rule, always in this order.
  Fp Polynomial(Fp x, llvm::ArrayRef<double> c);

  Fp Abs(Fp a);
  Fp Sqrt(Fp a) { return {this, builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a.v)}; }
  Fp Truncate(Fp a) { return {this, builder_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, a.v)}; }
  /// magnitude | sign bit of `sign`; magnitude >= 0, or of that sign already.
  Fp WithSignOf(Fp magnitude, Fp sign) {
    return FromBits({this, builder_.CreateOr(Bits(magnitude).v, SignBit(sign).v)});
  }
  /// min(a, limit) and max(a, limit) that keep NaN; one instruction each.
  Fp ClampAbove(Fp a, double limit);
  Fp ClampBelow(Fp a, double limit);
  Fp Select(Mask m, Fp a, Fp b);
  Fp Select(Mask m, double a, double b) { return Select(m, Const(a), Const(b)); }
  Fp Select(Mask m, Fp a, double b) { return Select(m, a, Const(b)); }
  Fp Select(Mask m, double a, Fp b) { return Select(m, Const(a), b); }
  Int Select(Mask m, Int a, Int b) { return {this, builder_.CreateSelect(m.v, a.v, b.v)}; }

  Int Bits(Fp a) { return {this, builder_.CreateBitCast(a.v, int_type_)}; }
  Int SignBit(Fp a);
  /// min(a, limit) of signed integers.
  Int Min(Int a, uint64_t limit) {
    return {this, builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a.v, IntConst(limit).v)};
  }
  Fp FromBits(Int a) { return {this, builder_.CreateBitCast(a.v, type_)}; }
  Int ShiftLeft(Int a, unsigned count) { return {this, builder_.CreateShl(a.v, count)}; }
  Int ShiftRight(Int a, unsigned count) { return {this, builder_.CreateLShr(a.v, count)}; }

  /// x rounded to the nearest integer (ties to even), |x| < 2^(mantissa_bits - 2), computed from
  /// scaled = x * factor in one fma. `bits` holds the integer in its low bits.
  struct Rounded {
    Fp value;
    Int bits;
  };
  Rounded RoundProduct(Fp x, double factor);
  /// x * 2^n for exponent = n << mantissa_bits, |n| < 2 * bias: in two steps of which the first is
  /// exact, so it rounds once, also into the denormals and to infinity.
  Fp Scale(Fp x, Int exponent);
  /// The same with n as a float, too: one instruction of AVX-512.
  Fp Scale(Fp x, Int exponent, Fp n);

 private:
  llvm::IRBuilderBase& builder_;
  llvm::IRBuilderBase::FastMathFlagGuard guard_;
  llvm::Type* type_;
  llvm::Type* int_type_;
  MathOptions options_;
  bool coarse_;
};

inline Fp operator-(Fp a) { return {a.e, a.v ? a.e->builder().CreateFNeg(a.v) : nullptr}; }
inline Fp operator+(Fp a, Fp b) {
  if (!a.v || !b.v) return a.v ? a : b;
  return {a.e, a.e->builder().CreateFAdd(a.v, b.v)};
}
inline Fp operator-(Fp a, Fp b) {
  if (!a.v || !b.v) return a.v ? a : -b;
  return {a.e, a.e->builder().CreateFSub(a.v, b.v)};
}
inline Fp operator*(Fp a, Fp b) {
  if (!a.v || !b.v) return {a.e, nullptr};
  return {a.e, a.e->builder().CreateFMul(a.v, b.v)};
}
inline Fp operator/(Fp a, Fp b) { return {a.e, a.e->builder().CreateFDiv(a.v, b.v)}; }
inline Fp operator+(Fp a, double b) { return a + a.e->Const(b); }
inline Fp operator-(Fp a, double b) { return a - a.e->Const(b); }
inline Fp operator-(double a, Fp b) { return b.e->Const(a) - b; }
inline Fp operator*(Fp a, double b) { return a * a.e->Const(b); }
inline Fp operator/(double a, Fp b) { return b.e->Const(a) / b; }

inline Int operator+(Int a, Int b) { return {a.e, a.e->builder().CreateAdd(a.v, b.v)}; }
inline Int operator-(Int a, Int b) { return {a.e, a.e->builder().CreateSub(a.v, b.v)}; }
inline Int operator&(Int a, Int b) { return {a.e, a.e->builder().CreateAnd(a.v, b.v)}; }
inline Int operator|(Int a, Int b) { return {a.e, a.e->builder().CreateOr(a.v, b.v)}; }
inline Int operator^(Int a, Int b) { return {a.e, a.e->builder().CreateXor(a.v, b.v)}; }
inline Int operator+(Int a, uint64_t b) { return a + a.e->IntConst(b); }
inline Int operator-(Int a, uint64_t b) { return a - a.e->IntConst(b); }
inline Int operator&(Int a, uint64_t b) { return a & a.e->IntConst(b); }
inline Int operator|(Int a, uint64_t b) { return a | a.e->IntConst(b); }

/// Ordered comparisons: false when an operand is NaN.
inline Mask Less(Fp a, Fp b) { return {a.e, a.e->builder().CreateFCmpOLT(a.v, b.v)}; }
inline Mask Greater(Fp a, Fp b) { return {a.e, a.e->builder().CreateFCmpOGT(a.v, b.v)}; }
inline Mask Equal(Fp a, Fp b) { return {a.e, a.e->builder().CreateFCmpOEQ(a.v, b.v)}; }
inline Mask operator&(Mask a, Mask b) { return {a.e, a.e->builder().CreateAnd(a.v, b.v)}; }
inline Mask operator|(Mask a, Mask b) { return {a.e, a.e->builder().CreateOr(a.v, b.v)}; }
inline Mask operator^(Mask a, Mask b) { return {a.e, a.e->builder().CreateXor(a.v, b.v)}; }
inline Mask operator!(Mask a) { return {a.e, a.e->builder().CreateNot(a.v)}; }
/// a or b is NaN.
inline Mask Unordered(Fp a, Fp b) { return {a.e, a.e->builder().CreateFCmpUNO(a.v, b.v)}; }
inline Mask NotZero(Int a) { return {a.e, a.e->builder().CreateICmpNE(a.v, a.e->IntConst(0).v)}; }

/// first[i] and second[i] of each element's index i modulo their size: 8 for floats, 16 for doubles.
Pair LookUp(Emitter& e, Int index, llvm::StringRef name, llvm::ArrayRef<double> first, llvm::ArrayRef<double> second);

/// x = n ln(2) + (high + low), |high + low| <= ln(2)/2 (and a little); high is exact.
struct ReducedLn2 {
  Int exponent;  ///< n << mantissa_bits
  Fp n;
  Fp high;
  Fp low;
};

/// x is finite or NaN, and small enough for n to fit the exponent field as a signed number.
ReducedLn2 ReduceLn2(Emitter& e, Fp x);

/// q of e^(times r) = 1 + times (r + r^2 q), |times r| <= ln(2)/2 (and a little), times a power of two.
Fp ExpPolynomial(Emitter& e, Fp r, double times = 1);

/// e^x = 2^n (1 + r + r^2 q), |r| <= ln(2)/2 (and a little); r is high + low, rounded; without low it is
/// all that counts.
struct ReducedExp {
  Int exponent;  ///< n << mantissa_bits
  Fp n;
  Fp high;
  Fp low;
  Fp r;
  Fp q;
};

/// x as for ReduceLn2; it is the sum of a pair if x_low is given.
ReducedExp ReduceExp(Emitter& e, Fp x, Fp x_low = {nullptr, nullptr});

/// 1 + r + r^2 q within 0.95 ULP.
Fp Mantissa(const ReducedExp& reduced);
/// r + r^2 q
Fp MantissaLessOne(const ReducedExp& reduced);

/// x = 2^k m with m in [sqrt(1/2), sqrt(2)) and f = m - 1, exact; x is normal and positive.
struct ReducedLog {
  Fp k;
  Fp f;
  Int exponent;  ///< (k + bias) << mantissa_bits
};
ReducedLog ReduceLog(Emitter& e, Fp x);
/// The same for all positive numbers, denormal ones too; without the exponent, which is that of x
/// scaled up where x is denormal.
ReducedLog ReduceAnyLog(Emitter& e, Fp x);

/// log of a pair, 0 < hi < inf, plus extra * log(2).
Fp LogOfPair(Emitter& e, Pair x, Fp extra = {nullptr, nullptr});
/// log(size) as a pair good to 2^-66 (coarse: one double), size positive and finite, in doubles.
/// After the methods of Dekker (1971) and of SLEEF (Shibata and Petrogalli, 2020).
Pair LogPair(Emitter& e, Fp size);

/// f(x), for floats computed in doubles by a coarse emitter.
llvm::Value* InDouble(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options, Fp (*f)(Emitter& e, Fp x));
llvm::Value* InDouble(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, const MathOptions& options,
                      Fp (*f)(Emitter& e, Fp x, Fp y));

}  // namespace reel::codegen::math::internal

#endif  // REEL_CODEGEN_MATH_COMMON_H_
