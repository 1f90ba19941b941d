#include "codegen/math/special.h"

#include <cmath>
#include <limits>
#include <string>

namespace reel::codegen::math::internal {

namespace {

constexpr unsigned kMaxLanes = 8;  // doubles of one call

unsigned Lanes(llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

// The same number of doubles.
llvm::Type* Widened(llvm::IRBuilderBase& b, llvm::Type* type) { return type->getWithNewType(b.getDoubleTy()); }

llvm::Value* Evaluate(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> operands, const MathOptions& options,
                      const Formula& formula) {
  Emitter e(b, operands[0]->getType(), options);
  std::vector<Fp> values;
  for (llvm::Value* v : operands) values.push_back(e.Wrap(v));
  return formula(e, values).v;
}

// `double name(double, ...)` for vectors of the type, with the attributes of the function that b
// emits into.
llvm::Function* FunctionFor(llvm::IRBuilderBase& b, const std::string& name, llvm::Type* type, size_t operands,
                            const MathOptions& options, const Formula& formula) {
  llvm::Function* caller = b.GetInsertBlock()->getParent();
  llvm::Module& module = *caller->getParent();
  const std::string symbol = "reel.math." + name + "." + std::to_string(Lanes(type)) + (options.has_fma ? ".fma" : "");
  if (llvm::Function* known = module.getFunction(symbol)) return known;
  llvm::LLVMContext& context = module.getContext();
  const llvm::SmallVector<llvm::Type*, 3> parameters(operands, type);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(type, parameters, false),
                                          llvm::GlobalValue::InternalLinkage, symbol, module);
  function->setAttributes(llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex,
                                                   llvm::AttrBuilder(context, caller->getAttributes().getFnAttrs())));
  llvm::IRBuilder<> inside(llvm::BasicBlock::Create(context, "entry", function));
  llvm::SmallVector<llvm::Value*, 3> arguments;
  for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
  inside.CreateRet(Evaluate(inside, arguments, options, formula));
  return function;
}

}  // namespace

llvm::Value* FormulaInDouble(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> operands, const MathOptions& options,
                             const Formula& formula) {
  llvm::Type* type = operands[0]->getType();
  llvm::Type* wide = Widened(b, type);
  llvm::SmallVector<llvm::Value*, 3> doubles;
  for (llvm::Value* v : operands) doubles.push_back(b.CreateFPExt(v, wide));
  return b.CreateFPTrunc(Evaluate(b, doubles, options, formula), type);
}

llvm::Value* CallInDouble(llvm::IRBuilderBase& b, const char* name, llvm::ArrayRef<llvm::Value*> operands,
                          const MathOptions& options, const Formula& formula) {
  llvm::Type* type = operands[0]->getType();
  llvm::Type* wide = Widened(b, type);
  llvm::SmallVector<llvm::Value*, 3> doubles;
  for (llvm::Value* v : operands) doubles.push_back(b.CreateFPExt(v, wide));
  const unsigned lanes = Lanes(type);
  if (lanes <= kMaxLanes) {
    llvm::Function* f = FunctionFor(b, name, wide, operands.size(), options, formula);
    return b.CreateFPTrunc(b.CreateCall(f, doubles), type);
  }
  llvm::Type* part = llvm::FixedVectorType::get(b.getDoubleTy(), kMaxLanes);
  llvm::Function* f = FunctionFor(b, name, part, operands.size(), options, formula);
  llvm::Value* result = llvm::PoisonValue::get(wide);
  for (unsigned first = 0; first < lanes; first += kMaxLanes) {
    llvm::Value* at = b.getInt64(first);
    llvm::SmallVector<llvm::Value*, 3> arguments;
    for (llvm::Value* v : doubles) arguments.push_back(b.CreateExtractVector(part, v, at));
    result = b.CreateInsertVector(wide, result, b.CreateCall(f, arguments), at);
  }
  return b.CreateFPTrunc(result, type);
}

void Iterate(Emitter& e, Mask active, std::vector<Fp>& state, int limit,
             const std::function<Mask(std::vector<Fp>& state, Fp n)>& step) {
  llvm::IRBuilderBase& b = e.builder();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* body = llvm::BasicBlock::Create(b.getContext(), "iterate", function);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", function);
  b.CreateBr(body);
  b.SetInsertPoint(body);
  const auto phi = [&](llvm::Value* start) {
    llvm::PHINode* node = b.CreatePHI(start->getType(), 2);
    node->addIncoming(start, before);
    return node;
  };
  llvm::PHINode* running = phi(active.v);
  llvm::PHINode* count = phi(b.getInt32(1));
  llvm::PHINode* number = phi(e.Const(1).v);
  std::vector<llvm::PHINode*> old;
  for (const Fp& x : state) old.push_back(phi(x.v));

  std::vector<Fp> next;
  for (llvm::PHINode* x : old) next.push_back(e.Wrap(x));
  const Mask go_on = Mask{&e, running} & step(next, e.Wrap(number));
  llvm::BasicBlock* end = b.GetInsertBlock();
  for (size_t i = 0; i < state.size(); ++i) {
    state[i] = e.Select({&e, running}, next[i], e.Wrap(old[i]));
    old[i]->addIncoming(state[i].v, end);
  }
  running->addIncoming(go_on.v, end);
  count->addIncoming(b.CreateAdd(count, b.getInt32(1)), end);
  number->addIncoming((e.Wrap(number) + 1.0).v, end);
  llvm::Value* within = b.CreateICmpSLT(count, b.getInt32(static_cast<uint32_t>(limit)));
  b.CreateCondBr(b.CreateAnd(Any(go_on), within), body, done);
  b.SetInsertPoint(done);
}

llvm::Value* Any(Mask m) { return m.v->getType()->isVectorTy() ? m.e->builder().CreateOrReduce(m.v) : m.v; }
Mask IsNan(Fp x) { return Unordered(x, x); }
Fp NaN(Emitter& e) { return e.Const(std::numeric_limits<double>::quiet_NaN()); }
Fp Infinity(Emitter& e) { return e.Const(std::numeric_limits<double>::infinity()); }
Fp Floor(Fp x) { return {x.e, x.e->builder().CreateUnaryIntrinsic(llvm::Intrinsic::floor, x.v)}; }
Fp Larger(Fp a, Fp b) { return a.e->Select(Greater(a, b), a, b); }
Fp Smaller(Fp a, Fp b) { return a.e->Select(Less(a, b), a, b); }

Fp Exp(Fp x) { return {x.e, EmitExp(x.e->builder(), x.v, x.e->options())}; }
Fp Log(Fp x) { return {x.e, EmitLog(x.e->builder(), x.v, x.e->options())}; }

// log(u) of u = 1 + x rounded, and the rounding error of u: log(1 + x) = log(u) + (x - (u - 1)) /
// u.
Fp Log1p(Fp x) {
  Emitter& e = *x.e;
  const Fp u = x + 1.0;
  const Fp correction = (x - (u - 1.0)) / u;
  return Log(u) + e.Select(Less(u, e.Const(0x1p53)), correction, e.Const(0));
}

// 2^n (1 + t) - 1 = (2^n - 1) + 2^n t
Fp Expm1(Fp x) {
  Emitter& e = *x.e;
  const ReducedExp r = ReduceExp(e, e.ClampBelow(e.ClampAbove(x, 700), -700));
  const Fp scale = e.FromBits(r.exponent + e.one_bits());
  return e.Fma(scale, MantissaLessOne(r), scale - 1.0);
}

// With r = x / (2 + x): log(1 + x) = 2 atanh(r) and 2 r - x = -r x.
Fp Log1pMinusX(Fp x, Fp sum) {
  Emitter& e = *x.e;
  const Mask near = Greater(x, e.Const(-0.51)) & Less(x, e.Const(1.01));
  const Fp t = e.Select(near, x, e.Const(0));
  const Fp r = t / (t + 2.0);
  const Fp s = r * r;
  const Fp series = e.Polynomial(s, kLogSeries);
  return e.Select(near, r * (s * 2.0 * series - t), Log(sum) - x);
}

// x = 2^k m, m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1) as a pair:
// log x = k ln2 + 2 s + 2 s^3 (1/3 + s^2/5 + ...).
Pair LogPair(Fp x) {
  Emitter& e = *x.e;
  const auto [k, f, exponent] = ReduceAnyLog(e, x);
  const Pair d = e.TwoSum(f + 1.0, e.Const(1));  // f + 1 = m, exact
  const Fp s = f / d.hi;
  const Fp product = s * d.hi;
  const Fp rest = ((f - product) - e.ProductError(s, d.hi, product)) - s * d.lo;
  const Fp s_low = rest / d.hi;
  const Fp square = s * s;
  const Fp series = e.Polynomial(square, llvm::ArrayRef<double>(kLogSeries).take_front(12));
  const Pair sum = e.TwoSum(k * kLn2Hi_f64, s * 2.0);
  const Fp low = e.Fma(k, kLn2Lo_f64, s_low * 2.0) + (s * 2.0) * (square * series);
  return e.FastTwoSum(sum.hi, sum.lo + low);
}

Pair Product(Pair a, Fp b) {
  Emitter& e = *b.e;
  const Fp hi = a.hi * b;
  return {hi, e.Fma(a.lo, b, e.ProductError(a.hi, b, hi))};
}

Pair Sum(Pair a, Pair b) {
  Emitter& e = *a.hi.e;
  const Pair sum = e.TwoSum(a.hi, b.hi);
  return e.FastTwoSum(sum.hi, sum.lo + (a.lo + b.lo));
}

Fp ExpTimes(Pair x, Fp factor) {
  Emitter& e = *factor.e;
  const Mask moderate = Less(e.Abs(x.hi), e.Const(800));
  const ReducedExp r = ReduceExp(e, e.ClampBelow(e.ClampAbove(x.hi, 800), -800));
  const Fp m = Mantissa(r);
  const Fp mantissa = e.Fma(e.Select(moderate, x.lo, e.Const(0)), m, m);
  return e.Scale(mantissa * factor, r.exponent, r.n);
}

// r (pi + r^2 P(r^2)), pi in two parts.
Fp SinPi(Fp r) {
  Emitter& e = *r.e;
  const Fp u = r * r;
  const Fp rest = e.Fma(u, e.Polynomial(u, kSinPi_f64), e.Const(kPiLo_f64));
  return e.Fma(r, rest, r * kPiHi_f64);
}

Fp FromNearestInteger(Fp x) { return x - Fp{x.e, x.e->builder().CreateUnaryIntrinsic(llvm::Intrinsic::rint, x.v)}; }

Mask IsOdd(Fp x) {
  const Fp half = x * 0.5;
  return !Equal(half, Floor(half));
}

Fp StirlingTail(Fp x) {
  const Fp r = 1.0 / x;
  return x.e->Polynomial(r * r, kStirling_f64) * r;
}

// (z - 1) (z - 2) P(z - 3/2) of z = 1 + x
Fp LgammaNear1(Fp x) { return x * (x - 1.0) * x.e->Polynomial(x - 0.5, kLgamma_f64); }

Fp Lgamma(Fp x) { return {x.e, EmitLgamma(x.e->builder(), x.v, x.e->options())}; }
Fp Digamma(Fp x) { return {x.e, EmitDigamma(x.e->builder(), x.v, x.e->options())}; }

}  // namespace reel::codegen::math::internal
