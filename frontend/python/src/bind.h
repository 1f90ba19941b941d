#ifndef REEL_PYTHON_BIND_H_
#define REEL_PYTHON_BIND_H_

#include "common.h"
#include "reel/indexed_slices.h"

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

/// Names of the methods that tensors have as NumPy's arrays do.
nb::list MethodNames();

/// Defines the method x.name(...) of tensors, variables and slices; `parameters` are those behind self, with commas.
/// `f` takes the object itself as a TensorLike first.
template <typename F, typename... Extra>
void Method(const char* name, const char* parameters, const char* doc, F f, const Extra&... extra) {
  const std::string signature = Text({"def ", name, "(self", parameters, ") -> Tensor"});
  for (const nb::handle c : {nb::type<Tensor>(), nb::type<Variable>(), nb::type<IndexedSlices>()})
    nb::cpp_function_def(f, nb::scope(c), nb::name(name), nb::is_method(), extra..., nb::sig(signature.c_str()), doc);
  if (*name != '_') MethodNames().append(name);
}

/// NumPy's functions call methods with `out`; there is nothing to write to.
inline void CheckOut(const char* name, nb::handle out) {
  if (!out.is_none()) ThrowInvalid(Text({name, ": tensors are immutable, so `out` must be None; take the result"}));
}

}  // namespace reel::python

#endif  // REEL_PYTHON_BIND_H_
