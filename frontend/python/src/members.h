#ifndef REEL_PYTHON_MEMBERS_H_
#define REEL_PYTHON_MEMBERS_H_

#include <string>

#include "operators.h"
#include "slices.h"

// Properties and methods of Tensor, Variable and IndexedSlices alike.

namespace reel::python {

inline Tensor ValueOf(const Tensor& x) { return x; }
inline Tensor ValueOf(const Variable& x) { return x.value(std::source_location{}); }
inline const Type& TypeOf(const Tensor& x) { return x.type(); }
inline const Type& TypeOf(const Variable& x) { return x.type(); }

nb::object ItemOf(const Tensor& x);   // the only element as a Python number
nb::object NumPyOf(const Tensor& x);  // array, or NumPy scalar of rank 0
nb::object ArrayOf(const Tensor& x, nb::handle dtype, nb::handle copy);
std::string ElementText(const Tensor& x,
                        const std::string& prefix);  // as NumPy's repr, without "array("
std::string FormatOf(const Tensor& x, const std::string& spec);
/// A table of HTML, for notebooks.
std::string HtmlOf(const Tensor& x, const std::string& caption);
nb::object IterateOf(const Tensor& x);
bool ContainsOf(const Tensor& x, nb::handle value);
Tensor Transposed(const Tensor& x);
Tensor MatrixTransposed(const Tensor& x);
Tensor Reshaped(const Tensor& x, nb::args shape);

template <typename C>
void DefineMembers(nb::class_<C>& c) {
  c.def_prop_ro(
      "shape", [](const C& x) { return ShapeTuple(TypeOf(x).shape); }, nb::sig("def shape(self) -> tuple[int, ...]"),
      "Extents, outermost first.");
  c.def_prop_ro(
      "dtype", [](const C& x) { return DTypeObject(TypeOf(x).dtype); }, nb::sig("def dtype(self) -> DType"),
      "Element type.");
  c.def_prop_ro("ndim", [](const C& x) { return TypeOf(x).shape.rank(); }, "Number of axes.");
  c.def_prop_ro("size", [](const C& x) { return TypeOf(x).shape.size(); }, "Number of elements.");
  c.def_prop_ro("nbytes", [](const C& x) { return TypeOf(x).bytes(); }, "Bytes of all elements.");
  c.def_prop_ro("device", [](const C&) { return "cpu"; }, nb::sig("def device(self) -> str"), "Always 'cpu'.");
  c.def_prop_ro("T", [](const C& x) { return Transposed(ValueOf(x)); }, "Axes reversed.");
  c.def_prop_ro("mT", [](const C& x) { return MatrixTransposed(ValueOf(x)); }, "The last two axes swapped.");
  c.def(
      "numpy", [](const C& x) { return NumPyOf(ValueOf(x)); }, nb::sig("def numpy(self) -> Any"),
      "A read-only array on the elements, a NumPy scalar if there are no axes. Not while tracing.");
  c.def(
      "item", [](const C& x) { return ItemOf(ValueOf(x)); }, nb::sig("def item(self) -> bool | int | float | complex"),
      "The only element as a Python number; an error if there are others.");
  c.def(
      "tolist", [](const C& x) { return NumPyView(ValueOf(x)).attr("tolist")(); }, nb::sig("def tolist(self) -> Any"),
      "Nested lists of Python numbers.");
  c.def(
      "astype", [](const C& x, DTypeLike dtype) { return Cast(ValueOf(x), dtype.get(TypeOf(x).dtype)); }, "dtype"_a,
      "The elements converted to a dtype. Gradient: the cast of dy, floats only.");
  c.def(
      "reshape", [](const C& x, nb::args shape) { return Reshaped(ValueOf(x), shape); },
      nb::sig("def reshape(self, *shape: int | Sequence[int]) -> Tensor"),
      "Row-major elements in another shape; one extent may be -1.");
  c.def(
      "to_device",
      [](const C& x, nb::handle device, nb::handle) {
        if (!device.equal(nb::str("cpu"))) ThrowInvalid("to_device: the only device is 'cpu'");
        return ValueOf(x);
      },
      "device"_a, nb::kw_only(), "stream"_a = nb::none(), "The tensor itself: the only device is 'cpu'.");
  c.def(
      "__array__", [](const C& x, nb::handle dtype, nb::handle copy) { return ArrayOf(ValueOf(x), dtype, copy); },
      "dtype"_a = nb::none(), "copy"_a = nb::none(),
      nb::sig("def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any"));
  c.def(
      "__array_namespace__", [](const C&, nb::handle) { return nb::module_::import_("reel"); }, nb::kw_only(),
      "api_version"_a = nb::none());
  c.def(
      "__iter__", [](const C& x) { return IterateOf(ValueOf(x)); }, nb::sig("def __iter__(self) -> Iterator[Tensor]"));
  c.def(
      "__contains__", [](const C& x, nb::handle value) { return ContainsOf(ValueOf(x), value); }, "value"_a.none(),
      nb::sig("def __contains__(self, value: object, /) -> bool"));
  c.def(
      "__complex__", [](const C& x) { return Concrete(ValueOf(x), "complex").template item<std::complex<double>>({}); },
      nb::sig("def __complex__(self) -> complex"));
  c.def("__format__", [](const C& x, const char* spec) { return FormatOf(ValueOf(x), spec); });
  c.def("__str__", [](const C& x) { return ValueOf(x).str(); });
  nb::handle(c).attr("__array_priority__") = 100;
}

}  // namespace reel::python

#endif  // REEL_PYTHON_MEMBERS_H_
