#ifndef REEL_CODEGEN_AOT_WRAPPERS_H_
#define REEL_CODEGEN_AOT_WRAPPERS_H_

#include <cstddef>
#include <span>
#include <string>

#include "codegen/aot/layout.h"
#include "codegen/aot/names.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/program/code.h"

namespace reel::codegen {

/// Adds internal constant bytes, 64-byte aligned.
llvm::GlobalVariable* AddBytes(llvm::Module* module, const std::string& name, std::span<const std::byte> bytes);

/// Adds the C functions of an object: the only visible symbols. They run on any CPU of the architecture. `levels`
/// ascend.
void AddWrappers(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
                 const std::string& manifest, llvm::Module* module);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_WRAPPERS_H_
