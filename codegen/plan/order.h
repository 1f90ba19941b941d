#ifndef REEL_CODEGEN_PLAN_ORDER_H_
#define REEL_CODEGEN_PLAN_ORDER_H_

#include <algorithm>
#include <vector>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// Sorts a list and leaves out what is there twice.
template <typename T>
void SortUnique(std::vector<T>* list) {
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

/// Numbers so that each stands behind those it needs; of those that could be next the one with the lowest key. It waits
/// for those of `after`, if there are such lists, as long as others can go on. Those that need each other come last,
/// which VerifyPlan refuses.
std::vector<int> TopologicalOrder(const std::vector<std::vector<int>>& needs, const std::vector<int32_t>& keys,
                                  const std::vector<std::vector<int>>& after = {});

/// Sorts the kernels topologically; ties in program order. An update waits for the readers of what it writes over as
/// long as others can run. `readers`: by value, the kernels that read it, of those that some update could write over.
void OrderKernels(const ir::Function& function, const std::vector<std::vector<int>>& readers, PlanGraph* plan);

/// Each of these kernels needs the one before it, too: members of a group start their collectives in one order.
void ChainCollectives(const std::vector<int>& collectives, std::vector<std::vector<int>>* needs);

/// Puts the kernels, of these numbers, into this order.
void ReorderKernels(const std::vector<int>& order, PlanGraph* plan);
/// Makes `kernels`, in execution order, those of the plan. Their inputs and kernel_of hold old numbers, which may be
/// more than there were kernels; place: by old number, the new one of the kernel that stands for it.
void ReplaceKernels(PlanGraph* plan, std::vector<KernelPlan> kernels, const std::vector<int>& place);
/// Leaves out the kernels that are now part of others; into: by kernel, the one that it is part of, which is part of
/// none; -1: none. By kernel: the new number.
std::vector<int> DropMerged(PlanGraph* plan, const std::vector<int>& into);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_ORDER_H_
