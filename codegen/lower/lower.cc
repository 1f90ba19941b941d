#include "codegen/lower/lower.h"

#include "codegen/lower/addresses.h"
#include "codegen/lower/emitter.h"
#include "ir/strings.h"

namespace reel::codegen {

void SetFunctionAttributes(llvm::Function* function, const Target& target) {
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", target.cpu);
  if (!target.features.empty()) function->addFnAttr("target-features", target.features);
  function->addFnAttr("prefer-vector-width", StrCat(target.vector_bits));
  function->addFnAttr("min-legal-vector-width", StrCat(target.vector_bits));
}

absl::StatusOr<llvm::Function*> LowerKernel(const Kernel& kernel, const Target& target, const std::string& symbol,
                                            llvm::Module* module) {
  llvm::LLVMContext& context = module->getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {llvm::PointerType::get(context, 0), llvm::Type::getInt64Ty(context)}, false);
  llvm::Function* function = module->getFunction(symbol);  // a declaration, or null
  if (function == nullptr) {
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  }
  function->getArg(0)->setName("buffers");
  function->getArg(1)->setName("chunk");
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  SetFunctionAttributes(function, target);
  if (kernel.product_flops > 0) function->addFnAttr(kHasProducts);
  if (absl::Status status = KernelEmitter(kernel, target, function).Run(); !status.ok()) {
    return status;
  }
  return function;
}

}  // namespace reel::codegen
