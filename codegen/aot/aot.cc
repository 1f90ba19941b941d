#include "codegen/aot/aot.h"

#include <algorithm>
#include <utility>

#include "codegen/aot/entries.h"
#include "codegen/aot/header.h"
#include "codegen/aot/memory.h"
#include "codegen/aot/names.h"
#include "codegen/aot/wrappers.h"
#include "codegen/llvm/object_headers.h"
#include "codegen/lower/lower.h"
#include "codegen/program/in_line.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

/// One LLVM module with everything a program needs; only the wrappers are visible.
struct Object {
  ObjectNames names;
  ObjectLayout layout;
  std::string manifest;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

/// The kernels and entry points of one level, in a module of its own.
absl::StatusOr<std::unique_ptr<llvm::Module>> LevelModule(const TargetProgram& level, const ObjectNames& names,
                                                          const CodeOptions& options, Object* object) {
  const auto& [program, target] = level;
  std::unique_ptr<llvm::Module> made = MakeModule(object->context, names.name, *object->machine);
  llvm::Module* module = made.get();
  const ProgramSymbols symbols = NameSymbols(program, StrCat(names.name, ".", target.level, "."));
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
    if (absl::Status s = CheckTime(options.meter); !s.ok()) return s;
    auto kernel = LowerKernel(program.kernels[k], target, symbols.kernels[k], module);
    if (!kernel.ok()) return kernel.status();
    (*kernel)->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (size_t i = 0; i < program.entries.size(); ++i) {
    auto entry =
        LowerEntry(program, program.entries[i], symbols, target, EntrySymbol(names, level, i), module, options.meter);
    if (!entry.ok()) return entry.status();
  }
  return made;
}

/// The code of all levels. What several define for themselves keeps apart: the linker renames internal symbols.
absl::Status AddCode(std::span<const TargetProgram> levels, const CodeOptions& options, Object* object) {
  for (const TargetProgram& level : levels) {
    auto module = LevelModule(level, object->names, options, object);
    if (!module.ok()) return module.status();
    if (object->module == nullptr) {
      object->module = *std::move(module);
    } else if (llvm::Linker::linkModules(*object->module, *std::move(module))) {
      return absl::InternalError(
          StrCat("the code for ", level.target.level, " cannot be linked to that of other levels"));
    }
  }
  for (const TargetProgram& level : levels) {
    for (size_t i = 0; i < level.program.entries.size(); ++i) {
      llvm::Function* entry = object->module->getFunction(EntrySymbol(object->names, level, i));
      entry->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Object>> Build(std::span<const TargetProgram> levels, const std::string& name,
                                              const CodeOptions& options) {
  const Target& target = levels.back().target;
  auto names = NameObject(levels[0].program, name);
  if (!names.ok()) return names.status();
  auto machine = MakeTargetMachine(target, options.opt_level);
  if (!machine.ok()) return machine.status();
  auto object = std::make_unique<Object>();
  object->names = *std::move(names);
  object->layout = LayoutOf(levels);
  object->manifest = ManifestText(levels[0].program, object->names, object->layout);
  object->machine = *std::move(machine);
  if (absl::Status s = AddCode(levels, options, object.get()); !s.ok()) return s;
  llvm::Module* module = object->module.get();
  AddWrappers(levels, object->names, object->layout, object->manifest, module);
  if (target.platform.has_own_memory) AddMemoryFunctions(levels[0].target, module);
  if (auto s = Optimize(module, object->machine.get(), options.opt_level, options.meter); !s.ok()) return s;
  return object;
}

}  // namespace

absl::StatusOr<ObjectFiles> AotCompile(std::span<const TargetProgram> levels, const std::string& name,
                                       const CodeOptions& options) {
  auto object = Build(levels, name, options);
  if (!object.ok()) return object.status();
  auto code = EmitCode((*object)->module.get(), (*object)->machine.get(), /*assembly=*/false, options.meter);
  if (!code.ok()) return code.status();
  ObjectFiles files;
  files.object.assign(code->data(), code->size());
  files.header = HeaderText(levels[0].program, (*object)->names, (*object)->layout);
  files.manifest = (*object)->manifest;
  return files;
}

absl::StatusOr<std::string> AotText(std::span<const TargetProgram> levels, const std::string& name,
                                    const CodeOptions& options, bool assembly) {
  auto object = Build(levels, name, options);
  if (!object.ok()) return object.status();
  if (!assembly) return ModuleText(*(*object)->module);
  auto code = EmitCode((*object)->module.get(), (*object)->machine.get(), assembly, options.meter);
  if (!code.ok()) return code.status();
  return std::string(code->data(), code->size());
}

}  // namespace reel::codegen
