#include "reel/special.h"

#include <cmath>
#include <numbers>

#include "frontend/eager/dispatch.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/tensor_data.h"
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

// f of a narrower float computed in f64: x / sqrt(2) rounded to f32 costs erfc its digits.
Tensor InDouble(const Tensor& x, Tensor (*f)(const Tensor& x)) {
  if (!IsFloat(x.dtype()) || x.dtype() == kFloat64) return f(x);
  return Cast(f(Cast(x, kFloat64)), x.dtype());
}

}  // namespace

Tensor Erfc(const Operand& x) { return Unary(ir::Op::kErfc, x); }
Tensor ErfInv(const Operand& x) { return Unary(ir::Op::kErfInv, x); }
Tensor ErfcInv(const Operand& x) { return Unary(ir::Op::kErfcInv, x); }
Tensor Lgamma(const Operand& x) { return Unary(ir::Op::kLgamma, x); }
Tensor Digamma(const Operand& x) { return Unary(ir::Op::kDigamma, x); }
Tensor Polygamma(const Operand& n, const Operand& x) { return Several(ir::Op::kPolygamma, {&n, &x}); }
Tensor Zeta(const Operand& s, const Operand& q) { return Several(ir::Op::kZeta, {&s, &q}); }
Tensor Igamma(const Operand& a, const Operand& x) { return Several(ir::Op::kIgamma, {&a, &x}); }
Tensor Igammac(const Operand& a, const Operand& x) { return Several(ir::Op::kIgammac, {&a, &x}); }
Tensor Betainc(const Operand& a, const Operand& b, const Operand& x) { return Several(ir::Op::kBetainc, {&a, &b, &x}); }

Tensor Lbeta(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const TensorList t = Promote(ir::Op::kAdd, {&a, &b});
  const Tensor p = Cast(t[0], kFloat64), q = Cast(t[1], kFloat64);  // as Lgamma does: only the difference is rounded
  return Cast(Sub(Add(Lgamma(p), Lgamma(q)), Lgamma(Add(p, q))), t[0].dtype());
}

Tensor Ndtr(const Operand& x) {
  const LocationScope scope(x);
  return InDouble(Materialize(x), [](const Tensor& t) { return Mul(Erfc(Mul(t, -std::numbers::sqrt2 / 2)), 0.5); });
}

Tensor Ndtri(const Operand& p) {
  const LocationScope scope(p);
  return InDouble(Materialize(p), [](const Tensor& t) { return Mul(ErfcInv(Mul(t, 2.0)), -std::numbers::sqrt2); });
}

// x > 0: log(1 - q), q = Ndtr(-x). Then log(Ndtr(x)). Where Ndtr leaves the normal range the asymptotic
// series -x^2/2 - log(-x sqrt(2 pi)) + log(1 - r + 3 r^2 - 15 r^3 + 105 r^4), r = 1/x^2. All in double: a logarithm
// of what f32 rounds to a denormal, or f16 to 0, has lost its digits, and so has its derivative.
Tensor LogNdtr(const Operand& x) {
  const LocationScope scope(x);
  return InDouble(Materialize(x), [](const Tensor& t) {
    constexpr double kLimit = -37.0;
    const Tensor upper = Greater(t, 0.0), lower = Less(t, kLimit);
    const Tensor right = Log1p(Neg(Ndtr(Neg(Where(upper, t, 1.0)))));
    const Tensor middle = Log(Ndtr(Where(LogicalOr(upper, lower), -1.0, t)));
    const Tensor far = Where(lower, t, kLimit), r = Square(Reciprocal(far));
    Tensor series = Sub(1.0, Mul(r, 7.0));
    for (const double factor : {5.0, 3.0, 1.0}) series = Sub(1.0, Mul(Mul(r, factor), series));
    const double half_log_two_pi = std::log(2 * std::numbers::pi) / 2;
    const Tensor left = Sub(Sub(Mul(Square(far), -0.5), Log(Neg(far))), half_log_two_pi);
    return Where(upper, right, Where(lower, Add(left, Log(series)), middle));
  });
}

}  // namespace reel
