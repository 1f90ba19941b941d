#include "codegen/fusion/renumber.h"

#include <algorithm>
#include <utility>

namespace reel::codegen {

void ReplaceKernels(PlanGraph* plan, std::vector<KernelPlan> groups, const std::vector<int>& place) {
  for (KernelPlan& group : groups) {
    std::vector<int>& inputs = group.inputs;
    for (int& d : inputs) d = place[static_cast<size_t>(d)];
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  }
  for (int& g : plan->kernel_of) {
    if (g >= 0) g = place[static_cast<size_t>(g)];
  }
  plan->kernels = std::move(groups);
}

void DropMerged(PlanGraph* plan, const std::vector<int>& into) {
  std::vector<KernelPlan> groups;
  std::vector<int> place(into.size());
  for (size_t g = 0; g < into.size(); ++g) {
    place[g] = into[g] < 0 ? static_cast<int>(groups.size()) : place[static_cast<size_t>(into[g])];
    if (into[g] < 0) groups.push_back(std::move(plan->kernels[g]));
  }
  ReplaceKernels(plan, std::move(groups), place);
}

}  // namespace reel::codegen
