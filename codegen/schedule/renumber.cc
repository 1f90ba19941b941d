#include "codegen/schedule/renumber.h"

#include <algorithm>
#include <utility>

namespace reel::codegen {

void ReplaceGroups(Grouping* grouping, std::vector<Group> groups, const std::vector<int>& place) {
  for (Group& group : groups) {
    std::vector<int>& inputs = group.inputs;
    for (int& d : inputs) d = place[static_cast<size_t>(d)];
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  }
  for (int& g : grouping->group_of) {
    if (g >= 0) g = place[static_cast<size_t>(g)];
  }
  grouping->groups = std::move(groups);
}

void DropMerged(Grouping* grouping, const std::vector<int>& into) {
  std::vector<Group> groups;
  std::vector<int> place(into.size());
  for (size_t g = 0; g < into.size(); ++g) {
    place[g] = into[g] < 0 ? static_cast<int>(groups.size()) : place[static_cast<size_t>(into[g])];
    if (into[g] < 0) groups.push_back(std::move(grouping->groups[g]));
  }
  ReplaceGroups(grouping, std::move(groups), place);
}

}  // namespace reel::codegen
