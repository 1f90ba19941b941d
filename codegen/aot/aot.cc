#include "codegen/aot/aot.h"

#include <algorithm>
#include <span>
#include <utility>

#include "codegen/aot/header.h"
#include "codegen/aot/memory.h"
#include "codegen/aot/names.h"
#include "codegen/aot/wrappers.h"
#include "codegen/lower/lower.h"
#include "codegen/program/in_line.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

/// One LLVM module with everything a program needs; only the wrappers are visible.
struct Object {
  ObjectNames names;
  std::string manifest;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

absl::Status AddCode(const Program& program, const ProgramSymbols& symbols, const ObjectNames& names,
                     const Target& target, const ir::BudgetMeter* meter, llvm::Module* module) {
  std::string constants(static_cast<size_t>(symbols.layout.bytes), '\0');
  for (size_t i = 0; i < program.constants.size(); ++i) {
    const auto bytes = program.constants[i].bytes();
    std::copy(bytes.begin(), bytes.end(),
              std::as_writable_bytes(std::span(constants)).begin() + symbols.layout.offsets[i]);
  }
  AddBytes(module, symbols.constants, std::as_bytes(std::span(constants)));
  const std::vector<bool> called = CalledKernels(program);
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (!called[k]) continue;
    if (absl::Status s = CheckTime(meter); !s.ok()) return s;
    auto kernel = LowerKernel(program.kernels[k], target, symbols.kernels[k], module);
    if (!kernel.ok()) return kernel.status();
    (*kernel)->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (size_t i = 0; i < program.entries.size(); ++i) {
    auto entry =
        LowerEntry(program, program.entries[i], symbols, target, EntrySymbol(program, names, i), module, meter);
    if (!entry.ok()) return entry.status();
    (*entry)->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Object>> Build(const Program& program, const std::string& name, const Target& target,
                                              const CodeOptions& options) {
  auto names = NameObject(program, name);
  if (!names.ok()) return names.status();
  auto machine = MakeTargetMachine(target, options.opt_level);
  if (!machine.ok()) return machine.status();
  auto object = std::make_unique<Object>();
  object->names = *std::move(names);
  object->manifest = ManifestText(program, object->names, target);
  object->machine = *std::move(machine);
  object->module = MakeModule(object->context, name, *object->machine);
  llvm::Module* module = object->module.get();
  const ProgramSymbols symbols = NameSymbols(program, StrCat(name, "."));
  if (auto s = AddCode(program, symbols, object->names, target, options.meter, module); !s.ok()) return s;
  AddWrappers(program, object->names, target, object->manifest, module);
  if (target.platform.has_own_memory) AddMemoryFunctions(target, module);
  if (auto s = Optimize(module, object->machine.get(), options.opt_level, options.meter); !s.ok()) return s;
  return object;
}

}  // namespace

absl::StatusOr<ObjectFiles> AotCompile(const Program& program, const std::string& name, const Target& target,
                                       const CodeOptions& options) {
  auto object = Build(program, name, target, options);
  if (!object.ok()) return object.status();
  auto code = EmitCode((*object)->module.get(), (*object)->machine.get(), /*assembly=*/false, options.meter);
  if (!code.ok()) return code.status();
  ObjectFiles files;
  files.object.assign(code->data(), code->size());
  files.header = HeaderText(program, (*object)->names, target);
  files.manifest = (*object)->manifest;
  return files;
}

absl::StatusOr<std::string> AotText(const Program& program, const std::string& name, const Target& target,
                                    const CodeOptions& options, bool assembly) {
  auto object = Build(program, name, target, options);
  if (!object.ok()) return object.status();
  if (!assembly) return ModuleText(*(*object)->module);
  auto code = EmitCode((*object)->module.get(), (*object)->machine.get(), assembly, options.meter);
  if (!code.ok()) return code.status();
  return std::string(code->data(), code->size());
}

}  // namespace reel::codegen
