#ifndef REEL_CODEGEN_JIT_JIT_H_
#define REEL_CODEGEN_JIT_JIT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/compiler.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

struct JitOptions {
  int opt_level = 2;
  std::string dump_to;       ///< folder for LLVM IR and assembly; empty = none
  double max_seconds = 600;  ///< checked before every LLVM module
  double plan_seconds = 0;   ///< what planning took, for times()
};

/// Compiles a program into this process. Kernels go to several LLVM modules of bounded size,
/// compiled side by side; memory is never writable and executable at once, and freed with the
/// result.
absl::StatusOr<std::unique_ptr<CompiledModule>> JitCompile(Program program, const Target& target,
                                                           const JitOptions& options);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_JIT_JIT_H_
