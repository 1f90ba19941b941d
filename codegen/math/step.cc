// Exact functions of two floats.
//
// rem: long division. r -= n t, t = y 2^j, n the integer nearest to r/t with at most 50 bits,
// until no element has a j > 0. r - n t is exact: it is a multiple of the last place of t, and at
// most 3/4 t. Without FMA n has 20 bits and t is split into halves that n multiplies exactly.
// Floats are computed in doubles.
//
// next_after: the neighbour in the order of the bit patterns.
#include <limits>

#include "codegen/math/common.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

// One division step; more is true if an element needs another.
struct RemStep {
  Fp r;
  Mask more;
};

// x = value 2^-shift with a normal value (or 0), and the exponent field, below 0 for denormals.
struct Normalized {
  Fp value;
  Int shift;
  Int exponent;
};

Normalized Normalize(Emitter& e, Fp x) {
  const Mask tiny = Less(x, e.Const(0x1p-1022));
  const Fp value = e.Select(tiny, x * 0x1p54, x);
  const Int shift = e.Select(tiny, e.IntConst(54), e.IntConst(0));
  return {value, shift, e.ShiftRight(e.Bits(value), 52) - shift};
}

RemStep DivideStep(Emitter& e, Fp r, Fp y) {
  const uint64_t chunk = e.has_fma() ? 50 : 20;
  const Normalized divisor = Normalize(e, y);
  const Int gap = Normalize(e, e.Abs(r)).exponent - divisor.exponent;
  llvm::IRBuilderBase& b = e.builder();
  const Mask more{&e, b.CreateICmpSGT(gap.v, e.IntConst(chunk).v)};
  const Int j = e.Select(more, gap - chunk, e.IntConst(0));
  const Fp t = e.Scale(divisor.value, e.ShiftLeft(j - divisor.shift, 52));
  const Fp n{&e, b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, (r / t).v)};
  if (e.has_fma()) return {e.Fma(-n, t, r), more};
  // Halves near the top of the range, where n high could overflow.
  const Mask huge = Greater(e.Abs(r), e.Const(0x1p1000));
  const Fp scale = e.Select(huge, 0.5, 1.0), back = e.Select(huge, 2.0, 1.0);
  const Fp part = t * scale;
  const Fp high = e.FromBits(e.Bits(part) & (~uint64_t{0} << 27));
  return {((r * scale - n * high) - n * (part - high)) * back, more};
}

// size_x mod size_y for finite size_x and finite, positive size_y.
Fp Divide(Emitter& e, Fp size_x, Fp size_y) {
  llvm::IRBuilderBase& b = e.builder();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "rem.step", function);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "rem.done", function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* r = b.CreatePHI(e.type(), 2);
  r->addIncoming(size_x.v, before);
  const RemStep step = DivideStep(e, e.Wrap(r), size_y);
  r->addIncoming(step.r.v, loop);
  llvm::Value* more = step.more.v;
  if (e.type()->isVectorTy()) more = b.CreateOrReduce(more);
  b.CreateCondBr(more, loop, done);
  b.SetInsertPoint(done);
  return e.Select(Less(step.r, e.Const(0.0)), step.r + size_y, step.r);
}

Fp Rem(Emitter& e, Fp x, Fp y) {
  const Fp inf = e.Const(std::numeric_limits<double>::infinity()), zero = e.Const(0.0);
  const Fp size_x = e.Abs(x), size_y = e.Abs(y);
  const Mask usual = Less(size_x, inf) & Greater(size_y, zero);
  const Mask divides = usual & Less(size_y, inf);
  const Fp rest = Divide(e, e.Select(divides, size_x, 0.0), e.Select(divides, size_y, 1.0));
  const Fp result = e.Select(divides, e.WithSignOf(e.Abs(rest), x), x);  // x mod inf = x
  return e.Select(usual, result, (x * y) / (x * y));                    // NaN
}

}  // namespace

llvm::Value* EmitRem(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, const MathOptions& options) {
  return InDouble(b, x, y, options, Rem);
}

llvm::Value* EmitNextAfter(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
  Emitter e(b, x->getType(), {});
  const Fp from = e.Wrap(x), to = e.Wrap(y), zero = e.Const(0.0);
  // Away from 0 if x < y and x > 0, or x > y and x < 0: one bit pattern further.
  const Mask up = Less(from, to);
  const Mask away{&e, b.CreateICmpEQ(up.v, Greater(from, zero).v)};
  const Int bits = e.Bits(from);
  const Fp moved = e.FromBits(e.Select(away, bits + uint64_t{1}, bits - uint64_t{1}));
  const Fp least = e.FromBits(e.SignBit(to) | uint64_t{1});
  Fp result = e.Select(Equal(from, zero), least, moved);
  result = e.Select(Equal(from, to), to, result);
  return e.Select(Unordered(from, to), from + to, result).v;
}

}  // namespace reel::codegen::math
