#ifndef REEL_CODEGEN_JIT_COMPILED_MODULE_H_
#define REEL_CODEGEN_JIT_COMPILED_MODULE_H_

#include "codegen/program/program.h"

namespace reel::codegen {

/// JIT-compiled code of a module: immutable, thread-safe.
class CompiledModule {
 public:
  using Entry = int32_t (*)(void* instance, const void* const* arguments, void* const* results);
  virtual ~CompiledModule() = default;
  virtual const Program& program() const = 0;
  /// The code of entry point i of program().entries.
  virtual Entry entry(int i) const = 0;
  /// Times in seconds: planning, LLVM IR emission, LLVM code generation, loading.
  struct Times {
    double plan = 0, emit = 0, codegen = 0, load = 0;
    bool cached = false;  ///< LLVM had nothing to do
  };
  virtual Times times() const = 0;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_JIT_COMPILED_MODULE_H_
