#include "reel/functions.h"

#include <array>
#include <limits>
#include <numbers>

#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/tensor_data.h"
#include "reel/complex.h"
#include "reel/ops.h"

// Compositions of primitives, without gradients of their own. Where a branch of Where is not taken,
// its operands are replaced by harmless ones, so that no NaN or infinity of it enters a gradient.

namespace reel {

using internal::BroadcastTogether;
using internal::LocationScope;
using internal::Materialize;
using internal::Promote;
using internal::TensorList;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Both operands in one dtype and shape; errors name the op.
std::array<Tensor, 2> Together(ir::Op op, const Operand& a, const Operand& b) {
  TensorList t = Promote(op, {&a, &b});
  BroadcastTogether(op, absl::MakeSpan(t));
  return {t[0], t[1]};
}

// x, but `value` where the condition holds.
Tensor Except(const Tensor& condition, double value, const Tensor& x) { return Where(condition, value, x); }

}  // namespace

Tensor IsFinite(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (IsComplex(t.dtype())) return LogicalAnd(IsFinite(Real(t)), IsFinite(Imag(t)));
  return IsFloat(t.dtype()) ? Less(Abs(t), kInf) : Equal(t, t);
}

Tensor IsNan(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return NotEqual(t, t);
}

Tensor IsInf(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (IsComplex(t.dtype())) return LogicalOr(IsInf(Real(t)), IsInf(Imag(t)));
  return IsFloat(t.dtype()) ? Equal(Abs(t), kInf) : NotEqual(t, t);
}

Tensor Signbit(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (!IsFloat(t.dtype())) return Less(t, 0);
  if (t.dtype() == kFloat64) return Less(Bitcast(t, kInt64), 0);
  return Less(Bitcast(Cast(t, kFloat32), kInt32), 0);  // narrower floats keep their sign
}

Tensor Copysign(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto [x, y] = Together(ir::Op::kSelect, a, b);
  const Tensor size = Abs(x);
  return Where(Signbit(y), Neg(size), size);
}

Tensor BitwiseAnd(const Operand& a, const Operand& b) { return LogicalAnd(a, b); }
Tensor BitwiseOr(const Operand& a, const Operand& b) { return LogicalOr(a, b); }
Tensor BitwiseXor(const Operand& a, const Operand& b) { return LogicalXor(a, b); }
Tensor BitwiseNot(const Operand& x) { return LogicalNot(x); }

// high + log(1 + e^(low - high)); smooth also where a = b, since low and high follow a and b.
Tensor Logaddexp(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto [x, y] = Together(ir::Op::kAdd, a, b);
  const Tensor first = Greater(x, y);
  const Tensor high = Where(first, x, y), low = Where(first, y, x);
  const Tensor same = LogicalAnd(Equal(x, y), IsInf(x));  // inf - inf
  return Add(high, Log1p(Exp(Sub(Except(same, 0, low), Except(same, 0, high)))));
}

// scale sqrt((a / scale)^2 + (b / scale)^2), whose value and gradient do not depend on scale.
Tensor Hypot(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto [x, y] = Together(ir::Op::kAdd, a, b);
  const Tensor larger = Maximum(Abs(x), Abs(y));
  const Tensor usual = LogicalAnd(Greater(larger, 0.0), Less(larger, kInf));
  const Tensor scale = StopGradient(Where(usual, larger, 1.0));
  const Tensor squares = Add(Square(Div(x, scale)), Square(Div(y, scale)));
  const Tensor origin = Equal(larger, 0.0);
  const Tensor size = Mul(scale, Sqrt(Except(origin, 1, squares)));
  const Tensor infinite = LogicalOr(IsInf(x), IsInf(y));
  return Except(infinite, kInf, Except(origin, 0, size));
}

Tensor Xlogy(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto [x, y] = Together(ir::Op::kMul, a, b);
  const Tensor zero = LogicalAnd(Equal(x, 0.0), Equal(y, y));
  return Except(zero, 0, Mul(x, Log(Except(zero, 1, y))));
}

Tensor Xlog1py(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto [x, y] = Together(ir::Op::kMul, a, b);
  const Tensor zero = LogicalAnd(Equal(x, 0.0), Equal(y, y));
  return Except(zero, 0, Mul(x, Log1p(Except(zero, 0, y))));
}

Tensor Tan(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Div(Sin(t), Cos(t));
}

// Up to |pi x| = 1/2 the series, whose derivatives do not cancel: eight terms (-s)^k / (2k + 1)! of
// s = (pi x)^2 <= 1/4 are exact to 2^-56.
Tensor Sinc(const Operand& x) {
  const LocationScope scope(x);
  const Tensor all = Materialize(x), t = Mul(all, std::numbers::pi);
  const Tensor small = LessEqual(Abs(t), 0.5);
  const Tensor s = Square(Where(small, t, 0.0)), far = Where(small, 1.0, t);
  // sin(pi (n + r)) = (-1)^n sin(pi r), where r is exact.
  const Tensor n = Round(all), sine = Sin(Mul(Where(small, 0.0, Sub(all, n)), std::numbers::pi));
  const Tensor wave = Where(NotEqual(Rem(n, 2.0), 0.0), Neg(sine), sine);
  Tensor series = Mul(s, -1.0 / 1307674368000.0);  // 15!
  for (const double factorial : {6227020800.0, -39916800.0, 362880.0, -5040.0, 120.0, -6.0}) {
    series = Mul(Add(series, 1 / factorial), s);
  }
  return Where(small, Add(series, 1.0), Div(wave, far));
}

namespace {

// Where a / b is no integer and negative: where truncation and floor differ.
Tensor RoundsUp(const Tensor& rem, const Tensor& b) {
  return LogicalAnd(NotEqual(rem, 0), NotEqual(Less(rem, 0), Less(b, 0)));
}

}  // namespace

// The formula of NumPy's npy_divmod; a remainder of 0 has the sign of b.
Tensor Mod(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto [x, y] = Together(ir::Op::kRem, a, b);
  const Tensor rem = Rem(x, y);
  const Tensor mod = Add(rem, Where(RoundsUp(rem, y), y, 0));
  if (!IsFloat(y.dtype())) return mod;
  // zero - (rem - rem) has the sign of zero and the gradient of rem.
  const Tensor zero = StopGradient(Copysign(0.0, y));
  const Tensor exact = LogicalAnd(Equal(rem, 0.0), NotEqual(y, 0.0));
  return Where(exact, Sub(zero, Sub(StopGradient(rem), rem)), mod);
}

Tensor FloorDiv(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto pair = Together(ir::Op::kDiv, a, b);
  const Tensor x = StopGradient(pair[0]), y = StopGradient(pair[1]);
  const Tensor rem = Rem(x, y);
  const Tensor up = RoundsUp(rem, y);
  if (!IsFloat(y.dtype())) {
    return Sub(Div(x, y), Cast(up, y.dtype()));
  }
  // (a - rem) / b is an integer up to its rounding.
  const Tensor ratio = Div(x, y);
  const Tensor whole = Sub(Div(Sub(x, rem), y), Cast(up, y.dtype()));
  const Tensor floor = Floor(whole);
  const Tensor nearest = Add(floor, Cast(Greater(Sub(whole, floor), 0.5), y.dtype()));
  const Tensor quotient = Where(Equal(whole, 0.0), Copysign(0.0, ratio), nearest);
  return Where(Equal(y, 0.0), ratio, quotient);
}

Tensor DivNoNan(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const auto [x, y] = Together(ir::Op::kDiv, a, b);
  const Tensor zero = Equal(y, 0.0);
  return Except(zero, 0, Div(x, Except(zero, 1, y)));
}

Tensor Clamp(const Operand& x, const Operand& low, const Operand& high) {
  const LocationScope scope(x);
  const TensorList t = Promote(ir::Op::kMax, {&x, &low, &high});  // together: a number is no float32 on the way
  return Maximum(Minimum(t[0], t[2]), t[1]);
}

// From the nearer end.
Tensor Lerp(const Operand& a, const Operand& b, const Operand& weight) {
  const LocationScope scope(a);
  const TensorList all = Promote(ir::Op::kAdd, {&a, &b, &weight});
  const Tensor &x = all[0], &y = all[1], &t = all[2], step = Sub(y, x);
  return Where(Less(t, 0.5), Add(x, Mul(t, step)), Sub(y, Mul(Sub(1.0, t), step)));
}

}  // namespace reel
