#ifndef REEL_TESTS_BENCH_SCHEDULE_SAMPLE_H_
#define REEL_TESTS_BENCH_SCHEDULE_SAMPLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/tune/tune.h"
#include "ir/graph.h"

namespace reel::codegen {

struct SampleOptions {
  int schedules = 12;  ///< of each kernel, beside the usual one
  int draws = 64;      ///< random schedules of each kernel, of which these are taken
  int rounds = 6;      ///< in which all programs are timed in turn; even
  uint64_t seed = 1;
  double least_share = 0.05;  ///< of a run: cheaper kernels are left out
};

/// Measures schedules from all that kernels may have, not those that seem fast: every choice is drawn at random, of
/// what is drawn the quantiles of the estimates are taken. All programs are timed in turn, on the threads that steps
/// have. TunedKernel::tries has the usual schedule first; seconds_after is the least of all. The module has one entry
/// point.
absl::StatusOr<std::vector<TunedKernel>> SampleSchedules(const ir::Module& module, const SampleOptions& options);

}  // namespace reel::codegen

#endif  // REEL_TESTS_BENCH_SCHEDULE_SAMPLE_H_
