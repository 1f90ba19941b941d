// LLVM's target machine, the few IR passes we need, and code emission.
#include <mutex>

#include "codegen/llvm_headers.h"
#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

void InitializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // for inline assembly: CPUID
  });
}

/// First of the passes on a function: when the time is up, there is nothing left for the others to
/// do.
class StopWhenSpent : public llvm::FunctionPass {
 public:
  StopWhenSpent(const ir::BudgetMeter& meter, absl::Status* status)
      : FunctionPass(kId), meter_(meter), status_(*status) {}

  bool runOnFunction(llvm::Function& function) override {
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

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(const Target& target,
                                                                       int opt_level) {
  InitializeLlvm();
  std::string error;
  llvm::Triple triple(target.triple);
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget("", triple, error);
  if (backend == nullptr) {
    return absl::InternalError(
        StrCat("LLVM has no code generator for ", target.triple, ": ", error));
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // an fma exists only where we emit one
#if LLVM_VERSION_MAJOR >= 21
  const llvm::Triple& name = triple;
#else
  const std::string& name = target.triple;
#endif
  const auto level = opt_level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> machine(
      backend->createTargetMachine(name, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                   llvm::CodeModel::Small, level));
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
  module->setPICLevel(llvm::PICLevel::BigPIC);
  return module;
}

absl::Status Optimize(llvm::Module* module, llvm::TargetMachine* machine, int opt_level) {
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
  for (llvm::Function& function : *module) {
    if (!function.isDeclaration() && !function.hasOptNone()) passes.run(function, functions);
  }
  return absl::OkStatus();
}

absl::StatusOr<llvm::SmallVector<char, 0>> EmitCode(llvm::Module* module,
                                                    llvm::TargetMachine* machine, bool assembly,
                                                    const ir::BudgetMeter* meter) {
  llvm::SmallVector<char, 0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  absl::Status status;
  if (meter != nullptr) passes.add(new StopWhenSpent(*meter, &status));
  const auto kind =
      assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, kind)) {
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
