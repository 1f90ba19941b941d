#include <algorithm>
#include <array>

#include "frontend/record/observed.h"
#include "frontend/record/static_value.h"
#include "operators.h"
#include "reel/custom_gradient.h"
#include "register.h"

// What reel.tf has in C++: its tensors are a subclass whose operators do not promote.

namespace reel::python {
namespace {

// Python functions of an operator: (self, other), and (self, other) for other op self; null where there is none.
struct InPython {
  PyObject* method = nullptr;
  PyObject* reflected = nullptr;
};
std::array<InPython, static_cast<size_t>(TfOperator::kNone)> table;

// Null if it is neither a tensor nor a variable of reel.tf.
const Type* TypeOf(PyObject* x) {
  if (IsTfTensor(x)) return &TensorOf(x).type();
  return IsTf(x) ? &VariableOf(x).type() : nullptr;
}

// Of integers: divides as floats, or refuses a 0 or a negative exponent.
bool IsChecked(TfOperator op) {
  return op == TfOperator::kTrueDivide || op == TfOperator::kMod || op == TfOperator::kPow;
}

// Whether `other` may stand beside a tensor of this dtype as it is: TensorFlow converts no tensor, and no number with
// a fraction to an integer.
bool Fits(TfOperator op, const Type& type, PyObject* other) {
  const bool integer = IsInteger(type.dtype);
  if (op == TfOperator::kFloorDiv || (integer && IsChecked(op)) || type.dtype == DType::kBool) return false;
  if (const Type* second = TypeOf(other)) {
    if (op == TfOperator::kMatMul && std::min(type.shape.rank(), second->shape.rank()) < 2) return false;
    // Tensors whose shapes do not go together are not equal, without an error.
    if (op == TfOperator::kEq || op == TfOperator::kNe) return *second == type;
    return second->dtype == type.dtype;
  }
  if (op == TfOperator::kEq || op == TfOperator::kNe) return false;
  return PyFloat_CheckExact(other) ? IsFloat(type.dtype) : PyLong_CheckExact(other) && (integer || IsFloat(type.dtype));
}

PyObject* InTable(TfOperator op, PyObject* a, PyObject* b) {
  if (op == TfOperator::kNone) Py_RETURN_NOTIMPLEMENTED;
  const InPython& f = table[static_cast<size_t>(op)];
  const bool own = IsTf(a);
  PyObject* const function = own ? f.method : f.reflected;
  if (!function) Py_RETURN_NOTIMPLEMENTED;
  PyObject* const operands[] = {own ? a : b, own ? b : a};
  return PyObject_Vectorcall(function, operands, 2, nullptr);
}

// (Tensor, Variable, [(method, reflected or None), ...] in the order of TfOperator)
void SetTypes(nb::handle tensor, nb::handle variable, nb::sequence operators) {
  if (nb::len(operators) != table.size()) ThrowInvalid("_set_tf: another table of operators");
  size_t i = 0;
  for (const nb::handle pair : operators) {
    table[i].method = nb::object(pair[0]).release().ptr();
    table[i++].reflected = pair[1].is_none() ? nullptr : nb::object(pair[1]).release().ptr();
  }
  types.tf_tensor = reinterpret_cast<PyTypeObject*>(tensor.inc_ref().ptr());
  types.tf_variable = reinterpret_cast<PyTypeObject*>(variable.inc_ref().ptr());
}

}  // namespace

PyObject* TfBinary(TfOperator op, Tensor (*f)(const Operand&, const Operand&), PyObject* a, PyObject* b) {
  const Type* const first = TypeOf(a);
  if (op == TfOperator::kNone || !(first ? Fits(op, *first, b) : Fits(op, *TypeOf(b), a))) return InTable(op, a, b);
  return Guarded([&] {
    const Operand y = ToOperand(b);
    Operand x = ToOperand(a);
    // The derivatives of x ** 2 are zeros in the end, and never missing.
    if (op == TfOperator::kPow && y.weak() && internal::MayDifferentiateTwice() && IsFloat(x.type().dtype))
      x = Operand(internal::Connected(x), std::source_location{});
    return WrapAs(types.tf_tensor, [&] {
      const Unlocked other_threads(std::max(Work(x), Work(y)));
      return f(x, y);
    }());
  });
}

void RegisterTf(nb::module_& m) {
  m.def("_set_tf", &SetTypes);
  m.def("_static_value", [](TensorLike x) -> nb::object {
    const Tensor value = internal::StaticValue(x.tensor());
    return value.defined() ? Wrap(value) : nb::none();
  });
  m.def("_wrap_tf", [](TensorLike x) { return WrapAs(types.tf_tensor, x.tensor()); });
}

}  // namespace reel::python
