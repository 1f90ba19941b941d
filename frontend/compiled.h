#ifndef REEL_FRONTEND_COMPILED_H_
#define REEL_FRONTEND_COMPILED_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/compiler.h"
#include "frontend/core.h"

namespace reel::internal {

class SymbolicPrograms;

/// Code and what it was compiled from: immutable, shared by instances.
struct CompiledData {
  CompiledData();
  ~CompiledData();
  explicit CompiledData(std::unique_ptr<codegen::CompiledModule> compiled);

  std::unique_ptr<codegen::CompiledModule> code;
  std::unique_ptr<SymbolicPrograms> symbolic;  ///< in the place of code, of a module with symbolic extents
  std::vector<std::shared_ptr<const std::vector<std::string>>> result_names;  // by entry
  std::vector<std::pair<uint64_t, std::string>> bound;  // id of a live variable, its name here
  std::vector<std::string> module_variables;
  size_t max_arguments = 0, max_results = 0;

  /// Of a symbolic module: its variables and the signatures of its entry points, with no steps.
  const codegen::Program& program() const;
};

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
