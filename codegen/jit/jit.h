#ifndef REEL_CODEGEN_JIT_JIT_H_
#define REEL_CODEGEN_JIT_JIT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "codegen/jit/compiled_module.h"
#include "codegen/program/code.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// Machine code of a program, by LLVM. The bytes depend on program, target and level alone.
absl::StatusOr<CodeObjects> CompileObjects(const Program& program, const Target& target, const CodeOptions& options);

/// Brings the code of a program into this process: linked, then executable and no longer writable,
/// and freed with the result. The program is taken if that succeeds.
absl::StatusOr<std::unique_ptr<CompiledModule>> LoadProgram(Program&& program, const CodeObjects& code,
                                                            CompiledModule::Times times = {});

/// Both.
inline absl::StatusOr<std::unique_ptr<CompiledModule>> JitCompile(Program program, const Target& target,
                                                                  const CodeOptions& options) {
  auto code = CompileObjects(program, target, options);
  if (!code.ok()) return code.status();
  return LoadProgram(std::move(program), *code, {0, code->emit, code->codegen});
}

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_JIT_JIT_H_
