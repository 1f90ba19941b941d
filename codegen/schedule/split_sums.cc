#include "codegen/schedule/split_sums.h"

#include <algorithm>
#include <utility>

#include "codegen/schedule/fuse_rows.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {
namespace {

using ir::Value;

constexpr int64_t kLeastBlocks = 32;  // fewer are done before another thread has begun

bool IsSplit(const ir::Function& f, const Group& group) {
  if (group.root_kind != Group::Root::kReduce || group.partials.valid() || f.type(group.root).shape.size() != 1) {
    return false;
  }
  return f.type(f.producer(group.root)->operands[0]).shape.size() >= kLeastBlocks * kReducedBlock;
}

}  // namespace

void SplitSums(ir::Function* f, Grouping* grouping) {
  std::vector<Group> groups;
  std::vector<int> position;  // of the group that has the root of an old one
  for (Group& group : grouping->groups) {
    for (int& d : group.inputs) d = position[static_cast<size_t>(d)];
    std::sort(group.inputs.begin(), group.inputs.end());
    if (IsSplit(*f, group)) {
      const int64_t elements = f->type(f->producer(group.root)->operands[0]).shape.size();
      const Value blocks = AddPartials(f, grouping, group.root, {(elements + kReducedBlock - 1) / kReducedBlock});
      Group rest;
      rest.root_kind = Group::Root::kReduce;
      rest.root = group.root;
      rest.partials = blocks;
      rest.post = std::exchange(group.post, {});
      rest.last = group.last;
      rest.nodes = static_cast<int>(rest.post.size()) + 1;
      rest.inputs = group.inputs;
      rest.inputs.push_back(static_cast<int>(groups.size()));
      group.columns = {{group.root, blocks}};
      // Others may read what it stores: with the rest, so that one number stands for both.
      groups.push_back(std::move(group));
      groups.push_back(std::move(rest));
    } else {
      groups.push_back(std::move(group));
    }
    position.push_back(static_cast<int>(groups.size()) - 1);
  }
  for (int& g : grouping->group_of) {
    if (g >= 0) g = position[static_cast<size_t>(g)];
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].root_kind != Group::Root::kReduce || groups[g].columns.empty()) continue;
    for (Value v : groups[g].pre) grouping->group_of[static_cast<size_t>(v.id)] = static_cast<int>(g);
    grouping->group_of[static_cast<size_t>(groups[g].columns[0].second.id)] = static_cast<int>(g);
  }
  grouping->groups = std::move(groups);
}

}  // namespace reel::codegen
