#ifndef REEL_CODEGEN_LOOP_COST_H_
#define REEL_CODEGEN_LOOP_COST_H_

#include <cstdint>

#include "codegen/loop/loop.h"

namespace reel::codegen {

/// What one call of a kernel does: the figures of Plan() and Profile(), read off its loop tree.
struct KernelCost {
  /// Operations on floats: 1 for an element of a map or a reduction, 2 for one of a product, 20 for a function such as
  /// exp, none for moves, selections and casts. What is computed twice counts twice, but not the rows and lanes past
  /// the end of a product, nor the adding up of partial sums.
  double flops = 0;
  DType dtype = kFloat32;  ///< the widest that they are on; bf16 if it multiplies pairs of that
  /// The least that goes through memory: each element that is touched once, whatever the caches do. An update in place
  /// counts twice.
  int64_t bytes_read = 0, bytes_written = 0;
};
KernelCost CostOf(const Kernel& kernel);

/// A function such as exp that a kernel has more often than this is emitted once and called.
inline constexpr int kInlinedCopies = 12;

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_COST_H_
