#ifndef REEL_FRONTEND_CLI_PLAN_MODEL_H_
#define REEL_FRONTEND_CLI_PLAN_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/program/program.h"
#include "frontend/cli/cli.h"

// What a data-parallel step costs on machines that are not here: `reel plan`.

namespace reel::cli {

/// A message of n bytes takes latency + n * seconds_per_byte.
struct Network {
  double latency = 0, seconds_per_byte = 0;
};

/// Where a step runs. Processes share out a node's cores.
struct Cluster {
  int64_t nodes = 1, members_per_node = 1, cores = 1;
  int64_t processes() const { return nodes * members_per_node; }
  /// By which factor what keeps a core busy takes longer: there may be more processes than cores.
  double Crowding() const;
};

/// What one process runs.
struct MemberStep {
  codegen::Program program;
  std::vector<codegen::CollectiveSite> collectives;  ///< in order, those of loops once
  double cycles = 0;  ///< of the kernels on one core, by the estimate that chooses schedules
  int64_t memory_bytes = 0;  ///< instance, arguments, results, constants
};

/// The program of one of `members`, for the best level of this machine.
MemberStep PlanMember(const ir::Module& module, const std::string& function, int64_t shards, int64_t members,
                      const Common& common);

/// Seconds of a collective among P processes: each sends a message to each other one, of its bytes, which leave one
/// after the other, and whose latencies overlap in ceil(log2 P) rounds.
double SecondsOf(const codegen::CollectiveSite& site, const Network& network);
/// The bytes that one process sends.
int64_t WireBytes(const codegen::CollectiveSite& site);

/// Bytes of gradients, in one all-reduce, for which latency is a tenth of the time: buckets of these lose little by
/// being several. A power of two, at most `all`.
int64_t BucketBytes(const Network& network, int64_t members, int64_t all);

/// Bytes of the variables that are trained, which are those of the gradients.
int64_t TrainedBytes(const codegen::Program& program);
/// Bytes of the state of an optimizer: variables that are not trained, of the type of one that is.
int64_t OptimizerBytes(const codegen::Program& program);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_PLAN_MODEL_H_
