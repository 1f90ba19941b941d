#ifndef REEL_FRONTEND_COMPILED_H_
#define REEL_FRONTEND_COMPILED_H_

#include <string>
#include <string_view>

#include "codegen/compiler.h"
#include "frontend/core.h"

namespace reel::internal {

/// Options as the environment has them: dumps, cache.
codegen::CompilerOptions DefaultCompilerOptions();

/// Memory for one instance of a program, with header and the variables' initial values.
runtime::Buffer MakeInstance(const codegen::Program& program);
/// The header alone, for programs without variables.
void InitHeader(void* instance);

/// Throws what a compiled entry point reports.
void CheckStatus(std::string_view entry, int32_t status);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_COMPILED_H_
