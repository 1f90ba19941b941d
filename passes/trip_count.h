#ifndef REEL_PASSES_TRIP_COUNT_H_
#define REEL_PASSES_TRIP_COUNT_H_

#include <optional>

#include "ir/graph.h"

namespace reel::passes {

/// A bound on the iterations of a while node of f: its maximum_iterations, or what counting shows:
/// a carried integer that starts at a constant, grows by a positive constant in each iteration, and
/// is compared with a constant (less, less_equal).
std::optional<int64_t> BoundIterations(const ir::Function& f, const ir::Node& loop, const ir::Module& m);

/// How many iterations it has at least: what counting shows, else 0.
int64_t LeastIterations(const ir::Function& f, const ir::Node& loop, const ir::Module& m);

/// The constant that a loop's body adds to carried integer i, or to each of a tensor of them.
std::optional<int64_t> StepOf(const ir::Function& body, ir::Value i);

}  // namespace reel::passes

#endif  // REEL_PASSES_TRIP_COUNT_H_
