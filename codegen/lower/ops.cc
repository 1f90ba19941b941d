#include "codegen/lower/ops.h"

#include <cmath>

#include "codegen/lower/lower.h"
#include "codegen/math/math.h"
#include "ir/strings.h"
#include "runtime/philox.h"

namespace reel::codegen {
namespace {

using llvm::Value;

using Builder = llvm::IRBuilderBase;

Value* Unary(Builder& b, llvm::Intrinsic::ID id, Value* x) { return b.CreateUnaryIntrinsic(id, x); }

/// a / b truncated toward zero; x/0 = 0 and MIN/-1 = MIN. The divisor is 1 where it would trap.
Value* IntDiv(Builder& b, DType dtype, Value* x, Value* y) {
  llvm::Type* type = x->getType();
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  llvm::Constant* one = llvm::ConstantInt::get(type, 1);
  if (IsUnsigned(dtype)) {
    Value* by_zero = b.CreateICmpEQ(y, zero);
    return b.CreateSelect(by_zero, zero, b.CreateUDiv(x, b.CreateSelect(by_zero, one, y)));
  }
  llvm::Constant* lowest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
  Value* by_zero = b.CreateICmpEQ(y, zero);
  Value* overflow = b.CreateAnd(b.CreateICmpEQ(x, lowest), b.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(type)));
  Value* safe = b.CreateSelect(b.CreateOr(by_zero, overflow), one, y);
  return b.CreateSelect(by_zero, zero, b.CreateSDiv(x, safe));
}

/// a - b (a / b): x rem 0 = 0 and MIN rem -1 = 0. The divisor is 1, whose remainder is 0, there.
Value* IntRem(Builder& b, DType dtype, Value* x, Value* y) {
  llvm::Type* type = y->getType();
  llvm::Constant* one = llvm::ConstantInt::get(type, 1);
  if (IsUnsigned(dtype)) {
    Value* by_zero = b.CreateICmpEQ(y, llvm::Constant::getNullValue(type));
    return b.CreateURem(x, b.CreateSelect(by_zero, one, y));
  }
  Value* unusual = b.CreateICmpULE(b.CreateAdd(y, one), one);  // -1 or 0
  return b.CreateSRem(x, b.CreateSelect(unusual, one, y));
}

/// Logical shift; 0 where the count is negative or not below the width.
Value* Shift(Builder& b, ir::Op op, Value* x, Value* count) {
  llvm::Type* type = x->getType();
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  Value* in_range = b.CreateICmpULT(count, llvm::ConstantInt::get(type, type->getScalarSizeInBits()));
  Value* safe = b.CreateSelect(in_range, count, zero);
  Value* shifted = op == ir::Op::kShiftLeft ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
  return b.CreateSelect(in_range, shifted, zero);
}

/// -1, 0 or 1; x itself for +-0 and NaN.
Value* Sign(Builder& b, DType dtype, Value* x) {
  llvm::Type* type = x->getType();
  if (IsFloat(dtype)) {
    llvm::Constant* zero = llvm::ConstantFP::get(type, 0.0);
    Value* rest = b.CreateSelect(b.CreateFCmpOLT(x, zero), llvm::ConstantFP::get(type, -1.0), x);
    return b.CreateSelect(b.CreateFCmpOGT(x, zero), llvm::ConstantFP::get(type, 1.0), rest);
  }
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  if (IsUnsigned(dtype)) return b.CreateZExt(b.CreateICmpNE(x, zero), type);
  Value* rest = b.CreateSelect(b.CreateICmpSLT(x, zero), llvm::Constant::getAllOnesValue(type), zero);
  return b.CreateSelect(b.CreateICmpSGT(x, zero), llvm::ConstantInt::get(type, 1), rest);
}

/// A 64-bit integer where a conversion to f64 that drops low bits keeps whether there were any: then
/// rounding the f64 once more is right.
Value* WithStickyBit(Builder& b, Value* x) {
  const auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(x->getType(), value); };
  constexpr uint64_t kDropped = (1 << 11) - 1;
  Value* is_exact = b.CreateICmpULT(b.CreateAdd(x, constant(uint64_t{1} << 52)), constant(uint64_t{1} << 53));
  Value* any = b.CreateICmpNE(b.CreateAnd(x, constant(kDropped)), constant(0));
  Value* sticky = b.CreateShl(b.CreateZExt(any, x->getType()), 11);
  return b.CreateSelect(is_exact, x, b.CreateOr(b.CreateAnd(x, constant(~kDropped)), sticky));
}

// EmitFloatToIntSaturate of lanes, to signed integers of at least 32 bits: LLVM takes these apart, one by one.
Value* LanesToInt(Builder& b, Value* x, llvm::Type* type) {
  const auto bits = static_cast<int>(type->getScalarSizeInBits());
  const double end = std::ldexp(1.0, bits - 1);
  Value *high = llvm::ConstantFP::get(x->getType(), end), *low = llvm::ConstantFP::get(x->getType(), -end);
  Value *above = b.CreateFCmpOGE(x, high), *below = b.CreateFCmpOLT(x, low);
  Value* inside = b.CreateAnd(b.CreateFCmpOLT(x, high), b.CreateFCmpOGE(x, low));  // NaN is not, and becomes 0
  Value* whole = b.CreateFPToSI(b.CreateSelect(inside, x, llvm::Constant::getNullValue(x->getType())), type);
  const auto limit = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(type, value); };
  const auto width = static_cast<unsigned>(bits);
  whole = b.CreateSelect(above, limit(llvm::APInt::getSignedMaxValue(width)), whole);
  return b.CreateSelect(below, limit(llvm::APInt::getSignedMinValue(width)), whole);
}

Value* Cast(Builder& b, DType from, DType to, Value* x, const Target& target) {
  if (from == to) return x;
  if (IsHalf(from)) {
    Value* wide = math::EmitWidenHalf(b, x, from == kBFloat16, target.has_f16c);
    return Cast(b, kFloat32, to, wide, target);
  }
  if (IsHalf(to)) {
    const bool is_wide = IsInteger(from) && SizeOf(from) == 8;
    if (!IsFloat(from)) x = Cast(b, from, kFloat64, is_wide ? WithStickyBit(b, x) : x, target);
    return math::EmitRoundToHalf(b, x, to == kBFloat16, target.has_f16c);
  }
  llvm::Type* type = x->getType()->getWithNewType(RegisterType(b.getContext(), to));
  if (to == kBool) {
    llvm::Constant* zero = llvm::Constant::getNullValue(x->getType());
    return IsFloat(from) ? b.CreateFCmpUNE(x, zero) : b.CreateICmpNE(x, zero);
  }
  if (IsFloat(from)) {
    const bool lanes = type->isVectorTy() && !IsUnsigned(to) && SizeOf(to) >= 4;
    if (lanes && !IsFloat(to)) return LanesToInt(b, x, type);
    if (!IsFloat(to)) return math::EmitFloatToIntSaturate(b, x, type, IsUnsigned(to));
    return to == kFloat64 ? b.CreateFPExt(x, type) : b.CreateFPTrunc(x, type);
  }
  if (from == kBool || IsUnsigned(from)) {
    return IsFloat(to) ? b.CreateUIToFP(x, type) : b.CreateZExtOrTrunc(x, type);
  }
  return IsFloat(to) ? b.CreateSIToFP(x, type) : b.CreateSExtOrTrunc(x, type);
}

Value* Compare(Builder& b, ir::Op op, DType dtype, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  P floats = P::FCMP_OEQ, ints = P::ICMP_EQ;
  const bool is_unsigned = IsUnsigned(dtype);
  switch (op) {
    case ir::Op::kNotEqual: floats = P::FCMP_UNE, ints = P::ICMP_NE; break;
    case ir::Op::kLess: floats = P::FCMP_OLT, ints = is_unsigned ? P::ICMP_ULT : P::ICMP_SLT; break;
    case ir::Op::kLessEqual: floats = P::FCMP_OLE, ints = is_unsigned ? P::ICMP_ULE : P::ICMP_SLE; break;
    case ir::Op::kGreater: floats = P::FCMP_OGT, ints = is_unsigned ? P::ICMP_UGT : P::ICMP_SGT; break;
    case ir::Op::kGreaterEqual: floats = P::FCMP_OGE, ints = is_unsigned ? P::ICMP_UGE : P::ICMP_SGE; break;
    default: break;
  }
  return b.CreateCmp(IsFloat(dtype) ? floats : ints, x, y);
}

Value* Larger(Builder& b, DType dtype, Value* x, Value* y) {
  if (IsFloat(dtype)) return math::EmitMaximum(b, x, y);
  if (dtype == kBool) return b.CreateOr(x, y);
  return b.CreateBinaryIntrinsic(IsUnsigned(dtype) ? llvm::Intrinsic::umax : llvm::Intrinsic::smax, x, y);
}

Value* Smaller(Builder& b, DType dtype, Value* x, Value* y) {
  if (IsFloat(dtype)) return math::EmitMinimum(b, x, y);
  if (dtype == kBool) return b.CreateAnd(x, y);
  return b.CreateBinaryIntrinsic(IsUnsigned(dtype) ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, x, y);
}

Value* EmitUnary(Builder& b, ir::Op op, DType dtype, Value* x, const math::MathOptions& options) {
  switch (op) {
    case ir::Op::kIdentity:
    case ir::Op::kStopGradient: return x;
    case ir::Op::kNeg: return IsFloat(dtype) ? b.CreateFNeg(x) : b.CreateNeg(x);
    case ir::Op::kAbs:
      if (IsFloat(dtype)) return Unary(b, llvm::Intrinsic::fabs, x);
      if (IsUnsigned(dtype)) return x;
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse());
    case ir::Op::kSign: return Sign(b, dtype, x);
    case ir::Op::kFloor: return Unary(b, llvm::Intrinsic::floor, x);
    case ir::Op::kCeil: return Unary(b, llvm::Intrinsic::ceil, x);
    case ir::Op::kSqrt: return Unary(b, llvm::Intrinsic::sqrt, x);
    case ir::Op::kRound: return Unary(b, llvm::Intrinsic::roundeven, x);
    case ir::Op::kTrunc: return Unary(b, llvm::Intrinsic::trunc, x);
    case ir::Op::kErfc: return math::EmitErfc(b, x, options);
    case ir::Op::kErfInv: return math::EmitErfInv(b, x, options);
    case ir::Op::kErfcInv: return math::EmitErfcInv(b, x, options);
    case ir::Op::kLgamma: return math::EmitLgamma(b, x, options);
    case ir::Op::kDigamma: return math::EmitDigamma(b, x, options);
    case ir::Op::kNot: return b.CreateNot(x);
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) \
  case ir::Op::k##Enum: return math::Emit##Enum(b, x, options);
#include "ir/ops.def"
#undef OP
    default: return nullptr;
  }
}

Value* EmitBinary(Builder& b, ir::Op op, DType dtype, Value* x, Value* y, const math::MathOptions& options) {
  const bool is_float = IsFloat(dtype);
  switch (op) {
    case ir::Op::kAdd: return is_float ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
    case ir::Op::kSub: return is_float ? b.CreateFSub(x, y) : b.CreateSub(x, y);
    case ir::Op::kMul: return is_float ? b.CreateFMul(x, y) : b.CreateMul(x, y);
    case ir::Op::kDiv: return is_float ? b.CreateFDiv(x, y) : IntDiv(b, dtype, x, y);
    case ir::Op::kRem: return is_float ? math::EmitRem(b, x, y, options) : IntRem(b, dtype, x, y);
    case ir::Op::kPow: return math::EmitPow(b, x, y, options);
    case ir::Op::kAtan2: return math::EmitAtan2(b, x, y, options);
    case ir::Op::kMax: return Larger(b, dtype, x, y);
    case ir::Op::kMin: return Smaller(b, dtype, x, y);
    case ir::Op::kNextAfter: return math::EmitNextAfter(b, x, y);
    case ir::Op::kAnd: return b.CreateAnd(x, y);
    case ir::Op::kOr: return b.CreateOr(x, y);
    case ir::Op::kXor: return b.CreateXor(x, y);
    case ir::Op::kShiftLeft:
    case ir::Op::kShiftRight: return Shift(b, op, x, y);
    case ir::Op::kEqual:
    case ir::Op::kNotEqual:
    case ir::Op::kLess:
    case ir::Op::kLessEqual:
    case ir::Op::kGreater:
    case ir::Op::kGreaterEqual: return Compare(b, op, dtype, x, y);
    case ir::Op::kIgamma: return math::EmitIgamma(b, x, y, options);
    case ir::Op::kIgammac: return math::EmitIgammac(b, x, y, options);
    case ir::Op::kZeta: return math::EmitZeta(b, x, y, options);
    case ir::Op::kPolygamma: return math::EmitPolygamma(b, x, y, options);
    default: return nullptr;
  }
}

/// Low 32 bits and high 32 bits of an i64.
Value* Low32(Builder& b, Value* x) { return b.CreateTrunc(x, x->getType()->getWithNewBitWidth(32)); }
Value* High32(Builder& b, Value* x) { return Low32(b, b.CreateLShr(x, 32)); }

/// The sum of the products of two bf16 each, the high halves' first. `as_dot`: as one instruction.
Value* EmitPair(Builder& b, bool as_dot, Value* sum, Value* x, Value* y) {
  if (as_dot) {
    auto* halves = llvm::FixedVectorType::get(b.getBFloatTy(), 32);
    auto* type = llvm::FunctionType::get(sum->getType(), {sum->getType(), halves, halves}, false);
    llvm::FunctionCallee dot =
        b.GetInsertBlock()->getModule()->getOrInsertFunction("llvm.x86.avx512bf16.dpbf16ps.512", type);
    return b.CreateCall(dot, {sum, b.CreateBitCast(x, halves), b.CreateBitCast(y, halves)});
  }
  llvm::Constant* high_bits = llvm::ConstantInt::get(x->getType(), 0xFFFF0000u);
  const auto high = [&](Value* v) { return b.CreateBitCast(b.CreateAnd(v, high_bits), sum->getType()); };
  const auto low = [&](Value* v) { return b.CreateBitCast(b.CreateShl(v, 16), sum->getType()); };
  const auto fma = [&](Value* p, Value* q, Value* r) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {r->getType()}, {p, q, r});
  };
  return fma(low(x), low(y), fma(high(x), high(y), sum));
}

}  // namespace

llvm::Type* RegisterType(llvm::LLVMContext& context, DType dtype) {
  switch (dtype) {
    case kBool: return llvm::Type::getInt1Ty(context);
    case kFloat32: return llvm::Type::getFloatTy(context);
    case kFloat64: return llvm::Type::getDoubleTy(context);
    case kComplex64:
    case kComplex128: return nullptr;
    default: return llvm::Type::getIntNTy(context, static_cast<unsigned>(8 * SizeOf(dtype)));
  }
}

llvm::Type* MemoryType(llvm::LLVMContext& context, DType dtype) {
  return dtype == kBool ? llvm::Type::getInt8Ty(context) : RegisterType(context, dtype);
}

llvm::Constant* ConstantOf(llvm::LLVMContext& context, DType dtype, uint64_t bits) {
  llvm::Type* type = RegisterType(context, dtype);
  switch (dtype) {
    case kBool: return llvm::ConstantInt::getBool(context, (bits & 0xFF) != 0);
    case kFloat32:
      return llvm::ConstantFP::get(type,
                                   llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xFFFFFFFFu)));
    case kFloat64:
      return llvm::ConstantFP::get(type, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
    default: return llvm::ConstantInt::get(type, bits & (~uint64_t{0} >> (64 - 8 * SizeOf(dtype))));
  }
}

namespace {

math::MathOptions MathOptionsOf(const Target& target) { return {target.has_fma, target.has_scale, target.has_permute}; }

}  // namespace

Value* EmitOp(Builder& b, ir::Op op, DType from, DType to, llvm::ArrayRef<Value*> operands, const Target& target) {
  switch (operands.size()) {
    case 1:
      if (op == ir::Op::kCast) return Cast(b, from, to, operands[0], target);
      if (op == ir::Op::kBitcast) {
        llvm::Type* bits = RegisterType(b.getContext(), to);
        return b.CreateBitCast(operands[0], operands[0]->getType()->getWithNewType(bits));
      }
      return EmitUnary(b, op, from, operands[0], MathOptionsOf(target));
    case 2: return EmitBinary(b, op, from, operands[0], operands[1], MathOptionsOf(target));
    case 3:
      if (op == ir::Op::kBetainc) {
        return math::EmitBetainc(b, operands[0], operands[1], operands[2], MathOptionsOf(target));
      }
      if (op != ir::Op::kSelect) return nullptr;
      return b.CreateSelect(operands[0], operands[1], operands[2]);
    default: return nullptr;
  }
}

bool IsLong(ir::Op op) {
  switch (op) {
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) case ir::Op::k##Enum:
#include "ir/ops.def"
#undef OP
    case ir::Op::kPow:
    case ir::Op::kAtan2:
    case ir::Op::kRem:
    case ir::Op::kErfc:
    case ir::Op::kErfInv:
    case ir::Op::kErfcInv: return true;
    default: return false;
  }
}

Value* EmitOpCall(Builder& b, ir::Op op, DType from, DType to, llvm::ArrayRef<Value*> operands, const Target& target) {
  llvm::Function* caller = b.GetInsertBlock()->getParent();
  llvm::Module* module = caller->getParent();
  llvm::Type* type = operands[0]->getType();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  const std::string symbol =
      StrCat("reel.op.", ir::Name(op), ".", Name(from), ".", Name(to), ".", vector ? vector->getNumElements() : 1);
  llvm::Function* function = module->getFunction(symbol);
  if (function == nullptr) {
    const llvm::SmallVector<llvm::Type*, 3> parameters(operands.size(), type);
    llvm::Type* result = type->getWithNewType(RegisterType(b.getContext(), to));
    function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                      llvm::Function::InternalLinkage, symbol, module);
    SetFunctionAttributes(function, target);
    llvm::IRBuilder<> inside(llvm::BasicBlock::Create(b.getContext(), "entry", function));
    llvm::SmallVector<Value*, 3> arguments;
    for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
    Value* value = EmitOp(inside, op, from, to, arguments, target);
    if (value == nullptr) return function->eraseFromParent(), nullptr;
    inside.CreateRet(value);
  }
  return b.CreateCall(function, operands);
}

Value* EmitCombine(Builder& b, Combine combine, DType dtype, Value* old, Value* x, Value* y, const Target& target) {
  const bool is_float = IsFloat(dtype);
  switch (combine) {
    case Combine::kFmaPair:
    case Combine::kDotPair: return EmitPair(b, combine == Combine::kDotPair, old, x, y);
    // What depends on the first operand's sign alone is not in the chain of dependent operations.
    case Combine::kMax: return Larger(b, dtype, x, old);
    case Combine::kMin: return Smaller(b, dtype, x, old);
    case Combine::kSum: return is_float ? b.CreateFAdd(old, x) : b.CreateAdd(old, x);
    case Combine::kProd: return is_float ? b.CreateFMul(old, x) : b.CreateMul(old, x);
    case Combine::kSet: return x;
    case Combine::kFma: break;
  }
  if (!is_float) return b.CreateAdd(old, b.CreateMul(x, y));
  if (!target.has_fma) return b.CreateFAdd(old, b.CreateFMul(x, y));
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, old});
}

// Of negative numbers all bits but the sign turn around.
Value* TurnNegative(Builder& b, Value* bits) {
  const unsigned width = bits->getType()->getScalarSizeInBits();
  Value* magnitude = llvm::ConstantInt::get(bits->getType(), llvm::APInt::getSignedMaxValue(width));
  return b.CreateXor(bits, b.CreateAnd(b.CreateAShr(bits, width - 1), magnitude));
}

Value* ToOrdered(Builder& b, Combine combine, Value* x) {
  Value* nan = llvm::ConstantFP::getNaN(x->getType(), combine == Combine::kMin);
  llvm::Type* bits = x->getType()->getWithNewType(b.getIntNTy(x->getType()->getScalarSizeInBits()));
  return TurnNegative(b, b.CreateBitCast(b.CreateSelect(b.CreateFCmpUNO(x, x), nan, x), bits));
}

Value* FromOrdered(Builder& b, Value* ordered, llvm::Type* type) {
  return b.CreateBitCast(TurnNegative(b, ordered), type);
}

Value* EmitRandom(Builder& b, Value* key, Value* counter, Value* element) {
  llvm::Type* wide = element->getType();
  llvm::Type* narrow = wide->getWithNewBitWidth(32);
  auto constant = [&](llvm::Type* type, uint32_t x) { return llvm::ConstantInt::get(type, x); };
  Value* block = b.CreateAdd(counter, b.CreateLShr(element, 2));
  Value* k0 = Low32(b, key);
  Value* k1 = High32(b, key);
  Value* c[4] = {Low32(b, block), High32(b, block), constant(narrow, 0), constant(narrow, 0)};
  for (int round = 0; round < runtime::kPhiloxRounds; ++round) {
    Value* product0 = b.CreateMul(b.CreateZExt(c[0], wide), constant(wide, runtime::kPhiloxMultiplier0));
    Value* product1 = b.CreateMul(b.CreateZExt(c[2], wide), constant(wide, runtime::kPhiloxMultiplier1));
    Value* next0 = b.CreateXor(b.CreateXor(High32(b, product1), c[1]), k0);
    Value* next2 = b.CreateXor(b.CreateXor(High32(b, product0), c[3]), k1);
    c[0] = next0, c[1] = Low32(b, product1), c[2] = next2, c[3] = Low32(b, product0);
    k0 = b.CreateAdd(k0, constant(narrow, runtime::kPhiloxIncrement0));
    k1 = b.CreateAdd(k1, constant(narrow, runtime::kPhiloxIncrement1));
  }
  Value* lane = Low32(b, element);
  Value* odd = b.CreateICmpNE(b.CreateAnd(lane, constant(narrow, 1)), constant(narrow, 0));
  Value* upper = b.CreateICmpNE(b.CreateAnd(lane, constant(narrow, 2)), constant(narrow, 0));
  return b.CreateSelect(upper, b.CreateSelect(odd, c[3], c[2]), b.CreateSelect(odd, c[1], c[0]));
}

}  // namespace reel::codegen
