#ifndef REEL_CODEGEN_AOT_MEMORY_H_
#define REEL_CODEGEN_AOT_MEMORY_H_

#include "codegen/llvm/ir_headers.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// Adds memcpy, memmove and memset, which LLVM calls for what it does not write out, for objects without a libc. Hidden
/// and weak: a program that has its own keeps them.
void AddMemoryFunctions(const Target& target, llvm::Module* module);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_MEMORY_H_
