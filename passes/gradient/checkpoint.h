#ifndef REEL_PASSES_GRADIENT_CHECKPOINT_H_
#define REEL_PASSES_GRADIENT_CHECKPOINT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/builder.h"
#include "passes/gradient/functions.h"

namespace reel::passes {

/// The reverse of a loop that may run any number of times, in fixed memory: 64 saved states and
/// recomputation. Four levels cut what the level above gives them into at most 16 segments, save
/// the state at the start of each, and hand the segments to the level below, the last one first;
/// the lowest runs from a segment's start to each of its iterations. Up to 65,536 iterations that
/// is one iteration: the body runs forward six times in all.
struct CheckpointedLoop {
  const ir::Function& cond;
  const ir::Function& body;
  GradientKey key;             ///< the body's gradient, which is built
  const BuiltGradient& built;
};

/// Appends it: the cotangents of the carried values in key.results before the loop, given the
/// loop's operands and those after it.
absl::StatusOr<std::vector<ir::Value>> ReverseWithCheckpoints(
    const CheckpointedLoop& loop, const std::vector<ir::Value>& operands,
    const std::vector<ir::Value>& cotangents, FunctionGradients* functions, ir::Builder& b);

/// Shared with the loops that save every iteration: a stack of values of the type, and parameters
/// c0, c1, ... of f for the values that a loop with this body carries.
Type Stacked(const Type& type, int64_t rows);
std::vector<ir::Value> AddCarried(const ir::Function& body, ir::Function* f);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_CHECKPOINT_H_
