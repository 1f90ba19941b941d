#ifndef REEL_CODEGEN_COST_ESTIMATE_H_
#define REEL_CODEGEN_COST_ESTIMATE_H_

#include "codegen/loop/loop.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// Cycles that one call of a kernel takes, read off its loop tree: what its ports are busy for, or its chains of
/// dependent additions wait for; bytes that each cache cannot hold, at the rate of the next one; chunks over threads.
/// It serves to order schedules of one kernel, in which it need not be right in all.
///
/// As in the roofline model (Williams et al. 2009) with a level for each cache: the footprint of a loop decides what
/// stays in a cache from one iteration of those around it to the next.
double EstimateCycles(const Kernel& kernel, const Target& target, int threads);

/// The same for any number of threads.
struct KernelCycles {
  double work = 0;  ///< of all chunks
  int64_t chunks = 1;
  double With(int threads) const;
};
KernelCycles EstimateKernel(const Kernel& kernel, const Target& target);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_COST_ESTIMATE_H_
