#ifndef REEL_FRONTEND_COMPILED_H_
#define REEL_FRONTEND_COMPILED_H_

#include <string>
#include <string_view>

#include "codegen/compiler.h"
#include "frontend/core.h"

namespace reel::internal {

/// Options as the environment has them: dumps, cache.
codegen::CompilerOptions DefaultCompilerOptions();

/// Zero memory for one instance of a program, with its header.
runtime::Buffer MakeInstance(const codegen::Program& program);
/// Writes the variables' initial values into memory of MakeInstance.
void WriteInitialValues(const codegen::Program& program, const runtime::Buffer& instance);
/// The header alone, for programs without variables.
void InitHeader(void* instance);

/// Throws what a compiled entry point reports.
void CheckStatus(std::string_view entry, int32_t status);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_COMPILED_H_
