#include <array>
#include <cstring>
#include <limits>

#include "register.h"

// reel.float32 and so on: objects that compare equal to NumPy's dtypes of the same name.

namespace reel::python {
namespace {

struct DTypeValue {
  DType value;
};

std::array<PyObject*, kNumDTypes> objects{};

nb::object NumPy() { return nb::module_::import_("numpy"); }

// NumPy has no bfloat16: ml_dtypes has, if it is installed.
nb::object NumPyDType(DType dtype) {
  if (dtype != kBFloat16) return NumPy().attr("dtype")(std::string(NumPyName(dtype)).c_str());
  try {
    return NumPy().attr("dtype")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_ImportError)) throw;
    ThrowType("NumPy has no bfloat16; cast to float32 first, or install ml_dtypes");
  }
}

std::optional<DType> FromName(std::string_view name) {
  if (name == "bool_") return kBool;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (name == NumPyName(dtype)) return dtype;
  }
  DType dtype;
  if (ParseDType(name, &dtype)) return dtype;
  return std::nullopt;
}

std::optional<DType> FromType(PyObject* type) {
  if (type == reinterpret_cast<PyObject*>(&PyFloat_Type)) return kFloat32;
  if (type == reinterpret_cast<PyObject*>(&PyLong_Type)) return kInt64;
  if (type == reinterpret_cast<PyObject*>(&PyBool_Type)) return kBool;
  if (type == reinterpret_cast<PyObject*>(&PyComplex_Type)) return kComplex64;
  return FromName(nb::cast<std::string>(nb::handle(type).attr("__name__")));
}

// Without errors: nothing if it is no dtype.
std::optional<DType> Find(nb::handle x) {
  if (IsDType(x.ptr())) return nb::inst_ptr<DTypeValue>(x)->value;
  if (PyType_Check(x.ptr())) return FromType(x.ptr());
  if (PyUnicode_Check(x.ptr())) return FromName(nb::borrow<nb::str>(x).c_str());
  if (nb::hasattr(x, "name") && nb::hasattr(x, "itemsize")) {  // numpy.dtype
    const nb::object name = x.attr("name");
    if (PyUnicode_Check(name.ptr())) return FromName(nb::borrow<nb::str>(name).c_str());
  }
  return std::nullopt;
}

const char* Kind(DType d) {
  if (d == kBool) return "b";
  if (IsInteger(d)) return IsUnsigned(d) ? "u" : "i";
  return IsComplex(d) ? "c" : "f";
}

}  // namespace

nb::object DTypeObject(DType dtype) { return nb::borrow(objects[static_cast<size_t>(dtype)]); }

std::optional<DType> ToDType(nb::handle x) {
  if (x.is_none()) return std::nullopt;
  if (const std::optional<DType> found = Find(x)) return found;
  const std::string expected = "expected a dtype such as reel.float32, not " + std::string(nb::repr(x).c_str());
  if (!PyUnicode_Check(x.ptr())) ThrowType(expected);
  std::vector<std::string> names;
  for (int i = 0; i < kNumDTypes; ++i) names.emplace_back(NumPyName(static_cast<DType>(i)));
  ThrowType(Text({expected, "; ", Choices(nb::borrow<nb::str>(x).c_str(), names)}));
}

void RegisterDTypes(nb::module_& m) {
  nb::class_<DTypeValue> c(m, "DType",
                           "Element type of a tensor: reel.float32, reel.int64, ... Equal to NumPy's "
                           "dtype and scalar type of the same name.");
  types.dtype = reinterpret_cast<PyTypeObject*>(c.ptr());
  c.def_prop_ro(
      "name", [](const DTypeValue& d) { return nb::str(NumPyName(d.value).data()); }, nb::sig("def name(self) -> str"),
      "NumPy's name: 'float32'.");
  c.def_prop_ro("itemsize", [](const DTypeValue& d) { return SizeOf(d.value); }, "Bytes of an element.");
  c.def_prop_ro("kind", [](const DTypeValue& d) { return Kind(d.value); }, "NumPy's letter: b, i, u, f or c.");
  c.def_prop_ro("is_floating", [](const DTypeValue& d) { return IsFloat(d.value); });
  c.def_prop_ro("is_integer", [](const DTypeValue& d) { return IsInteger(d.value); });
  c.def_prop_ro("is_complex", [](const DTypeValue& d) { return IsComplex(d.value); });
  c.def_prop_ro("is_bool", [](const DTypeValue& d) { return d.value == kBool; });
  c.def_prop_ro(
      "dtype", [](const DTypeValue& d) { return NumPyDType(d.value); }, nb::sig("def dtype(self) -> Any"),
      "numpy.dtype of the same name.");
  c.def_prop_ro(
      "as_numpy_dtype", [](const DTypeValue& d) { return NumPyDType(d.value).attr("type"); },
      nb::sig("def as_numpy_dtype(self) -> Any"), "NumPy's scalar type.");
  c.def("__repr__", [](const DTypeValue& d) { return "reel." + std::string(NumPyName(d.value)); });
  c.def("__str__", [](const DTypeValue& d) { return std::string(NumPyName(d.value)); });
  c.def("__hash__", [](const DTypeValue& d) { return static_cast<int64_t>(d.value) + 7001; });
  c.def(
      "__eq__", [](const DTypeValue& d, nb::handle other) { return Find(other) == d.value; }, "other"_a.none(),
      nb::sig("def __eq__(self, other: object, /) -> bool"));
  c.def(
      "__ne__", [](const DTypeValue& d, nb::handle other) { return Find(other) != d.value; }, "other"_a.none(),
      nb::sig("def __ne__(self, other: object, /) -> bool"));
  c.def(
      "__reduce__", [](const DTypeValue& d) { return std::string(NumPyName(d.value)); },
      nb::sig("def __reduce__(self) -> str"));
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    nb::object object = nb::cast(DTypeValue{dtype});
    m.attr(std::string(NumPyName(dtype)).c_str()) = object;
    objects[static_cast<size_t>(i)] = object.release().ptr();
  }
}

}  // namespace reel::python
