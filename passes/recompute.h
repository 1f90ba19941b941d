#ifndef REEL_PASSES_RECOMPUTE_H_
#define REEL_PASSES_RECOMPUTE_H_

#include <cstdint>

#include "ir/graph.h"

namespace reel::passes {

/// Trades time for memory: values that lie unused between a forward and a backward part are computed
/// again before their next use, cheapest first, until an estimate of the simultaneously live bytes
/// is at most `bytes` or nothing is left to trade. The same bits, since the same ops run twice. Chen,
/// Xu, Zhang, Guestrin, "Training deep nets with sublinear memory cost", 2016, is the idea for
/// chains; here any value whose recomputation starts from what is live anyway is a candidate.
///
/// Runs last: cse would undo it. Loops and calls are never repeated. Returns the estimate.
int64_t Recompute(ir::Function* f, int64_t bytes);

}  // namespace reel::passes

#endif  // REEL_PASSES_RECOMPUTE_H_
