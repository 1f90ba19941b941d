#include "codegen/group/order.h"

#include <algorithm>
#include <set>

namespace reel::codegen {
namespace {

using Readers = std::vector<std::vector<int>>;

// Groups that had better run before g: they read what it writes over.
std::vector<int> ReadersBefore(const ir::Function& f, const Readers& all, const Grouping& grouping, size_t g) {
  const Group& group = grouping.groups[g];
  std::vector<int> readers;
  if (group.root_kind != Group::Root::kScatter && group.root_kind != Group::Root::kUpdate) return readers;
  const auto& view = grouping.views[static_cast<size_t>(f.producer(group.root)->operands[0].id)];
  if (!view) return readers;  // a constant
  for (int r : all[static_cast<size_t>(view->base.id)]) {
    if (r != static_cast<int>(g)) readers.push_back(r);
  }
  return readers;
}

}  // namespace

void OrderGroups(const ir::Function& f, const std::vector<std::vector<int>>& readers_of, Grouping* grouping) {
  const size_t n = grouping->groups.size();
  std::vector<int> missing(n, 0), readers(n, 0), new_index(n, -1);
  std::vector<std::vector<int>> users(n), updates(n);
  using Entry = std::pair<int32_t, int>;
  std::set<Entry> ready, waiting;
  for (size_t g = 0; g < n; ++g) {
    missing[g] = static_cast<int>(grouping->groups[g].inputs.size());
    for (int d : grouping->groups[g].inputs) users[static_cast<size_t>(d)].push_back(static_cast<int>(g));
    for (int d : ReadersBefore(f, readers_of, *grouping, g)) {
      ++readers[g];
      updates[static_cast<size_t>(d)].push_back(static_cast<int>(g));
    }
    if (missing[g] == 0) ready.insert({grouping->groups[g].last, static_cast<int>(g)});
  }
  std::vector<size_t> order;
  while (!ready.empty() || !waiting.empty()) {
    std::set<Entry>& from = ready.empty() ? waiting : ready;
    const Entry next = *from.begin();
    const auto g = static_cast<size_t>(next.second);
    from.erase(from.begin());
    if (&from == &ready && readers[g] > 0) {
      waiting.insert(next);
      continue;
    }
    new_index[g] = static_cast<int>(order.size());
    order.push_back(g);
    for (int u : users[g]) {
      if (--missing[static_cast<size_t>(u)] == 0) ready.insert({grouping->groups[static_cast<size_t>(u)].last, u});
    }
    for (int u : updates[g]) {
      const Entry entry{grouping->groups[static_cast<size_t>(u)].last, u};
      if (--readers[static_cast<size_t>(u)] == 0 && waiting.erase(entry) > 0) ready.insert(entry);
    }
  }
  for (size_t g = 0; g < n; ++g) {  // groups that wait for each other, which VerifyGrouping refuses
    if (new_index[g] >= 0) continue;
    new_index[g] = static_cast<int>(order.size());
    order.push_back(g);
  }
  std::vector<Group> ordered;
  for (size_t g : order) {
    ordered.push_back(std::move(grouping->groups[g]));
    for (int& d : ordered.back().inputs) d = new_index[static_cast<size_t>(d)];
    std::sort(ordered.back().inputs.begin(), ordered.back().inputs.end());
  }
  for (int& g : grouping->group_of) {
    if (g >= 0) g = new_index[static_cast<size_t>(g)];
  }
  grouping->groups = std::move(ordered);
}

}  // namespace reel::codegen
