#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>

#include "callback.h"
#include "frontend/program/live_function_binding.h"
#include "frontend/record/observed.h"
#include "gradients.h"
#include "operators.h"
#include "register.h"
#include "tree.h"

// reel.function and reel.tf.function: traced programs on live variables, and the object that is called. A call with
// arguments as in one of the last calls finds its program here, without Python code; others are `_slow_call`.

namespace reel::python {
namespace {

using internal::LiveFunction;

[[gnu::tls_model("initial-exec")]] thread_local bool builds_graph = false;
std::atomic<bool> all_calls_slow = false;

// Whether ReferenceTo made the reference of this object.
bool IsReferenceTo(const nb::object& reference, PyObject* x) {
  if (!PyWeakref_CheckRef(reference.ptr())) return x == reference.ptr();
  return x != Py_None && x == PyWeakref_GetObject(reference.ptr());  // None if it died
}

// Weak, where the object can be referenced so: what is remembered of a call keeps no argument alive.
nb::object ReferenceTo(PyObject* x) {
  if (PyObject* const weak = PyWeakref_NewRef(x, nullptr)) return nb::steal(weak);
  PyErr_Clear();
  return nb::borrow(x);
}

/// A traced function.
struct Program {
  std::shared_ptr<LiveFunction> live;
};

// The function takes tensors of these specs, or like these tensors, and returns a list of tensors. In a trace: like
// these tensors of it.
Program Trace(nb::handle function, nb::handle specs, const std::string& name) {
  const auto traced = [f = SharedObject(function)](std::span<const Tensor> arguments) {
    const nb::gil_scoped_acquire lock;
    nb::list args;
    for (const Tensor& x : arguments) args.append(Wrap(x));
    NamedTensors out;
    for (const nb::handle y : (*f)(*args)) out.emplace_back(ToTensor(y));
    return out;
  };
  if (!internal::InTrace()) return {internal::TraceLive(name, traced, ToSpecs(specs))};
  std::vector<Type> types;
  for (const nb::handle x : specs) types.push_back(ToTensor(x).type());
  return {internal::TraceLive(name, traced, types)};
}

// Other Python threads run where it takes long, and where something may be compiled or be called back.
std::vector<Tensor> Run(LiveFunction& live, const std::vector<Tensor>& arguments) {
  const Unlocked other_threads(internal::Observed() ? kLong : internal::WorkOf(live));
  return internal::CallLive(live, arguments);
}

nb::object CallProgram(const Program& self, nb::handle arguments) {
  std::vector<Tensor> tensors;
  for (const nb::handle x : arguments) tensors.push_back(ToTensor(x));
  std::vector<Tensor> results = [&] {
    const Unlocked other_threads(kLong);
    return internal::CallLive(*self.live, tensors);
  }();
  nb::list out;
  for (Tensor& y : results) out.append(Wrap(std::move(y)));
  return out;
}

// What an argument must be for a program to fit.
class Pattern {
 public:
  // Nothing if only Python code can tell.
  static std::optional<Pattern> Of(PyObject* x) {
    Pattern p;
    if (IsTensor(x)) {
      p.kind_ = Kind::kTensor;
      p.type_ = TensorOf(x).type();
    } else if (IsVariable(x) || x == Py_None || Py_TYPE(x)->tp_hash == PyBaseObject_Type.tp_hash) {
      p.kind_ = Kind::kIdentity;
    } else if (PyFloat_CheckExact(x)) {
      p.kind_ = Kind::kSameBits;
    } else if (PyBool_Check(x) || PyLong_CheckExact(x) || PyUnicode_CheckExact(x)) {
      p.kind_ = Kind::kEqual;
    } else {
      return std::nullopt;
    }
    p.class_ = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(x)));
    if (p.kind_ == Kind::kIdentity)
      p.value_ = ReferenceTo(x);
    else if (p.kind_ != Kind::kTensor)
      p.value_ = nb::borrow(x);
    return p;
  }

  bool Matches(PyObject* x) const {
    if (kind_ == Kind::kIdentity) return IsReferenceTo(value_, x);
    if (reinterpret_cast<PyObject*>(Py_TYPE(x)) != class_.ptr()) return false;
    if (kind_ == Kind::kSameBits) return Bits(x) == Bits(value_.ptr());
    if (kind_ == Kind::kEqual) return PyObject_RichCompareBool(x, value_.ptr(), Py_EQ) == 1;
    const Tensor& t = TensorOf(x);
    return t.type() == type_ && !t.symbolic();
  }
  bool is_tensor() const { return kind_ == Kind::kTensor; }
  int Traverse(visitproc visit, void* arg) const {
    Py_VISIT(class_.ptr());
    Py_VISIT(value_.ptr());
    return 0;
  }

 private:
  enum class Kind : uint8_t { kTensor, kIdentity, kSameBits, kEqual };
  Pattern() = default;
  static uint64_t Bits(PyObject* x) { return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(x)); }
  Kind kind_ = Kind::kEqual;
  Type type_;
  nb::object class_, value_;
};

struct Known {
  std::vector<Pattern> patterns;
  std::shared_ptr<LiveFunction> live;
  PyTypeObject* result = nullptr;  // the class of the only result, or
  nb::object pack;                 // what makes the returned value of the list of results
};

/// The base of the classes of compiled functions.
struct Callable {
  static constexpr size_t kMost = 8;
  std::vector<Known> recent;  // the last called first
  int64_t hits = 0;           // calls without Python code since TakeHits

  bool Fits(const Known& known, PyObject* args) const {
    const auto n = static_cast<size_t>(PyTuple_GET_SIZE(args));
    if (known.patterns.size() != n) return false;
    for (size_t i = 0; i < n; ++i) {
      if (!known.patterns[i].Matches(PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i)))) return false;
    }
    return true;
  }

  // Null if no program is known.
  const Known* Find(PyObject* args) {
    for (size_t i = 0; i < recent.size(); ++i) {
      if (!Fits(recent[i], args)) continue;
      const auto at = recent.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(recent.begin(), at, at + 1);
      ++hits;
      return &recent[0];
    }
    return nullptr;
  }
};

nb::object CallKnown(const Known& found, PyObject* args) {
  std::vector<Tensor> arguments;
  arguments.reserve(found.patterns.size());
  for (size_t i = 0; i < found.patterns.size(); ++i) {
    if (found.patterns[i].is_tensor())
      arguments.push_back(TensorOf(PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i))));
  }
  // Other calls may change what is known.
  const std::shared_ptr<LiveFunction> live = found.live;
  const nb::object pack = found.pack;
  PyTypeObject* const result = found.result;
  std::vector<Tensor> results = Run(*live, arguments);
  if (result) return WrapAs(result, std::move(results[0]));
  nb::list out;
  for (Tensor& y : results) out.append(Wrap(std::move(y)));
  return pack(out);
}

PyObject* Call(PyObject* self, PyObject* args, PyObject* kwargs) {
  auto* const callable = nb::inst_ptr<Callable>(self);
  const bool plain = !kwargs || PyDict_GET_SIZE(kwargs) == 0;
  if (plain && !builds_graph && !all_calls_slow.load(std::memory_order_relaxed) && !internal::OpsAreObserved()) {
    if (const Known* known = callable->Find(args)) return Guarded([&] { return CallKnown(*known, args); });
  }
  static PyObject* const name = PyUnicode_InternFromString("_slow_call");
  PyObject* const method = PyObject_GetAttr(self, name);
  if (!method) return nullptr;
  PyObject* const out = PyObject_Call(method, args, kwargs);
  Py_DECREF(method);
  return out;
}

// (args, program, pack): calls with arguments like these run the program. pack: a class of tensors, for the only
// result; or a function of the list of results. False if they have to be looked at by Python code.
bool Remember(Callable& self, nb::tuple args, const Program& program, nb::handle pack) {
  Known known;
  for (const nb::handle x : args) {
    std::optional<Pattern> pattern = Pattern::Of(x.ptr());
    if (!pattern) return false;
    known.patterns.push_back(*std::move(pattern));
  }
  known.live = program.live;
  if (PyType_Check(pack.ptr()))
    known.result = reinterpret_cast<PyTypeObject*>(pack.ptr());  // Tensor and tf.Tensor live for ever
  else
    known.pack = nb::borrow(pack);
  self.recent.insert(self.recent.begin(), std::move(known));
  if (self.recent.size() > Callable::kMost) {
    const Known oldest = std::move(self.recent.back());  // what dies with it may call
    self.recent.pop_back();
  }
  return true;
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  for (const Known& known : nb::inst_ptr<Callable>(self)->recent) {
    Py_VISIT(known.pack.ptr());
    for (const Pattern& p : known.patterns) {
      if (const int stop = p.Traverse(visit, arg)) return stop;
    }
  }
  return 0;
}

int Clear(PyObject* self) {
  const std::vector<Known> known = std::exchange(nb::inst_ptr<Callable>(self)->recent, {});
  return 0;
}

const PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(&Call)},
    {Py_tp_traverse, reinterpret_cast<void*>(&Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(&Clear)},
    {0, nullptr},
};

}  // namespace

bool BuildsGraph() { return builds_graph; }

void RegisterCallable(nb::module_& m) {
  nb::class_<Program> p(m, "_Program");
  p.def("__call__", &CallProgram);
  p.def_prop_ro("variables", [](const Program& x) { return VariableTuple(internal::VariablesOf(*x.live)); });
  p.def("graph", [](const Program& x, const std::string& name) { return internal::GraphOf(*x.live, name); });
  nb::class_<Callable> c(m, "_Callable", nb::type_slots(slots));
  c.def(nb::init<>());
  c.def("_remember", &Remember);
  c.def("_take_hits", [](Callable& x) { return std::exchange(x.hits, 0); });
  m.def("_trace_program", &Trace);
  m.def("_observed", [] { return internal::Observed(); });
  m.def("_ops_observed", [] { return internal::OpsAreObserved(); });
  m.def("_tangents_followed", [] { return internal::TangentsAreFollowed(); });
  m.def("_in_trace", [] { return internal::InTrace(); });
  m.def("_set_builds_graph", [](bool builds) { builds_graph = builds; });
  m.def("_set_all_calls_slow", [](bool slow) { all_calls_slow = slow; });
}

}  // namespace reel::python
