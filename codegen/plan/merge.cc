#include "codegen/plan/merge.h"

#include <algorithm>
#include <utility>

namespace reel::codegen {

int MergedGroups::Present(int g) const {
  while (IsPart(g)) {
    int& into = into_[static_cast<size_t>(g)];
    if (IsPart(into)) into = into_[static_cast<size_t>(into)];
    g = into;
  }
  return g;
}

void MergedGroups::Merge(int from, int into, PlanGraph* plan) {
  KernelPlan &a = plan->kernels[static_cast<size_t>(from)], &b = plan->kernels[static_cast<size_t>(into)];
  for (ir::Value v : a.epilogue) plan->kernel_of[static_cast<size_t>(v.id)] = into;
  b.epilogue.insert(b.epilogue.end(), a.epilogue.begin(), a.epilogue.end());
  std::sort(b.epilogue.begin(), b.epilogue.end());
  b.nodes += a.nodes;
  b.inputs.insert(b.inputs.end(), a.inputs.begin(), a.inputs.end());
  a.epilogue.clear();
  a.inputs.clear();
  into_.resize(plan->kernels.size(), -1);
  into_[static_cast<size_t>(from)] = into;
}

void MergedGroups::Drop(PlanGraph* plan, std::vector<std::vector<int>>* readers) const {
  if (into_.empty()) return;
  std::vector<int> position(plan->kernels.size(), -1);
  std::vector<KernelPlan> groups;
  for (size_t g = 0; g < position.size(); ++g) {
    if (IsPart(static_cast<int>(g))) continue;
    position[g] = static_cast<int>(groups.size());
    groups.push_back(std::move(plan->kernels[g]));
  }
  const auto rename = [&](std::vector<int>* list) {
    for (int& g : *list) g = position[static_cast<size_t>(Present(g))];
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  };
  for (size_t g = 0; g < groups.size(); ++g) {
    rename(&groups[g].inputs);
    std::erase(groups[g].inputs, static_cast<int>(g));
  }
  for (std::vector<int>& list : *readers) rename(&list);
  for (int& g : plan->kernel_of) {
    if (g >= 0) g = position[static_cast<size_t>(g)];
  }
  plan->kernels = std::move(groups);
}

}  // namespace reel::codegen
