#include "reel/special.h"

#include <numbers>

#include "frontend/core.h"
#include "reel/ops.h"

namespace reel {

using internal::BroadcastTogether;
using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::Promote;
using internal::TensorList;

namespace {

Tensor Unary(ir::Op op, const Operand& x) {
  const LocationScope scope(x);
  return Dispatch(op, {Materialize(x)});
}

Tensor Several(ir::Op op, std::initializer_list<const Operand*> operands) {
  const LocationScope scope(**operands.begin());
  TensorList t = Promote(op, operands);
  BroadcastTogether(op, absl::MakeSpan(t));
  return Dispatch(op, t);
}

}  // namespace

Tensor Erfc(const Operand& x) { return Unary(ir::Op::kErfc, x); }
Tensor ErfInv(const Operand& x) { return Unary(ir::Op::kErfInv, x); }
Tensor ErfcInv(const Operand& x) { return Unary(ir::Op::kErfcInv, x); }
Tensor Lgamma(const Operand& x) { return Unary(ir::Op::kLgamma, x); }
Tensor Digamma(const Operand& x) { return Unary(ir::Op::kDigamma, x); }
Tensor Polygamma(const Operand& n, const Operand& x) {
  return Several(ir::Op::kPolygamma, {&n, &x});
}
Tensor Zeta(const Operand& s, const Operand& q) { return Several(ir::Op::kZeta, {&s, &q}); }
Tensor Igamma(const Operand& a, const Operand& x) { return Several(ir::Op::kIgamma, {&a, &x}); }
Tensor Igammac(const Operand& a, const Operand& x) { return Several(ir::Op::kIgammac, {&a, &x}); }
Tensor Betainc(const Operand& a, const Operand& b, const Operand& x) {
  return Several(ir::Op::kBetainc, {&a, &b, &x});
}

Tensor Lbeta(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const TensorList t = Promote(ir::Op::kAdd, {&a, &b});
  return Sub(Add(Lgamma(t[0]), Lgamma(t[1])), Lgamma(Add(t[0], t[1])));
}

Tensor Ndtr(const Operand& x) {
  const LocationScope scope(x);
  return Mul(Erfc(Mul(Materialize(x), -std::numbers::sqrt2 / 2)), 0.5);
}

Tensor Ndtri(const Operand& p) {
  const LocationScope scope(p);
  return Mul(ErfcInv(Mul(Materialize(p), 2.0)), -std::numbers::sqrt2);
}

}  // namespace reel
