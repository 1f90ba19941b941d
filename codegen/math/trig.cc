#include "codegen/math/trig.h"

#include <limits>

namespace reel::codegen::math::internal {

namespace {

// Largest |x| of the Cody-Waite path. Without FMA n times a short part of pi/2 must be exact.
double CodyWaiteLimit(const Emitter& e) {
  if (e.has_fma()) return e.Pick(0x1p16, 0x1p22);
  return e.Pick(0x1p10, 0x1p20);
}

// With FMA: x - n p0 is exact (it fits the format) and a multiple of ulp(n p1), so the pair sums
// are exact also where x - n p0 is the smaller one.
Pair SubtractMultiple(Emitter& e, Fp x, Fp n) {
  if (e.has_fma()) {
    const Fp p1 = e.Const(-e.Pick(kPio2Fma1_f32, kPio2Fma1_f64));
    const Fp first = e.Fma(n, -e.Pick(kPio2Fma0_f32, kPio2Fma0_f64), x);
    const Fp product = n * p1;
    const Pair sum = e.FastTwoSum(first, product);
    const Fp rest = e.Fma(n, -e.Pick(kPio2Fma2_f32, kPio2Fma2_f64), e.ProductError(n, p1, product));
    return {sum.hi, sum.lo + rest};
  }
  const Fp first = x - n * e.Pick(kPio2Short0_f32, kPio2Short0_f64);
  const Pair second = e.FastTwoSum(first, n * -e.Pick(kPio2Short1_f32, kPio2Short1_f64));
  const Pair third = e.TwoSum(second.hi, n * -e.Pick(kPio2Short2_f32, kPio2Short2_f64));
  const Fp rest = n * -e.Pick(kPio2Short3_f32, kPio2Short3_f64);
  return e.FastTwoSum(third.hi, (second.lo + third.lo) + rest);
}

ReducedAngle ReduceSmallAngle(Emitter& e, Fp size) {
  const Emitter::Rounded n = e.RoundProduct(size, e.Pick(kTwoOverPi_f32, kTwoOverPi_f64));
  return {n.bits, SubtractMultiple(e, size, n.value)};
}

// The private table of the bits of 2/pi in the module being emitted.
llvm::GlobalVariable* TwoOverPiTable(llvm::Module& module) {
  constexpr char kName[] = "reel.math.two_over_pi";
  if (llvm::GlobalVariable* table = module.getNamedGlobal(kName)) return table;
  llvm::SmallVector<uint64_t, 24> words(std::begin(kTwoOverPiWords), std::end(kTwoOverPiWords));
  llvm::Constant* data = llvm::ConstantDataArray::get(module.getContext(), words);
  auto* table = new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                         llvm::GlobalValue::PrivateLinkage, data, kName);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  table->setAlignment(llvm::Align(8));
  return table;
}

// |x| 2/pi modulo 4 as a 128-bit fixed point number with 126 fraction bits.
struct FixedPoint {
  llvm::Value* hi;  // i64
  llvm::Value* lo;  // i64
};

// |x| = M 2^E. Bits of 2/pi of weight 2^-(E-2) and above give multiples of 4; the next 192 times M,
// modulo 2^192, are the wanted fraction to 2^-137, and no float is closer than 2^-62 to a multiple
// of pi/2.
FixedPoint MultiplyTwoOverPi(Emitter& e, Fp size) {
  llvm::IRBuilderBase& b = e.builder();
  llvm::Type* i64 = b.getInt64Ty();
  llvm::Type* i128 = b.getInt128Ty();
  const unsigned shift = e.mantissa_bits();
  const uint64_t implicit = uint64_t{1} << shift;
  llvm::Value* bits = b.CreateZExt(e.Bits(size).v, i64);
  llvm::Value* mantissa = b.CreateOr(b.CreateAnd(bits, implicit - 1), implicit);
  mantissa = b.CreateZExt(mantissa, i128);
  // The table starts with 64 zeros: skip E - 2 + 64 bits, E = field - bias - shift.
  llvm::Value* field = b.CreateLShr(bits, shift);
  llvm::Value* skip = b.CreateSub(field, b.getInt64(static_cast<uint64_t>(e.bias()) + shift + 2 - 64));
  llvm::Value* word = b.CreateLShr(skip, 6);
  llvm::Value* offset = b.CreateAnd(skip, 63);
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Value* start = b.CreateGEP(i64, TwoOverPiTable(module), word);
  llvm::Value* raw[4];
  for (unsigned i = 0; i < 4; ++i) {
    raw[i] = b.CreateAlignedLoad(i64, b.CreateConstGEP1_64(i64, start, i), llvm::Align(8));
  }
  llvm::Value* product[3];
  for (unsigned i = 0; i < 3; ++i) {
    llvm::Value* window = b.CreateIntrinsic(llvm::Intrinsic::fshl, {i64}, {raw[i], raw[i + 1], offset});
    product[i] = b.CreateMul(mantissa, b.CreateZExt(window, i128));
  }
  llvm::Value* sum = b.CreateAdd(product[1], b.CreateLShr(product[2], 64));
  llvm::Value* top = b.CreateTrunc(product[0], i64);
  return {b.CreateAdd(top, b.CreateTrunc(b.CreateLShr(sum, 64), i64)), b.CreateTrunc(sum, i64)};
}

// f32: 62 fraction bits are plenty; one product in double, split into two floats.
Pair FractionToRadiansF32(Emitter& e, llvm::Value* fraction) {
  llvm::IRBuilderBase& b = e.builder();
  llvm::Type* f64 = b.getDoubleTy();
  const double unit = kPio2Fma0_f64 * 0x1p-62;
  llvm::Value* r = b.CreateFMul(b.CreateSIToFP(fraction, f64), llvm::ConstantFP::get(f64, unit));
  llvm::Value* hi = b.CreateFPTrunc(r, e.type());
  llvm::Value* lo = b.CreateFSub(r, b.CreateFPExt(hi, f64));
  return {e.Wrap(hi), e.Wrap(b.CreateFPTrunc(lo, e.type()))};
}

// f64: normalise |fraction| to a = top 53 bits in [2, 4) and c = the next 53, times pi/2 as a pair,
// times 2^-leading_zeros with the sign.
Pair FractionToRadiansF64(Emitter& e, llvm::Value* hi, llvm::Value* lo) {
  llvm::IRBuilderBase& b = e.builder();
  llvm::Type* i64 = b.getInt64Ty();
  llvm::Type* i128 = b.getInt128Ty();
  llvm::Value* all = b.CreateOr(b.CreateShl(b.CreateZExt(hi, i128), 64), b.CreateZExt(lo, i128));
  llvm::Value* negative = b.CreateICmpSLT(hi, b.getInt64(0));
  all = b.CreateSelect(negative, b.CreateNeg(all), all);
  llvm::Value* zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {i128}, {all, b.getTrue()});
  all = b.CreateShl(all, zeros);
  llvm::Value* top = b.CreateTrunc(b.CreateLShr(all, 75), i64);
  llvm::Value* next = b.CreateAnd(b.CreateTrunc(b.CreateLShr(all, 22), i64), (1ull << 53) - 1);
  const Fp a = e.Wrap(b.CreateSIToFP(top, e.type())) * 0x1p-51;
  const Fp c = e.Wrap(b.CreateSIToFP(next, e.type())) * 0x1p-104;

  const Fp half_pi = e.Const(kPio2Fma0_f64);
  const Fp product = a * half_pi;
  const Fp low = e.ProductError(a, half_pi, product) + (a * kPio2Fma1_f64 + c * half_pi);
  const Pair r = e.FastTwoSum(product, low);
  llvm::Value* exponent = b.CreateSub(b.getInt64(1023), b.CreateTrunc(zeros, i64));
  llvm::Value* sign = b.CreateShl(b.CreateZExt(negative, i64), 63);
  const Fp scale = e.FromBits({&e, b.CreateOr(b.CreateShl(exponent, 52), sign)});
  return {r.hi * scale, r.lo * scale};
}

// Overwrites the elements of `angle` beyond the limit; runs in a block of its own.
class LargeAngleLoop {
 public:
  LargeAngleLoop(Emitter& e, unsigned width) : e_(e), b_(e.builder()), width_(width) {
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    llvm::BasicBlock& entry = function->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    size_ = top.CreateAlloca(e.type());
    hi_ = top.CreateAlloca(e.type());
    lo_ = top.CreateAlloca(e.type());
    quadrant_ = top.CreateAlloca(e.int_type());
  }

  ReducedAngle Emit(Fp size, const ReducedAngle& angle) {
    b_.CreateStore(size.v, size_);
    b_.CreateStore(angle.r.hi.v, hi_);
    b_.CreateStore(angle.r.lo.v, lo_);
    b_.CreateStore(angle.quadrant.v, quadrant_);
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    llvm::LLVMContext& context = b_.getContext();
    llvm::BasicBlock* before = b_.GetInsertBlock();
    auto* head = llvm::BasicBlock::Create(context, "angle.head", function);
    auto* body = llvm::BasicBlock::Create(context, "angle.large", function);
    auto* next = llvm::BasicBlock::Create(context, "angle.next", function);
    auto* done = llvm::BasicBlock::Create(context, "angle.done", function);
    b_.CreateBr(head);

    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(b_.getInt64(0), before);
    EmitElement(i, body, next);

    b_.SetInsertPoint(next);
    llvm::Value* following = b_.CreateAdd(i, b_.getInt64(1));
    i->addIncoming(following, next);
    b_.CreateCondBr(b_.CreateICmpEQ(following, b_.getInt64(width_)), done, head);

    b_.SetInsertPoint(done);
    const Int quadrant{&e_, b_.CreateLoad(e_.int_type(), quadrant_)};
    const Fp hi = e_.Wrap(b_.CreateLoad(e_.type(), hi_));
    const Fp lo = e_.Wrap(b_.CreateLoad(e_.type(), lo_));
    return {quadrant, {hi, lo}};
  }

 private:
  llvm::Value* Element(llvm::Value* array, llvm::Type* type, llvm::Value* i) { return b_.CreateGEP(type, array, i); }

  // Element i: in place if limit < size < inf.
  void EmitElement(llvm::Value* i, llvm::BasicBlock* body, llvm::BasicBlock* next) {
    Emitter scalar(b_, e_.type()->getScalarType(), e_.options());
    const Fp size = scalar.Wrap(b_.CreateLoad(scalar.type(), Element(size_, scalar.type(), i)));
    llvm::Value* large = b_.CreateAnd(Greater(size, scalar.Const(CodyWaiteLimit(scalar))).v,
                                      Less(size, scalar.Const(std::numeric_limits<double>::infinity())).v);
    b_.CreateCondBr(large, body, next);

    b_.SetInsertPoint(body);
    const ReducedAngle angle = ReduceLargeAngle(scalar, size);
    b_.CreateStore(angle.r.hi.v, Element(hi_, scalar.type(), i));
    b_.CreateStore(angle.r.lo.v, Element(lo_, scalar.type(), i));
    b_.CreateStore(angle.quadrant.v, Element(quadrant_, scalar.int_type(), i));
    b_.CreateBr(next);
  }

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  unsigned width_;
  llvm::Value* size_;
  llvm::Value* hi_;
  llvm::Value* lo_;
  llvm::Value* quadrant_;
};

}  // namespace

ReducedAngle ReduceLargeAngle(Emitter& e, Fp size) {
  llvm::IRBuilderBase& b = e.builder();
  const FixedPoint turns = MultiplyTwoOverPi(e, size);
  // Nearest quadrant, and the signed rest in [-1/2, 1/2).
  llvm::Value* quadrant = b.CreateLShr(b.CreateAdd(turns.hi, b.getInt64(1ull << 61)), 62);
  llvm::Value* rest = b.CreateSub(turns.hi, b.CreateShl(quadrant, 62));
  const Pair r = e.is_f32() ? FractionToRadiansF32(e, rest) : FractionToRadiansF64(e, rest, turns.lo);
  return {{&e, b.CreateTrunc(quadrant, e.int_type())}, r};
}

ReducedAngle ReduceAngle(Emitter& e, Fp size) {
  llvm::IRBuilderBase& b = e.builder();
  const ReducedAngle small = ReduceSmallAngle(e, size);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(e.type());
  const unsigned width = vector ? vector->getNumElements() : 1;
  llvm::Value* large = Greater(size, e.Const(CodyWaiteLimit(e))).v;
  if (vector) large = b.CreateOrReduce(large);

  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* rare = llvm::BasicBlock::Create(b.getContext(), "angle.rare", function);
  auto* join = llvm::BasicBlock::Create(b.getContext(), "angle.join", function);
  llvm::MDNode* weights = llvm::MDBuilder(b.getContext()).createBranchWeights(1, 1 << 20);
  b.CreateCondBr(large, rare, join, weights);

  b.SetInsertPoint(rare);
  const ReducedAngle fixed = LargeAngleLoop(e, width).Emit(size, small);
  llvm::BasicBlock* after = b.GetInsertBlock();
  b.CreateBr(join);

  b.SetInsertPoint(join);
  const auto merge = [&](llvm::Value* common, llvm::Value* other) {
    llvm::PHINode* phi = b.CreatePHI(common->getType(), 2);
    phi->addIncoming(common, before);
    phi->addIncoming(other, after);
    return phi;
  };
  const Int quadrant{&e, merge(small.quadrant.v, fixed.quadrant.v)};
  const Fp hi = e.Wrap(merge(small.r.hi.v, fixed.r.hi.v));
  const Fp lo = e.Wrap(merge(small.r.lo.v, fixed.r.lo.v));
  return {quadrant, {hi, lo}};
}

// s = hi^2. Even quadrant: hi + (hi s P(s) + lo).
// Odd: w = 1 - s/2, w + (s^2 Q(s) + ((1 - w) - s/2 - hi lo)).
// One polynomial with selected coefficients. Budget in ULP: final 0.5, s/2 0.25 (odd) or
// lo (1 - cos) 0.15 (even), polynomial 0.1.
Fp SinOfReduced(Emitter& e, const ReducedAngle& angle) {
  const auto [hi, lo] = angle.r;
  const Mask odd = NotZero(angle.quadrant & uint64_t{1});
  const Fp s = hi * hi;
  const Fp w = e.Fma(s, -0.5, 1.0);
  const Fp w_rest = e.Fma(-hi, lo, e.Fma(s, -0.5, 1.0 - w));
  const llvm::ArrayRef<double> sine = e.Pick(kSin_f32, kSin_f64);
  const llvm::ArrayRef<double> cosine = e.Pick(kCos_f32, kCos_f64);
  const auto coefficient = [&](size_t i) { return e.Select(odd, e.Const(cosine[i]), e.Const(sine[i])); };
  Fp p = coefficient(sine.size() - 1);
  for (size_t i = sine.size() - 1; i > 0; --i) p = e.Fma(p, s, coefficient(i - 1));
  const Fp factor = e.Select(odd, s, hi) * s;
  const Fp value = e.Select(odd, w, hi) + e.Fma(factor, p, e.Select(odd, w_rest, lo));
  const Int sign = e.ShiftLeft(angle.quadrant & uint64_t{2}, e.bits() - 2);
  return e.FromBits(e.Bits(value) ^ sign);
}

}  // namespace reel::codegen::math::internal
