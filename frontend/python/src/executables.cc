// Compiled programs and objects.

#include "reel/compile.h"

#include "codegen/target/cpuid.h"
#include "frontend/program/compiled_data.h"
#include "frontend/report/html.h"
#include "gradients.h"
#include "graphs.h"
#include "reel/report.h"
#include "register.h"

namespace reel::python {
namespace {

// {"B": 64} or, of objects, {"B": [1, 64]}.
std::vector<std::pair<std::string, int64_t>> ToExtents(nb::handle extents) {
  std::vector<std::pair<std::string, int64_t>> out;
  if (extents.is_none()) return out;
  if (!PyDict_Check(extents.ptr())) ThrowType("extents is a dict of names to numbers, not " + TypeName(extents));
  for (const auto [key, value] : nb::borrow<nb::dict>(extents)) {
    const std::string name = nb::str(key).c_str();
    if (PyLong_Check(value.ptr())) {
      out.emplace_back(name, ToInt(value, "extents"));
      continue;
    }
    for (const nb::handle x : nb::iter(value)) out.emplace_back(name, ToInt(x, "extents"));
  }
  return out;
}

CompileOptions ToOptions(const std::string& cpu, int opt_level, int64_t memory_budget, bool profile, bool check_bounds,
                         nb::handle budget, nb::handle extents, const std::string& schedules, double tune) {
  return {.cpu = cpu,
          .opt_level = opt_level,
          .memory_budget = memory_budget,
          .profile = profile,
          .check_bounds = check_bounds,
          .budget = ToBudget(budget),
          .extents = ToExtents(extents),
          .schedules = schedules,
          .tune = tune};
}

// One path or several.
std::vector<std::string> ToPaths(nb::handle paths) {
  if (PyUnicode_Check(paths.ptr())) return {nb::borrow<nb::str>(paths).c_str()};
  std::vector<std::string> out;
  for (const nb::handle path : nb::iter(paths)) out.emplace_back(nb::str(path).c_str());
  return out;
}

// run("train", x, y), or run(x, y) if there is one entry point: the tensor, or what results there
// are.
nb::object Run(const Executable& self, nb::args args) {
  std::string entry;
  size_t first = 0;
  if (args.size() > 0 && PyUnicode_Check(args[0].ptr())) {
    entry = nb::borrow<nb::str>(args[0]).c_str();
    first = 1;
  } else {
    const std::vector<std::string> entries = self.entries();
    if (entries.size() != 1)
      ThrowInvalid("run: name the entry point first, there are " + std::to_string(entries.size()));
    entry = entries[0];
  }
  std::vector<Tensor> arguments;
  for (size_t i = first; i < args.size(); ++i) arguments.push_back(ToTensor(args[i]));
  Results results = [&] {
    const nb::gil_scoped_release other_threads;
    return self(entry, arguments);
  }();
  if (results.size() == 1) return Wrap(results[0]);
  return nb::cast(std::move(results));
}

void RegisterResults(nb::module_& m) {
  nb::class_<Results> r(m, "Results", "What a compiled entry point of several results returned: by position or name.");
  r.def("__len__", &Results::size);
  r.def(
      "__getitem__",
      [](const Results& x, nb::handle key) {
        if (PyUnicode_Check(key.ptr())) return Tensor(x[std::string_view(nb::borrow<nb::str>(key).c_str())]);
        int64_t i = ToInt(key, "results");
        if (i < 0) i += static_cast<int64_t>(x.size());
        if (i < 0 || i >= static_cast<int64_t>(x.size())) ThrowIndex("results: there are " + std::to_string(x.size()));
        return Tensor(x[static_cast<size_t>(i)]);
      },
      nb::sig("def __getitem__(self, key: int | str, /) -> Tensor"));
}

void RegisterExecutable(nb::module_& m) {
  nb::class_<Executable> c(m, "Executable", "Compiled code with one instance of its variables and temporaries.");
  c.def("__call__", &Run, nb::sig("def __call__(self, *args: Any) -> Tensor | Results"),
        "run('train', x, y), or run(x, y) if there is one entry point. A tensor, or Results if "
        "there are none or several.");
  c.def("new_instance", &Executable::NewInstance,
        "An instance of its own, with the module's initial values; shares the code.");
  c.def(
      "variable", [](const Executable& x, const std::string& name) { return x.variable(name); }, "name"_a,
      "The present value of a variable.");
  c.def(
      "set_variable",
      [](const Executable& x, const std::string& name, TensorLike value) { x.set_variable(name, value.tensor()); },
      "name"_a, "value"_a, "Gives a variable of the instance another value, of its dtype and shape.");
  c.def(
      "load_from", [](const Executable& x, nb::handle v) { x.LoadFrom(ToVariables(v)); }, "variables"_a,
      nb::sig("def load_from(self, variables: Any) -> None"), "Copies values from live variables into the instance.");
  c.def(
      "store_to", [](const Executable& x, nb::handle v) { x.StoreTo(ToVariables(v)); }, "variables"_a,
      nb::sig("def store_to(self, variables: Any) -> None"), "Copies the instance's values into live variables.");
  c.def("snapshot", &Executable::Snapshot, nb::call_guard<nb::gil_scoped_release>(),
        "The module that was compiled, with the values that the variables have now.");
  c.def("save", &Executable::Save, "path"_a, nb::call_guard<nb::gil_scoped_release>(),
        "Writes snapshot() as a .reel or .reel.txt file: reel.compile(reel.load(path)) goes on from there.");
  c.def_prop_ro(
      "entries", [](const Executable& x) { return NameTuple(x.entries()); },
      nb::sig("def entries(self) -> tuple[str, ...]"), "Names of the entry points.");
  c.def_prop_ro(
      "variables", [](const Executable& x) { return NameTuple(x.variables()); },
      nb::sig("def variables(self) -> tuple[str, ...]"), "Names of the variables.");
  c.def(
      "plan", [](const Executable& x, bool dot) { return x.Plan(dot ? PlanFormat::kDot : PlanFormat::kText); },
      "dot"_a = false, "What was compiled, and why each kernel is one.");
  c.def(
      "profile", [](const Executable& x) { return x.Profile().Table(); },
      "Time, bytes and flops of each kernel; needs compile(profile=True).");
  c.def("_repr_html_", &Executable::ToHtml);
}

void RegisterCompile(nb::module_& m) {
  m.def(
      "compile",
      [](nb::handle graph, const std::string& cpu, int opt_level, int64_t memory_budget, bool profile,
         bool check_bounds, nb::handle budget, nb::handle extents, const std::string& schedules, double tune,
         int cores) {
        CompileOptions options =
            ToOptions(cpu, opt_level, memory_budget, profile, check_bounds, budget, extents, schedules, tune);
        options.cores = cores;
        return WithGraph(graph, [&](const auto& g) { return Compile(g, options); });
      },
      "graph"_a, nb::kw_only(), "cpu"_a = "native", "opt_level"_a = 2, "memory_budget"_a = 0, "profile"_a = false,
      "check_bounds"_a = true, "budget"_a = nb::none(), "extents"_a = nb::none(), "schedules"_a = "", "tune"_a = 0.0,
      "cores"_a = 0,
      nb::sig("def compile(graph: Module | Function, *, cpu: str = 'native', opt_level: int = 2, "
              "memory_budget: int = 0, profile: bool = False, check_bounds: bool = True, "
              "budget: Budget | None = None, extents: Mapping[str, int] | None = None, schedules: str = '', "
              "tune: float = 0.0, cores: int = 0) -> Executable"),
      "Compiles all entry points into this process: forward, backward and update in one program. Indices and labels "
      "out of range raise OutOfRangeError; check_bounds=False does not look at them: reads give 0, writes do nothing. "
      "extents={'B': 64} fixes open "
      "extents; those that are left are found at each call, and each new one is compiled then. tune=60 searches faster "
      "schedules for a minute, on random arguments, and writes them to the file `schedules`, if one is named; without "
      "`tune` that file is used. `cores`: that will share a call (0: the threads of this process). None of these "
      "changes "
      "a bit of a result.");
}

void RegisterExport(nb::module_& m) {
  m.def(
      "export",
      [](nb::handle graph, const std::string& path, const std::string& emit, const std::string& cpu,
         const std::string& os, bool check_bounds, nb::handle budget, nb::handle extents, const std::string& schedules,
         int cores) {
        if (emit != "obj" && emit != "a" && emit != "so")
          ThrowInvalid("export: emit is 'obj', 'a' or 'so', not '" + emit + "'");
        CompileOptions options = ToOptions(cpu, 2, 0, false, check_bounds, budget, extents, schedules, 0);
        options.os = os;
        options.cores = cores;
        WithGraph(graph, [&](const auto& g) {
          if (emit == "so")
            CompileToSharedLibrary(g, path, options);
          else if (emit == "a")
            CompileToStaticLibrary(g, path, options);
          else
            CompileToObject(g, path, options);
        });
      },
      "graph"_a, "path"_a, nb::kw_only(), "emit"_a = "obj", "cpu"_a = "native", "os"_a = "", "check_bounds"_a = true,
      "budget"_a = nb::none(), "extents"_a = nb::none(), "schedules"_a = "", "cores"_a = 0,
      nb::sig(
          "def export(graph: Module | Function, path: str, *, emit: str = 'obj', cpu: str = 'native', os: str = '', "
          "check_bounds: bool = True, budget: Budget | None = None, "
          "extents: Mapping[str, int | Sequence[int]] | None = None, schedules: str = '', cores: int = 0) -> None"),
      "Writes path.o (emit='a': path.a with it; 'so': path.so, linked by `cc`) and path.h: the module as C code that "
      "needs libc alone. `cpu`: 'native', a level of x86-64, several for an object that chooses when it starts "
      "('v2,v3,v4'), 'aarch64', 'riscv64' or 'wasm32'; `os`: 'linux', 'windows', 'macos' or 'none' (no "
      "libc); "
      "`reel compile --targets` lists them. Its "
      "functions return 9 if an index or a label is out of range. extents={'B': [1, 32]} lists the numbers that an "
      "open extent may have, where an entry point does not take them all. `schedules`: a file that `reel tune` or "
      "compile(tune=...) wrote; the same file gives the same object. `cores`: that will share a call (0: up to 8); for "
      "more, "
      "kernels have more parts, and an instance takes more memory.");
}

void RegisterReport(nb::module_& m) {
  m.def(
      "report",
      [](nb::handle graph, const std::string& path, bool run, nb::handle logs, const std::string& sources,
         const std::string& cpu, int opt_level, int64_t memory_budget, nb::handle budget, nb::handle extents,
         const std::string& schedules) {
        ReportOptions options;
        options.compile = ToOptions(cpu, opt_level, memory_budget, false, true, budget, extents, schedules, 0);
        options.run = run;
        options.logs = ToPaths(logs);
        options.sources = sources;
        WithGraph(graph, [&](const auto& g) { SaveReport(g, path, options); });
      },
      "graph"_a, "path"_a, nb::kw_only(), "run"_a = true, "logs"_a = nb::tuple(), "sources"_a = "", "cpu"_a = "native",
      "opt_level"_a = 2, "memory_budget"_a = 0, "budget"_a = nb::none(), "extents"_a = nb::none(), "schedules"_a = "",
      nb::sig("def report(graph: Module | Function, path: str, *, run: bool = True, logs: str | Sequence[str] = (), "
              "sources: str = '', cpu: str = 'native', opt_level: int = 2, memory_budget: int = 0, "
              "budget: Budget | None = None, extents: Mapping[str, int] | None = None, schedules: str = '') -> None"),
      "Writes an HTML page that needs nothing else: the graph with forward beside gradient, kernels with a roofline of "
      "this machine, the arena over time, compile time, and curves of CSV files (`logs`) with a column `step`. It runs "
      "each entry point on random arguments to time its kernels; run=False does not. `sources`: a folder below which "
      "source lines may be quoted.");
}

}  // namespace

void RegisterExecutables(nb::module_& m) {
  RegisterResults(m);
  RegisterExecutable(m);
  RegisterCompile(m);
  RegisterExport(m);
  RegisterReport(m);
  m.def("_runs_compiled_code", [] { return codegen::HostSupports("x86-64-v2"); });
  m.def("wait_for_compiler", &WaitForCompiler, nb::call_guard<nb::gil_scoped_release>(),
        "Returns when nothing is being compiled in the background, where gradients of tapes that come back are; for "
        "measurements.");
  m.def(
      "_variables_html",
      [](const std::string& title, nb::handle variables) { return internal::HtmlOf(title, ToVariables(variables)); },
      "title"_a, "variables"_a);
  m.def("_set_tune", &internal::SetTuneSeconds, "seconds"_a);
}

}  // namespace reel::python
