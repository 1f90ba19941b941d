#include "codegen/group/merge.h"

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

void MergedGroups::Merge(int from, int into, Grouping* grouping) {
  Group &a = grouping->groups[static_cast<size_t>(from)], &b = grouping->groups[static_cast<size_t>(into)];
  for (ir::Value v : a.post) grouping->group_of[static_cast<size_t>(v.id)] = into;
  b.post.insert(b.post.end(), a.post.begin(), a.post.end());
  std::sort(b.post.begin(), b.post.end());
  b.nodes += a.nodes;
  b.inputs.insert(b.inputs.end(), a.inputs.begin(), a.inputs.end());
  a.post.clear();
  a.inputs.clear();
  into_.resize(grouping->groups.size(), -1);
  into_[static_cast<size_t>(from)] = into;
}

void MergedGroups::Drop(Grouping* grouping, std::vector<std::vector<int>>* readers) const {
  if (into_.empty()) return;
  std::vector<int> position(grouping->groups.size(), -1);
  std::vector<Group> groups;
  for (size_t g = 0; g < position.size(); ++g) {
    if (IsPart(static_cast<int>(g))) continue;
    position[g] = static_cast<int>(groups.size());
    groups.push_back(std::move(grouping->groups[g]));
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
  for (int& g : grouping->group_of) {
    if (g >= 0) g = position[static_cast<size_t>(g)];
  }
  grouping->groups = std::move(groups);
}

}  // namespace reel::codegen
