// LLVM's target machine, the few IR passes we need, and code emission.
#include "codegen/llvm/guard.h"
#include "codegen/llvm/pass_headers.h"
#include "codegen/lower/addresses.h"
#include "codegen/lower/loop.h"
#include "codegen/lower/lower.h"
#include "codegen/program/code.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/fork.h"

namespace reel::codegen {
namespace {

// LLVM registers passes under a lock of its own, in maps that allocate: when memory fails there, control leaves by a
// jump (llvm/guard.h) and the lock would stay. So all are registered when the library is loaded.
[[maybe_unused]] const bool initialized = [] {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();  // for inline assembly: CPUID
  llvm::PassRegistry& passes = *llvm::PassRegistry::getPassRegistry();
  llvm::initializeCore(passes);
  llvm::initializeAnalysis(passes);
  llvm::initializeTransformUtils(passes);
  llvm::initializeScalarOpts(passes);
  llvm::initializeCodeGen(passes);
  llvm::initializeRegAllocScoringPass(passes);
  llvm::initializeTarget(passes);
  return true;
}();

/// Other architectures than this machine's are registered when they are first asked for: seldom, and never by the JIT.
/// LLVM's list of them has no lock.
void RegisterBackend(const llvm::Triple& triple) {
  struct Guard {
    runtime::Mutex mutex;
  };
  static constinit Lazy<Guard> guard;
  const std::lock_guard lock(guard.Get().mutex);
  switch (triple.getArch()) {
#define REEL_BACKEND(arch, Name)        \
  case llvm::Triple::arch:              \
    LLVMInitialize##Name##TargetInfo(); \
    LLVMInitialize##Name##Target();     \
    LLVMInitialize##Name##TargetMC();   \
    return LLVMInitialize##Name##AsmPrinter();
#ifndef REEL_NATIVE_BACKEND_ONLY
    REEL_BACKEND(aarch64, AArch64)
    REEL_BACKEND(riscv64, RISCV)
    REEL_BACKEND(wasm32, WebAssembly)
#endif
#undef REEL_BACKEND
    default: return;
  }
}

/// First of the passes on a function: when time or memory is up, there is nothing left for the others to
/// do.
class StopWhenSpent : public llvm::FunctionPass {
 public:
  StopWhenSpent(const ir::BudgetMeter& meter, absl::Status* status)
      : FunctionPass(kId), meter_(meter), status_(*status) {}

  bool runOnFunction(llvm::Function& function) override {
    if (status_.ok()) status_ = CheckLlvm();
    if (status_.ok()) status_ = meter_.CheckTime();
    if (status_.ok()) return false;
    function.dropAllReferences();
    llvm::LLVMContext& context = function.getContext();
    new llvm::UnreachableInst(context, llvm::BasicBlock::Create(context, "", &function));
    return true;
  }

 private:
  static char kId;
  const ir::BudgetMeter& meter_;
  absl::Status& status_;
};
char StopWhenSpent::kId = 0;

/// Passes that our code does not need. HoistAddressesPass stands for the first two, which took a quarter of LLVM's
/// time; the others are for what we never emit: each costs little, but for every function.
constexpr llvm::StringLiteral kNotNeeded[] = {
    "Canonicalize Freeze Instructions in Loops", "Loop Strength Reduction",
    // wide integers, library calls, masks with lengths, vectors in groups
    "Expand large div/rem", "Expand large fp convert", "Merge contiguous icmps into a memcmp",
    "Expand memcmp() to load/stores", "Replace intrinsics with calls to vector library",
    "Partially inline calls to library functions", "Expand vector predication intrinsics", "Interleaved Access Pass",
    "X86 Partial Reduction", "X86 Domain Reassignment Pass",
    // atomics, collected garbage, threads' variables, exceptions, indirect jumps
    "Expand Atomic instructions", "Lower Garbage Collection Instructions", "Shadow Stack GC Lowering",
    "Analyze Machine Code For Garbage Collection", "Fixup Statepoint Caller Saved", "StackMap Liveness Analysis",
    "TLS Variable Hoist", "Local Dynamic TLS Access Clean-up", "Exception handling preparation",
    "Contiguously Lay Out Funclets", "Expand indirectbr instructions", "Prepare callbr",
    // tiles
    "Lower AMX intrinsics", "Lower AMX type for load/store", "Tile Register Pre-configure", "Tile Register Configure",
    "X86 Lower Tile Copy",
    // hardening, instrumentation, debugging, other systems
    "Safe Stack instrumentation pass", "X86 speculative load hardening", "Insert KCFI indirect call checks",
    "X86 Load Value Injection (LVI) Load Hardening", "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Speculative Execution Side Effect Suppression", "X86 Indirect Branch Tracking", "X86 Indirect Thunks",
    "X86 Return Thunks", "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Insert fentry calls", "Insert XRay ops", "Implement the 'patchable-function' attribute", "Pseudo Probe Inserter",
    "Machine Sanitizer Binary Metadata", "Remove Redundant DEBUG_VALUE analysis", "Live DEBUG_VALUE analysis",
    "Stack Frame Layout Analysis", "Register Allocation Pass Scoring", "X86 Discriminate Memory Operands",
    "X86 Insert Cache Prefetches", "X86 Windows Fixup Buffer Security Check", "X86 Atom pad short functions"};

/// Passes on to a pass manager what is needed.
class NeededPasses : public llvm::legacy::PassManagerBase {
 public:
  NeededPasses(llvm::legacy::PassManager* to, const ir::BudgetMeter* meter, absl::Status* status)
      : to_(*to), meter_(meter), status_(status) {}

  /// Passes on functions that stand between two on modules are run function by function: each such row begins with a
  /// look at the time.
  void add(llvm::Pass* pass) override {
    if (llvm::is_contained(kNotNeeded, pass->getPassName())) return delete pass;
    const bool of_function = pass->getPassKind() == llvm::PT_Function;
    if (of_function && !in_row_ && meter_ != nullptr) to_.add(new StopWhenSpent(*meter_, status_));
    if (pass->getAsImmutablePass() == nullptr) in_row_ = of_function;
    to_.add(pass);
  }

 private:
  llvm::legacy::PassManager& to_;
  const ir::BudgetMeter* const meter_;
  absl::Status* const status_;
  bool in_row_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(const Target& target, int opt_level) {
  std::string error;
  const Platform& platform = target.platform;
  llvm::Triple triple(platform.triple);
  RegisterBackend(triple);
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget("", triple, error);
  if (backend == nullptr) {
    return absl::UnimplementedError(StrCat("this build of Reel has no code generator for ", platform.triple, ": ",
                                           error, "; build it with LLVM's shared library"));
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // an fma exists only where we emit one
#if LLVM_VERSION_MAJOR >= 21
  const llvm::Triple& name = triple;
#else
  const std::string& name = platform.triple;
#endif
  const auto level = opt_level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      name, target.cpu, target.features, options,
      platform.position_independent ? llvm::Reloc::PIC_ : llvm::Reloc::Static, llvm::CodeModel::Small, level));
  if (machine == nullptr) return absl::InternalError("LLVM cannot make a target machine");
  return machine;
}

std::unique_ptr<llvm::Module> MakeModule(llvm::LLVMContext& context, const std::string& name,
                                         const llvm::TargetMachine& machine) {
  auto module = std::make_unique<llvm::Module>(name, context);
  module->setDataLayout(machine.createDataLayout());
#if LLVM_VERSION_MAJOR >= 21
  module->setTargetTriple(machine.getTargetTriple());
#else
  module->setTargetTriple(machine.getTargetTriple().str());
#endif
  if (machine.getRelocationModel() == llvm::Reloc::PIC_) module->setPICLevel(llvm::PICLevel::BigPIC);
  return module;
}

absl::Status Optimize(llvm::Module* module, llvm::TargetMachine* machine, int opt_level, const ir::BudgetMeter* meter) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream)) {
    return absl::InternalError(StrCat("the code of ", std::string_view(module->getName()),
                                      " is not valid LLVM IR: ", stream.str().substr(0, 2000)));
  }
  if (opt_level == 0) return absl::OkStatus();
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));  // locals to registers
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));       // loads shared by unrolled rows
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(HoistAddressesPass());
  // Loops in line: what they carry to registers, which wants the test at the end of a step.
  llvm::FunctionPassManager loop_passes;
  loop_passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass(), /*UseMemorySSA=*/true));
  loop_passes.addPass(
      llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  for (llvm::Function& function : *module) {
    if (absl::Status s = CheckLlvm(); !s.ok()) return s;
    if (absl::Status s = CheckTime(meter); !s.ok()) return s;
    if (!function.isDeclaration() && !function.hasOptNone()) passes.run(function, functions);
    if (!function.hasFnAttribute(kIsLoop)) continue;
    loop_passes.run(function, functions);
    SinkGatherAddresses(&function);
  }
  return absl::OkStatus();
}

absl::StatusOr<llvm::SmallVector<char, 0>> EmitCode(llvm::Module* module, llvm::TargetMachine* machine, bool assembly,
                                                    const ir::BudgetMeter* meter) {
  llvm::SmallVector<char, 0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  absl::Status status;
  NeededPasses needed(&passes, meter, &status);
  const auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(needed, stream, nullptr, kind)) {
    return absl::InternalError("LLVM cannot write this kind of file for the target");
  }
  passes.run(*module);
  if (!status.ok()) return status;
  return out;
}

std::string ModuleText(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  stream.flush();
  return text;
}

}  // namespace reel::codegen
