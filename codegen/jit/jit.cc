#include "codegen/jit/jit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "codegen/aot/names.h"
#include "codegen/llvm/guard.h"
#include "codegen/lower/lower.h"
#include "codegen/program/in_line.h"
#include "codegen/program/symbols.h"
#include "ir/file/writer.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using Clock = std::chrono::steady_clock;

/// Expressions and statements of the kernels that share an LLVM module, roughly. A module costs milliseconds by itself,
/// but several are compiled at once.
constexpr size_t kMinModuleSize = 150, kMaxModuleSize = 600, kModules = 6;
constexpr size_t kInstructionsOfExpression = 4;

double Seconds(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

/// One LLVM module: its name and what to put into it.
struct Unit {
  std::string name;
  std::vector<size_t> kernels;
  std::vector<size_t> entries;

  size_t size = 0;

  std::string object;
  absl::Status status;
  double emit = 0, codegen = 0;
};

class UnitCompiler {
 public:
  UnitCompiler(const Program& program, const ProgramSymbols& symbols, const Target& target, const CodeOptions& options)
      : program_(program), symbols_(symbols), target_(target), options_(options) {}

  /// Compiles all units, side by side on as many threads as there are cores.
  absl::Status Run(std::vector<Unit>* units) {
    const size_t workers = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, units->size());
    std::vector<size_t> order(units->size());  // the largest first: threads end together
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return (*units)[a].size > (*units)[b].size; });
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t i; (i = next.fetch_add(1)) < units->size();) {
        Unit& unit = (*units)[order[i]];
        unit.status = TryCompile(&unit);
        if (!unit.status.ok()) next = units->size();  // nobody wants the others
      }
    };
    std::vector<std::thread> threads;
    try {
      threads.reserve(workers);
      for (size_t i = 1; i < workers; ++i) threads.emplace_back(work);
    } catch (const std::exception&) {  // no thread, or no memory for one: fewer do it too
    }
    work();
    for (std::thread& thread : threads) thread.join();
    for (const Unit& unit : *units) {
      if (!unit.status.ok()) return unit.status;
    }
    return absl::OkStatus();
  }

 private:
  /// Nothing leaves the thread but by the unit.
  absl::Status TryCompile(Unit* unit) noexcept {
    try {
      return InLlvm(options_.reserve, [&] { return Compile(unit); });
    } catch (const std::exception&) {  // std::bad_alloc: it needs the memory of an empty status
      return absl::Status(absl::StatusCode::kResourceExhausted, "");
    }
  }

  absl::Status Compile(Unit* unit) {
    if (absl::Status s = CheckTime(options_.meter); !s.ok()) return s;
    const auto start = Clock::now();
    auto machine = MakeTargetMachine(target_, options_.opt_level);
    if (!machine.ok()) return machine.status();
    llvm::LLVMContext context;
    auto module = MakeModule(context, unit->name, **machine);
    for (size_t k : unit->kernels) {
      if (absl::Status s = CheckTime(options_.meter); !s.ok()) return s;
      auto function = LowerKernel(program_.kernels[k], target_, symbols_.kernels[k], module.get());
      if (!function.ok()) return function.status();
    }
    for (size_t e : unit->entries) {
      const auto entry = LowerEntry(program_, program_.entries[e], symbols_, target_, StrCat(kJitEntry, e),
                                    module.get(), options_.meter);
      if (!entry.ok()) return entry.status();
    }
    if (absl::Status s = Optimize(module.get(), machine->get(), options_.opt_level, options_.meter); !s.ok()) {
      return s;
    }
    unit->emit = Seconds(start);
    if (absl::Status s = Dump(*unit, *module, machine->get()); !s.ok()) return s;
    const auto codegen = Clock::now();
    auto object = EmitCode(module.get(), machine->get(), /*assembly=*/false, options_.meter);
    if (!object.ok()) return object.status();
    unit->object.assign(object->data(), object->size());
    unit->codegen = Seconds(codegen);
    return absl::OkStatus();
  }

  absl::Status Dump(const Unit& unit, const llvm::Module& module, llvm::TargetMachine* machine) {
    if (options_.dump_to.empty()) return absl::OkStatus();
    const std::string path = StrCat(options_.dump_to, "/", unit.name);
    auto copy = llvm::CloneModule(module);
    auto assembly = EmitCode(copy.get(), machine, /*assembly=*/true, options_.meter);
    if (!assembly.ok()) return assembly.status();
    const std::string_view code(assembly->data(), assembly->size());
    if (absl::Status s = ir::WriteFile(path + ".ll", ModuleText(module), {.durable = false}); !s.ok()) return s;
    return ir::WriteFile(path + ".s", code, {.durable = false});
  }

  const Program& program_;
  const ProgramSymbols& symbols_;
  const Target& target_;
  const CodeOptions& options_;
};

bool HasTransposition(const std::vector<Stmt>& body) {
  return std::any_of(body.begin(), body.end(),
                     [](const Stmt& s) { return s.kind == Stmt::Kind::kTranspose || HasTransposition(s.body); });
}

/// Kernels in order, but those that share a function of their module (transpose.h) side by side.
std::vector<size_t> OrderOfKernels(const Program& program) {
  std::vector<size_t> order(program.kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](size_t k) { return HasTransposition(program.kernels[k].body); });
  return order;
}

size_t SizeOf(const Kernel& kernel) { return 20 + kernel.exprs.size(); }

/// Different kernels, then entry points, in batches of bounded size.
std::vector<Unit> SplitProgram(const Program& program) {
  const std::string name = ToIdentifier(program.name);  // also of dumped files
  std::vector<Unit> units;
  size_t all = 0;
  const std::vector<bool> called = CalledKernels(program);
  for (size_t k = 0; k < called.size(); ++k) {
    if (called[k]) all += SizeOf(program.kernels[k]);
  }
  const size_t most = std::clamp(all / kModules, kMinModuleSize, kMaxModuleSize);
  const auto add = [&](const char* kind, size_t i, size_t size) {
    if (units.empty() || units.back().size >= most) units.emplace_back().name = StrCat(name, kind, i);
    units.back().size += size;
    return &units.back();
  };
  for (size_t k : OrderOfKernels(program)) {
    if (!called[k]) continue;
    add(".kernels", k, SizeOf(program.kernels[k]))->kernels.push_back(k);
  }
  for (size_t e = 0; e < program.entries.size(); ++e) {
    const std::vector<Step>& steps = program.entries[e].steps;
    size_t size = 1 + static_cast<size_t>(CountSteps(steps)) / 8;
    VisitLoopsInLine(steps, [&](const Step& loop) {
      size += static_cast<size_t>(InstructionsInLine(program.kernels, loop)) / kInstructionsOfExpression;
    });
    add(".entries", e, size)->entries.push_back(e);
  }
  return units;
}

}  // namespace

absl::StatusOr<CodeObjects> CompileObjects(const Program& program, const Target& target, const CodeOptions& options) {
  const auto start = Clock::now();
  const ProgramSymbols symbols = NameSymbols(program, "reel");
  std::vector<Unit> units = SplitProgram(program);
  UnitCompiler compiler(program, symbols, target, options);
  if (absl::Status s = compiler.Run(&units); !s.ok()) return s;
  CodeObjects code;
  double emit = 0, all = 1e-9;
  for (Unit& unit : units) {
    code.objects.push_back(std::move(unit.object));
    emit += unit.emit;
    all += unit.emit + unit.codegen;
  }
  const double wall = Seconds(start);  // split in proportion to what the units took
  code.emit = wall * emit / all;
  code.codegen = wall - code.emit;
  return code;
}

}  // namespace reel::codegen
