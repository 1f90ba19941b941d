#ifndef REEL_PYTHON_BIND_H_
#define REEL_PYTHON_BIND_H_

#include "common.h"

// Functions of tensors as Python functions, by their family.

namespace reel::python {

/// Work of one element of most functions, in elements of the cheapest.
inline constexpr int64_t kFunctionWork = 4;

template <Tensor (*F)(const Operand&)>
Tensor CallUnary(TensorLike x) {
  const Operand a = x.operand();
  const Unlocked other_threads(Work(a) * kFunctionWork);
  return F(a);
}

template <Tensor (*F)(const Operand&, const Operand&)>
Tensor CallBinary(TensorLike x, TensorLike y) {
  const Operand a = x.operand(), b = y.operand();
  const Unlocked other_threads(std::max(Work(a), Work(b)));
  return F(a, b);
}

/// Defines name(x, /).
template <Tensor (*F)(const Operand&)>
void Unary(nb::module_& m, const char* name, const char* doc) {
  m.def(name, &CallUnary<F>, nb::sig(Signature(name, "(x: TensorLike, /) -> Tensor").c_str()), doc);
}

/// Defines name(x1, x2, /).
template <Tensor (*F)(const Operand&, const Operand&)>
void Binary(nb::module_& m, const char* name, const char* doc) {
  m.def(name, &CallBinary<F>, nb::sig(Signature(name, "(x1: TensorLike, x2: TensorLike, /) -> Tensor").c_str()), doc);
}

}  // namespace reel::python

#endif  // REEL_PYTHON_BIND_H_
