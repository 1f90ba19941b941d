#ifndef REEL_CODEGEN_PLAN_ORDER_H_
#define REEL_CODEGEN_PLAN_ORDER_H_

#include <vector>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// Sorts the kernels topologically; ties in program order. An update waits for the readers of what it writes over as
/// long as others can run. `readers`: by value, the kernels that read it, of those that some update could write over.
void OrderGroups(const ir::Function& function, const std::vector<std::vector<int>>& readers, PlanGraph* plan);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_ORDER_H_
