#ifndef REEL_CODEGEN_LOOP_DEPENDS_H_
#define REEL_CODEGEN_LOOP_DEPENDS_H_

#include <set>
#include <vector>

#include "codegen/loop/loop.h"

namespace reel::codegen {

/// What an expression, with those it is made of, goes by: outside the loops over these axes, and outside those that
/// write these, it is computed once.
struct Dependencies {
  std::set<AxisId> axes;
  std::set<LocalId> locals;
  std::set<BufferId> buffers;  ///< that the kernel writes
};
/// By expression.
std::vector<Dependencies> DependenciesOf(const Kernel& kernel);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_DEPENDS_H_
