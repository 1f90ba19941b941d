// What the math functions share: values with operators, so that a formula reads as a formula,
// error-free sums and products, exponent tricks and the reduction behind everything exponential.
#ifndef REEL_CODEGEN_MATH_COMMON_H_
#define REEL_CODEGEN_MATH_COMMON_H_

#include <cstdint>

#include "codegen/llvm_ir_headers.h"
#include "codegen/math/coefficients.inc"
#include "codegen/math/math.h"

namespace reel::codegen::math::internal {

class Emitter;

/// A float value (scalar or vector) of the emitter's type.
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
  Emitter(llvm::IRBuilderBase& builder, llvm::Type* type, const MathOptions& options);

  llvm::IRBuilderBase& builder() { return builder_; }
  llvm::Type* type() const { return type_; }
  llvm::Type* int_type() const { return int_type_; }
  const MathOptions& options() const { return options_; }
  bool has_fma() const { return options_.has_fma; }
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

  Fp Wrap(llvm::Value* v) { return {this, v}; }
  Fp Const(double value);
  Int IntConst(uint64_t value);

  /// a * b + c: rounded once with FMA, twice without.
  Fp Fma(Fp a, Fp b, Fp c);
  Fp Fma(double a, Fp b, Fp c) { return Fma(Const(a), b, c); }
  Fp Fma(Fp a, double b, Fp c) { return Fma(a, Const(b), c); }
  Fp Fma(Fp a, double b, double c) { return Fma(a, Const(b), Const(c)); }
  /// The rounding error a * b - product of product = a * b, exact.
  Fp ProductError(Fp a, Fp b, Fp product);
  /// a + b as a pair; needs |a| >= |b|, or a a multiple of ulp(b).
  Pair FastTwoSum(Fp a, Fp b);
  /// a + b as a pair for any a and b.
  Pair TwoSum(Fp a, Fp b);
  /// c[0] + c[1] x + ... by Horner's rule, always in this order.
  Fp Polynomial(Fp x, llvm::ArrayRef<double> c);

  Fp Abs(Fp a);
  /// min(a, limit) and max(a, limit) that keep NaN; one instruction each.
  Fp ClampAbove(Fp a, double limit);
  Fp ClampBelow(Fp a, double limit);
  Fp Select(Mask m, Fp a, Fp b) { return {this, builder_.CreateSelect(m.v, a.v, b.v)}; }
  Int Select(Mask m, Int a, Int b) { return {this, builder_.CreateSelect(m.v, a.v, b.v)}; }

  Int Bits(Fp a) { return {this, builder_.CreateBitCast(a.v, int_type_)}; }
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

 private:
  llvm::IRBuilderBase& builder_;
  llvm::IRBuilderBase::FastMathFlagGuard guard_;
  llvm::Type* type_;
  llvm::Type* int_type_;
  MathOptions options_;
};

inline Fp operator+(Fp a, Fp b) { return {a.e, a.e->builder().CreateFAdd(a.v, b.v)}; }
inline Fp operator-(Fp a, Fp b) { return {a.e, a.e->builder().CreateFSub(a.v, b.v)}; }
inline Fp operator*(Fp a, Fp b) { return {a.e, a.e->builder().CreateFMul(a.v, b.v)}; }
inline Fp operator/(Fp a, Fp b) { return {a.e, a.e->builder().CreateFDiv(a.v, b.v)}; }
inline Fp operator-(Fp a) { return {a.e, a.e->builder().CreateFNeg(a.v)}; }
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
inline Mask NotZero(Int a) {
  return {a.e, a.e->builder().CreateICmpNE(a.v, a.e->IntConst(0).v)};
}

/// e^x = 2^n (1 + high + tail) with |high| <= ln(2)/2 exact and |tail| <= 0.07.
struct ReducedExp {
  Int exponent;  ///< n << mantissa_bits
  Fp high;
  Fp tail;
};

/// x is finite or NaN, and small enough for n to fit the exponent field as a signed number.
ReducedExp ReduceExp(Emitter& e, Fp x);

}  // namespace reel::codegen::math::internal

#endif  // REEL_CODEGEN_MATH_COMMON_H_
