#ifndef REEL_PASSES_GRADIENT_CHECKPOINT_H_
#define REEL_PASSES_GRADIENT_CHECKPOINT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/builder.h"
#include "passes/gradient/functions.h"

namespace reel::passes {

/// The reverse of a loop that may run any number of times, in fixed memory: saved states and
/// recomputation. The iterations are counted first. Four levels cut what the level above gives them
/// into segments, save the state at the start of each, and hand the segments to the level below, the
/// last one first. Each of the three upper levels saves at most 16 states; the lowest saves as many
/// as 256 KiB hold, n, and at least 16. Up to n iterations the body runs forward twice besides what
/// its gradient needs, once more up to each of 16 n, 256 n and 4,096 n. Beyond, iterations of the lowest
/// segments are reached from their start, one after the other.
struct CheckpointedLoop {
  const ir::Function& cond;
  const ir::Function& body;
  GradientKey key;             ///< the body's gradient, which is built
  const BuiltGradient& built;
};

/// Appends it: the cotangents of the carried values in key.results before the loop, and which of
/// key.maybe_results are present, given the loop's operands and those after it.
absl::StatusOr<std::vector<ir::Value>> ReverseWithCheckpoints(const CheckpointedLoop& loop,
                                                              const std::vector<ir::Value>& operands,
                                                              const std::vector<ir::Value>& cotangents,
                                                              FunctionGradients* functions, ir::Builder& b);

/// Shared with the loops that save every iteration: a stack of values of the type, and parameters
/// c0, c1, ... of f for the values that a loop with this body carries.
Type Stacked(const Type& type, int64_t rows);
std::vector<ir::Value> AddCarried(const ir::Function& body, ir::Function* f);
/// Parameters d0, d1, ... for the cotangents in key.results, then has0, ... for key.maybe_results.
std::vector<ir::Value> AddCarriedCotangents(const ir::Function& body, const GradientKey& key, ir::Function* f);
/// Whether the body returns carried value i as it is, perhaps by an identity.
bool Unchanged(const ir::Function& body, int i);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_CHECKPOINT_H_
