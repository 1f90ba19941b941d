#ifndef REEL_COMPILE_H_
#define REEL_COMPILE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/budget.h"
#include "reel/module.h"
#include "reel/profile.h"
#include "reel/results.h"
#include "reel/tensor.h"
#include "reel/variable.h"

namespace reel {

namespace internal {
struct CompiledData;
struct InstanceData;
}  // namespace internal

/// Options of Compile, CompileToObject, CompileToStaticLibrary and CompileToSharedLibrary.
struct CompileOptions {
  /// What is compiled for: x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-bf16, x86-64-v4-amx[-emulated], where products of
  /// bf16 have their own bits (codegen/target/README.md); a class of CPUs such as zen4, whose caches schedules go by;
  /// or a target file, which ends in .target. Of objects also aarch64, riscv64 (with V) and wasm32: the same bits as
  /// x86-64-v3, of wasm32 as x86-64-v2, which do not fuse multiplications. An object may have code for several levels
  /// of x86-64, "v2,v3,v4": its `init` takes the highest that the CPU has.
  std::string cpu = "native";
  /// Of objects, the operating system: linux, windows, macos, or none for one that needs no libc. "" is linux, of
  /// wasm32 none. `reel compile --targets` lists what there is.
  std::string os = "";
  int opt_level = 2;  ///< 0: one kernel per op; 2: fused and vectorised. The same bits.
  /// Bytes for temporaries (activations, not variables); 0: no limit. Where a step needs more, values
  /// are computed again in the backward part instead of kept: slower, the same bits. Throws
  /// kResourceExhausted, naming the least it found, where that is not enough.
  int64_t memory_budget = 0;
  /// Times every kernel: Executable::Profile() and Trace(). Bits are the same; kernels that would go through
  /// chunks together (chains in Plan()) run one after the other, so that each has a time of its own, and a
  /// call of a kernel takes about 0.1 us longer. REEL_PROFILE=1 or =FILE.json sets it for all that is compiled.
  /// Not for objects, which call nothing.
  bool profile = false;
  /// Indices and labels out of range throw kOutOfRange, as in eager code. false: they are not looked at; reading there
  /// gives 0, writing nothing.
  bool check_bounds = true;
  Budget budget = {};
  /// Fixes symbolic extents, by name: {{"B", 64}}. In Compile, those that are left are found at every call; each
  /// new one is compiled then, and 32 programs are kept. Of objects, see CompileToObject.
  std::vector<std::pair<std::string, int64_t>> extents = {};
  /// A file of schedules that `reel tune` or `tune` found. It decides how loops are made and never what they compute;
  /// lines that do not fit are ignored. Empty: REEL_SCHEDULES, if that is set.
  std::string schedules = {};
  /// Cores that will share a call: above 8, kernels have more parts that run at once, and an instance takes more
  /// memory. The bits do not change. 0: in Compile the threads of this process, of objects 8.
  int cores = 0;
  /// Seconds to search for faster schedules on random arguments, in Compile alone; the module has one entry point and
  /// no open extents. What is found is written to `schedules`, if that is given. The bits of results do not change.
  double tune = 0;
};

/// How much was compiled. An instance holds variables and the arena: values within a call.
struct ProgramSize {
  int64_t kernels = 0;
  int64_t instance_bytes = 0, arena_bytes = 0;
  int64_t live_bytes = 0;  ///< largest sum of arena values needed at once
};

/// What Executable::Plan writes: text, or Graphviz source.
enum class PlanFormat { kText, kDot };

/// Compiled code with one instance of its variables and temporaries. Handles share the instance;
/// calls on one instance wait for each other, different instances run in parallel. Variables start
/// from the module's snapshot and belong to the instance: nothing is shared with live Variables
/// until LoadFrom or StoreTo.
class Executable {
 public:
  /// The null handle.
  Executable() = default;

  /// An instance of its own, with the module's initial values; shares the code.
  Executable NewInstance() const;

  /// Calls an entry point: run("train", images, labels), or with a vector of tensors.
  template <typename... Arguments>
  Results operator()(std::string_view entry, const Arguments&... arguments) const {
    const std::vector<Tensor> list = {Operand(arguments).tensor()...};
    return Call(entry, list);
  }
  Results operator()(std::string_view entry, const std::vector<Tensor>& arguments) const {
    return Call(entry, arguments);
  }
  /// The same into tensors of the caller. One that has the right type and no other handle is
  /// written in place, others are replaced; when all are in place, nothing is allocated.
  void Run(std::string_view entry, std::span<const Tensor> arguments, std::span<Tensor> results) const;

  /// The present value of a variable of the instance, and a new one.
  Tensor variable(std::string_view name) const;
  void set_variable(std::string_view name, const Tensor& value) const;
  /// Copies values from live variables into the instance, and back. Variables are matched by
  /// identity if the module was lifted in this process, else by name; one that the module does not
  /// have is an error.
  void LoadFrom(const std::vector<Variable>& variables) const;
  void StoreTo(const std::vector<Variable>& variables) const;

  /// The module that was compiled, with the values that the instance's variables have now: to go on from, in another
  /// process too (Save, Module::Load, Compile).
  Module Snapshot() const;
  /// Writes Snapshot(), as Module::Save.
  void Save(const std::string& path) const;

  /// Names of the entry points, then of the variables.
  std::vector<std::string> entries() const;
  std::vector<std::string> variables() const;
  /// What was compiled, as text or Graphviz source: steps; of each kernel its cost and why it is one. Plan, size,
  /// Profile and Trace of a module with symbolic extents are of the program of the last call.
  std::string Plan(PlanFormat format = PlanFormat::kText) const;
  /// The same for notebooks: an HTML fragment with its sizes and a table of kernels; steps and reasons folded.
  std::string ToHtml() const;
  ProgramSize size() const;

  /// What each kernel did in the calls of this instance: calls, time, flops, bytes. Profile() and Trace()
  /// throw kFailedPrecondition unless it was compiled with CompileOptions::profile.
  ExecutionProfile Profile() const;
  /// Starts anew: after calls that only warm caches.
  void ResetProfile() const;
  /// The calls in order as a Chrome trace, JSON that ui.perfetto.dev and chrome://tracing show: a slice
  /// for each call of an entry point, and within it one per kernel and thread; the first 262144 of them.
  std::string Trace() const;

  explicit Executable(std::shared_ptr<internal::InstanceData> data) : data_(std::move(data)) {}

 private:
  Results Call(std::string_view entry, std::span<const Tensor> arguments) const;

  std::shared_ptr<internal::InstanceData> data_;
};

/// Compiles all entry points into this process.
Executable Compile(const Module& module, const CompileOptions& options = {});
Executable Compile(const Function& function, const CompileOptions& options = {});

/// Writes path.o and path.h: the module as an object that stands alone, and its C header. The last
/// part of the path, an identifier, begins every symbol. Symbolic extents become int64_t parameters
/// before the pointers: an entry point whose results depend row by row on its arguments takes any
/// extent of the range, in chunks of 64, 32, ... 1 rows; another one takes the values that
/// CompileOptions::extents lists ({{"B", 1}, {"B", 32}}; one value makes it a number, in all), or all
/// of a range of at most 16. Throws kUnimplemented if there are none. The bits are those of Compile.
void CompileToObject(const Module& module, const std::string& path, const CompileOptions& options = {});
void CompileToObject(const Function& function, const std::string& path, const CompileOptions& options = {});

/// The same as a static library: path.a, which holds path.o, and path.h.
void CompileToStaticLibrary(const Module& module, const std::string& path, const CompileOptions& options = {});
void CompileToStaticLibrary(const Function& function, const std::string& path, const CompileOptions& options = {});

/// The same as a shared library: path.so and path.h, for dlopen or ctypes. It needs libc alone; `cc` links it, and is
/// looked for on the PATH (kUnavailable).
void CompileToSharedLibrary(const Module& module, const std::string& path, const CompileOptions& options = {});
void CompileToSharedLibrary(const Function& function, const std::string& path, const CompileOptions& options = {});

/// Returns when nothing is being compiled in the background: tapes have their gradients compiled there when the same
/// structure comes for the third time (REEL_TAPE_CACHE=0 in the environment: never). For measurements and tests;
/// results are the same before and after.
void WaitForCompiler();

}  // namespace reel

#endif  // REEL_COMPILE_H_
