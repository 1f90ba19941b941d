#include <bit>
#include <cstring>

#include "common.h"
#include "frontend/values/weak_numbers.h"

// Python objects as C++ values.

namespace reel::python {

Types types;

namespace {

// An int as a weak number: int64, or uint64 above.
Operand IntOperand(PyObject* x) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(x, &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return Operand(int64_t{value}, kNoLocation);
  }
  const unsigned long long large = PyLong_AsUnsignedLongLong(x);
  if (!PyErr_Occurred()) return Operand(uint64_t{large}, kNoLocation);
  PyErr_Clear();
  ThrowInvalid("the number " + std::string(nb::str(nb::handle(x)).c_str()) + " does not fit 64 bits; use a float");
}

}  // namespace

std::optional<Operand> QuickOperand(PyObject* x) {
  if (IsTensor(x)) return Operand(TensorOf(x), kNoLocation);
  if (PyFloat_CheckExact(x)) return Operand(PyFloat_AsDouble(x), kNoLocation);
  if (PyBool_Check(x)) return Operand(x == Py_True, kNoLocation);
  if (PyLong_CheckExact(x)) return IntOperand(x);
  if (IsVariable(x)) return Operand(VariableOf(x), kNoLocation);
  if (PyComplex_CheckExact(x)) {
    return Operand(std::complex<double>(PyComplex_RealAsDouble(x), PyComplex_ImagAsDouble(x)), kNoLocation);
  }
  return std::nullopt;
}

Operand ToOperand(nb::handle x) {
  if (std::optional<Operand> quick = QuickOperand(x.ptr())) return *std::move(quick);
  // Subclasses of Python's numbers that are no arrays: enums, flags.
  if (!PyObject_CheckBuffer(x.ptr()) && !nb::hasattr(x, "__array__")) {
    if (PyFloat_Check(x.ptr())) return Operand(PyFloat_AsDouble(x.ptr()), kNoLocation);
    if (PyLong_Check(x.ptr())) return IntOperand(nb::steal(PyNumber_Long(x.ptr())).ptr());
  }
  return Operand(AsTensor(x, std::nullopt), kNoLocation);
}

Tensor ToTensor(nb::handle x) {
  if (IsTensor(x.ptr())) return TensorOf(x.ptr());
  const Operand operand = ToOperand(x);
  if (!operand.weak()) return operand.tensor();
  return AsTensor(x, std::nullopt);
}

std::vector<Tensor> ToTensors(nb::handle sequence) {
  std::vector<Tensor> out;
  if (IsTensor(sequence.ptr()) || !PySequence_Check(sequence.ptr()))
    ThrowType("expected a list or tuple of tensors, not " + TypeName(sequence));
  for (const nb::handle x : sequence) out.push_back(ToTensor(x));
  return out;
}

Tensor ToTensorBeside(nb::handle x, DType dtype) { return internal::NumberBeside(ToOperand(x), dtype); }

std::vector<Tensor> ToTensorsTogether(nb::handle sequence) {
  if (IsTensor(sequence.ptr()) || !PySequence_Check(sequence.ptr()))
    ThrowType("expected a list or tuple of tensors, not " + TypeName(sequence));
  std::vector<Operand> operands;
  for (const nb::handle x : sequence) operands.push_back(ToOperand(x));
  return internal::NumbersBeside(operands);
}

std::string Text(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

std::string Signature(std::string_view name, std::string_view rest) { return Text({"def ", name, rest}); }

std::string TypeName(nb::handle x) { return nb::cast<std::string>(x.type().attr("__name__")); }

void ThrowType(const std::string& message) { throw TypeMistake(message + AtUserLine()); }
void ThrowInvalid(const std::string& message) { throw Error(ErrorCode::kInvalidArgument, message + AtUserLine()); }
void ThrowIndex(const std::string& message) { throw Error(ErrorCode::kOutOfRange, message + AtUserLine()); }
void ThrowFailed(const std::string& message) { throw Error(ErrorCode::kFailedPrecondition, message + AtUserLine()); }

std::string Choices(std::string_view wanted, const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(name.c_str());
  return nb::cast<std::string>(
      nb::module_::import_("reel._mistakes").attr("choices")(list, nb::str(wanted.data(), wanted.size())));
}

void ThrowNoOption(const std::string& of, const char* kind, const std::string& wanted,
                   const std::vector<std::string>& names) {
  ThrowType(Text({of, ": there is no ", kind, " '", wanted, "'; ", Choices(wanted, names)}));
}

namespace {

// What a traced function does in place of reading elements for this.
const char* InPlaceOf(std::string_view what) {
  if (what == "bool" || what == "in") {
    return "use reel.cond(pred, true_fn, false_fn) for an `if`, reel.while_loop(cond, body, loop_vars) for a `while`, "
           "reel.where for a choice of elements";
  }
  if (what == "index")
    return "tensors take it as an index as it is, x[i]; make a list one with reel.stack, or use reel.switch_case";
  return "compute with the tensor itself, or return it from the function and read the result";
}

}  // namespace

const Tensor& Concrete(const Tensor& x, const char* what) {
  if (!x.symbolic()) return x;
  ThrowFailed(Text({what, ": a traced tensor ", x.type().ToString(), " has no elements while its function is traced; ",
                    InPlaceOf(what)}));
}

int64_t ToInt(nb::handle x, const char* what) {
  PyObject* index = PyNumber_Index(x.ptr());
  if (!index) {
    PyErr_Clear();
    ThrowType(std::string(what) + ": expected an integer, not " + TypeName(x));
  }
  const nb::object owner = nb::steal(index);
  const long long value = PyLong_AsLongLong(index);
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    ThrowInvalid(std::string(what) + ": " + nb::str(owner).c_str() + " does not fit 64 bits");
  }
  return value;
}

double ToDouble(nb::handle x, const char* what) {
  const double value = PyFloat_AsDouble(x.ptr());
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    ThrowType(std::string(what) + ": expected a number, not " + TypeName(x));
  }
  return value;
}

std::vector<int64_t> ToInts(nb::handle x, const char* what) {
  std::vector<int64_t> out;
  if (PyIndex_Check(x.ptr()) && !(IsTensor(x.ptr()) && TensorOf(x.ptr()).rank() > 0)) {
    out.push_back(ToInt(x, what));
    return out;
  }
  if ((!IsTensor(x.ptr()) && !PySequence_Check(x.ptr())) || PyUnicode_Check(x.ptr()))
    ThrowType(std::string(what) + ": expected integers, not " + TypeName(x));
  for (const nb::handle item : x) out.push_back(ToInt(item, what));
  return out;
}

Shape ToShape(nb::handle x) {
  const std::vector<int64_t> extents = ToInts(x, "shape");
  for (const int64_t extent : extents) {
    if (extent < 0) ThrowInvalid("shape: the extent " + std::to_string(extent) + " is negative");
  }
  if (extents.size() > kMaxRank) {
    ThrowInvalid("shape: rank " + std::to_string(extents.size()) + " is too large, the largest is " +
                 std::to_string(kMaxRank));
  }
  Shape shape(extents);
  if (!FitsInMemory(shape)) ThrowInvalid("shape: " + shape.ToString() + " is too large");
  return shape;
}

Axes ToAxes(nb::handle x) { return x.is_none() ? Axes() : Axes(ToInts(x, "axis")); }

nb::object ShapeTuple(const Shape& shape) {
  PyObject* tuple = PyTuple_New(shape.rank());
  if (!tuple) throw nb::python_error();
  for (int i = 0; i < shape.rank(); ++i) {
    PyObject* extent = shape[i].is_constant() ? PyLong_FromLongLong(shape.dim(i)) : Py_NewRef(Py_None);
    PyTuple_SetItem(tuple, i, extent);
  }
  return nb::steal(tuple);
}

nb::object WrapAs(PyTypeObject* type, Tensor tensor) {
  nb::object out = nb::inst_alloc(reinterpret_cast<PyObject*>(type));
  new (nb::inst_ptr<Tensor>(out)) Tensor(std::move(tensor));
  nb::inst_mark_ready(out);
  return out;
}

nb::object Wrap(Tensor tensor) { return nb::cast(std::move(tensor), nb::rv_policy::move); }

}  // namespace reel::python
