#ifndef REEL_FRONTEND_CLI_BENCH_MEASURE_H_
#define REEL_FRONTEND_CLI_BENCH_MEASURE_H_

#include <chrono>

#include <nlohmann/json.hpp>
#include <string>

#include "frontend/cli/bench/machine.h"
#include "frontend/cli/cli.h"
#include "frontend/cli/profile.h"

namespace reel::cli {

struct MeasureOptions {
  std::string data;  ///< folder of inputs; empty: own ones
  int threads = 1;
  double cap = 0.5;  ///< seconds of sampling
  double tune = 0;   ///< seconds of searching schedules before
  ProfileOption profile;
};

/// Compiles a workload in this process, checks nothing, and times its step: one line of `reel bench`. A profile is
/// of more steps of other code, which does not change the times.
struct Measured {
  Json row;
  std::string profile;  ///< as text; empty: not asked for
};
/// Seconds of a clock that only goes on.
inline double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Measured MeasureWorkload(const std::string& name, const MeasureOptions& options, const Machine& machine);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_MEASURE_H_
