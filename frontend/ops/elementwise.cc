#include "frontend/eager/dispatch.h"
#include "frontend/ops/complex.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/custom_gradient.h"
#include "reel/functions.h"
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
  if (Tensor ready = internal::RunReady(op, {&x}); ready.defined()) return ready;
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (const auto y = internal::ComplexForm(op, t)) return *y;
  return Dispatch(op, {t});
}

Tensor Binary(ir::Op op, const Operand& a, const Operand& b) {
  if (Tensor ready = internal::RunReady(op, {&a, &b}); ready.defined()) return ready;
  const LocationScope scope(a);
  TensorList t = Promote(op, {&a, &b});
  BroadcastTogether(op, absl::MakeSpan(t));
  return Dispatch(op, t);
}

}  // namespace

Tensor Identity(const Operand& x) { return Unary(ir::Op::kIdentity, x); }
Tensor internal::Connected(const Operand& x) {
  const LocationScope scope(x);
  return Dispatch(ir::Op::kIdentity, {Materialize(x)}, {{"connected", true}});
}
Tensor internal::Refused(const Operand& x, std::string text) {
  const LocationScope scope(x);
  return Dispatch(ir::Op::kIdentity, {Materialize(x)}, {{"refused", std::move(text)}});
}
Tensor StopGradient(const Operand& x) { return Unary(ir::Op::kStopGradient, x); }
Tensor Neg(const Operand& x) { return Unary(ir::Op::kNeg, x); }
Tensor Abs(const Operand& x) { return Unary(ir::Op::kAbs, x); }
Tensor Sign(const Operand& x) { return Unary(ir::Op::kSign, x); }
Tensor Floor(const Operand& x) { return Unary(ir::Op::kFloor, x); }
Tensor Ceil(const Operand& x) { return Unary(ir::Op::kCeil, x); }
Tensor Round(const Operand& x) { return Unary(ir::Op::kRound, x); }
Tensor Trunc(const Operand& x) { return Unary(ir::Op::kTrunc, x); }
Tensor Sqrt(const Operand& x) { return Unary(ir::Op::kSqrt, x); }
Tensor LogicalNot(const Operand& x) { return Unary(ir::Op::kNot, x); }

// Exp, Log, ...
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) \
  Tensor Enum(const Operand& x) { return Unary(ir::Op::k##Enum, x); }
#include "ir/ops.def"
#undef OP

Tensor Reciprocal(const Operand& x) {
  const LocationScope scope(x);
  return Div(1.0, x);
}
Tensor Square(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Mul(t, t);
}

Tensor Cast(const Operand& x, DType dtype) {
  const LocationScope scope(x);
  // Of a weak number the value is converted, not the float32 that it would be alone.
  const DType number = x.type().dtype;
  const bool exact = x.weak() && (IsFloat(dtype) || IsComplex(dtype)) && !IsComplex(number) && number != kBool;
  const Tensor t = exact ? internal::ConvertWeak(x, dtype) : Materialize(x);
  return t.dtype() == dtype ? t : Dispatch(ir::Op::kCast, {t}, {{"dtype", dtype}});
}

Tensor Bitcast(const Operand& x, DType dtype) {
  const LocationScope scope(x);
  return Dispatch(ir::Op::kBitcast, {Materialize(x)}, {{"dtype", dtype}});
}

Tensor Add(const Operand& a, const Operand& b) { return Binary(ir::Op::kAdd, a, b); }
Tensor Sub(const Operand& a, const Operand& b) { return Binary(ir::Op::kSub, a, b); }
Tensor Mul(const Operand& a, const Operand& b) { return Binary(ir::Op::kMul, a, b); }
Tensor Div(const Operand& a, const Operand& b) { return Binary(ir::Op::kDiv, a, b); }
Tensor Rem(const Operand& a, const Operand& b) { return Binary(ir::Op::kRem, a, b); }
Tensor Atan2(const Operand& y, const Operand& x) { return Binary(ir::Op::kAtan2, y, x); }
Tensor NextAfter(const Operand& a, const Operand& b) { return Binary(ir::Op::kNextAfter, a, b); }
Tensor Maximum(const Operand& a, const Operand& b) { return Binary(ir::Op::kMax, a, b); }
Tensor Minimum(const Operand& a, const Operand& b) { return Binary(ir::Op::kMin, a, b); }
Tensor LogicalAnd(const Operand& a, const Operand& b) { return Binary(ir::Op::kAnd, a, b); }
Tensor LogicalOr(const Operand& a, const Operand& b) { return Binary(ir::Op::kOr, a, b); }
Tensor LogicalXor(const Operand& a, const Operand& b) { return Binary(ir::Op::kXor, a, b); }
Tensor ShiftLeft(const Operand& a, const Operand& b) { return Binary(ir::Op::kShiftLeft, a, b); }
Tensor ShiftRight(const Operand& a, const Operand& b) { return Binary(ir::Op::kShiftRight, a, b); }
Tensor Equal(const Operand& a, const Operand& b) { return Binary(ir::Op::kEqual, a, b); }
Tensor NotEqual(const Operand& a, const Operand& b) { return Binary(ir::Op::kNotEqual, a, b); }
Tensor Less(const Operand& a, const Operand& b) { return Binary(ir::Op::kLess, a, b); }
Tensor LessEqual(const Operand& a, const Operand& b) { return Binary(ir::Op::kLessEqual, a, b); }
Tensor Greater(const Operand& a, const Operand& b) { return Binary(ir::Op::kGreater, a, b); }
Tensor GreaterEqual(const Operand& a, const Operand& b) { return Binary(ir::Op::kGreaterEqual, a, b); }

Tensor Where(const Operand& condition, const Operand& a, const Operand& b) {
  const LocationScope scope(condition);
  TensorList t = {Materialize(condition)};
  if (t[0].dtype() != kBool) {
    internal::ThrowInvalid(StrCat("where: the condition must be bool, got ", t[0].type().ToString(),
                                  "; compare it, for instance with NotEqual(x, 0)"));
  }
  for (Tensor& value : Promote(ir::Op::kSelect, {&a, &b})) t.push_back(std::move(value));
  BroadcastTogether(ir::Op::kSelect, absl::MakeSpan(t));
  return Dispatch(ir::Op::kSelect, t);
}

Tensor operator-(const Operand& x) { return Neg(x); }
Tensor operator~(const Operand& x) { return LogicalNot(x); }
Tensor operator+(const Operand& a, const Operand& b) { return Add(a, b); }
Tensor operator-(const Operand& a, const Operand& b) { return Sub(a, b); }
Tensor operator*(const Operand& a, const Operand& b) { return Mul(a, b); }
Tensor operator/(const Operand& a, const Operand& b) { return Div(a, b); }
Tensor operator==(const Operand& a, const Operand& b) { return Equal(a, b); }
Tensor operator!=(const Operand& a, const Operand& b) { return NotEqual(a, b); }
Tensor operator<(const Operand& a, const Operand& b) { return Less(a, b); }
Tensor operator<=(const Operand& a, const Operand& b) { return LessEqual(a, b); }
Tensor operator>(const Operand& a, const Operand& b) { return Greater(a, b); }
Tensor operator>=(const Operand& a, const Operand& b) { return GreaterEqual(a, b); }
Tensor operator&(const Operand& a, const Operand& b) { return LogicalAnd(a, b); }
Tensor operator|(const Operand& a, const Operand& b) { return LogicalOr(a, b); }
Tensor operator^(const Operand& a, const Operand& b) { return LogicalXor(a, b); }

}  // namespace reel
