#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "operators.h"
#include "register.h"

// Calls that no signature takes. nanobind's functions are called through a pointer in each of them; here that is put
// behind one that looks at errors, and only at these: what is wrong with a call is found by reel/_mistakes.py.

namespace reel::python {
namespace {

using VectorCall = PyObject* (*)(PyObject*, PyObject* const*, size_t, PyObject*);

// What nanobind calls functions with: one for each form of their arguments.
constexpr size_t kMostForms = 8;
std::array<VectorCall, kMostForms> forms{};

// A nanobind function, as far as the vectorcall protocol says.
struct FunctionHead {
  PyVarObject object;
  VectorCall call;
};

bool IsNoMatch(nb::handle function, const nb::python_error& error) {
  if (!error.type().is(nb::handle(PyExc_TypeError))) return false;
  const std::string begin = Text({nb::str(function.attr("__name__")).c_str(), "(): incompatible function arguments"});
  return std::string_view(nb::str(error.value()).c_str()).starts_with(begin);
}

// Puts an error that says what is wrong in the place of nanobind's.
void Explain(nb::handle function, PyObject* const* arguments, size_t count, PyObject* names) {
  nb::python_error error;
  if (!IsNoMatch(function, error)) return error.restore();
  nb::list positional;
  nb::dict named;
  for (size_t i = 0; i < count; ++i) positional.append(nb::handle(arguments[i]));
  for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); ++i)
    named[nb::handle(PyTuple_GetItem(names, i))] = nb::handle(arguments[count + static_cast<size_t>(i)]);
  const nb::object text = nb::module_::import_("reel._mistakes").attr("explain")(function, positional, named);
  ThrowType(nb::cast<std::string>(text));
}

template <size_t kForm>
PyObject* Explained(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  PyObject* result = forms[kForm](function, arguments, flags, names);
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) [[unlikely]] {
    return Guarded([&]() -> nb::object {
      Explain(function, arguments, static_cast<uint32_t>(flags), names);  // the upper bits are flags of nanobind's, too
      return {};
    });
  }
  return result;
}

template <size_t... kForms>
constexpr std::array<VectorCall, sizeof...(kForms)> Behind(std::index_sequence<kForms...>) {
  return {&Explained<kForms>...};
}
constexpr auto kExplained = Behind(std::make_index_sequence<kMostForms>());

void Replace(nb::handle function) {
  VectorCall& call = reinterpret_cast<FunctionHead*>(function.ptr())->call;
  for (size_t i = 0; i < kMostForms; ++i) {
    if (call == kExplained[i]) return;
    if (!forms[i]) forms[i] = call;
    if (call != forms[i]) continue;
    call = kExplained[i];
    return;
  }
}

void ReplaceIn(nb::handle names, nb::handle function, nb::handle method) {
  for (const nb::handle value : names.attr("values")()) {
    if (value.type().is(function) || value.type().is(method)) Replace(value);
  }
}

}  // namespace

void ExplainMistakes(nb::module_& m) {
#ifndef Py_LIMITED_API
  if (Py_TYPE(nb::object(m.attr("add")).ptr())->tp_vectorcall_offset != offsetof(FunctionHead, call))
    ThrowFailed("nanobind's functions have another layout than this extension knows");
#else  // which does not let us ask
  static_assert(NB_VERSION_MAJOR == 3 && NB_VERSION_MINOR == 1,
                "see that FunctionHead begins as nanobind's nb_func does");
#endif
  const nb::object function = nb::borrow(m.attr("add").type()),
                   method = nb::borrow(m.attr("Tensor").attr("item").type());
  const nb::object kind = nb::borrow(m.attr("Tensor").type());
  for (const nb::handle module :
       {nb::object(m), nb::object(m.attr("nn")), nb::object(m.attr("optim")), nb::object(m.attr("linalg")),
        nb::object(m.attr("random")), nb::object(m.attr("fft"))}) {
    ReplaceIn(module.attr("__dict__"), function, method);
    for (const nb::handle value : module.attr("__dict__").attr("values")()) {
      if (value.type().is(kind)) ReplaceIn(value.attr("__dict__"), function, method);
    }
  }
}

}  // namespace reel::python
