#include "codegen/aot/aot.h"

#include <unordered_set>

#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

/// One LLVM module with everything a program needs; only the wrappers are visible.
struct Object {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

void AddConstants(const Program& program, const ProgramSymbols& symbols, llvm::Module* module) {
  for (size_t i = 0; i < program.constants.size(); ++i) {
    const auto bytes = program.constants[i].bytes();
    llvm::Constant* data = llvm::ConstantDataArray::getRaw(
        llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), bytes.size(),
        llvm::Type::getInt8Ty(module->getContext()));
    auto* global = new llvm::GlobalVariable(*module, data->getType(), true,
                                            llvm::GlobalValue::InternalLinkage, data,
                                            symbols.constants[i]);
    global->setAlignment(llvm::Align(64));
  }
}

absl::Status AddCode(const Program& program, const ProgramSymbols& symbols,
                     const std::string& name, const Target& target, llvm::Module* module) {
  std::unordered_set<std::string> seen;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (!seen.insert(symbols.kernels[k]).second) continue;
    auto kernel = LowerKernel(program.kernels[k], target, symbols.kernels[k], module);
    if (!kernel.ok()) return kernel.status();
    (*kernel)->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (const EntryPoint& entry : program.entries) {
    LowerEntry(program, entry, symbols, target, StrCat(name, "_entry_", entry.name), module)
        ->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Object>> Build(const Program& program, const std::string& name,
                                              const Target& target, int opt_level) {
  auto machine = MakeTargetMachine(target, opt_level);
  if (!machine.ok()) return machine.status();
  auto object = std::make_unique<Object>();
  object->machine = *std::move(machine);
  object->module = MakeModule(object->context, name, *object->machine);
  const ProgramSymbols symbols = NameSymbols(program, name);
  AddConstants(program, symbols, object->module.get());
  if (auto s = AddCode(program, symbols, name, target, object->module.get()); !s.ok()) return s;
  if (auto s = Optimize(object->module.get(), object->machine.get(), opt_level); !s.ok()) return s;
  return object;
}

}  // namespace

absl::StatusOr<ObjectFiles> AotCompile(const Program& program, const std::string& name,
                                       const Target& target, int opt_level) {
  auto object = Build(program, name, target, opt_level);
  if (!object.ok()) return object.status();
  auto code = EmitCode((*object)->module.get(), (*object)->machine.get(), /*assembly=*/false);
  if (!code.ok()) return code.status();
  ObjectFiles files;
  files.object.assign(code->data(), code->size());
  return files;
}

absl::StatusOr<std::string> AotText(const Program& program, const std::string& name,
                                    const Target& target, int opt_level, bool assembly) {
  auto object = Build(program, name, target, opt_level);
  if (!object.ok()) return object.status();
  if (!assembly) return ModuleText(*(*object)->module);
  auto code = EmitCode((*object)->module.get(), (*object)->machine.get(), assembly);
  if (!code.ok()) return code.status();
  return std::string(code->data(), code->size());
}

}  // namespace reel::codegen
