#ifndef REEL_FRONTEND_PROGRAM_COMPILED_DATA_H_
#define REEL_FRONTEND_PROGRAM_COMPILED_DATA_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/compiler.h"
#include "frontend/autodiff/check_numerics.h"
#include "frontend/program/turned_variables.h"
#include "reel/compile.h"
#include "runtime/buffer.h"

namespace reel::internal {

class SymbolicPrograms;
struct ModuleData;
struct VariableData;

/// Code and what it was compiled from: immutable, shared by instances.
struct CompiledData {
  CompiledData();
  ~CompiledData();
  /// Compiles a module without symbolic extents, with the checks that CheckNumerics asks for: they look at what was
  /// computed when all has been, so nothing is in place then.
  void Compile(const ir::Module& module, const codegen::CompilerOptions& options, NumericsCheck check);
  /// Of entry point i: those of the module as it was, without what checks add.
  size_t num_results(size_t i) const { return program().entries[i].results.size() - (checked ? 1 : 0); }

  std::unique_ptr<codegen::CompiledModule> code;
  std::shared_ptr<const ModuleData> source;     ///< what Compile was given
  std::unique_ptr<SymbolicPrograms> symbolic;  ///< in the place of code, of a module with symbolic extents
  std::vector<std::shared_ptr<const std::vector<std::string>>> result_names;  // by entry
  TurnedVariables turned;  ///< Compile does not ask it: who gives the module does
  std::vector<std::pair<uint64_t, std::string>> bound;  // id of a live variable, its name here
  std::vector<std::pair<std::string, std::shared_ptr<VariableData>>> parts;  // by name: variables that are parts
  std::vector<std::string> module_variables;
  std::vector<bool> updates;  ///< by entry: whether it writes to variables
  std::vector<bool> is_given;  ///< by result of the only entry: RunEntry gets it with its old value (codegen::InPlace)
  size_t max_arguments = 0, max_results = 0;
  bool checked = false;  ///< its entry points have a last result, see passes/check_numerics.h
  std::vector<passes::NumericsSite> sites;  ///< what that names

  /// Of a symbolic module: its variables and the signatures of its entry points, with no steps.
  const codegen::Program& program() const;
};

/// Compiles a function of tensors, without symbolic extents, some of whose results may be written over operands.
/// `in_place`: whether they are; then calls take these results as they are to be written over, whoever else has them.
Executable CompileInPlace(const std::shared_ptr<const ModuleData>& data, const std::vector<codegen::InPlace>& pairs,
                          bool* in_place);

/// Options as the environment has them: dumps, cache.
codegen::CompilerOptions DefaultCompilerOptions();
/// Those and what the caller says.
codegen::CompilerOptions ToCompiler(const CompileOptions& options);
/// Seconds that this thread searches for what functions compile when they are called first: CompileOptions::tune.
double TuneSeconds();
/// Sets them; those before.
double SetTuneSeconds(double seconds);
/// Searches schedules for the module if options.tune says so: `compiler` then has them.
void TuneSchedules(const ir::Module& module, const CompileOptions& options, codegen::CompilerOptions* compiler);
/// Throws for a null handle, and for an environment that Reel does not understand.
const ModuleData& NeedModule(const std::shared_ptr<const ModuleData>& data);

/// Zero memory for one instance of a program, with its header.
runtime::Buffer MakeInstance(const codegen::Program& program);
/// Writes the variables' initial values into memory of MakeInstance.
void WriteInitialValues(const codegen::Program& program, const runtime::Buffer& instance);
/// The header alone, for programs without variables.
void InitHeader(void* instance);

/// Throws what a compiled entry point reports, which ran on this instance.
void CheckStatus(std::string_view entry, int32_t status, const codegen::Program& program, const void* instance);
/// A check that failed: "gather: index 7 is out of range ..., at model.py:12".
struct Fault {
  ErrorCode code;
  std::string text;
};
Fault FaultOf(int32_t status, const codegen::Program& program, const void* instance);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_COMPILED_DATA_H_
