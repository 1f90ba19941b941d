#ifndef REEL_CODEGEN_BACKEND_H_
#define REEL_CODEGEN_BACKEND_H_

#include "absl/status/statusor.h"
#include "codegen/program/code.h"

// The half of the compiler that is LLVM: programs to machine code. libreel_compiler.so implements
// it; libreel.so plans, keeps and loads code without it, and opens it when there is code to make.

namespace reel::codegen {

/// The process's backend; the first call opens libreel_compiler.so, beside libreel.so or by its
/// name.
absl::StatusOr<Backend*> GetBackend();

}  // namespace reel::codegen

/// What GetBackend looks up in the library. Never null.
extern "C" reel::codegen::Backend* reel_backend();

#endif  // REEL_CODEGEN_BACKEND_H_
