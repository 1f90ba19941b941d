#include "reel/complex.h"

#include "frontend/eager/dispatch.h"
#include "frontend/ops/complex.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/functions.h"
#include "reel/ops.h"

// A complex function is a composition of real ones on the parts. Where a branch is not taken, its operands are
// replaced by ones on which value and derivatives are finite: no NaN comes back from it.

namespace reel {

using internal::BroadcastTogether;
using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::Promote;
using internal::TensorList;

Tensor Complex(const Operand& re, const Operand& im) {
  const LocationScope scope(re);
  TensorList parts = Promote(ir::Op::kComplex, {&re, &im});
  BroadcastTogether(ir::Op::kComplex, absl::MakeSpan(parts));
  return Dispatch(ir::Op::kComplex, parts);
}

Tensor Real(const Operand& z) {
  const LocationScope scope(z);
  const Tensor t = Materialize(z);
  return IsComplex(t.dtype()) ? Dispatch(ir::Op::kReal, {t}) : t;
}

Tensor Imag(const Operand& z) {
  const LocationScope scope(z);
  const Tensor t = Materialize(z);
  return IsComplex(t.dtype()) ? Dispatch(ir::Op::kImag, {t}) : ZerosLike(t);
}

Tensor Conj(const Operand& z) {
  const LocationScope scope(z);
  const Tensor t = Materialize(z);
  return IsComplex(t.dtype()) ? Complex(Real(t), Neg(Imag(t))) : t;
}

Tensor Angle(const Operand& z) {
  const LocationScope scope(z);
  const Tensor t = Materialize(z);
  return Atan2(Imag(t), Real(t));
}

namespace internal {
namespace {

// e^x (cos y + i sin y); real for real z, also where e^x is infinite.
Tensor ExpOf(const Tensor& z) {
  const Tensor y = Imag(z), size = Exp(Real(z));
  const Tensor sine = Mul(size, Sin(y));
  const Tensor real = LogicalAnd(Equal(y, 0.0), NotEqual(sine, sine));
  return Complex(Mul(size, Cos(y)), Where(real, y, sine));
}

// log|z| + i angle. Near |z| = 1 the logarithm is that of 1 + ((m - 1)(m + 1) + n^2) / 2, m the larger part.
Tensor LogOf(const Tensor& z) {
  const Tensor x = Real(z), y = Imag(z), size = Hypot(x, y);
  const Tensor near = LogicalAnd(Greater(size, 0.5), Less(size, 2.0));
  const Tensor wide = GreaterEqual(Abs(x), Abs(y));
  const Tensor m = Where(near, Abs(Where(wide, x, y)), 1.0), n = Where(near, Where(wide, y, x), 0.0);
  const Tensor excess = Add(Mul(Sub(m, 1.0), Add(m, 1.0)), Square(n));
  const Tensor log = Where(near, Mul(Log1p(excess), 0.5), Log(Where(near, 1.0, size)));
  return Complex(log, Atan2(y, x));
}

// With t = sqrt((|z| + |x|) / 2): t + i y/2t to the right of the imaginary axis, |y|/2t +- i t to the left.
Tensor SqrtOf(const Tensor& z) {
  const Tensor x = Real(z), y = Imag(z), size = Hypot(x, y);
  const Tensor origin = Equal(size, 0.0), right = GreaterEqual(x, 0.0), below = Signbit(y);
  const Tensor sum = Add(Mul(size, 0.5), Mul(Where(right, x, Neg(x)), 0.5));
  const Tensor t = Sqrt(Where(origin, 1.0, sum)), u = Mul(Div(y, t), 0.5);
  const Tensor re = Where(right, t, Where(below, Neg(u), u));
  const Tensor im = Where(right, u, Where(below, Neg(t), t));
  return Complex(Where(origin, 0.0, re), Where(origin, StopGradient(y), im));
}

Tensor SinhOf(const Tensor& z) {
  const Tensor x = Real(z), y = Imag(z);
  return Complex(Mul(Sinh(x), Cos(y)), Mul(Cosh(x), Sin(y)));
}
Tensor CoshOf(const Tensor& z) {
  const Tensor x = Real(z), y = Imag(z);
  return Complex(Mul(Cosh(x), Cos(y)), Mul(Sinh(x), Sin(y)));
}
Tensor SinOf(const Tensor& z) {
  const Tensor x = Real(z), y = Imag(z);
  return Complex(Mul(Sin(x), Cosh(y)), Mul(Cos(x), Sinh(y)));
}
Tensor CosOf(const Tensor& z) {
  const Tensor x = Real(z), y = Imag(z);
  return Complex(Mul(Cos(x), Cosh(y)), Neg(Mul(Sin(x), Sinh(y))));
}

// With t = tanh x, s = sin y, c = cos y: (t + i s c / cosh(x)^2) / (c^2 + t^2 s^2).
Tensor TanhOf(const Tensor& z) {
  const Tensor x = Real(z), y = Imag(z), t = Tanh(x), s = Sin(y), c = Cos(y);
  const Tensor divisor = Add(Square(c), Square(Mul(t, s)));
  return Complex(Div(t, divisor), Div(Mul(Mul(s, c), Square(Div(1.0, Cosh(x)))), divisor));
}

// With w = exp(-|x| -+ iy): 1 / (1 + w) to the right, w / (1 + w) to the left.
Tensor SigmoidOf(const Tensor& z) {
  const Tensor right = GreaterEqual(Real(z), 0.0);
  const Tensor w = Exp(Where(right, Neg(z), z)), q = Div(1.0, Add(w, 1.0));
  return Where(right, q, Mul(w, q));
}

}  // namespace

std::optional<Tensor> ComplexForm(ir::Op op, const Tensor& z) {
  if (!IsComplex(z.dtype())) return std::nullopt;
  switch (op) {
    case ir::Op::kAbs: return Hypot(Real(z), Imag(z));
    case ir::Op::kExp: return ExpOf(z);
    case ir::Op::kLog: return LogOf(z);
    case ir::Op::kSqrt: return SqrtOf(z);
    case ir::Op::kRsqrt: return Div(1.0, SqrtOf(z));
    case ir::Op::kSin: return SinOf(z);
    case ir::Op::kCos: return CosOf(z);
    case ir::Op::kSinh: return SinhOf(z);
    case ir::Op::kCosh: return CoshOf(z);
    case ir::Op::kTanh: return TanhOf(z);
    case ir::Op::kSigmoid: return SigmoidOf(z);
    default: return std::nullopt;
  }
}

}  // namespace internal
}  // namespace reel
