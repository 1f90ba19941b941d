#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

#include "callback.h"
#include "dlpack.h"
#include "frontend/program/live_function_binding.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/observed.h"
#include "gradients.h"
#include "operators.h"
#include "packing.h"
#include "register.h"
#include "slices.h"
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

/// `with`: ops run at once, and no tape, accumulator or trace of this thread sees them.
struct Suspended {
  std::optional<internal::SuspendScope> scope;
};

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

// What is packed of the results, else their list.
nb::object CallProgram(const Program& self, nb::handle arguments, nb::handle packing) {
  std::vector<Tensor> tensors;
  for (const nb::handle x : arguments) tensors.push_back(ToTensor(x));
  std::vector<Tensor> results = [&] {
    const Unlocked other_threads(kLong);
    return internal::CallLive(*self.live, tensors);
  }();
  if (!packing.is_none()) return nb::cast<const Packing&>(packing).Pack(std::move(results));
  nb::list out;
  for (Tensor& y : results) out.append(Wrap(std::move(y)));
  return out;
}

// The same on tensors of another library, which the capsule is of.
nb::object CallShared(const Program& self, nb::handle capsule, nb::handle arguments) {
  const Exchange exchange(capsule);
  std::vector<Tensor> tensors;
  for (const nb::handle x : nb::iter(arguments)) tensors.push_back(exchange.From(x));
  std::vector<Tensor> results = Run(*self.live, tensors);
  tensors.clear();  // results that are arguments are seen by their library
  nb::list out;
  for (Tensor& y : results) out.append(exchange.To(std::move(y)));
  return out;
}

bool HashesByIdentity(PyObject* x) {
  return PyType_GetSlot(Py_TYPE(x), Py_tp_hash) == PyType_GetSlot(&PyBaseObject_Type, Py_tp_hash);
}

// What an argument must be for a program to fit: a leaf of its kind, or a list, tuple or dict whose patterns follow.
class Pattern {
 public:
  // Nothing if only Python code can tell.
  static std::optional<Pattern> OfLeaf(PyObject* x) {
    Pattern p;
    if (IsTensor(x)) {
      p.kind_ = Kind::kTensor;
      p.type_ = TensorOf(x).type();
    } else if (IsVariable(x) || x == Py_None || HashesByIdentity(x)) {
      p.kind_ = Kind::kIdentity;
    } else if (PyFloat_CheckExact(x)) {
      p.kind_ = Kind::kSameBits;
    } else if (PyBool_Check(x) || PyLong_CheckExact(x) || PyUnicode_CheckExact(x)) {
      p.kind_ = Kind::kEqual;
    } else {
      return std::nullopt;
    }
    p.class_ = ClassOf(x);
    if (p.kind_ == Kind::kIdentity)
      p.value_ = ReferenceTo(x);
    else if (p.kind_ != Kind::kTensor)
      p.value_ = nb::borrow(x);
    return p;
  }
  // Of an array of another package, which each call makes a tensor of, like this one; nothing if not as reel.asarray.
  static std::optional<Pattern> OfArray(PyObject* x, PyObject* tensor) {
    if (!IsTensor(tensor) || IsTensor(x) || IsVariable(x) || SlicesOf(x)) return std::nullopt;
    if (!PyObject_CheckBuffer(x) || !PySequence_Check(x)) return std::nullopt;
    Pattern p;
    p.kind_ = Kind::kArray;
    p.class_ = ClassOf(x);
    p.type_ = TensorOf(tensor).type();
    if (!p.ConvertedArray(x)) return std::nullopt;
    return p;
  }
  // `keys`: of a dict, in its order.
  static Pattern OfTree(PyObject* x, size_t items, std::vector<nb::object> keys) {
    Pattern p;
    p.kind_ = PyDict_CheckExact(x) ? Kind::kDict : Kind::kSequence;
    p.class_ = ClassOf(x);
    p.place_ = items;
    p.keys_ = std::move(keys);
    return p;
  }
  // The number of the argument that this tensor is to the program.
  void set_place(size_t place) { place_ = place; }
  bool is_tensor() const { return kind_ == Kind::kTensor || kind_ == Kind::kArray; }

  // Whether an object fits the pattern at `next` and those that follow; tensors go to their places.
  static bool Match(const std::vector<Pattern>& patterns, size_t* next, PyObject* x, std::vector<Tensor>* tensors) {
    const Pattern& p = patterns[(*next)++];
    if (p.kind_ != Kind::kIdentity && reinterpret_cast<PyObject*>(Py_TYPE(x)) != p.class_.ptr()) return false;
    if (p.kind_ == Kind::kTensor) [[likely]] {
      const Tensor& t = TensorOf(x);
      if (t.type() != p.type_ || t.symbolic()) return false;
      (*tensors)[p.place_] = t;
      return true;
    }
    return p.MatchOther(patterns, next, x, tensors);
  }

  int Traverse(visitproc visit, void* arg) const {
    Py_VISIT(class_.ptr());
    Py_VISIT(value_.ptr());
    return 0;
  }

 private:
  enum class Kind : uint8_t { kTensor, kArray, kIdentity, kSameBits, kEqual, kSequence, kDict };
  Pattern() = default;
  static nb::object ClassOf(PyObject* x) { return nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(x))); }
  // Nothing of another type, and where only Python code can say what is wrong.
  std::optional<Tensor> ConvertedArray(PyObject* x) const {
    try {
      std::optional<Tensor> out = FromArray(x, false);
      if (out && out->type() == type_) return out;
    } catch (...) {
      PyErr_Clear();
    }
    return std::nullopt;
  }
  static uint64_t Bits(PyObject* x) { return std::bit_cast<uint64_t>(PyFloat_AsDouble(x)); }

  [[gnu::noinline]] bool MatchOther(const std::vector<Pattern>& patterns, size_t* next, PyObject* x,
                                    std::vector<Tensor>* tensors) const {
    switch (kind_) {
      case Kind::kArray: {
        std::optional<Tensor> tensor = ConvertedArray(x);
        if (tensor) (*tensors)[place_] = *std::move(tensor);
        return tensor.has_value();
      }
      case Kind::kIdentity: return IsReferenceTo(value_, x);
      case Kind::kSameBits: return Bits(x) == Bits(value_.ptr());
      case Kind::kEqual: return PyObject_RichCompareBool(x, value_.ptr(), Py_EQ) == 1;
      case Kind::kSequence: return MatchItems(patterns, next, x, tensors);
      case Kind::kDict: return MatchDict(patterns, next, x, tensors);
      case Kind::kTensor: break;
    }
    return false;
  }

  bool MatchItems(const std::vector<Pattern>& patterns, size_t* next, PyObject* x, std::vector<Tensor>* tensors) const {
    const bool list = PyList_Check(x);
    if (static_cast<size_t>(list ? NB_LIST_GET_SIZE(x) : NB_TUPLE_GET_SIZE(x)) != place_) return false;
    for (size_t i = 0; i < place_; ++i) {
      const auto at = static_cast<Py_ssize_t>(i);
      PyObject* const item = list ? NB_LIST_GET_ITEM(x, at) : NB_TUPLE_GET_ITEM(x, at);
      if (!Match(patterns, next, item, tensors)) return false;
    }
    return true;
  }

  // Keys in another order are another pattern.
  bool MatchDict(const std::vector<Pattern>& patterns, size_t* next, PyObject* x, std::vector<Tensor>* tensors) const {
    if (static_cast<size_t>(NB_DICT_GET_SIZE(x)) != keys_.size()) return false;
    Py_ssize_t position = 0;
    PyObject *key = nullptr, *value = nullptr;
    for (const nb::object& known : keys_) {
      if (!PyDict_Next(x, &position, &key, &value)) return false;
      if (key != known.ptr() && (!PyUnicode_CheckExact(key) || PyUnicode_Compare(key, known.ptr()) != 0)) return false;
      if (!Match(patterns, next, value, tensors)) return false;
    }
    return true;
  }

  Kind kind_ = Kind::kEqual;
  Type type_;
  nb::object class_, value_;
  size_t place_ = 0;  // of a tensor: which argument; of a structure: how many items it has
  std::vector<nb::object> keys_;
};

// The patterns of what a call was given, whose leaves are these: dicts by sorted keys, names after positions.
// `numbers`: of each, which tensor it is to the program; None: as they come.
class PatternBuilder {
 public:
  PatternBuilder(nb::list leaves, nb::object numbers) : leaves_(std::move(leaves)), numbers_(std::move(numbers)) {}

  // Adds the patterns of an argument; false where only Python code can tell, or a leaf is not what was given.
  bool Append(PyObject* x, std::vector<Pattern>* out, int depth = 0) {
    constexpr int kMaxDepth = 50;
    if (depth > kMaxDepth) return false;
    if (PyDict_Check(x)) return AppendDict(x, out, depth);
    if (!PyList_Check(x) && !PyTuple_Check(x)) return AppendLeaf(x, out);
    PyTypeObject* const own = PyList_Check(x) ? &PyList_Type : &PyTuple_Type;
    if (PyType_GetSlot(Py_TYPE(x), Py_tp_iter) != PyType_GetSlot(own, Py_tp_iter)) return false;
    const nb::tuple items(nb::borrow(x));
    out->push_back(Pattern::OfTree(x, items.size(), {}));
    for (const nb::handle item : items) {
      if (!Append(item.ptr(), out, depth + 1)) return false;
    }
    return true;
  }

  // Whether no tensors are left that were not given.
  bool Finished() const {
    for (size_t i = next_; i < leaves_.size(); ++i) {
      if (IsTensor(leaves_[i].ptr())) return false;
    }
    return true;
  }
  size_t num_tensors() const { return tensors_; }

 private:
  bool AppendLeaf(PyObject* x, std::vector<Pattern>* out) {
    if (next_ == leaves_.size()) return false;
    PyObject* const leaf = leaves_[next_].ptr();
    std::optional<Pattern> pattern = leaf == x ? Pattern::OfLeaf(x) : Pattern::OfArray(x, leaf);
    if (!pattern) return false;
    if (pattern->is_tensor()) {
      const size_t number = numbers_.is_none() ? tensors_ : nb::cast<size_t>(numbers_[next_]);
      pattern->set_place(number);
      ++tensors_;
    }
    ++next_;
    out->push_back(*std::move(pattern));
    return true;
  }

  // Leaves are in the order of sorted keys, patterns in that of the dict.
  bool AppendDict(PyObject* x, std::vector<Pattern>* out, int depth) {
    if (!PyDict_CheckExact(x)) return false;
    nb::list sorted;
    std::vector<nb::object> keys;
    for (const auto [key, value] : nb::borrow<nb::dict>(x)) {
      if (!PyUnicode_CheckExact(key.ptr())) return false;
      keys.push_back(nb::borrow(key));
      sorted.append(key);
    }
    if (PyList_Sort(sorted.ptr()) != 0) throw nb::python_error();
    std::map<PyObject*, std::vector<Pattern>> items;
    for (const nb::handle key : sorted) {
      if (!Append(PyDict_GetItem(x, key.ptr()), &items[key.ptr()], depth + 1)) return false;
    }
    out->push_back(Pattern::OfTree(x, keys.size(), keys));
    for (const nb::object& key : keys)
      std::move(items[key.ptr()].begin(), items[key.ptr()].end(), std::back_inserter(*out));
    return true;
  }

  const nb::list leaves_;
  const nb::object numbers_;
  size_t next_ = 0, tensors_ = 0;
};

struct Known {
  std::vector<Pattern> patterns;  // of the positional arguments; then of the dict of the others, if there are
  Py_ssize_t num_positional = 0;
  bool has_keywords = false;
  size_t num_tensors = 0;
  std::shared_ptr<LiveFunction> live;
  nb::object packing;  // a Packing
};

/// The base of the classes of compiled functions.
struct Callable {
  static constexpr size_t kMost = 8;
  std::vector<Known> recent;  // the last called first
  int64_t hits = 0;  // calls without Python code since TakeHits

  static bool Fits(const Known& known, PyObject* args, PyObject* kwargs, std::vector<Tensor>* tensors) {
    const Py_ssize_t n = NB_TUPLE_GET_SIZE(args);
    if (n != known.num_positional || known.has_keywords != (kwargs != nullptr)) return false;
    tensors->resize(known.num_tensors);
    size_t next = 0;
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (!Pattern::Match(known.patterns, &next, NB_TUPLE_GET_ITEM(args, i), tensors)) return false;
    }
    return !kwargs || Pattern::Match(known.patterns, &next, kwargs, tensors);
  }

  // Null if no program is known; else the tensors of the arguments in the order of the program.
  const Known* Find(PyObject* args, PyObject* kwargs, std::vector<Tensor>* tensors) {
    for (size_t i = 0; i < recent.size(); ++i) {
      const Known& known = recent[i];
      if (!Fits(known, args, kwargs, tensors)) continue;
      if (i > 0) {
        const auto at = recent.begin() + static_cast<std::ptrdiff_t>(i);
        std::rotate(recent.begin(), at, at + 1);
      }
      ++hits;
      return &recent[0];
    }
    return nullptr;
  }
};

nb::object CallKnown(const Known& found, const std::vector<Tensor>& arguments) {
  // Other calls may change what is known.
  const std::shared_ptr<LiveFunction> live = found.live;
  const nb::object packing = found.packing;
  return nb::inst_ptr<Packing>(packing)->Pack(Run(*live, arguments));
}

PyObject* Call(PyObject* self, PyObject* args, PyObject* kwargs) {
  auto* const callable = nb::inst_ptr<Callable>(self);
  if (!builds_graph && !all_calls_slow.load(std::memory_order_relaxed) && !internal::OpsAreObserved()) {
    std::vector<Tensor> tensors;
    const bool keywords = kwargs && NB_DICT_GET_SIZE(kwargs) > 0;
    if (const Known* known = callable->Find(args, keywords ? kwargs : nullptr, &tensors))
      return Guarded([&] { return CallKnown(*known, tensors); });
  }
  static PyObject* const name = PyUnicode_InternFromString("_slow_call");
  PyObject* const method = PyObject_GetAttr(self, name);
  if (!method) return nullptr;
  PyObject* const out = PyObject_Call(method, args, kwargs);
  Py_DECREF(method);
  return out;
}

// Calls with arguments like these, whose leaves are those, run the program; `packing` makes what they return.
// `numbers`: see PatternBuilder. False if they have to be looked at by Python code.
bool Remember(Callable& self, nb::tuple args, nb::dict kwargs, nb::list leaves, const Program& program,
              nb::handle packing, nb::object numbers) {
  PatternBuilder builder(leaves, std::move(numbers));
  Known known;
  for (const nb::handle x : args) {
    if (!builder.Append(x.ptr(), &known.patterns)) return false;
  }
  known.num_positional = static_cast<Py_ssize_t>(args.size());
  known.has_keywords = kwargs.size() > 0;
  if (known.has_keywords && !builder.Append(kwargs.ptr(), &known.patterns)) return false;
  if (!builder.Finished()) return false;
  known.num_tensors = builder.num_tensors();
  known.live = program.live;
  if (!nb::isinstance<Packing>(packing)) ThrowType("_remember: expected a packing, not " + TypeName(packing));
  known.packing = nb::borrow(packing);
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
    Py_VISIT(known.packing.ptr());
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
  p.def("__call__", &CallProgram, "arguments"_a, "packing"_a = nb::none());
  p.def("call_shared", &CallShared);
  p.def_prop_ro("variables", [](const Program& x) { return VariableTuple(internal::VariablesOf(*x.live)); });
  p.def("graph", [](const Program& x, const std::string& name) { return internal::GraphOf(*x.live, name); });
  nb::class_<Callable> c(m, "_Callable", nb::type_slots(slots));
  c.def(nb::init<>());
  c.def("_remember", &Remember, "args"_a, "kwargs"_a, "leaves"_a, "program"_a, "packing"_a, "numbers"_a = nb::none());
  c.def("_take_hits", [](Callable& x) { return std::exchange(x.hits, 0); });
  m.def("_trace_program", &Trace);
  m.def("_observed", [] { return internal::Observed(); });
  m.def("_ops_observed", [] { return internal::OpsAreObserved(); });
  m.def("_tangents_followed", [] { return internal::TangentsAreFollowed(); });
  m.def("_in_trace", [] { return internal::InTrace(); });
  m.def("_gradients_read_trace", [](nb::handle results) { return internal::GradientsReadTrace(ToTensors(results)); });
  nb::class_<Suspended> s(m, "_Suspended");
  s.def(nb::init<>());
  s.def("__enter__", [](Suspended& x) { x.scope.emplace(); });
  s.def("__exit__", [](Suspended& x, nb::args) { x.scope.reset(); });
  m.def("_set_builds_graph", [](bool builds) { builds_graph = builds; });
  m.def("_set_all_calls_slow", [](bool slow) { all_calls_slow = slow; });
}

}  // namespace reel::python
