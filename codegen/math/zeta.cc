// Hurwitz zeta and polygamma. q^s zeta(s, q) = sum over k < 10 of (q/(q+k))^s, then the
// Euler-Maclaurin formula from a = q + 10. The factor q^-s (and n! for polygamma) is an exponential
// of pairs. For q < 0 and integral s, with g = -q - floor(-q):
//   zeta(s, q) = (zeta(s, 1 - g) + (-1)^s zeta(s, g)) - (-1)^s zeta(s, 1 - q).
// Error: a few ULP plus 2^-60 |s log q|.
#include "codegen/math/special.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

constexpr int kTerms = 10;

// q^s zeta(s, q) / max(q, 1) for s > 1, q > 0.
Fp Scaled(Emitter& e, Fp s, Fp q) {
  const Fp scale = 1.0 / Larger(q, e.Const(1));
  std::vector<Fp> sum{e.Const(1)};
  Iterate(e, Equal(q, q), sum, kTerms - 1, [&](std::vector<Fp>& state, Fp k) {
    state[0] = state[0] + Exp(-s * Log1p(k / q));
    return Equal(q, q);
  });
  const Fp a = q + double{kTerms};
  const Fp t = Exp(-s * Log1p(double{kTerms} / q));
  Fp tail = e.Const(0.5), factor = s / a;
  for (size_t j = 0; j < std::size(kZetaTail); ++j) {
    tail = e.Fma(factor, kZetaTail[j], tail);
    const double n = 2 * static_cast<double>(j);
    factor = factor * ((s + (n + 1)) / a) * ((s + (n + 2)) / a);
  }
  const Fp rest = t * (a * scale / (s - 1.0)) + t * scale * tail;
  return sum[0] * scale + e.Select(Greater(t, e.Const(0x1p-90)), rest, e.Const(0));
}

// gamma(n + 1) zeta(s, q) for s > 1, q > 0, given log_factorial = log gamma(n + 1).
Fp Positive(Fp s, Fp q, Fp n, Fp log_factorial) {
  return {s.e, CallInDouble(s.e->builder(), "zeta_positive", {s.v, q.v, n.v, log_factorial.v}, s.e->options(),
                            [](Emitter& e, const std::vector<Fp>& in) {
                              const Fp zero = e.Const(0), s = in[0], q = in[1], n = in[2];
                              const Pair log_q = LogPair(q);
                              const Mask big = !Less(q, e.Const(1));
                              const Pair extra{e.Select(big, log_q.hi, zero), e.Select(big, log_q.lo, zero)};
                              Pair exponent = Sum(Sum(Product(log_q, -s), extra), {in[3], zero});
                     // Huge n: n! ~ (n/e)^n, and one product cannot become inf - inf.
                              const Fp huge = n * ((Log(n) - 1.0) - log_q.hi);
                              exponent.hi = e.Select(Greater(n, e.Const(1e15)), huge, exponent.hi);
                              const Fp value = ExpTimes(exponent, Scaled(e, s, q));
                              return e.Select(Equal(q, Infinity(e)), zero, value);
                            })};
}

// (first -+ second) +- third, the sum above; terms that overflow are told apart by g: the nearer
// pole wins, and in the middle between two they cancel.
Fp Combined(Emitter& e, Fp g, Mask odd, Fp first, Fp second, Fp third) {
  const Fp infinity = Infinity(e), half = e.Const(0.5);
  const Mask overflow = Equal(first, infinity) & Equal(second, infinity);
  const Fp winner = e.Select(Greater(g, half), infinity, e.Select(Less(g, half), -infinity, e.Const(0)));
  const Fp difference = e.Select(overflow, winner, first - second);
  const Fp sum = e.Select(odd, difference, first + second);
  const Fp value = sum + e.Select(odd, third, -third);
  return e.Select(Equal(e.Abs(sum), infinity), sum, value);
}

// gamma(n + 1) zeta(s, q)
Fp FactorialZeta(Emitter& e, Fp s, Fp q, Fp n) {
  const Fp zero = e.Const(0), one = e.Const(1), infinity = Infinity(e);
  const Fp log_factorial = Lgamma(n + 1.0);
  const Mask negative = Less(q, zero);
  const Fp g = -q - Floor(-q);
  const Fp first = Positive(s, e.Select(negative, 1.0 - g, q), n, log_factorial);

  llvm::IRBuilderBase& b = e.builder();
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* below = llvm::BasicBlock::Create(b.getContext(), "below", before->getParent());
  auto* join = llvm::BasicBlock::Create(b.getContext(), "join", before->getParent());
  b.CreateCondBr(Any(negative), below, join);
  b.SetInsertPoint(below);
  const Fp second = Positive(s, g, n, log_factorial);
  const Fp third = Positive(s, 1.0 - q, n, log_factorial);
  const Fp both = Combined(e, g, IsOdd(s), first, second, third);
  b.CreateBr(join);
  b.SetInsertPoint(join);
  llvm::PHINode* reflected = b.CreatePHI(e.type(), 2);
  reflected->addIncoming(first.v, before);
  reflected->addIncoming(both.v, below);

  const Mask integral = Equal(s, Floor(s));
  Fp value = e.Select(negative, e.Select(integral, e.Wrap(reflected), NaN(e)), first);
  const Fp limit = e.Select(Greater(q, one), zero, e.Select(Equal(q, one), one, infinity));
  value = e.Select(Equal(s, infinity), limit, value);
  const Mask pole = Equal(q, Floor(q)) & !Greater(q, zero);
  value = e.Select(pole | Equal(s, one), infinity, value);
  return e.Select(Less(s, one) | IsNan(s) | IsNan(q), NaN(e), value);
}

Fp PolygammaOf(Emitter& e, Fp n, Fp x) {
  const Fp zero = e.Const(0);
  const Fp zeta = FactorialZeta(e, n + 1.0, x, n);
  const Fp value = e.Select(IsOdd(n), zeta, -zeta);
  const Mask order = Equal(n, Floor(n)) & !Less(n, zero) & Less(n, Infinity(e));
  const Fp defined = e.Select(order & Equal(x, x), value, NaN(e));
  return e.Select(Equal(n, zero), Digamma(x), defined);
}

}  // namespace

llvm::Value* EmitZeta(llvm::IRBuilderBase& b, llvm::Value* s, llvm::Value* q, const MathOptions& options) {
  return CallInDouble(b, "zeta", {s, q}, options,
                      [](Emitter& e, const std::vector<Fp>& in) { return FactorialZeta(e, in[0], in[1], e.Const(0)); });
}

llvm::Value* EmitPolygamma(llvm::IRBuilderBase& b, llvm::Value* n, llvm::Value* x, const MathOptions& options) {
  return CallInDouble(b, "polygamma", {n, x}, options,
                      [](Emitter& e, const std::vector<Fp>& in) { return PolygammaOf(e, in[0], in[1]); });
}

}  // namespace reel::codegen::math
