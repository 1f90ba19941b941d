#ifndef REEL_STABLEHLO_H_
#define REEL_STABLEHLO_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/budget.h"
#include "reel/module.h"
#include "reel/tensor.h"

namespace reel {

/// Options of ToStableHlo and SaveStableHlo.
struct StableHloOptions {
  std::string entry = {};  ///< the entry point that is written; empty: "main" or the only one
  std::map<std::string, int64_t> dims = {};  ///< numbers for symbolic extents: {"B", 64}
  bool locations = true;                     ///< files and lines of the user's program
};

/// An entry point as StableHLO, in MLIR's text form: forward, backward and update as they are, for XLA (JAX), IREE and
/// what else reads it. It is the public function `main`. Its arguments are Reel's, then the values of the variables
/// that it touches; its results are Reel's, then the new values of those that it updates. What is a variable has the
/// attribute `reel.variable`, the others `reel.name`. Throws Unimplemented for what StableHLO does not have, naming op
/// and line (frontend/stablehlo/OPERATORS.md).
std::string ToStableHlo(const Module& module, const StableHloOptions& options = {});
/// The same in a file, which is whole or as it was.
void SaveStableHlo(const Module& module, const std::string& path, const StableHloOptions& options = {});

/// Options of LoadStableHlo and ImportStableHlo.
struct StableHloImportOptions {
  /// Arguments of the function, by position, that become variables of these names; beside those that the text says are.
  std::map<int64_t, std::string> variables = {};
  /// What variables begin with, by name. The text has no values: the others begin as zeros.
  std::map<std::string, Tensor> values = {};
  Budget budget = {};
};

/// A StableHLO program in MLIR's text, in the pretty or the generic form, as Reel, JAX, IREE and PyTorch print it, as a
/// module with one entry point: its function `main`, or its only public one. Called functions are written out. What
/// Reel wrote comes back with its variables, names and bits. Throws Unimplemented for what Reel does not have, listing
/// all of it with its lines (frontend/stablehlo/OPERATORS.md), InvalidArgument with line and column for what is wrong.
Module LoadStableHlo(const std::string& path, const StableHloImportOptions& options = {});
/// The same for a text; `name` begins every error.
Module ImportStableHlo(std::string_view text, const std::string& name, const StableHloImportOptions& options = {});

/// An operation of StableHLO or CHLO, or what a custom_call may name: whether Reel reads it, and how, or why not.
struct StableHloOperation {
  std::string name;
  bool done = false;
  std::string note;
};
/// All of them, by name.
std::vector<StableHloOperation> StableHloOperations();

}  // namespace reel

#endif  // REEL_STABLEHLO_H_
