#ifndef REEL_STABLEHLO_H_
#define REEL_STABLEHLO_H_

#include <cstdint>
#include <map>
#include <string>

#include "reel/module.h"

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

}  // namespace reel

#endif  // REEL_STABLEHLO_H_
