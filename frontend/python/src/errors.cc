#include <algorithm>
#include <array>
#include <cctype>
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

// Where a line of the program, " (file:12)", begins at the end of a text.
size_t EndOf(std::string_view text) {
  const size_t colon = text.rfind(':'), begin = text.rfind(" (");
  if (!text.ends_with(')') || colon == text.npos || begin == text.npos || begin > colon) return text.size();
  const std::string_view number = text.substr(colon + 1, text.size() - colon - 2);
  const bool digits = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
  return digits ? begin : text.size();
}

// The text with the line of the Python program, where it has one of the extension's own sources: an op there was given
// what another op had computed.
std::string AtLineOfPython(std::string text) {
  const size_t end = EndOf(text);
  if (text.find("frontend/python/src/", end) != text.npos) text.replace(end, text.npos, AtUserLine());
  return text;
}

// Whether an error is about a dtype, which its advice tells: such ones are TypeErrors too, as TensorFlow's graphs
// raise.
bool IsMendedByCast(const Error& e) {
  const std::string_view text = e.what();
  return e.code() == ErrorCode::kInvalidArgument &&
         (text.find("; cast ") != text.npos || text.find("; Cast ") != text.npos);
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
    if (IsMendedByCast(e)) c = type_error;
    PyErr_SetString(c, InPython(AtLineOfPython(e.what())).c_str());
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

namespace {

using Words = std::pair<std::string_view, std::string_view>;

// What is called otherwise in Python; the longer ones first.
constexpr Words kPhrases[] = {
    {"std::nullopt", "None"},
    {"a null tensor", "None"},
    {"construct it with {.persistent = true}", "make it with persistent=True"},
    {"persistent=True ({.persistent = true})", "persistent=True"},
    {"{.vectorize = false}", "experimental_use_pfor=False"},
    {"without vectorize, the tape", "with experimental_use_pfor=False the tape"},
    {"call Gradient again", "call gradient again"},
    {"use Jacobian", "use jacobian"},
    {"use Cond, WhileLoop or Where", "use reel.cond, reel.while_loop or reel.where"},
    {"Watch it", "call tape.watch on it"},
    {"Stop it first", "leave its `with` first"},
    {"Stop() it before it starts again", "leave its `with` first"},
    {"UnconnectedGradients::kZero", "unconnected_gradients='zero'"},
    {"must be kNone or kZero", "must be 'none' or 'zero'"},
    {"LabelKind::kNumbers: numbers to predict", "label_kind='numbers': numbers to predict"},
    {"TextUnit::kBytes", "unit='bytes'"},
    {"drop_remainder=false", "drop_remainder=False"},
    {"ResizeMethod::kNearest", "method='nearest'"},
    {"Generator::FromKey", "Generator.from_key"},
    {"Generator(seed).Key()", "Generator(seed).key()"},
    {"use item<std::complex<double>>(), or Real or Imag of it", "use complex(x), or real or imag of it"},
    {"CompileOptions::extents or --extent ", "extents "},
    {"CompileOptions::extents", "extents={name: number}"},
    {"CompileOptions{.profile = true}", "profile=True"},
    {"OnnxOptions::dims or --dim ", "dims "},
    {"(external_data, --external-data)", "(external_data)"},
    {"(dims, --dim NAME=N)", "(dims)"},
    {"OnnxOptions::constants or --constant ", "constants "},
    {"=FILE.npy", "=array"},
    {"Compile returns", "reel.compile returns"},
    {"call Gradients", "call reel.gradients"},
    {"make them Variables", "make them variables"},
    {"pass it to Update first", "pass it to update first"},
    {"NewInstance()", "new_instance()"},
    {"GatherState(step)()", "step.gather_state()"},
    {"StoreTo(variables)", "store_to(variables)"},
    {"before DataParallel", "before reel.distribute"},
    {"ZeroState(x.shape()[0])", "zeros"},
    {"x.shape()[i]", "x.shape[i]"},
    {"set options.dtype to kFloat32", "set dtype to float32"},
    {"scalars take Mul", "scalars take multiply"},
    {"Slice instead", "slice it instead"},
    {"Ravel it", "reshape it to one axis"},
};

// Names by themselves.
constexpr Words kNames[] = {
    {"Argsort", "argsort"},
    {"Bincount", "bincount"},
    {"BroadcastTo", "broadcast_to"},
    {"Cast", "cast"},
    {"CountNonzero", "count_nonzero"},
    {"ExpandDims", "expand_dims"},
    {"ExplainNone", "explain_none"},
    {"ExtentOf", "extent_of"},
    {"Fft", "fft"},
    {"FromData", "from_data"},
    {"Imag", "imag"},
    {"LeastSquares", "linalg.lstsq"},
    {"NotEqual", "not_equal"},
    {"PseudoInverse", "linalg.pinv"},
    {"Real", "real"},
    {"ReduceAll", "all"},
    {"Reshape", "reshape"},
    {"Sort", "sort"},
    {"Spec", "TensorSpec"},
    {"StopRecording", "stop_recording"},
    {"Transpose", "transpose"},
    {"Where", "where"},
    {"kBool", "bool"},
    {"kFloat32", "float32"},
    {"kFloat64", "float64"},
    {"kUInt8", "uint8"},
};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Puts a name in place of another wherever that stands alone, and not as somebody's own name, in quotes.
void ReplaceName(std::string* text, size_t* end, const Words& words) {
  const auto& [cpp, python] = words;
  const auto alone = [text](size_t at) {
    const char c = at < text->size() ? (*text)[at] : ' ';
    return !IsWord(c) && c != '\'' && c != '"';
  };
  for (size_t at = 0; (at = text->find(cpp, at)) < *end; at += python.size()) {
    if (!(at == 0 || alone(at - 1)) || !alone(at + cpp.size())) {
      at += cpp.size() - python.size();  // one step on, over the word as it is
      continue;
    }
    text->replace(at, cpp.size(), python);
    *end += python.size() - cpp.size();
  }
}

}  // namespace

std::string InPython(std::string text) {
  size_t end = EndOf(text);
  for (const auto& [cpp, python] : kPhrases) {
    for (size_t at = 0; (at = text.find(cpp, at)) < end; at += python.size()) {
      text.replace(at, cpp.size(), python);
      end += python.size() - cpp.size();
    }
  }
  for (const Words& words : kNames) ReplaceName(&text, &end, words);
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
      {ErrorCode::kOutOfRange, "OutOfRangeError", &PyExc_IndexError,
       "An index is out of range; an InvalidArgumentError, too."},
      {ErrorCode::kUnimplemented, "UnimplementedError", &PyExc_NotImplementedError,
       "Reel does not have this, such as the derivative of an op.", &PyExc_LookupError},
      {ErrorCode::kInternal, "InternalError", &PyExc_RuntimeError, "A bug of Reel's."},
      {ErrorCode::kUnavailable, "UnavailableError", &PyExc_RuntimeError, "Something needed is not there now."},
      {ErrorCode::kDataLoss, "DataLossError", &PyExc_ValueError, "A file is damaged."},
  };
  for (const ErrorClass& c : all) {
    const bool is_index = c.code == ErrorCode::kOutOfRange;
    const nb::handle base(is_index ? classes[static_cast<size_t>(ErrorCode::kInvalidArgument)] : error);
    const nb::handle builtin(*c.builtin);
    const nb::tuple bases =
        c.second ? nb::make_tuple(base, builtin, nb::handle(*c.second)) : nb::make_tuple(base, builtin);
    classes[static_cast<size_t>(c.code)] = NewClass(m, c.name, bases, c.doc, Name(c.code)).release().ptr();
  }
  const nb::tuple bases = nb::make_tuple(nb::handle(classes[static_cast<size_t>(ErrorCode::kInvalidArgument)]),
                                         nb::handle(PyExc_TypeError));
  type_error = NewClass(m, "InvalidTypeError", bases, "An argument is of a Python type or a dtype that does not fit.",
                        Name(ErrorCode::kInvalidArgument))
                   .release()
                   .ptr();
  nb::register_exception_translator(Translate);
  m.def("_at_user_line", &AtUserLine);
  m.def("_in_python", &InPython);
  m.def("_set_package_folder", [](const char* folder) { PackageFolder() = folder; });
  internal::SetLineFinder(FindLine);
}

}  // namespace reel::python
