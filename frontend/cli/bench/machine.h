#ifndef REEL_FRONTEND_CLI_BENCH_MACHINE_H_
#define REEL_FRONTEND_CLI_BENCH_MACHINE_H_

#include <string>
#include <vector>

#include "frontend/cli/bench/workloads.h"
#include "frontend/cli/cli.h"
#include "frontend/report/machine.h"

namespace reel::cli {

using internal::Machine;
using internal::MeasureMachine;

/// Least time of a step: arithmetic at the peak, or traffic at the rate of the level that holds
/// the bytes it touches: of copies, or of updates in place where the workload makes such.
double LimitSeconds(const Machine& machine, const Workload& workload);

/// The form of tests/bench/peers/machine.json: a list per figure, entry t - 1 for t threads.
Json MachineJson(const std::vector<Machine>& machines);
/// The text of a target file (codegen/target/file.h) for one thread's figures, named after its file.
std::string TargetFile(const Machine& machine, const std::string& file);
std::string MachineTable(const std::vector<Machine>& machines);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_MACHINE_H_
