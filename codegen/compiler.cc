#include "codegen/compiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "codegen/aot/names.h"
#include "codegen/backend.h"
#include "codegen/cache/code_cache.h"
#include "codegen/jit/jit.h"
#include "codegen/program/compile_bytes.h"
#include "codegen/program/plan.h"
#include "codegen/program/sized.h"
#include "codegen/target/cpuid.h"
#include "ir/file/writer.h"
#include "ir/printable.h"
#include "ir/strings.h"
#include "runtime/shared_library.h"

namespace reel::codegen {

absl::StatusOr<Backend*> GetBackend() {
  static constexpr char kLibrary[] = "libreel_compiler.so";
  static std::mutex mutex;
  static Backend* backend = nullptr;  // tried again after a failure
  const std::lock_guard lock(mutex);
  if (backend != nullptr) return backend;
  std::string error;
  void* const library = runtime::OpenBeside(kLibrary, &error);
  const auto getter =
      library ? reinterpret_cast<Backend* (*)()>(::dlsym(library, "reel_backend")) : nullptr;
  if (getter == nullptr) {
    return absl::UnavailableError(StrCat("the compiler cannot be opened: ", error, "; install ",
                                         kLibrary,
                                         " beside libreel.so or where the loader looks"));
  }
  return backend = getter();
}

namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

/// Level 0 is the debugging engine: one scalar kernel per op.
PlanOptions PlanFor(const CompilerOptions& options, const ir::BudgetMeter* meter) {
  PlanOptions plan;
  plan.fuse = plan.vectorize = options.opt_level > 0;
  plan.memory_budget = options.memory_budget;
  plan.check_bounds = options.check_bounds;
  plan.meter = meter;
  return plan;
}

absl::Status CheckBudget(const Program& program, const Budget& budget) {
  if (program.instance_bytes <= budget.max_memory) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      StrCat("program ", program.name, " needs ", program.instance_bytes,
             " bytes of memory, more than the budget of ", budget.max_memory,
             "; raise max_memory or make the batch smaller"));
}

/// What LLVM will take, before it is asked.
absl::Status CheckCompiler(const Program& program, const Budget& budget, bool object) {
  const int threads = object ? 1 : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int64_t bytes = CompileBytes(program, threads, object);
  if (bytes <= budget.max_memory) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      StrCat("compiling ", program.name, " takes LLVM about ", bytes, " bytes for ", program.kernels.size(),
             " kernels, more than the budget of ", budget.max_memory, "; raise max_memory or compile less at once"));
}

absl::Status WriteText(const std::string& folder, const std::string& name,
                       const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return ir::WriteFile(StrCat(folder, "/", name), text, {.durable = false});
}

class PlanningCompiler : public Compiler {
 public:
  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(const ir::Module& module,
                                                          const CompilerOptions& options) override {
    const auto start = Clock::now();
    ir::BudgetMeter meter(options.budget, options.clock);
    auto plan = Plan(module, options, &meter, options.profile);
    if (!plan.ok()) return plan.status();
    if (!options.host_supports(plan->target.name)) {
      return absl::FailedPreconditionError(
          StrCat("this machine cannot run code for ", plan->target.name, "; use cpu = \"native\""));
    }
    CompiledModule::Times times;
    times.plan = Seconds(start);
    const CodeCache cache(options.dump_to.empty() ? options.cache_dir : "", plan->program,
                          plan->target, options.opt_level);
    if (const auto code = cache.Get()) {
      times.cached = true;
      auto loaded = LoadProgram(std::move(plan->program), *code, times);
      if (loaded.ok()) return loaded;  // else the program is still there
    }
    if (absl::Status s = CheckCompiler(plan->program, options.budget, false); !s.ok()) return s;
    const auto backend = GetBackend();
    if (!backend.ok()) return backend.status();
    auto code = (*backend)->CompileObjects(plan->program, plan->target,
                                           {options.opt_level, options.dump_to, &meter});
    if (!code.ok()) return code.status();
    cache.Put(*code);
    times.cached = false;
    times.emit = code->emit;
    times.codegen = code->codegen;
    return LoadProgram(std::move(plan->program), *code, times);
  }

  absl::StatusOr<ObjectFiles> CompileToObject(const ir::Module& module, const std::string& name,
                                              const CompilerOptions& options) override {
    ir::BudgetMeter meter(options.budget, options.clock);
    auto plan = PlanObject(module, options, &meter);
    if (!plan.ok()) return plan.status();
    if (absl::Status s = CheckCompiler(plan->program, options.budget, true); !s.ok()) return s;
    const auto backend = GetBackend();
    if (!backend.ok()) return backend.status();
    return (*backend)->CompileToObject(plan->program, name, plan->target,
                                       {options.opt_level, "", &meter});
  }

  absl::StatusOr<std::string> EmitText(const ir::Module& module, const std::string& name,
                                       const std::string& kind,
                                       const CompilerOptions& options) override {
    if (kind != "llvm" && kind != "asm" && kind != "plan" && kind != "dot") {
      return absl::InvalidArgumentError(
          StrCat("cannot emit \"", kind, "\"; use \"llvm\", \"asm\", \"plan\" or \"dot\""));
    }
    ir::BudgetMeter meter(options.budget, options.clock);
    auto plan = PlanObject(module, options, &meter);
    if (!plan.ok()) return plan.status();
    if (kind == "plan") return ir::Printable(PlanText(plan->program));
    if (kind == "dot") return ir::Printable(PlanDot(plan->program));
    if (absl::Status s = CheckCompiler(plan->program, options.budget, true); !s.ok()) return s;
    const auto backend = GetBackend();
    if (!backend.ok()) return backend.status();
    return (*backend)->EmitText(plan->program, name, plan->target,
                                {options.opt_level, "", &meter}, kind == "asm");
  }

 private:
  struct Planned {
    Program program;
    Target target;
  };

  absl::StatusOr<Planned> PlanObject(const ir::Module& module, const CompilerOptions& options,
                                     ir::BudgetMeter* meter) {
    if (module.symbols().empty() && options.extents.empty()) return Plan(module, options, meter);
    const auto sized = SizeModule(module, options.extents);
    if (!sized.ok()) return sized.status();
    auto plan = Plan(sized->module, options, meter);
    if (plan.ok()) Offer(*sized, &plan->program);
    return plan;
  }

  absl::StatusOr<Planned> Plan(const ir::Module& module, const CompilerOptions& options,
                               ir::BudgetMeter* meter, bool profile = false) {
    if (absl::Status s = meter->AddModule(module); !s.ok()) return s;
    auto target = FindTarget(options.cpu);
    if (!target.ok()) return target.status();
    PlanOptions plan = PlanFor(options, meter);
    plan.profile = profile;  // objects that stand alone never have any
    auto program = BuildProgram(module, *target, plan);
    if (!program.ok()) return program.status();
    if (absl::Status s = CheckBudget(*program, options.budget); !s.ok()) return s;
    if (!options.dump_to.empty()) {
      absl::Status s = WriteText(
          options.dump_to, StrCat(ToIdentifier(program->name), ".program.txt"), ToString(*program));
      if (!s.ok()) return s;
    }
    return Planned{*std::move(program), *std::move(target)};
  }
};

}  // namespace
}  // namespace reel::codegen

extern "C" reel::codegen::Compiler* reel_compiler() {
  static auto* const compiler = new reel::codegen::PlanningCompiler;
  return compiler;
}
