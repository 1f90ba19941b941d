#ifndef REEL_PASSES_GRADIENT_RESIDUALS_H_
#define REEL_PASSES_GRADIENT_RESIDUALS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/builder.h"
#include "passes/gradient/flow.h"

namespace reel::passes {

/// What the gradient of a loop's body takes from the forward iterations.
struct Residuals {
  /// Values of the full gradient function that each iteration saves: parameters or what the forward
  /// part computes from them.
  std::vector<ir::Value> rows;
  Mask constants;  ///< forward parameters that the gradient reads as they are, of those given
  /// (constants, rows, cotangents and sums) -> cotangents
  ir::Function gradient;
};

/// The function with its calls inlined and what it computes twice computed once: only then shows
/// what a gradient reads of the forward part.
absl::StatusOr<ir::Function> Flatten(const ir::Function& f, const ir::Module& m);

/// Chooses what to save of the forward part of `full`, the gradient of a function of `num_forward`
/// parameters, instead of the parameters in `saved`. Wherever all that is read of a value are
/// smaller values computed from it, those are saved: a row of a table, a sign, a maximum.
Residuals ChooseResiduals(const ir::Function& full, int num_forward, const Mask& saved, const Mask& constants);

/// The rows, computed by the builder's function from the forward parameters.
std::vector<ir::Value> EmitRows(const ir::Function& full, const Residuals& residuals,
                                const std::vector<ir::Value>& parameters, ir::Builder& b);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_RESIDUALS_H_
