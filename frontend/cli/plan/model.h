#ifndef REEL_FRONTEND_CLI_PLAN_MODEL_H_
#define REEL_FRONTEND_CLI_PLAN_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/program/program.h"
#include "frontend/cli/cli.h"

// What a data-parallel step costs on machines that are not here: `reel plan`.

namespace reel::cli {

/// What one process runs.
struct MemberStep {
  codegen::Program program;
  std::vector<codegen::CollectiveSite> collectives;  ///< in order, those of loops once
  double cycles = 0;  ///< of the kernels on one core, by the estimate that chooses schedules
  int64_t memory_bytes = 0;  ///< instance, arguments, results, constants
};

/// The program of one of `members`, for the best level of this machine; with an optimizer in parts if that is asked
/// for.
MemberStep PlanMember(const ir::Module& module, const std::string& function, int64_t shards, int64_t members,
                      bool shard_optimizer, const Common& common);

/// Bytes of the variables that are trained, which are those of the gradients.
int64_t TrainedBytes(const codegen::Program& program);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_PLAN_MODEL_H_
