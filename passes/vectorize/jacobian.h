#ifndef REEL_PASSES_VECTORIZE_JACOBIAN_H_
#define REEL_PASSES_VECTORIZE_JACOBIAN_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace reel::passes {

struct JacobianFunction {
  std::string name;
  std::vector<bool> connected;  ///< per result: false if it does not depend on x (its result is zeros)
};

/// Adds "<function>.jacobian": takes the arguments of the function and returns, for each of the given
/// results y (positions; floating or complex), dy/dx of shape y.shape + x.shape, for argument x. It is
/// the gradient at every seed of y at once, or the tangent of every direction of x, whichever are
/// fewer: `Vectorize` of one of the two. Of complex numbers it is the gradient, conj(dy/dx).
absl::StatusOr<JacobianFunction> AddJacobianFunction(ir::Module* m, std::string_view function,
                                                     const std::vector<int>& ys, int x);

}  // namespace reel::passes

#endif  // REEL_PASSES_VECTORIZE_JACOBIAN_H_
