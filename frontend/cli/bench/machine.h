#ifndef REEL_FRONTEND_CLI_BENCH_MACHINE_H_
#define REEL_FRONTEND_CLI_BENCH_MACHINE_H_

#include "ir/types.h"

namespace reel::cli {

/// What this machine can do with some threads, measured: GFLOP/s in float32 multiply-adds, GB/s of
/// copies (read plus written) in each level of memory.
struct Machine {
  double gflops = 0, l2 = 0, l3 = 0, dram = 0;

  /// Least time of a step: arithmetic at the peak, or traffic at the rate of the level that holds
  /// it.
  double LimitSeconds(double flops, double bytes, DType dtype) const;
};

/// Takes about a second.
Machine MeasureMachine(int threads);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_MACHINE_H_
