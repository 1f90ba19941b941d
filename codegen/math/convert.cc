// Maximum, minimum and saturating conversion: LLVM's own intrinsics have the meaning we want and
// lower to a handful of instructions on every x86-64 level (max, compare, blend), without calls.
// f16 and bf16 are i16 in registers: LLVM would call functions for them on targets without F16C.
#include "codegen/math/math.h"

namespace reel::codegen::math {
namespace {

using llvm::Value;
using Builder = llvm::IRBuilderBase;

llvm::Type* With(Value* x, llvm::Type* element) { return x->getType()->getWithNewType(element); }
llvm::Constant* IntOf(Value* like, uint64_t value) { return llvm::ConstantInt::get(like->getType(), value); }

/// x (f64) as f32, rounded to odd: where bits are lost the last one is set, so that rounding once
/// more to at most 22 bits gives what rounding x would.
Value* RoundToOdd(Builder& b, Value* x) {
  Value* nearest = b.CreateFPTrunc(x, With(x, b.getFloatTy()));
  Value* back = b.CreateFPExt(nearest, x->getType());
  Value* above = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                 b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  Value* bits = b.CreateBitCast(nearest, With(x, b.getInt32Ty()));
  Value* truncated = b.CreateSub(bits, b.CreateZExt(above, bits->getType()));
  Value* odd = b.CreateOr(truncated, IntOf(bits, 1));
  return b.CreateBitCast(b.CreateSelect(b.CreateFCmpONE(back, x), odd, bits), nearest->getType());
}

/// f32 bits to f16 bits in integers: rounding is an addition below the bits that stay; a denormal
/// result is rounded by the addition of 0.5, whose unit in the last place is the smallest denormal.
Value* RoundToF16(Builder& b, Value* bits) {
  Value* sign = b.CreateAnd(b.CreateLShr(bits, 16), IntOf(bits, 0x8000));
  Value* magnitude = b.CreateAnd(bits, IntOf(bits, 0x7FFFFFFF));
  Value* lowest_kept = b.CreateAnd(b.CreateLShr(magnitude, 13), IntOf(bits, 1));
  Value* rounded = b.CreateAdd(b.CreateAdd(magnitude, IntOf(bits, 0xFFF)), lowest_kept);
  Value* normal = b.CreateLShr(b.CreateSub(rounded, IntOf(bits, uint64_t{127 - 15} << 23)), 13);
  llvm::Type* f32 = With(bits, b.getFloatTy());
  llvm::Constant* half = llvm::ConstantFP::get(f32, 0.5);
  Value* shifted = b.CreateFAdd(b.CreateBitCast(magnitude, f32), half);
  Value* sum = b.CreateBitCast(shifted, bits->getType());
  Value* denormal = b.CreateSub(sum, IntOf(bits, 0x3F000000));
  Value* is_nan = b.CreateICmpUGT(magnitude, IntOf(bits, 0x7F800000));
  Value* special = b.CreateSelect(is_nan, IntOf(bits, 0x7E00), IntOf(bits, 0x7C00));
  Value* is_small = b.CreateICmpULT(magnitude, IntOf(bits, 0x38800000));  // below 2^-14
  Value* is_large = b.CreateICmpUGE(magnitude, IntOf(bits, 0x47800000));  // 2^16 and up
  return b.CreateOr(sign, b.CreateSelect(is_large, special, b.CreateSelect(is_small, denormal, normal)));
}

Value* RoundToBf16(Builder& b, Value* bits) {
  Value* magnitude = b.CreateAnd(bits, IntOf(bits, 0x7FFFFFFF));
  Value* lowest_kept = b.CreateAnd(b.CreateLShr(bits, 16), IntOf(bits, 1));
  Value* rounded = b.CreateAdd(b.CreateAdd(bits, IntOf(bits, 0x7FFF)), lowest_kept);
  Value* is_nan = b.CreateICmpUGT(magnitude, IntOf(bits, 0x7F800000));
  return b.CreateSelect(is_nan, IntOf(bits, 0x7FC0), b.CreateLShr(rounded, 16));
}

/// f16 bits to f32 in integers: the exponent is rebiased by an exact multiplication, which also
/// normalises.
Value* WidenF16(Builder& b, Value* x) {
  Value* bits = b.CreateZExt(x, With(x, b.getInt32Ty()));
  llvm::Type* f32 = With(x, b.getFloatTy());
  Value* sign = b.CreateShl(b.CreateAnd(bits, IntOf(bits, 0x8000)), 16);
  Value* magnitude = b.CreateShl(b.CreateAnd(bits, IntOf(bits, 0x7FFF)), 13);
  llvm::Constant* rebias = llvm::ConstantFP::get(f32, 0x1p112);
  Value* scaled = b.CreateFMul(b.CreateBitCast(magnitude, f32), rebias);
  Value* special = b.CreateICmpUGE(magnitude, IntOf(bits, 0x0F800000));
  Value* finite = b.CreateBitCast(scaled, bits->getType());
  Value* widened = b.CreateSelect(special, b.CreateOr(magnitude, IntOf(bits, 0x7F800000)), finite);
  return b.CreateBitCast(b.CreateOr(widened, sign), f32);
}

}  // namespace

llvm::Value* EmitWidenHalf(llvm::IRBuilderBase& b, llvm::Value* x, bool is_bf16, bool has_f16c) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Type* f32 = With(x, b.getFloatTy());
  if (is_bf16) {
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(x, With(x, b.getInt32Ty())), 16), f32);
  }
  if (has_f16c) return b.CreateFPExt(b.CreateBitCast(x, With(x, b.getHalfTy())), f32);
  return WidenF16(b, x);
}

llvm::Value* EmitRoundToHalf(llvm::IRBuilderBase& b, llvm::Value* x, bool is_bf16, bool has_f16c) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Type* i16 = With(x, b.getInt16Ty());
  if (x->getType()->getScalarType()->isDoubleTy()) x = RoundToOdd(b, x);
  if (!is_bf16 && has_f16c) return b.CreateBitCast(b.CreateFPTrunc(x, With(x, b.getHalfTy())), i16);
  Value* bits = b.CreateBitCast(x, With(x, b.getInt32Ty()));
  return b.CreateTrunc(is_bf16 ? RoundToBf16(b, bits) : RoundToF16(b, bits), i16);
}

llvm::Value* EmitMaximum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateIntrinsic(llvm::Intrinsic::maximum, {x->getType()}, {x, y});
}

llvm::Value* EmitMinimum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateIntrinsic(llvm::Intrinsic::minimum, {x->getType()}, {x, y});
}

llvm::Value* EmitFloatToIntSaturate(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Type* to, bool is_unsigned) {
  llvm::Type* result = x->getType()->getWithNewType(to->getScalarType());
  const auto saturate = is_unsigned ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
  return b.CreateIntrinsic(saturate, {result, x->getType()}, {x});
}

}  // namespace reel::codegen::math
