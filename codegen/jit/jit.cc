#include "codegen/jit/jit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/aot/names.h"
#include "codegen/llvm_status.h"
#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using Clock = std::chrono::steady_clock;

/// Expressions and statements of the kernels that share an LLVM module, roughly.
constexpr size_t kModuleSize = 300;

double Seconds(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

/// The process's JIT: it links objects (JITLink) and knows their symbols. Never destroyed, so that
/// compiled modules may outlive static destruction.
absl::StatusOr<llvm::orc::LLJIT*> Jit() {
  static const auto* const jit = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto layer = [](llvm::orc::ExecutionSession& session,
                    const auto&...) -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
      return std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
    };
    return new absl::StatusOr<std::unique_ptr<llvm::orc::LLJIT>>(
        ToStatusOr(llvm::orc::LLJITBuilder()
                       .setObjectLinkingLayerCreator(layer)
                       .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                       .setLinkProcessSymbolsByDefault(false)
                       .create(),
                   "cannot start LLVM's JIT"));
  }();
  if (!jit->ok()) return jit->status();
  return jit->value().get();
}

/// Literals at the offsets of the symbols.
class ConstantData {
 public:
  ConstantData(const std::vector<ir::Literal>& constants, const ProgramSymbols& symbols) {
    const auto total = static_cast<size_t>(symbols.constant_bytes);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, total + 64)));
    for (size_t i = 0; i < constants.size(); ++i) {
      const auto bytes = constants[i].bytes();
      if (!bytes.empty())
        std::memcpy(memory_.get() + symbols.constant_offsets[i], bytes.data(), bytes.size());
    }
  }
  const void* address() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

/// Code and constants of a program in one JITDylib, which goes with it.
class JitModule : public CompiledModule {
 public:
  JitModule(Program program, const ProgramSymbols& symbols, llvm::orc::ExecutionSession* session,
            llvm::orc::JITDylib* dylib)
      : program_(std::move(program)),
        constants_(program_.constants, symbols),
        session_(session),
        dylib_(dylib) {}
  ~JitModule() override { llvm::consumeError(session_->removeJITDylib(*dylib_)); }

  const Program& program() const override { return program_; }
  Entry entry(int i) const override { return entries_[static_cast<size_t>(i)]; }
  Times times() const override { return times_; }

  const ConstantData& constants() const { return constants_; }
  llvm::orc::JITDylib& dylib() { return *dylib_; }
  void AddEntry(Entry entry) { entries_.push_back(entry); }
  Times& mutable_times() { return times_; }

 private:
  Program program_;
  ConstantData constants_;
  llvm::orc::ExecutionSession* session_;
  llvm::orc::JITDylib* dylib_;
  std::vector<Entry> entries_;
  Times times_;
};

/// One LLVM module: its name and what to put into it.
struct Unit {
  std::string name;
  std::vector<size_t> kernels;
  std::vector<size_t> entries;

  llvm::SmallVector<char, 0> object;
  absl::Status status;
  double emit = 0, codegen = 0;
};

class UnitCompiler {
 public:
  UnitCompiler(const Program& program, const ProgramSymbols& symbols, const Target& target,
               const JitOptions& options)
      : program_(program), symbols_(symbols), target_(target), options_(options) {}

  /// Compiles all units, side by side on as many threads as there are cores.
  absl::Status Run(std::vector<Unit>* units) {
    const size_t workers =
        std::clamp<size_t>(std::thread::hardware_concurrency(), 1, units->size());
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t i; (i = next.fetch_add(1)) < units->size();) {
        (*units)[i].status = Compile(&(*units)[i]);
      }
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < workers; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    for (const Unit& unit : *units) {
      if (!unit.status.ok()) return unit.status;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Compile(Unit* unit) {
    if (Seconds(start_) > options_.max_seconds) {
      return absl::ResourceExhaustedError(
          StrCat("compiling takes longer than the budget of ", options_.max_seconds, " seconds"));
    }
    const auto start = Clock::now();
    auto machine = MakeTargetMachine(target_, options_.opt_level);
    if (!machine.ok()) return machine.status();
    llvm::LLVMContext context;
    auto module = MakeModule(context, unit->name, **machine);
    for (size_t k : unit->kernels) {
      auto function = LowerKernel(program_.kernels[k], target_, symbols_.kernels[k], module.get());
      if (!function.ok()) return function.status();
    }
    for (size_t e : unit->entries) {
      LowerEntry(program_, program_.entries[e], symbols_, target_, StrCat("reel_entry_", e),
                 module.get());
    }
    if (absl::Status s = Optimize(module.get(), machine->get(), options_.opt_level); !s.ok()) {
      return s;
    }
    unit->emit = Seconds(start);
    if (absl::Status s = Dump(*unit, *module, machine->get()); !s.ok()) return s;
    const auto codegen = Clock::now();
    auto object = EmitCode(module.get(), machine->get(), /*assembly=*/false);
    if (!object.ok()) return object.status();
    unit->object = *std::move(object);
    unit->codegen = Seconds(codegen);
    return absl::OkStatus();
  }

  absl::Status Dump(const Unit& unit, const llvm::Module& module, llvm::TargetMachine* machine) {
    if (options_.dump_to.empty()) return absl::OkStatus();
    const std::string path = StrCat(options_.dump_to, "/", unit.name);
    auto copy = llvm::CloneModule(module);
    auto assembly = EmitCode(copy.get(), machine, /*assembly=*/true);
    if (!assembly.ok()) return assembly.status();
    std::ofstream text(path + ".ll"), code(path + ".s");
    text << ModuleText(module);
    code.write(assembly->data(), static_cast<std::streamsize>(assembly->size()));
    if (!text.flush() || !code.flush()) {
      return absl::UnavailableError(StrCat("cannot write ", path, ".ll and .s"));
    }
    return absl::OkStatus();
  }

  const Program& program_;
  const ProgramSymbols& symbols_;
  const Target& target_;
  const JitOptions& options_;
  const Clock::time_point start_ = Clock::now();
};

/// Different kernels, then entry points, in batches of bounded size. A module costs a few
/// milliseconds by itself.
std::vector<Unit> SplitProgram(const Program& program, const ProgramSymbols& symbols) {
  const std::string name = ToIdentifier(program.name);  // also of dumped files
  std::vector<Unit> units;
  std::unordered_set<std::string> seen;
  size_t size = kModuleSize;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (!seen.insert(symbols.kernels[k]).second) continue;
    if (size >= kModuleSize) {
      units.emplace_back().name = StrCat(name, ".kernels", k);
      size = 0;
    }
    units.back().kernels.push_back(k);
    size += 20 + program.kernels[k].exprs.size();
  }
  for (size_t e = 0; e < program.entries.size(); ++e) {
    if (size >= kModuleSize) {
      units.emplace_back().name = StrCat(name, ".entries", e);
      size = 0;
    }
    units.back().entries.push_back(e);
    size += static_cast<size_t>(CountSteps(program.entries[e].steps));
  }
  return units;
}

/// Constants and the three functions that generated code may call.
llvm::Error DefineSymbols(llvm::orc::LLJIT* jit, const ProgramSymbols& symbols, JitModule* module) {
  llvm::orc::SymbolMap map;
  auto define = [&](llvm::StringRef name, const void* address, llvm::JITSymbolFlags flags) {
    map[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(const_cast<void*>(address)),
                                       flags};
  };
  const auto data = llvm::JITSymbolFlags::Exported;
  const auto code = llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
  define("memcpy", reinterpret_cast<const void*>(&std::memcpy), code);
  define("memmove", reinterpret_cast<const void*>(&std::memmove), code);
  define("memset", reinterpret_cast<const void*>(&std::memset), code);
  define(symbols.constants, module->constants().address(), data);
  return module->dylib().define(llvm::orc::absoluteSymbols(std::move(map)));
}

absl::Status Link(llvm::orc::LLJIT* jit, const ProgramSymbols& symbols, std::vector<Unit>* units,
                  JitModule* module) {
  constexpr std::string_view kWhat = "cannot link compiled code";
  if (auto s = ToStatus(DefineSymbols(jit, symbols, module), kWhat); !s.ok()) return s;
  for (Unit& unit : *units) {
    auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(unit.object), unit.name,
                                                                  /*RequiresNullTerminator=*/false);
    if (auto s = ToStatus(jit->addObjectFile(module->dylib(), std::move(buffer)), kWhat); !s.ok()) {
      return s;
    }
  }
  for (size_t e = 0; e < module->program().entries.size(); ++e) {
    auto address = jit->lookup(module->dylib(), StrCat("reel_entry_", e));
    if (!address) return ToStatus(address.takeError(), kWhat);
    module->AddEntry(address->toPtr<CompiledModule::Entry>());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<CompiledModule>> JitCompile(Program program, const Target& target,
                                                           const JitOptions& options) {
  auto jit = Jit();
  if (!jit.ok()) return jit.status();
  const auto start = Clock::now();
  const ProgramSymbols symbols = NameSymbols(program, "reel");
  std::vector<Unit> units = SplitProgram(program, symbols);
  UnitCompiler compiler(program, symbols, target, options);
  if (absl::Status s = compiler.Run(&units); !s.ok()) return s;

  static std::atomic<int64_t> number = 0;
  llvm::orc::ExecutionSession& session = (*jit)->getExecutionSession();
  llvm::orc::JITDylib& dylib = session.createBareJITDylib(StrCat("reel.", number++));
  auto module = std::make_unique<JitModule>(std::move(program), symbols, &session, &dylib);
  if (absl::Status s = Link(*jit, symbols, &units, module.get()); !s.ok()) return s;

  // Wall time, split in proportion to what the units took.
  double emit = 0, all = 1e-9;
  for (const Unit& unit : units) {
    emit += unit.emit;
    all += unit.emit + unit.codegen;
  }
  const double wall = Seconds(start);
  module->mutable_times() = {options.plan_seconds, wall * emit / all, wall * (1 - emit / all)};
  return module;
}

}  // namespace reel::codegen
