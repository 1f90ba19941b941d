#ifndef REEL_CODEGEN_PROGRAM_COMPILE_BYTES_H_
#define REEL_CODEGEN_PROGRAM_COMPILE_BYTES_H_

#include <cstdint>

#include "codegen/program/program.h"

namespace reel::codegen {

/// Instructions of LLVM IR that a kernel becomes, roughly and rather too many.
int64_t EmittedInstructions(const Kernel& kernel);

/// Bytes that LLVM may take to compile a program, by what it was seen to take: `threads` modules at once for this
/// process, or one object, which holds constants and initial values.
struct CompileMemory {
  int64_t all;
  int64_t in_work;  ///< by one thread, for the longest function and what is written at the end
};
CompileMemory CompileBytes(const Program& program, int threads, bool object);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_COMPILE_BYTES_H_
