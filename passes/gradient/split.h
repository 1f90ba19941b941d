#ifndef REEL_PASSES_GRADIENT_SPLIT_H_
#define REEL_PASSES_GRADIENT_SPLIT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/gradient/flow.h"

// A function and its gradient as two functions that run one after the other: the first also returns what the second
// would have to compute again at some cost.

namespace reel::passes {

/// A gradient that goes on from where the forward function ended. It takes the marked operands and results of that,
/// then the cotangents of the results that were asked for; it returns those of the connected operands.
struct BackwardFunction {
  std::string name;
  Mask operands, results;  ///< which of the forward function's it takes
  Mask seeded;             ///< results whose cotangents it takes
  Mask connected;          ///< operands whose cotangents it returns; a wanted one that is not marked has none
  /// Per connected operand: 0 for a cotangent, or n: it returns n times indices and the rows that are added there, to
  /// zeros, in this order.
  std::vector<int> parts = {};
};

struct SplitGradient {
  /// Takes the function's parameters; returns its results, then the residuals: what the gradient reads of the forward
  /// part, where that is neither a parameter nor a result, nor elementwise in such or a movement of their elements.
  std::string forward;
  /// By the cotangents of all floating and complex results of the function, with none for residuals.
  BackwardFunction backward;
};

/// Adds "<function>.fwd" and "<function>.bwd" to the module. `wanted`: per parameter, whether its cotangent is asked
/// for. The function has no state. The bits of the gradient are those of AddGradientFunction.
absl::StatusOr<SplitGradient> AddSplitGradient(ir::Module* m, std::string_view function, const Mask& wanted);

/// Adds the gradient of a forward function by other cotangents: of some results, residuals among them.
absl::StatusOr<BackwardFunction> AddBackward(ir::Module* m, std::string_view function, std::string_view forward,
                                             const Mask& wanted, const Mask& seeded);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_SPLIT_H_
