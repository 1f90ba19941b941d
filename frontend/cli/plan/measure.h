#ifndef REEL_FRONTEND_CLI_PLAN_MEASURE_H_
#define REEL_FRONTEND_CLI_PLAN_MEASURE_H_

#include <string>
#include <vector>

#include "frontend/cli/plan/network.h"
#include "ir/graph.h"
#include "runtime/abi.h"

// What `reel plan` predicts, measured.

namespace reel::cli {

/// Seconds of collectives of 8 bytes to at most 32 MiB in all among the members, as they are placed: the turns that
/// they take, and that who sleeps must be woken, are in them. All members call it; each gets what the slowest saw.
Measured MeasureNetwork(const reel_communicator& group);

/// Seconds of the collectives, one after the other without the computation between them: the lower quartile of some
/// rounds, each as long as that of the slowest member.
double MeasureCollectives(const reel_communicator& group, const std::vector<codegen::CollectiveSite>& collectives);

/// Seconds that one of `members` computes in a step, on random arguments (integers 0): it is run here, with a group
/// whose others send what this one does, less the time of that.
double MeasureCompute(const ir::Module& module, const std::string& function, int64_t shards, int64_t members);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_PLAN_MEASURE_H_
