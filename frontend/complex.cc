#include "reel/complex.h"

#include "frontend/core.h"
#include "ir/strings.h"
#include "reel/ops.h"

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

namespace internal {
namespace {

// e^x (cos y + i sin y); real for real z, also where e^x is infinite.
Tensor ExpOf(const Tensor& z) {
  const Tensor y = Imag(z), size = Exp(Real(z));
  const Tensor real = Equal(y, 0.0);
  return Complex(Mul(size, Cos(y)), Where(real, y, Mul(size, Sin(Where(real, 1.0, y)))));
}

}  // namespace

std::optional<Tensor> ComplexForm(ir::Op op, const Tensor& z) {
  if (!IsComplex(z.dtype())) return std::nullopt;
  switch (op) {
    case ir::Op::kExp: return ExpOf(z);
    default: return std::nullopt;
  }
}

}  // namespace internal
}  // namespace reel
