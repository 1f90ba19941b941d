#ifndef REEL_CODEGEN_FUSION_RENUMBER_H_
#define REEL_CODEGEN_FUSION_RENUMBER_H_

#include <vector>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// Makes `groups`, in execution order, those of the plan. Their inputs and kernel_of hold old numbers, which may be
/// more than there were kernels; place: by old number, the new one of the kernel that stands for it.
void ReplaceKernels(PlanGraph* plan, std::vector<KernelPlan> groups, const std::vector<int>& place);

/// Leaves out the kernels that are now part of others; into: by kernel, the earlier one that it is part of; -1: none.
void DropMerged(PlanGraph* plan, const std::vector<int>& into);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_RENUMBER_H_
