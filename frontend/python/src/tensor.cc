#include "bind.h"
#include "dlpack.h"
#include "members.h"
#include "reel/complex.h"
#include "reel/shapes.h"
#include "register.h"
#include "slices.h"

// The class Tensor.

namespace reel::python {

nb::object ItemOf(const Tensor& x) {
  (void)Concrete(x, "item");
  const std::source_location none{};
  if (x.dtype() == kBool) return nb::bool_(x.item<bool>(none));
  if (x.dtype() == kUInt64) return nb::int_(static_cast<uint64_t>(x.item<int64_t>(none)));
  if (IsInteger(x.dtype())) return nb::int_(x.item<int64_t>(none));
  if (IsComplex(x.dtype())) return nb::cast(x.item<std::complex<double>>(none));
  return nb::float_(x.item<double>(none));
}

nb::object NumPyOf(const Tensor& x) {
  const nb::object view = NumPyView(x);
  return x.rank() > 0 ? view : view[nb::tuple()];
}

nb::object ArrayOf(const Tensor& x, nb::handle dtype, nb::handle copy) {
  nb::object view = NumPyView(x);
  const bool must_copy = !copy.is_none() && nb::cast<bool>(copy);
  if (!dtype.is_none()) {
    const nb::object wanted = nb::module_::import_("numpy").attr("dtype")(dtype);
    if (!wanted.equal(view.attr("dtype"))) {
      if (!copy.is_none() && !must_copy)
        ThrowInvalid("__array__: another dtype needs a copy, which copy=False forbids");
      return view.attr("astype")(wanted);
    }
  }
  return must_copy ? view.attr("copy")() : view;
}

std::string ElementText(const Tensor& x, const std::string& prefix) {
  if (x.dtype() == kBFloat16) return ElementText(Cast(x, kFloat32), prefix);
  if (x.rank() == 0) return x.str();
  return nb::str(nb::module_::import_("numpy").attr("array2string")(NumPyView(x), nb::arg("separator") = ", ",
                                                                    nb::arg("prefix") = prefix.c_str()))
      .c_str();
}

std::string HtmlOf(const Tensor& x, const std::string& caption) {
  const nb::object html = nb::module_::import_("reel._html");
  if (!x.defined() || x.symbolic()) return nb::cast<std::string>(html.attr("note")(caption + " " + x.str()));
  return nb::cast<std::string>(html.attr("table")(Wrap(x), caption));
}

std::string FormatOf(const Tensor& x, const std::string& spec) {
  if (spec.empty()) return x.str();
  (void)Concrete(x, "format");
  if (x.rank() > 0) {
    ThrowType("the format '" + spec + "' needs a scalar, not " + x.type().ToString());
  }
  PyObject* text = PyObject_Format(ItemOf(x).ptr(), nb::str(spec.c_str()).ptr());
  if (!text) throw nb::python_error();
  return nb::steal<nb::str>(text).c_str();
}

nb::object IterateOf(const Tensor& x) {
  if (x.rank() == 0) ThrowType("a scalar tensor cannot be iterated over");
  nb::list rows;
  for (Tensor& row : Unstack(x)) rows.append(Wrap(std::move(row)));
  return nb::iter(rows);
}

bool ContainsOf(const Tensor& x, nb::handle value) {
  return Concrete(ReduceAny(Equal(x, ToOperand(value))), "in").item<bool>({});
}

Tensor Transposed(const Tensor& x) { return Transpose(x); }

Tensor MatrixTransposed(const Tensor& x) {
  if (x.rank() < 2) ThrowInvalid("mT: " + x.type().ToString() + " has fewer than two axes; use T");
  return SwapAxes(x, -1, -2);
}

Tensor Reshaped(const Tensor& x, nb::args shape) {
  return Reshape(x, shape.size() == 1 ? ToInts(shape[0], "reshape") : ToInts(shape, "reshape"));
}

namespace {

nb::object Repr(const Tensor& x) {
  if (!x.defined() || x.symbolic()) return nb::str(("<reel.Tensor " + x.str() + ">").c_str());
  const std::string text = ElementText(x, "Tensor(");
  const size_t line = text.rfind('\n') + 1;
  const std::string dtype = "dtype=" + std::string(NumPyName(x.dtype())) + ")";
  const bool fits = text.size() - line + dtype.size() + 9 < 88;
  return nb::str(("Tensor(" + text + (fits ? ", " : ",\n       ") + dtype).c_str());
}

// dtype, shape and elements.
Tensor Unpickle(DTypeLike dtype, ShapeLike shape, nb::bytes elements) {
  const Type type{dtype.get(kFloat32), shape.get()};
  if (type.bytes() != static_cast<int64_t>(elements.size()))
    ThrowInvalid("unpickle: " + std::to_string(elements.size()) + " bytes do not fill " + type.ToString());
  return Tensor::FromBytes(type.dtype, type.shape, elements.c_str());
}

nb::object Reduce(const Tensor& x) {
  const auto* elements = static_cast<const char*>(Concrete(x, "pickle").raw_data(std::source_location{}));
  const nb::object make = nb::module_::import_("reel._pickle").attr("tensor");
  return nb::make_tuple(make, nb::make_tuple(std::string(NumPyName(x.dtype())), ShapeTuple(x.shape()),
                                             nb::bytes(elements, static_cast<size_t>(x.type().bytes()))));
}

nb::object Interface(const Tensor& x) {
  if (x.dtype() == kBFloat16) ThrowType("NumPy has no bfloat16; cast to float32 first");
  const auto address = reinterpret_cast<uintptr_t>(Concrete(x, "numpy").raw_data(std::source_location{}));
  nb::dict out;
  out["shape"] = ShapeTuple(x.shape());
  out["typestr"] = DTypeObject(x.dtype()).attr("dtype").attr("str");
  out["data"] = nb::make_tuple(address, true);
  out["version"] = 3;
  return out;
}

// The tensor as the core's class.
PyObject* Plain(PyObject* self, void*) {
  return Guarded([&] { return Wrap(TensorOf(self)); });
}
PyGetSetDef getters[] = {{"_plain", &Plain, nullptr, nullptr, nullptr}, {nullptr, nullptr, nullptr, nullptr, nullptr}};

const PyType_Slot* TensorSlots() {
  static const std::vector<PyType_Slot> slots = [] {
    std::vector<PyType_Slot> all = {
        {Py_bf_getbuffer, reinterpret_cast<void*>(&GetBuffer)},
        {Py_tp_getset, static_cast<void*>(getters)},
        {Py_bf_releasebuffer, reinterpret_cast<void*>(&ReleaseBuffer)},
    };
    for (const PyType_Slot* s = OperatorSlots();; ++s) {
      all.push_back(*s);
      if (s->slot == 0) return all;
    }
  }();
  return slots.data();
}

}  // namespace

nb::list MethodNames() {
  static PyObject* const names = nb::list().release().ptr();
  return nb::borrow<nb::list>(names);
}

Py_ssize_t Length(PyObject* self) {
  Py_ssize_t n = -1;
  const nb::object done = nb::steal(Guarded([&] {
    const IndexedSlices* slices = SlicesOf(self);
    const Type type = slices ? TypeOf(*slices) : IsTensor(self) ? TensorOf(self).type() : VariableOf(self).type();
    if (type.shape.rank() == 0) ThrowType("a scalar tensor has no len()");
    if (!type.shape[0].is_constant()) ThrowType("len: the extent is symbolic; use shape of what a call gives");
    n = type.shape.dim(0);
    return nb::none();
  }));
  return n;
}

void RegisterTensor(nb::module_& m) {
  nb::class_<Tensor> c(m, "Tensor", nb::type_slots(TensorSlots()), nb::is_weak_referenceable(),
                       "An immutable array of numbers; make one with reel.asarray. Operators and indexing "
                       "are NumPy's; Python numbers take the tensor's dtype. Inside a trace it has a type "
                       "but no elements.");
  types.tensor = reinterpret_cast<PyTypeObject*>(c.ptr());
  DefineMembers(c);
  c.def("__repr__", &Repr, nb::sig("def __repr__(self) -> str"));
  c.def(
      "_repr_html_", [](const Tensor& x) { return HtmlOf(x, "Tensor"); }, nb::sig("def _repr_html_(self) -> str"),
      "A small table, for notebooks.");
  c.def("__reduce__", &Reduce, nb::sig("def __reduce__(self) -> Any"));
  c.def("__copy__", [](const Tensor& x) { return x; });
  c.def("__deepcopy__", [](const Tensor& x, nb::handle) { return x; });
  c.def_prop_ro("__array_interface__", &Interface, nb::sig("def __array_interface__(self) -> dict[str, Any]"));
  c.def_prop_ro("symbolic", &Tensor::symbolic, "True inside a trace: there are no elements to read.");
  c.def_prop_ro("real", [](const Tensor& x) { return Real(x); }, "The real part.");
  c.def_prop_ro("imag", [](const Tensor& x) { return Imag(x); }, "The imaginary part.");
  c.def("__dlpack__", &ToDLPack, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
        "dl_device"_a = nb::none(), "copy"_a = nb::none(),
        nb::sig("def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None, "
                "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any"));
  c.def(
      "__dlpack_device__", [](const Tensor&) { return nb::make_tuple(1, 0); },
      nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
  m.def("_unpickle", &Unpickle);
  m.def("from_dlpack", &FromDLPack, "x"_a, nb::kw_only(), "device"_a = nb::none(), "copy"_a = nb::none(),
        nb::sig("def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = "
                "None) -> Tensor"),
        "A tensor on the elements of any object with __dlpack__, such as a torch.Tensor; a copy if "
        "they are "
        "not contiguous, or if copy=True. Do not write to them afterwards.");
}

}  // namespace reel::python
