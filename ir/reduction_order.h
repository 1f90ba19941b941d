#ifndef REEL_IR_REDUCTION_ORDER_H_
#define REEL_IR_REDUCTION_ORDER_H_

#include <cstdint>

// The order in which reductions and products add: a part of what the ops mean (ir/MEANING.md), the same in every
// engine.

namespace reel::ir {

/// Along the last axis: a block of kReducedBlock elements has kPartials partial results, element i goes to partial
/// i % kPartials, and these are added as a tree; the blocks' results are reduced by the same rule. Along other axes:
/// rows add one after another in groups of kPartials, and the groups' results are reduced by the same rule.
inline constexpr int64_t kPartials = 64, kReducedBlock = 4096;

/// Along k of a product: so many are one sum, and these sums are added in order.
inline constexpr int64_t kProductBlock = 256;

}  // namespace reel::ir

#endif  // REEL_IR_REDUCTION_ORDER_H_
