#include <algorithm>
#include <functional>

#include "callback.h"
#include "gradients.h"
#include "graphs.h"
#include "ir/printable.h"
#include "reel/module.h"
#include "reel/onnx.h"
#include "reel/recording.h"
#include "reel/stablehlo.h"
#include "reel/tensorflow.h"
#include "register.h"

// Graphs: recording, tracing, modules.

namespace reel::python {
namespace {

// The range of an extent that a spec leaves open with None.
constexpr int64_t kMaxOpen = int64_t{1} << 20;

bool IsOpen(const Dim& dim) { return dim.name.empty(); }

Dim ToDim(nb::handle x) {
  Dim* dim = nullptr;
  if (nb::try_cast(x, dim) && dim) return *dim;
  if (x.is_none()) return Dim("", 1, kMaxOpen);
  return ToInt(x, "shape");
}

// A shape of numbers, Dims and None.
Spec MakeSpec(DType dtype, nb::handle shape, std::string name) {
  const bool sequence = PyList_Check(shape.ptr()) || PyTuple_Check(shape.ptr());
  const auto is_number = [](nb::handle x) { return !x.is_none() && !nb::isinstance<Dim>(x); };
  if (!sequence || std::all_of(shape.begin(), shape.end(), is_number)) {
    return Spec(dtype, ToShape(shape), std::move(name));
  }
  if (nb::len(shape) > kMaxRank) ThrowInvalid("TensorSpec: the largest rank is " + std::to_string(kMaxRank));
  Spec spec(dtype, Shape(), std::move(name));
  for (const nb::handle x : shape) {
    Dim dim = ToDim(x);
    const Spec one(dtype, std::initializer_list<Dim>{x.is_none() ? Dim("open", 1, kMaxOpen) : dim});
    if (one.symbols.empty()) {
      spec.type.shape.push_back(one.type.shape[0]);
      continue;
    }
    spec.type.shape.push_back(Extent::Symbol(static_cast<int32_t>(spec.symbols.size())));
    spec.symbols.push_back(std::move(dim));
  }
  return spec;
}

// The extents of a spec as they were given.
nb::tuple SpecShape(const Spec& spec) {
  nb::list out;
  for (const Extent e : spec.type.shape) {
    if (e.is_constant()) {
      out.append(e.value());
      continue;
    }
    const Dim& dim = spec.symbols[static_cast<size_t>(e.symbol())];
    out.append(IsOpen(dim) ? nb::none() : nb::cast(dim));
  }
  return nb::tuple(out);
}

std::string ReprOfSpec(const Spec& x) {
  std::string extents;
  for (const nb::handle e : SpecShape(x)) {
    Dim* dim = nullptr;
    if (!extents.empty()) extents += ",";
    extents += nb::try_cast(e, dim) && dim ? dim->name : nb::str(e).c_str();
  }
  const std::string type = Text({Name(x.type.dtype), "[", extents, "]"});
  return ir::Printable("TensorSpec(" + type + (x.name.empty() ? ")" : ", name='" + x.name + "')"));
}

Spec ToSpec(nb::handle x) {
  Spec* spec = nullptr;
  if (nb::try_cast(x, spec) && spec) return *spec;
  if (IsTensor(x.ptr())) return Spec(TensorOf(x.ptr()));
  ThrowType("expected a TensorSpec or a tensor, not " + TypeName(x));
}

}  // namespace

// None is the default one.
Budget ToBudget(nb::handle budget) {
  if (budget.is_none()) return {};
  Budget* given = nullptr;
  if (!nb::try_cast(budget, given) || !given) ThrowType("budget must be a reel.Budget, not " + TypeName(budget));
  return *given;
}

nb::object NameTuple(const std::vector<std::string>& names) {
  nb::list out;
  for (const std::string& n : names) out.append(nb::str(n.c_str()));
  return nb::tuple(out);
}

std::vector<Spec> ToSpecs(nb::handle tree) {
  std::vector<nb::object> leaves;
  FlattenTree(tree, &leaves);
  std::vector<Spec> out;
  for (const nb::object& x : leaves) {
    Spec spec = ToSpec(x);
    for (size_t i = 0; i < spec.symbols.size(); ++i) {
      Dim& dim = spec.symbols[i];
      if (IsOpen(dim)) dim.name = Text({"d", std::to_string(out.size()), "_", std::to_string(i)});
    }
    out.push_back(std::move(spec));
  }
  return out;
}

namespace {

// A callable whose arguments have the structure of `specs`; dicts name results.
internal::TracedFunction ToTraced(nb::handle function, nb::handle specs) {
  return [f = SharedObject(function), s = SharedObject(specs)](std::span<const Tensor> arguments) {
    const nb::gil_scoped_acquire lock;
    const nb::object tree = TreeOf(*s, {arguments.begin(), arguments.end()});
    const nb::tuple args =
        PyTuple_Check(tree.ptr()) || PyList_Check(tree.ptr()) ? nb::tuple(tree) : nb::make_tuple(tree);
    const nb::object result = (*f)(*args);
    NamedTensors out;
    if (result.is_none()) return out;
    if (PyDict_Check(result.ptr())) {
      for (const auto [key, value] : nb::borrow<nb::dict>(result))
        out.emplace_back(nb::str(key).c_str(), ToTensor(value));
      return out;
    }
    for (const Tensor& t : LeafTensors(result)) out.emplace_back(t);
    return out;
  };
}

Function TraceOf(nb::handle function, nb::handle specs, const std::string& name) {
  return internal::TraceFunction(name, ToTraced(function, specs), ToSpecs(specs));
}

// A dict names its tensors; others get default names.
NamedTensors ToNamed(nb::handle tree) {
  NamedTensors out;
  if (PyDict_Check(tree.ptr())) {
    for (const auto [key, value] : nb::borrow<nb::dict>(tree)) out.emplace_back(nb::str(key).c_str(), ToTensor(value));
    return out;
  }
  for (const Tensor& t : LeafTensors(tree)) out.emplace_back(t);
  return out;
}

// `with reel.Recording() as recording:`
class PythonRecording {
 public:
  void Enter() {
    if (recording_) ThrowFailed("a Recording can be entered once; make a new one");
    recording_ = std::make_unique<Recording>();
  }
  void Exit() { recording_->Stop(); }
  Function Lift(nb::handle arguments, nb::handle results, const std::string& name, int64_t max_captured_bytes) {
    if (!recording_) ThrowFailed("lift: nothing was recorded; enter the Recording with `with`");
    return recording_->Lift(ToNamed(arguments), ToNamed(results),
                            {.name = name, .max_captured_bytes = max_captured_bytes}, kNoLocation);
  }

 private:
  std::unique_ptr<Recording> recording_;
};

std::vector<Source> ToSources(nb::handle tree) {
  std::vector<nb::object> leaves;
  FlattenTree(tree, &leaves);
  std::vector<Source> out;
  for (const nb::object& x : leaves) out.push_back(ToSource(x, "gradients"));
  return out;
}

nb::object GradientsOf(nb::handle ys, nb::handle xs, nb::handle grad_ys, nb::handle stop_gradients,
                       nb::handle unconnected) {
  SymbolicGradientOptions options;
  if (!grad_ys.is_none()) {
    std::vector<nb::object> seeds;
    FlattenTree(grad_ys, &seeds);
    const std::vector<Source> targets = ToSources(ys);
    for (size_t i = 0; i < seeds.size(); ++i) {
      const bool beside = i < targets.size() && !seeds[i].is_none();
      options.grad_ys.push_back(seeds[i].is_none() ? std::optional<Tensor>()
                                : beside           ? ToTensorBeside(seeds[i], targets[i].type().dtype)
                                                   : ToTensor(seeds[i]));
    }
  }
  if (!stop_gradients.is_none()) options.stop_gradients = LeafTensors(stop_gradients);
  options.unconnected_gradients = ToUnconnected(unconnected);
  std::vector<nb::object> out;
  for (const GradientEntry& e : Gradients(Targets(ToSources(ys)), Sources(ToSources(xs)), options, kNoLocation))
    out.push_back(WrapGradient(e.gradient));
  return RebuildTree(xs, out);
}

std::vector<std::string> Names(nb::handle names) {
  std::vector<std::string> out;
  if (names.is_none()) return out;
  if (PyUnicode_Check(names.ptr())) return {nb::borrow<nb::str>(names).c_str()};
  for (const nb::handle n : names) out.emplace_back(nb::borrow<nb::str>(n).c_str());
  return out;
}

// {"train": function, "predict": (callable, specs)}
Module LiftOf(nb::dict entries, const std::string& name) {
  std::vector<EntrySpec> list;
  for (const auto [key, value] : entries) {
    const std::string entry = nb::borrow<nb::str>(key).c_str();
    Function* function = nullptr;
    if (nb::try_cast(value, function) && function) {
      list.emplace_back(entry, *function);
      continue;
    }
    if (!PyTuple_Check(value.ptr()) || nb::len(value) != 2)
      ThrowType("Module.lift: '" + entry + "' is a Function or a pair (callable, specs)");
    EntrySpec e(entry, Function());
    e.traced = ToTraced(value[0], value[1]);
    e.specs = ToSpecs(value[1]);
    list.push_back(std::move(e));
  }
  return Module::Lift(std::move(list), name);
}

void RegisterBudget(nb::module_& m) {
  nb::class_<Budget> c(m, "Budget",
                       "What reading and compiling something may cost; more raises ResourceExhaustedError.\n\n"
                       "    reel.compile(reel.load(path, budget=b), budget=b)");
  c.def(
      "__init__",
      [](Budget* self, int64_t max_ops, int64_t max_bytes, int64_t max_memory, double max_seconds) {
        if (max_ops < 0 || max_bytes < 0 || max_memory < 0 || !(max_seconds >= 0)) {
          ThrowInvalid("Budget: a limit is negative or no number");
        }
        new (self) Budget{max_ops, max_bytes, max_memory, max_seconds};
      },
      nb::kw_only(), "max_ops"_a = Budget().max_ops, "max_bytes"_a = Budget().max_bytes,
      "max_memory"_a = Budget().max_memory, "max_seconds"_a = Budget().max_seconds,
      "max_ops: nodes of all functions. max_bytes: of input. max_memory: bytes of tensors, arenas and graphs.");
  c.def_ro("max_ops", &Budget::max_ops);
  c.def_ro("max_bytes", &Budget::max_bytes);
  c.def_ro("max_memory", &Budget::max_memory);
  c.def_ro("max_seconds", &Budget::max_seconds);
}

// step(x, labels): on the live variables.
nb::object CallFunction(const Function& self, nb::args args) {
  std::vector<Tensor> arguments;
  for (const nb::handle x : args) arguments.push_back(ToTensor(x));
  Results results = [&] {
    const nb::gil_scoped_release other_threads;
    return self(arguments);
  }();
  if (results.size() == 1) return Wrap(results[0]);
  return nb::cast(std::move(results));
}

void RegisterDim(nb::module_& m) {
  nb::class_<Dim> c(m, "Dim",
                    "A named extent with its range: open in a trace, a number in each call of what it gave.\n\n"
                    "    reel.trace(model, [reel.TensorSpec((reel.Dim('B', 1, 4096), 784))])");
  c.def(
      "__init__",
      [](Dim* self, const std::string& name, int64_t min, int64_t max) {
        if (name.empty() || min < 1 || min > max) {
          ThrowInvalid(Text({"Dim: '", name, "' from ", std::to_string(min), " to ", std::to_string(max),
                             "; it needs a name and 1 <= min <= max"}));
        }
        new (self) Dim(name, min, max);
      },
      "name"_a, "min"_a = 1, "max"_a = kMaxOpen);
  c.def_prop_ro("name", [](const Dim& x) { return x.name; });
  c.def_prop_ro("min", [](const Dim& x) { return x.min; });
  c.def_prop_ro("max", [](const Dim& x) { return x.max; });
  c.def("__repr__", [](const Dim& x) {
    return Text({"Dim('", ir::Printable(x.name), "', ", std::to_string(x.min), ", ", std::to_string(x.max), ")"});
  });
}

void RegisterFunction(nb::module_& m) {
  RegisterDim(m);
  nb::class_<Spec> s(m, "TensorSpec", "Type of an argument of a traced function, with the name it gets.");
  s.def(
      "__init__",
      [](Spec* self, nb::handle shape, DTypeLike dtype, nb::handle name) {
        new (self) Spec(MakeSpec(dtype.get(kFloat32), shape, name.is_none() ? "" : nb::str(name).c_str()));
      },
      "shape"_a, "dtype"_a = nb::none(), "name"_a = nb::none(),
      nb::sig("def __init__(self, shape: int | Sequence[int | Dim | None], dtype: DTypeLike | None = None, "
              "name: str | None = None) -> None"),
      "An extent may be a Dim, which is the same number in all specs with its name, or None: any number of its own, up "
      "to 2**20.");
  s.def_static(
      "from_tensor",
      [](TensorLike x, nb::handle name) { return Spec(x.tensor(), name.is_none() ? "" : nb::str(name).c_str()); },
      "tensor"_a, "name"_a = nb::none(), "The type of a tensor.");
  s.def_prop_ro("shape", &SpecShape, nb::sig("def shape(self) -> tuple[int | Dim | None, ...]"),
                "Extents: numbers, a Dim, or None.");
  s.def_prop_ro(
      "dtype", [](const Spec& x) { return DTypeObject(x.type.dtype); }, nb::sig("def dtype(self) -> DType"),
      "Element type.");
  s.def_prop_ro("name", [](const Spec& x) { return x.name; });
  s.def("__repr__", &ReprOfSpec);
  nb::class_<Function> c(m, "Function",
                         "A graph with one entry point and the variables it touches: what trace "
                         "and Recording.lift give.");
  c.def_prop_ro("name", &Function::name);
  c.def_prop_ro("num_arguments", &Function::num_arguments);
  c.def_prop_ro("num_results", &Function::num_results);
  c.def_prop_ro(
      "variables", [](const Function& f) { return VariableTuple(f.variables()); },
      nb::sig("def variables(self) -> tuple[Variable, ...]"), "The variables it reads or writes.");
  c.def("__call__", &CallFunction, nb::sig("def __call__(self, *args: TensorLike) -> Tensor | Results"),
        "Runs it on its live variables, compiled at the first call: reads and updates them. A tape sees one op. A "
        "tensor, or Results if there are none or several.");
  c.def("to_text", &Function::ToText, "Its text form.");
  c.def("to_dot", &Function::ToDot, "Graphviz source of its graph.");
  c.def("_repr_html_", &Function::ToHtml);
  c.def("fingerprint", &Function::Fingerprint, "Equal for structurally equal functions.");
  c.def("__str__", &Function::ToText);
  c.def(
      "gradients",
      [](const Function& f, nb::handle ys, nb::handle xs, bool grad_ys, nb::handle budget) {
        return Gradients(f, FunctionGradientOptions{
                                .ys = Names(ys), .xs = Names(xs), .grad_ys = grad_ys, .budget = ToBudget(budget)});
      },
      "ys"_a = nb::none(), "xs"_a = nb::none(), "grad_ys"_a = false, nb::kw_only(), "budget"_a = nb::none(),
      nb::sig("def gradients(self, ys: str | Sequence[str] | None = None, xs: str | Sequence[str] "
              "| None = None, grad_ys: bool = False, *, budget: Budget | None = None) -> Function"),
      "The function of the gradients of results by arguments or variables, by name; all of them by "
      "default. grad_ys: one seed per y as further arguments.");
  m.def("trace", &TraceOf, "function"_a, "specs"_a, "name"_a = "main",
        nb::sig("def trace(function: Callable[..., Any], specs: Any, name: str = 'main') -> Function"),
        "Runs a callable once on symbolic tensors of these specs, and returns the graph of what it "
        "did.");
  m.def("gradients", &GradientsOf, "ys"_a, "xs"_a, "grad_ys"_a = nb::none(), "stop_gradients"_a = nb::none(),
        "unconnected_gradients"_a = "none",
        nb::sig("def gradients(ys: Any, xs: Any, grad_ys: Any = None, stop_gradients: Any = None, "
                "unconnected_gradients: Any = 'none') -> Any"),
        "Inside a trace: the gradients of the sum of ys by each x, as tf.gradients.");
}

void RegisterModule(nb::module_& m) {
  nb::class_<Module> c(m, "Module",
                       "Entry points that share variables, with a snapshot of their values: what a "
                       ".reel file holds.");
  c.def_static("lift", &LiftOf, "entries"_a, "name"_a = "module",
               nb::sig("def lift(entries: dict[str, Function | tuple[Callable[..., Any], Any]], "
                       "name: str = 'module') -> Module"),
               "A module of functions, or of pairs (callable, specs) that are traced: {'train': "
               "step, 'predict': (model, [spec])}.");
  c.def_static(
      "from_text", [](const std::string& text, nb::handle budget) { return Module::FromText(text, ToBudget(budget)); },
      "text"_a, nb::kw_only(), "budget"_a = nb::none(),
      nb::sig("def from_text(text: str, *, budget: Budget | None = None) -> Module"), "Reads the text form.");
  c.def("save", &Module::Save, "path"_a, nb::call_guard<nb::gil_scoped_release>(),
        "Writes the binary form, or the text form if the name ends in .txt.");
  c.def("to_text", &Module::ToText, "Its text form.");
  c.def("to_dot", &Module::ToDot, "Graphviz source of all entry points.");
  c.def("_repr_html_", &Module::ToHtml);
  c.def("verify", &Module::Verify, "Raises the first thing that is wrong.");
  c.def_prop_ro("name", &Module::name);
  c.def_prop_ro(
      "entries", [](const Module& x) { return NameTuple(x.entries()); },
      nb::sig("def entries(self) -> tuple[str, ...]"), "Names of the entry points.");
  c.def_prop_ro(
      "variables", [](const Module& x) { return NameTuple(x.variables()); },
      nb::sig("def variables(self) -> tuple[str, ...]"), "Names of the variables.");
  c.def(
      "value", [](const Module& x, const std::string& name) { return x.value(name); }, "variable"_a,
      "The value that the module holds for a variable.");
  c.def(
      "function", [](const Module& x, const std::string& entry) { return x.function(entry); }, "entry"_a,
      nb::call_guard<nb::gil_scoped_release>(),
      "An entry point to call, to differentiate and to train. The functions of a module that was loaded share "
      "variables, which begin with the module's values.");
  c.def("snapshot", &Module::Snapshot, nb::call_guard<nb::gil_scoped_release>(),
        "The same module with the values that its variables have now, to be saved.");
  c.def("__str__", &Module::ToText);
  m.def(
      "load",
      [](const std::string& path, nb::handle budget) {
        const Budget limits = ToBudget(budget);
        const nb::gil_scoped_release other_threads;
        return Module::Load(path, limits);
      },
      "path"_a, nb::kw_only(), "budget"_a = nb::none(),
      nb::sig("def load(path: str, *, budget: Budget | None = None) -> Module"),
      "Reads and verifies a .reel or .reel.txt file.");
  m.def(
      "save",
      [](nb::handle graph, const std::string& path) {
        WithGraph(graph, [&]<typename G>(const G& g) {
          if constexpr (std::is_same_v<G, Module>)
            g.Save(path);
          else
            Module::Lift({{g.name(), g}}).Save(path);
        });
      },
      "module"_a, "path"_a, nb::sig("def save(module: Module | Function, path: str) -> None"),
      "Writes a .reel or .reel.txt file.");
}

// Extents that the model leaves open, and inputs that become constants, by name.
Module OnnxOf(const std::string& path, nb::dict dims, bool trainable, nb::dict constants, nb::handle budget) {
  OnnxOptions options{.trainable = trainable};
  options.budget = ToBudget(budget);
  for (const auto [key, value] : dims) options.dims[nb::str(key).c_str()] = ToInt(value, "dims");
  for (const auto [key, value] : constants) options.constants[nb::str(key).c_str()] = ToTensor(value);
  const nb::gil_scoped_release other_threads;
  return ImportOnnx(path, options);
}

Module AsModule(const Module& module) { return module; }
Module AsModule(const Function& function) { return Module::Lift({{function.name(), function}}); }

// What reel/stablehlo.py calls; an empty path: no file.
std::string StableHloOf(nb::handle graph, const std::string& path, const std::string& entry, nb::dict dims,
                        bool locations) {
  StableHloOptions options{.entry = entry, .locations = locations};
  for (const auto [key, value] : dims) options.dims[nb::str(key).c_str()] = ToInt(value, "dims");
  return WithGraph(graph, [&](const auto& g) {
    if (path.empty()) return ToStableHlo(AsModule(g), options);
    SaveStableHlo(AsModule(g), path, options);
    return std::string();
  });
}

// What reel/stablehlo.py and reel.from_jax call: a file, or a text of that name.
Module LoadStableHloOf(const std::string& name, nb::handle text, nb::dict variables, nb::dict values,
                       nb::handle budget) {
  StableHloImportOptions options{.budget = ToBudget(budget)};
  for (const auto [key, value] : variables) options.variables[ToInt(key, "variables")] = nb::str(value).c_str();
  for (const auto [key, value] : values) options.values[nb::str(key).c_str()] = ToTensor(value);
  const std::string program = text.is_none() ? "" : std::string(nb::cast<std::string>(text));
  const bool file = text.is_none();
  const nb::gil_scoped_release other_threads;
  return file ? LoadStableHlo(name, options) : ImportStableHlo(program, name, options);
}

// Rows of frontend/IMPORT.md.
nb::list StableHloRows() {
  nb::list out;
  for (const auto& [name, done, note] : StableHloOperations()) out.append(nb::make_tuple(name, done, note));
  return out;
}

// A SavedModel, or a frozen graph.
void SaveTensorFlowOf(nb::handle graph, const std::string& path, const std::string& entry, nb::dict dims, bool folder) {
  TensorFlowOptions options{.entry = entry};
  for (const auto [key, value] : dims) options.dims[nb::str(key).c_str()] = ToInt(value, "dims");
  WithGraph(graph, [&](const auto& g) { (folder ? SaveSavedModel : SaveGraphDef)(AsModule(g), path, options); });
}

void SaveOnnxOf(nb::handle graph, const std::string& path, int64_t opset, const std::string& entry,
                bool weights_as_inputs, bool external_data) {
  const OnnxExportOptions options{
      .opset = opset, .entry = entry, .weights_as_inputs = weights_as_inputs, .external_data = external_data};
  WithGraph(graph, [&](const auto& g) { SaveOnnx(g, path, options); });
}

}  // namespace

void RegisterGraphs(nb::module_& m) {
  RegisterBudget(m);
  RegisterFunction(m);
  RegisterModule(m);
  RegisterExecutables(m);
  m.def("import_onnx", &OnnxOf, "path"_a, "dims"_a = nb::dict(), "trainable"_a = true, nb::kw_only(),
        "constants"_a = nb::dict(), "budget"_a = nb::none(),
        nb::sig("def import_onnx(path: str, dims: dict[str, int] = {}, trainable: bool = True, *, "
                "constants: dict[str, Any] = {}, budget: Budget | None = None) -> Module"),
        "The graph of an ONNX model as a module with the entry point 'main'; weights become variables. `dims` are the "
        "extents that the model leaves open, `constants` the inputs that become constants, as those that decide "
        "shapes must.");
  m.def("_stablehlo", &StableHloOf);
  m.def("_load_stablehlo", &LoadStableHloOf, "name"_a, "text"_a.none(), "variables"_a, "values"_a, "budget"_a.none());
  m.def("_stablehlo_operations", &StableHloRows);
  m.def("_save_tensorflow", &SaveTensorFlowOf);
  m.def("_save_onnx", &SaveOnnxOf);
  nb::class_<PythonRecording> c(
      m, "Recording",
      "Logs everything that this thread does inside its `with` block, to lift it into a graph:\n\n"
      "    with reel.Recording() as recording:\n"
      "        loss = train(x, labels)\n"
      "    step = recording.lift([x, labels], [loss])");
  c.def(nb::init<>());
  c.def(
      "__enter__",
      [](nb::handle self) {
        nb::inst_ptr<PythonRecording>(self)->Enter();
        return nb::borrow(self);
      },
      nb::sig("def __enter__(self) -> Recording"));
  c.def(
      "__exit__", [](PythonRecording& self, nb::handle, nb::handle, nb::handle) { self.Exit(); }, "type"_a.none(),
      "value"_a.none(), "traceback"_a.none());
  c.def("lift", &PythonRecording::Lift, "arguments"_a, "results"_a, "name"_a = "main",
        "max_captured_bytes"_a = int64_t{16} << 20,
        nb::sig("def lift(self, arguments: Any, results: Any, name: str = 'main', "
                "max_captured_bytes: int = 16777216) -> Function"),
        "The graph of what ran, from the arguments to the results and the variables' new values. "
        "Dicts name them.");
}

}  // namespace reel::python
