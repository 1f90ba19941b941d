#include "codegen/compiler.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "codegen/aot/names.h"
#include "codegen/aot/sized.h"
#include "codegen/backend.h"
#include "codegen/cache/code_cache.h"
#include "codegen/jit/jit.h"
#include "codegen/program/compile_bytes.h"
#include "codegen/program/plan.h"
#include "codegen/schedule/book.h"
#include "codegen/target/cores.h"
#include "codegen/target/cpuid.h"
#include "ir/file/folder.h"
#include "ir/file/writer.h"
#include "ir/lazy.h"
#include "ir/printable.h"
#include "ir/strings.h"
#include "runtime/fork.h"
#include "runtime/shared_library.h"

namespace reel::codegen {

namespace {

/// Address space that LLVM and the libraries it uses take, with what they make when they are opened.
constexpr size_t kLibraryBytes = size_t{256} << 20;

bool HasRoom(size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && ::munmap(room, bytes) == 0;
}

/// No exception leaves the compiler.
template <typename T, typename Work>
absl::StatusOr<T> WithoutExceptions(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory while compiling");
  }
}

}  // namespace

absl::StatusOr<Backend*> GetBackend() {
  static constexpr char kLibrary[] = "libreel_compiler.so";
  static constinit Lazy<runtime::Mutex> mutex;
  static Backend* backend = nullptr;  // tried again after a failure
  const std::lock_guard lock(mutex.Get());
  if (backend != nullptr) return backend;
  // A library that finds no memory while it is opened ends the process.
  if (!HasRoom(kLibraryBytes)) return absl::ResourceExhaustedError(StrCat("no memory for ", kLibrary, " and LLVM"));
  // TensorFlow shows the process its own LLVM. The symbols of libLLVM have versions: they are nobody else's.
  const std::string llvm = runtime::VisibleIn("LLVMContextCreate");
  const bool other_llvm = !llvm.empty() && !ir::FileName(llvm).starts_with("libLLVM");
  if (other_llvm && runtime::HasOwnMalloc()) {
    return absl::FailedPreconditionError(
        "the compiler cannot be opened: this process has another LLVM, TensorFlow's perhaps, and a malloc that is not "
        "libc's; compile something with Reel before the other LLVM is loaded, or run without that malloc");
  }
  std::string error;
  void* const library = runtime::OpenBeside(kLibrary, &error, other_llvm);
  const auto getter = library ? reinterpret_cast<Backend* (*)()>(::dlsym(library, "reel_backend")) : nullptr;
  if (getter == nullptr) {
    const bool found = error.find("libLLVM") != std::string::npos;  // and what it needs was not
    return absl::UnavailableError(StrCat(
        "the compiler cannot be opened: ", error, "; install ",
        found ? "that library of LLVM" : StrCat(kLibrary, " beside libreel.so or where the loader looks").c_str()));
  }
  return backend = getter();
}

namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

ir::BudgetMeter MeterOf(const CompilerOptions& options) {
  return ir::BudgetMeter(options.budget, options.clock, options.start, options.stop);
}

/// Level 0 is the debugging engine: one scalar kernel per op.
// Once in a process: what is refused changes nothing but time.
void SayRefused(const ScheduleBook& book) {
  static std::atomic<bool> said{false};
  if (book.refused() == 0 || said.exchange(true)) return;
  std::fprintf(stderr,
               "reel: %lld schedules are not legal for their kernels and were ignored; `reel tune` finds others\n",
               static_cast<long long>(book.refused()));
}

absl::Status CheckBudget(const Program& program, const Budget& budget) {
  if (program.instance_bytes <= budget.max_memory) return absl::OkStatus();
  return absl::ResourceExhaustedError(StrCat("program ", program.name, " needs ", program.instance_bytes,
                                             " bytes of memory, more than the budget of ", budget.max_memory,
                                             "; raise max_memory or make the batch smaller"));
}

/// Bytes that a function may take LLVM in work; an error if all that it will take is more than the budget.
absl::StatusOr<int64_t> CheckCompiler(const CompileMemory& bytes, const Program& program, const Budget& budget) {
  if (bytes.all <= budget.max_memory) return bytes.in_work;
  return absl::ResourceExhaustedError(StrCat("compiling ", program.name, " takes LLVM about ", bytes.all, " bytes for ",
                                             program.kernels.size(), " kernels, more than the budget of ",
                                             budget.max_memory, "; raise max_memory or compile less at once"));
}

int CompilerThreads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

/// What stands alone has no process to call.
absl::Status CheckNoCallbacks(const Program& program) {
  if (program.callbacks.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      StrCat("program ", program.name, " calls ", program.callbacks.front().of,
             ", a function of this process: an object cannot; leave it out of what is compiled ahead of time"));
}

absl::Status WriteText(const std::string& folder, const std::string& name, const std::string& text) {
  ir::MakeFolders(folder);  // the file says what is wrong
  return ir::WriteFile(StrCat(folder, "/", name), text, {.durable = false});
}

class PlanningCompiler : public Compiler {
 public:
  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(const ir::Module& module,
                                                          const CompilerOptions& options) override {
    return WithoutExceptions<std::unique_ptr<CompiledModule>>([&] { return Load(module, options); });
  }
  absl::StatusOr<ObjectFiles> CompileToObject(const ir::Module& module, const std::string& name,
                                              const CompilerOptions& options) override {
    return WithoutExceptions<ObjectFiles>([&] { return Object(module, name, options); });
  }
  absl::StatusOr<std::string> EmitText(const ir::Module& module, const std::string& name, const std::string& kind,
                                       const CompilerOptions& options) override {
    return WithoutExceptions<std::string>([&] { return Text(module, name, kind, options); });
  }
  absl::StatusOr<std::string> Archive(const std::string& object, const std::string& member,
                                      const CompilerOptions& options) override {
    const auto targets = FindTargets(options.cpu, options.os);
    if (!targets.ok()) return targets.status();
    const auto backend = GetBackend();
    if (!backend.ok()) return backend.status();
    return (*backend)->Archive(object, member, targets->front().platform.os);
  }

 private:
  absl::StatusOr<std::unique_ptr<CompiledModule>> Load(const ir::Module& module, const CompilerOptions& options) {
    const auto start = Clock::now();
    ir::BudgetMeter meter = MeterOf(options);
    auto target = FindTarget(options.cpu, options.os);
    if (!target.ok()) return target.status();
    if (absl::Status s = meter.AddModule(module); !s.ok()) return s;
    auto plan = Plan(module, *std::move(target), options, &meter, options.profile);
    if (!plan.ok()) return plan.status();
    if (!options.host_supports(plan->target.level)) {
      return absl::FailedPreconditionError(StrCat(
          "this machine cannot run code for ", plan->target.level,
          plan->target.has_amx ? ": the CPU has no AMX-BF16, or the operating system does not give this process tiles "
                                 "(arch_prctl, ARCH_REQ_XCOMP_PERM); \"x86-64-v4-amx-emulated\" has its bits"
                               : "",
          "; use cpu = \"native\""));
    }
    CompiledModule::Times times;
    times.plan = Seconds(start);
    const CodeCache cache(options.dump_to.empty() ? options.cache_dir : "", plan->program, plan->target,
                          options.opt_level);
    if (const auto code = cache.Get()) {
      times.cached = true;
      auto loaded = LoadProgram(std::move(plan->program), *code, times);
      if (loaded.ok()) return loaded;  // else the program is still there
    }
    const auto reserve =
        CheckCompiler(CompileBytes(plan->program, CompilerThreads(), false), plan->program, options.budget);
    if (!reserve.ok()) return reserve.status();
    const auto backend = GetBackend();
    if (!backend.ok()) return backend.status();
    auto code =
        (*backend)->CompileObjects(plan->program, plan->target, {options.opt_level, options.dump_to, &meter, *reserve});
    if (!code.ok()) return code.status();
    cache.Put(*code);
    times.cached = false;
    times.emit = code->emit;
    times.codegen = code->codegen;
    return LoadProgram(std::move(plan->program), *code, times);
  }

  absl::StatusOr<ObjectFiles> Object(const ir::Module& module, const std::string& name,
                                     const CompilerOptions& options) {
    ir::BudgetMeter meter = MeterOf(options);
    const auto plans = PlanObject(module, options, &meter);
    if (!plans.ok()) return plans.status();
    const auto reserve = CheckObject(*plans, options.budget);
    if (!reserve.ok()) return reserve.status();
    const auto backend = GetBackend();
    if (!backend.ok()) return backend.status();
    return (*backend)->CompileToObject(LevelsOf(*plans), name, {options.opt_level, "", &meter, *reserve});
  }

  absl::StatusOr<std::string> Text(const ir::Module& module, const std::string& name, const std::string& kind,
                                   const CompilerOptions& options) {
    if (kind != "llvm" && kind != "asm" && kind != "plan" && kind != "dot") {
      return absl::InvalidArgumentError(
          StrCat("cannot emit \"", kind, "\"; use \"llvm\", \"asm\", \"plan\" or \"dot\""));
    }
    ir::BudgetMeter meter = MeterOf(options);
    const auto plans = PlanObject(module, options, &meter);
    if (!plans.ok()) return plans.status();
    if ((kind == "plan" || kind == "dot") && plans->size() > 1) {
      return absl::InvalidArgumentError(StrCat("levels have a ", kind, " each; name one of ", options.cpu));
    }
    if (kind == "plan") return ir::Printable(PlanText(plans->front().program));
    if (kind == "dot") return ir::Printable(PlanDot(plans->front().program));
    const auto reserve = CheckObject(*plans, options.budget);
    if (!reserve.ok()) return reserve.status();
    const auto backend = GetBackend();
    if (!backend.ok()) return backend.status();
    return (*backend)->EmitText(LevelsOf(*plans), name, {options.opt_level, "", &meter, *reserve}, kind == "asm");
  }

  struct Planned {
    Program program;
    Target target;
  };

  static std::vector<TargetProgram> LevelsOf(const std::vector<Planned>& plans) {
    std::vector<TargetProgram> levels;
    for (const Planned& plan : plans) levels.push_back({plan.program, plan.target});
    return levels;
  }

  /// CheckCompiler of an object: the code of its levels is one module of LLVM.
  static absl::StatusOr<int64_t> CheckObject(const std::vector<Planned>& plans, const Budget& budget) {
    CompileMemory bytes{0, 0};
    for (const Planned& plan : plans) {
      if (absl::Status s = CheckNoCallbacks(plan.program); !s.ok()) return s;
      const CompileMemory one = CompileBytes(plan.program, 1, true);
      bytes.all += one.all;
      bytes.in_work += one.in_work;
    }
    return CheckCompiler(bytes, plans.front().program, budget);
  }

  /// A plan for each target.
  absl::StatusOr<std::vector<Planned>> PlanObject(const ir::Module& module, const CompilerOptions& options,
                                                  ir::BudgetMeter* meter) {
    auto targets = FindTargets(options.cpu, options.os);
    if (!targets.ok()) return targets.status();
    std::optional<SizedModule> sized;
    if (!module.symbols().empty() || !options.extents.empty()) {
      auto made = SizeModule(module, options.extents);
      if (!made.ok()) return made.status();
      sized = *std::move(made);
    }
    if (absl::Status s = meter->AddModule(sized ? sized->module : module); !s.ok()) return s;
    std::vector<Planned> plans;
    for (Target& target : *targets) {
      auto plan = Plan(sized ? sized->module : module, std::move(target), options, meter);
      if (!plan.ok()) return plan.status();
      if (sized) Offer(*sized, &plan->program);
      plans.push_back(*std::move(plan));
    }
    return plans;
  }

  absl::StatusOr<Planned> Plan(const ir::Module& module, Target target, const CompilerOptions& options,
                               ir::BudgetMeter* meter, bool profile = false) {
    PlanOptions plan = PlanFor(options, meter);
    plan.profile = profile;  // objects that stand alone never have any
    if (options.cores > 0) target.tuning = ForCores(target.tuning, options.cores);
    auto program = BuildProgram(module, target, plan);
    if (!program.ok()) return program.status();
    if (options.schedules) SayRefused(*options.schedules);
    if (absl::Status s = CheckBudget(*program, options.budget); !s.ok()) return s;
    if (!options.dump_to.empty()) {
      absl::Status s =
          WriteText(options.dump_to, StrCat(ToIdentifier(program->name), ".program.txt"), ToString(*program));
      if (!s.ok()) return s;
    }
    return Planned{*std::move(program), std::move(target)};
  }
};

}  // namespace

PlanOptions PlanFor(const CompilerOptions& options, const ir::BudgetMeter* meter) {
  PlanOptions plan;
  plan.fuse = plan.vectorize = options.opt_level > 0;
  plan.memory_budget = options.memory_budget;
  plan.check_bounds = options.check_bounds;
  plan.in_place = options.in_place;
  plan.schedules = options.schedules.get();
  plan.list_schedules = options.list_schedules;
  plan.record = options.record;
  plan.meter = meter;
  return plan;
}

}  // namespace reel::codegen

extern "C" reel::codegen::Compiler* reel_compiler() {
  static constinit reel::Lazy<reel::codegen::PlanningCompiler> compiler;
  return &compiler.Get();
}
