#ifndef REEL_FRONTEND_CLI_BENCH_SCALING_H_
#define REEL_FRONTEND_CLI_BENCH_SCALING_H_

#include <string>

#include "frontend/cli/cli.h"

namespace reel::cli {

/// What `cores` would gain in one step of a workload, counted from its plan and not measured: cycles as the compiler
/// estimates them, kernels' chunks and chains' lanes shared out, loops with a bound as often as that. Rates of memory
/// that cores share and the time of barriers are left out. One line of `reel bench --cores`:
///   {"workload", "cores", "cycles": on one core, "gain": by as many, "barriers": steps that threads share,
///    "few": [{"kernel", "chunks", "share": of the time on the cores, "why"}]}
/// `few` are kernels that gain less than 0.9 of the cores, as their chunks are too few or end unevenly, and take over
/// 1 % of that time.
Json ScalingOf(const std::string& name, int cores);
std::string ScalingText(const Json& row);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_SCALING_H_
