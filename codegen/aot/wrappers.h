#ifndef REEL_CODEGEN_AOT_WRAPPERS_H_
#define REEL_CODEGEN_AOT_WRAPPERS_H_

#include <cstddef>
#include <span>
#include <string>

#include "codegen/aot/names.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// Name of the internal function of entry point i, which AddWrappers expects in the module.
std::string EntrySymbol(const Program& program, const ObjectNames& names, size_t i);

/// Adds internal constant bytes, 64-byte aligned.
llvm::GlobalVariable* AddBytes(llvm::Module* module, const std::string& name, std::span<const std::byte> bytes);

/// Adds the C functions of an object: the only visible symbols. They run on any CPU of the architecture.
void AddWrappers(const Program& program, const ObjectNames& names, const Target& target, const std::string& manifest,
                 llvm::Module* module);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_WRAPPERS_H_
