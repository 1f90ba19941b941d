#include <cstring>

#include "common.h"
#include "frontend/values/adopt_memory.h"
#include "slices.h"

// Numbers, nested sequences and arrays as tensors.

namespace reel::python {
namespace {

// The dtype of a buffer's format; nothing if its elements are not native numbers.
std::optional<DType> FormatDType(const Py_buffer& view) {
  std::string_view f = view.format ? view.format : "B";
  if (!f.empty() && (f[0] == '@' || f[0] == '=' || f[0] == '<')) f.remove_prefix(1);
  if (f == "?") return kBool;
  if (f == "e") return kFloat16;
  if (f == "f") return kFloat32;
  if (f == "d") return kFloat64;
  if (f == "Zf") return kComplex64;
  if (f == "Zd") return kComplex128;
  if (f.size() != 1) return std::nullopt;
  const bool is_signed = std::strchr("bhilq", f[0]) != nullptr;
  if (!is_signed && !std::strchr("BHILQ", f[0])) return std::nullopt;
  switch (view.itemsize) {
    case 1: return is_signed ? kInt8 : kUInt8;
    case 2: return is_signed ? kInt16 : kUInt16;
    case 4: return is_signed ? kInt32 : kUInt32;
    case 8: return is_signed ? kInt64 : kUInt64;
    default: return std::nullopt;
  }
}

struct Release {
  void operator()(Py_buffer* view) const {
    PyBuffer_Release(view);  // nothing if it is empty
    delete view;
  }
};
using View = std::unique_ptr<Py_buffer, Release>;

void ReleaseView(void* context) {
  if (!Py_IsInitialized()) return;  // the process ends
  const nb::gil_scoped_acquire lock;
  const View view(static_cast<Py_buffer*>(context));
}

// Elements of a contiguous buffer; takes the view over.
Tensor FromView(View view, DType dtype, bool share) {
  Shape shape;
  for (int i = 0; i < view->ndim; ++i) shape.push_back(view->shape[i]);
  const Type type{dtype, shape};
  const auto alignment = static_cast<uintptr_t>(IsComplex(dtype) ? SizeOf(dtype) / 2 : SizeOf(dtype));
  if (share && reinterpret_cast<uintptr_t>(view->buf) % alignment != 0)
    ThrowInvalid("asarray: elements of the array are not aligned; use copy=True");
  if (share && view->len > 0) {
    Tensor out = internal::AdoptMemory(type, view->buf, ReleaseView, view.get());
    view.release();
    return out;
  }
  return Tensor::FromBytes(dtype, shape, view->buf);
}

[[noreturn]] void ThrowNoNumbers(const std::string& dtype) {
  ThrowType(Text({"an array of dtype ", dtype, " is no tensor; its elements must be bool, integers of up to 64 bits, ",
                  "floats or complex numbers of float32 or float64: convert them with astype"}));
}

// NumPy's scalars of other types than numbers have buffers of bytes.
bool IsScalarOfNoNumber(nb::handle x, const Py_buffer& view) {
  if (view.format && std::strcmp(view.format, "B") != 0) return false;
  const nb::object dtype = nb::getattr(x, "dtype", nb::none());
  return nb::hasattr(dtype, "kind") && !nb::str(dtype.attr("kind")).equal(nb::str("u"));
}

// Through the buffer protocol; nothing if x has none that gives native numbers as they lie.
std::optional<Tensor> FromBuffer(nb::handle x, bool share) {
  View view(new Py_buffer());
  if (PyObject_GetBuffer(x.ptr(), view.get(), PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (view->ndim > kMaxRank) ThrowInvalid("asarray: the array has more than 10 axes");
  if (IsScalarOfNoNumber(x, *view)) ThrowNoNumbers(nb::str(x.attr("dtype").attr("name")).c_str());
  const std::optional<DType> dtype = FormatDType(*view);
  if (!dtype) return std::nullopt;
  return FromView(std::move(view), *dtype, share);
}

// Through numpy.asarray, what the buffer protocol does not give as it is.
std::optional<Tensor> ThroughNumPy(nb::handle x, bool share) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("asarray")(x);
  const nb::object dtype = array.attr("dtype");
  const std::string name = nb::str(dtype.attr("name")).c_str();
  if (name == "bfloat16") {
    const Tensor bits = AsTensor(array.attr("view")("uint16"), std::nullopt, share);
    return Tensor::FromBytes(kBFloat16, bits.shape(), bits.raw_data());
  }
  const std::string kind = nb::str(dtype.attr("kind")).c_str();
  const bool wide = nb::cast<int>(dtype.attr("itemsize")) > (kind == "c" ? 16 : 8);  // longdouble
  if (wide || kind.find_first_of("biufc") == std::string::npos) ThrowNoNumbers(name);
  if (share) ThrowInvalid("asarray: an array that is not contiguous or not native cannot be shared; use copy=True");
  array = numpy.attr("array")(array, array.attr("dtype").attr("newbyteorder")("="), nb::arg("order") = "C");
  if (std::optional<Tensor> out = FromBuffer(array, false)) return out;
  ThrowNoNumbers(name);
}

// Shape and kind of nested sequences of numbers.
struct Nested {
  std::vector<int64_t> shape;
  bool has_tensor = false, has_complex = false, has_float = false, has_int = false, has_bool = false;
  bool has_large = false;
};

bool IsSequence(PyObject* x) { return PyList_Check(x) || PyTuple_Check(x) || PyRange_Check(x); }

// The elements one after the other, row-major; false at one that is no number (an array, a tensor).
bool Flatten(PyObject* x, size_t depth, Nested* nested, std::vector<PyObject*>* leaves,
             std::vector<nb::object>* owners) {
  if (!IsSequence(x)) {
    if (depth < nested->shape.size() && nested->shape[depth] >= 0)
      ThrowInvalid("asarray: rows of a nested list differ in depth; all must have one shape");
    if (PyBool_Check(x))
      nested->has_bool = true;
    else if (PyLong_Check(x))
      nested->has_int = true;
    else if (PyFloat_CheckExact(x))
      nested->has_float = true;
    else if (PyComplex_CheckExact(x))
      nested->has_complex = true;
    else
      return false;
    if (nested->shape.size() == depth) nested->shape.push_back(-1);  // the leaves' depth
    leaves->push_back(x);
    return true;
  }
  if (depth >= kMaxRank) ThrowInvalid("asarray: lists are nested more than 10 deep");
  const nb::object items = nb::steal(PySequence_Fast(x, "a sequence"));
  if (!items.is_valid()) throw nb::python_error();
  owners->push_back(items);
  const auto n = static_cast<int64_t>(Py_SIZE(items.ptr()));
  const bool is_list = PyList_Check(items.ptr()) != 0;
  if (nested->shape.size() == depth) {
    nested->shape.push_back(n);
  } else if (nested->shape[depth] != n) {
    ThrowInvalid(nested->shape[depth] < 0
                     ? std::string("asarray: rows of a nested list differ in depth; all must have one shape")
                     : "asarray: rows of " + std::to_string(nested->shape[depth]) + " and of " + std::to_string(n) +
                           " elements; all must have one length");
  }
  for (int64_t i = 0; i < n; ++i) {
    PyObject* const item = is_list ? NB_LIST_GET_ITEM(items.ptr(), i) : NB_TUPLE_GET_ITEM(items.ptr(), i);
    if (!Flatten(item, depth + 1, nested, leaves, owners)) return false;
  }
  return true;
}

template <typename T, typename Get>
Tensor Collect(const std::vector<PyObject*>& leaves, const Shape& shape, Get get) {
  std::vector<T> values;
  values.reserve(leaves.size());
  for (PyObject* x : leaves) values.push_back(static_cast<T>(get(x)));
  if (PyErr_Occurred()) {
    PyErr_Clear();
    ThrowInvalid("asarray: an integer of the list does not fit the dtype; use a wider one or floats");
  }
  return Tensor::FromBytes(internal::ElementDType<T>(), shape, values.data());
}

// Numbers as elements of a dtype.
Tensor Elements(const std::vector<PyObject*>& leaves, const Shape& shape, DType dtype) {
  if (dtype == kBool) {
    std::vector<uint8_t> values;
    for (PyObject* x : leaves) values.push_back(PyObject_IsTrue(x) == 1);
    return Tensor::FromBytes(kBool, shape, values.data());
  }
  if (dtype == kFloat32) return Collect<float>(leaves, shape, PyFloat_AsDouble);
  if (dtype == kFloat64) return Collect<double>(leaves, shape, PyFloat_AsDouble);
  if (dtype == kInt64) return Collect<int64_t>(leaves, shape, PyLong_AsLongLong);
  if (dtype == kUInt64) return Collect<uint64_t>(leaves, shape, PyLong_AsUnsignedLongLong);
  if (IsFloat(dtype)) return Cast(Collect<double>(leaves, shape, PyFloat_AsDouble), dtype);
  if (IsComplex(dtype)) {
    const auto get = [](PyObject* x) {
      return std::complex<double>(PyComplex_RealAsDouble(x), PyComplex_ImagAsDouble(x));
    };
    return dtype == kComplex128 ? Collect<std::complex<double>>(leaves, shape, get)
                                : Collect<std::complex<float>>(leaves, shape, get);
  }
  const Tensor wide = Collect<int64_t>(leaves, shape, PyLong_AsLongLong);
  for (const int64_t value : wide.data<int64_t>()) {
    if (value < LowestInt(dtype) || value > HighestInt(dtype)) {
      ThrowInvalid("asarray: the integer " + std::to_string(value) + " does not fit " + std::string(NumPyName(dtype)));
    }
  }
  return Cast(wide, dtype);
}

DType DefaultDType(const Nested& nested) {
  if (nested.has_complex) return kComplex64;
  if (nested.has_float || !(nested.has_int || nested.has_bool)) return kFloat32;
  return nested.has_int ? kInt64 : kBool;
}

Tensor FromNested(nb::handle x, std::optional<DType> dtype) {
  Nested nested;
  std::vector<PyObject*> leaves;
  std::vector<nb::object> owners;
  if (!Flatten(x.ptr(), 0, &nested, &leaves, &owners)) {  // tensors or arrays among the elements
    if (!dtype) return Stack(ToTensorsTogether(x));
    std::vector<Tensor> rows;
    for (const nb::handle row : x) rows.push_back(AsTensor(row, dtype));
    return Stack(rows);
  }
  if (!nested.shape.empty() && nested.shape.back() < 0) nested.shape.pop_back();
  if (dtype && IsInteger(*dtype) && (nested.has_float || nested.has_complex))
    return Cast(FromNested(x, std::nullopt), *dtype);
  return Elements(leaves, Shape(nested.shape), dtype.value_or(DefaultDType(nested)));
}

}  // namespace

std::optional<Tensor> FromArray(nb::handle x, bool share) {
  if (PyObject_CheckBuffer(x.ptr())) {
    if (std::optional<Tensor> out = FromBuffer(x, share)) return out;
    if (PyBytes_Check(x.ptr()) || PyByteArray_Check(x.ptr())) return std::nullopt;
    return ThroughNumPy(x, share);
  }
  if (nb::hasattr(x, "__array__") || nb::hasattr(x, "__array_interface__")) return ThroughNumPy(x, share);
  return std::nullopt;
}

Tensor AsTensor(nb::handle x, std::optional<DType> dtype, bool share) {
  const auto cast = [&](const Tensor& t) { return dtype && t.dtype() != *dtype ? Cast(t, *dtype) : t; };
  if (IsTensor(x.ptr())) return cast(TensorOf(x.ptr()));
  if (IsVariable(x.ptr())) return cast(VariableOf(x.ptr()).value(std::source_location{}));
  if (PyBool_Check(x.ptr()) || PyLong_CheckExact(x.ptr()) || PyFloat_CheckExact(x.ptr()) ||
      PyComplex_CheckExact(x.ptr()) || IsSequence(x.ptr())) {
    return FromNested(x, dtype);
  }
  if (const IndexedSlices* slices = SlicesOf(x)) return cast(slices->Dense(std::source_location{}));
  if (const std::optional<Tensor> array = FromArray(x, share)) return cast(*array);
  if (PyLong_Check(x.ptr()) || PyFloat_Check(x.ptr())) {  // subclasses: enums, bools of others
    return FromNested(nb::steal(PyLong_Check(x.ptr()) ? PyNumber_Long(x.ptr()) : PyNumber_Float(x.ptr())), dtype);
  }
  ThrowType("cannot make a tensor of " + TypeName(x) + "; expected a number, a list of numbers, an array or a tensor");
}

}  // namespace reel::python
