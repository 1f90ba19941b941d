#include <array>
#include <set>
#include <string>

#include "frontend/program/interrupt.h"
#include "frontend/values/location.h"
#include "operators.h"
#include "register.h"

// reel::Error as Python exceptions, and the line of the Python program for their texts.

namespace reel::python {
namespace {

struct ErrorClass {
  ErrorCode code;
  const char* name;
  PyObject** builtin;  // the class that TensorFlow's users catch
  const char* doc;
  PyObject** second = nullptr;  // another such class
};

PyObject* error = nullptr;
PyObject* type_error = nullptr;
std::array<PyObject*, 16> classes{};

nb::object NewClass(nb::module_& m, const char* name, nb::handle bases, const char* doc, const char* code) {
  nb::dict members;
  members["code"] = code;
  PyObject* c = PyErr_NewExceptionWithDoc((std::string("reel.") + name).c_str(), doc, bases.ptr(), members.ptr());
  if (!c) throw nb::python_error();
  m.attr(name) = nb::steal(c);
  return nb::borrow(c);  // lives as long as the process
}

void Translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const TypeMistake& e) {
    PyErr_SetString(type_error, e.what());
  } catch (const Error& e) {
    // Stopped by an interrupt, which has a handler of its own: KeyboardInterrupt.
    if (e.code() == ErrorCode::kCancelled && PyErr_CheckSignals() != 0) return;
    const auto code = static_cast<size_t>(e.code());
    PyObject* c = code < classes.size() && classes[code] ? classes[code] : error;
    PyErr_SetString(c, InPython(e.what()).c_str());
  }
}

unsigned long main_thread = 0;  // Python's, whose number is the system's

// Raises what Python's handler of signals has noted. Interrupts reach the main thread alone: others do not wait for
// Python's lock.
void RaisePending() {
  if (PyThread_get_thread_ident() != main_thread) return;
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void TranslateCurrent() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const Error&) {
    Translate(std::current_exception(), nullptr);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

namespace {

// A copy of the name that lives as long as the process. The caller holds Python's lock.
const char* Intern(PyObject* filename) {
  static auto& names = *new std::set<std::string>;
  const char* text = PyUnicode_AsUTF8AndSize(filename, nullptr);
  if (!text) {
    PyErr_Clear();
    return nullptr;
  }
  return names.insert(text).first->c_str();
}

std::string& PackageFolder() {
  static auto& folder = *new std::string;
  return folder;
}

// The innermost frame that is not of the package itself.
internal::SourceLine FindLine() {
  const nb::gil_scoped_acquire lock;
  nb::object frame = nb::steal(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame.is_valid() && !frame.is_none()) {
    auto* f = reinterpret_cast<PyFrameObject*>(frame.ptr());
    const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
    const nb::object filename = code.attr("co_filename");
    const char* name = Intern(filename.ptr());
    if (name && !std::string_view(name).starts_with(PackageFolder())) {
      const int line = PyFrame_GetLineNumber(f);
      return {name, line < 0 ? 0u : static_cast<uint32_t>(line)};
    }
    frame = frame.attr("f_back");
  }
  return {};
}

}  // namespace

std::string InPython(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"std::nullopt", "None"},
      {"a null tensor", "None"},
      {"construct it with {.persistent = true}", "make it with persistent=True"},
      {"{.vectorize = false}", "experimental_use_pfor=False"},
      {"without vectorize, the tape", "with experimental_use_pfor=False the tape"},
      {"call Gradient again", "call gradient again"},
      {"use Jacobian", "use jacobian"},
      {"use Cond, WhileLoop or Where", "use reel.cond, reel.while_loop or reel.where"},
      {"Watch it", "call tape.watch on it"},
      {" Cast ", " cast "},
      {" Reshape", " reshape"},
      {" Transpose", " transpose"},
  };
  size_t end = text.rfind(" (");  // of the text; after it stands a line of the program
  for (const auto& [cpp, python] : kWords) {
    for (size_t at = 0; (at = text.find(cpp, at)) < end; at += python.size()) {
      text.replace(at, cpp.size(), python);
      if (end != std::string::npos) end = end + python.size() - cpp.size();
    }
  }
  return text;
}

std::string AtUserLine() {
  const internal::SourceLine line = FindLine();
  return line.file ? Text({" (", line.file, ":", std::to_string(line.line), ")"}) : std::string();
}

void RegisterErrors(nb::module_& m) {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  reel::internal::SetPendingCheck(&RaisePending);
  error = NewClass(m, "Error", nb::handle(PyExc_Exception),
                   "Every failure of Reel; `code` says of what kind, the text what to do.", "Unknown")
              .release()
              .ptr();
  const ErrorClass all[] = {
      {ErrorCode::kCancelled, "CancelledError", &PyExc_RuntimeError, "The work was cancelled."},
      {ErrorCode::kInvalidArgument, "InvalidArgumentError", &PyExc_ValueError, "A value, shape or dtype does not fit."},
      {ErrorCode::kDeadlineExceeded, "DeadlineExceededError", &PyExc_RuntimeError,
       "The work took longer than its budget."},
      {ErrorCode::kNotFound, "NotFoundError", &PyExc_LookupError, "No such file, name or gradient."},
      {ErrorCode::kAlreadyExists, "AlreadyExistsError", &PyExc_ValueError, "The name is taken."},
      {ErrorCode::kPermissionDenied, "PermissionDeniedError", &PyExc_RuntimeError,
       "A file may not be read or written."},
      {ErrorCode::kResourceExhausted, "ResourceExhaustedError", &PyExc_RuntimeError, "Memory or a budget is used up.",
       &PyExc_MemoryError},
      {ErrorCode::kFailedPrecondition, "FailedPreconditionError", &PyExc_RuntimeError,
       "The object is not in a state for this."},
      {ErrorCode::kAborted, "AbortedError", &PyExc_RuntimeError, "The work was given up."},
      {ErrorCode::kOutOfRange, "OutOfRangeError", &PyExc_IndexError, "An index is out of range."},
      {ErrorCode::kUnimplemented, "UnimplementedError", &PyExc_NotImplementedError,
       "Reel does not have this, such as the derivative of an op.", &PyExc_LookupError},
      {ErrorCode::kInternal, "InternalError", &PyExc_RuntimeError, "A bug of Reel's."},
      {ErrorCode::kUnavailable, "UnavailableError", &PyExc_RuntimeError, "Something needed is not there now."},
      {ErrorCode::kDataLoss, "DataLossError", &PyExc_ValueError, "A file is damaged."},
  };
  for (const ErrorClass& c : all) {
    const nb::handle builtin(*c.builtin);
    const nb::tuple bases = c.second ? nb::make_tuple(nb::handle(error), builtin, nb::handle(*c.second))
                                     : nb::make_tuple(nb::handle(error), builtin);
    classes[static_cast<size_t>(c.code)] = NewClass(m, c.name, bases, c.doc, Name(c.code)).release().ptr();
  }
  const nb::tuple bases = nb::make_tuple(nb::handle(classes[static_cast<size_t>(ErrorCode::kInvalidArgument)]),
                                         nb::handle(PyExc_TypeError));
  type_error = NewClass(m, "InvalidTypeError", bases, "An argument is of a Python type that does not fit.",
                        Name(ErrorCode::kInvalidArgument))
                   .release()
                   .ptr();
  nb::register_exception_translator(Translate);
  m.def("_at_user_line", &AtUserLine);
  m.def("_set_package_folder", [](const char* folder) { PackageFolder() = folder; });
  internal::SetLineFinder(FindLine);
}

}  // namespace reel::python
