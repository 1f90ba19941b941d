#ifndef REEL_FRONTEND_CLI_ENGINES_H_
#define REEL_FRONTEND_CLI_ENGINES_H_

#include <optional>
#include <string>
#include <vector>

#include "frontend/cli/cli.h"
#include "ir/literal.h"
#include "reel/profile.h"

namespace reel::cli {

/// One run of a function. state: the new values of all variables, in the module's order.
struct RunResult {
  std::vector<ir::Literal> outputs, state;
  double seconds = 0;  ///< of the run alone, without compilation
  std::optional<ExecutionProfile> profile = {};  ///< if asked for
  std::string trace = {};                        ///< Chrome's, likewise
};

/// Names of the engines, the default first.
inline constexpr const char* kEngines[] = {"jit", "interpret", "eager"};

std::vector<Type> TypesOf(const std::vector<ir::Literal>& literals);

/// The arguments in the order of the parameters, from NAME=FILE.npy.
std::vector<ir::Literal> ReadInputs(const std::vector<std::string>& inputs, const Budget& budget,
                                    const ir::Module& module, const ir::Function& function);

/// Runs a function from the variables' initial values. `engine`: "interpret" is the reference
/// evaluator in double, "eager" runs one kernel after the other, "jit" compiles the function, with timed
/// kernels if `profile` is set. Symbolic extents are what the inputs have. The budget's time has begun when the command
/// did.
RunResult RunFunction(const std::string& engine, const ir::Module& module, const ir::Function& function,
                      const std::vector<ir::Literal>& inputs, const Common& common, bool profile = false);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_ENGINES_H_
