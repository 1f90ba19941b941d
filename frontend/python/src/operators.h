#ifndef REEL_PYTHON_OPERATORS_H_
#define REEL_PYTHON_OPERATORS_H_

#include "common.h"

// What the types Tensor and Variable are made of.

namespace reel::python {

/// The operators that reel.tf has, in the order of its table; kNone: it has none.
enum class TfOperator : int {
  kAdd,
  kSub,
  kMul,
  kTrueDivide,
  kFloorDiv,
  kMod,
  kPow,
  kMatMul,
  kAnd,
  kOr,
  kXor,
  kLt,
  kLe,
  kGt,
  kGe,
  kEq,
  kNe,
  kNone
};
/// reel.tf's tensors and variables.
inline bool IsTf(PyObject* x) { return IsTfTensor(x) || (IsVariable(x) && IsTfVariable(x)); }
/// Whether this thread builds a tf.Graph.
bool BuildsGraph();
/// An operator with such an operand: equal dtypes and plain numbers here, all else by the Python functions of a table.
PyObject* TfBinary(TfOperator op, Tensor (*f)(const Operand&, const Operand&), PyObject* a, PyObject* b);

/// Slots of arithmetic, comparison, conversion and indexing, for both types.
const PyType_Slot* OperatorSlots();

// The slots that files of their own define.
PyObject* Subscript(PyObject* self, PyObject* key);         // index.cc
Py_ssize_t Length(PyObject* self);                          // tensor.cc
int GetBuffer(PyObject* self, Py_buffer* view, int flags);  // export.cc
void ReleaseBuffer(PyObject* self, Py_buffer* view);        // export.cc

/// x[key] with NumPy's meaning.
Tensor IndexTensor(const Tensor& x, nb::handle key);

/// a to the power b: integers give integers.
Tensor Power(const Operand& a, const Operand& b);
/// a >> b with copies of the sign.
Tensor ArithmeticShiftRight(const Operand& a, const Operand& b);

/// A read-only numpy.ndarray on the tensor's elements.
nb::object NumPyView(const Tensor& x);
/// Properties and methods that a tensor and a variable share: shape, dtype, numpy(), ...
void DefineArrayMembers(nb::handle type);

/// Sets Python's error for the C++ exception being handled (errors.cc).
void TranslateCurrent() noexcept;

/// Errors of C++ become Python's; the result is a new object or null.
template <typename Body>
PyObject* Guarded(Body body) noexcept {
  try {
    return body().release().ptr();
  } catch (...) {
    TranslateCurrent();
  }
  return nullptr;
}

}  // namespace reel::python

#endif  // REEL_PYTHON_OPERATORS_H_
