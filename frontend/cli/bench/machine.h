#ifndef REEL_FRONTEND_CLI_BENCH_MACHINE_H_
#define REEL_FRONTEND_CLI_BENCH_MACHINE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/cli/bench/rates.h"
#include "frontend/cli/bench/workloads.h"
#include "frontend/cli/cli.h"

namespace reel::cli {

/// What this machine can do with some threads, measured.
struct Machine {
  static constexpr std::array<const char*, 4> kLevels = {"l1", "l2", "l3", "dram"};

  int threads = 1;
  Peaks peaks;
  std::array<int64_t, 3> sizes{};  ///< bytes of the caches; of L1 and L2 one core's
  std::array<Rates, 4> rates{};    ///< by level
  double fork_join_s = 0;

  /// Least time of a step: arithmetic at the peak, or traffic at the rate of the level that holds
  /// the bytes it touches: of copies, or of updates in place where the workload makes such.
  double LimitSeconds(const Workload& workload) const;
  /// Least time of all calls of a kernel, each with its bytes in the level that holds them: an optimist's, for a
  /// kernel finds there only what ran before it.
  double LimitSeconds(const KernelProfile& kernel) const;
};

/// One after another for each number of threads; about a quarter of a second each.
std::vector<Machine> MeasureMachine(const std::vector<int>& threads);

/// The form of tests/bench/peers/machine.json: a list per figure, entry t - 1 for t threads.
Json MachineJson(const std::vector<Machine>& machines);
/// The text of a target file (codegen/target/file.h) for one thread's figures, named after its file.
std::string TargetFile(const Machine& machine, const std::string& file);
std::string MachineTable(const std::vector<Machine>& machines);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_MACHINE_H_
