#ifndef REEL_CODEGEN_LOOP_OUTER_LOOP_H_
#define REEL_CODEGEN_LOOP_OUTER_LOOP_H_

#include <cstdint>
#include <optional>

#include "codegen/loop/loop.h"

// A scheduled kernel seen from its outermost loop, whose iterations are independent of each other.

namespace reel::codegen {

struct OuterLoop {
  AxisId axis = -1, chunk = -1;  ///< chunk: the parallel axis that cuts it, -1 = none
  int64_t extent = 0;
  int64_t size = 0;  ///< iterations of a chunk
  bool carries = false;  ///< iterations depend on each other: a recurrence
};

/// None if the kernel is not one loop after declarations of locals.
std::optional<OuterLoop> FindOuterLoop(const Kernel& kernel);

/// s, if iteration i of the loop touches nothing of the buffer but elements i * s .. (i + 1) * s, which are all of it:
/// the last iteration may have fewer. 0 if not so, and where bounds could not tell.
int64_t SliceOf(const Kernel& kernel, const OuterLoop& loop, BufferId buffer, int64_t elements);

/// Nothing of the buffer is prefetched: it is near.
void DropPrefetches(Kernel* kernel, BufferId buffer);

/// Cuts the loop into chunks of so many iterations; the last may have fewer. The bits do not change.
void Rechunk(Kernel* kernel, const OuterLoop& loop, int64_t iterations);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_OUTER_LOOP_H_
