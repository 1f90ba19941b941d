#ifndef REEL_FRONTEND_CLI_PLAN_MEASURE_H_
#define REEL_FRONTEND_CLI_PLAN_MEASURE_H_

#include <string>
#include <vector>

#include "frontend/cli/plan/model.h"
#include "runtime/abi.h"

// What `reel plan` predicts, measured.

namespace reel::cli {

/// Latency and seconds per byte among the members: the line of the least relative errors through the times of exchanges
/// of 8 bytes to 1 MiB. All members call it; each gets what the slowest of them saw.
Network MeasureNetwork(const reel_communicator& group);

/// Seconds of the collectives, one after the other without the computation between them: the median of some rounds,
/// each as long as that of the slowest member.
double MeasureCollectives(const reel_communicator& group, const std::vector<codegen::CollectiveSite>& collectives);

/// Seconds that one of `members` computes in a step, on random arguments (integers 0): it is run here, with a group
/// whose others send what this one does, less the time of that.
double MeasureCompute(const ir::Module& module, const std::string& function, int64_t shards, int64_t members);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_PLAN_MEASURE_H_
