#ifndef REEL_CODEGEN_GROUP_MERGE_H_
#define REEL_CODEGEN_GROUP_MERGE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/group/group.h"

namespace reel::codegen {

/// Groups that become parts of others while a function is grouped. Numbers of groups stay what they are until Drop.
class MergedGroups {
 public:
  /// What a group is part of now: itself, if it is none.
  int Present(int g) const;
  /// Makes the maps of group `from` part of group `into`, maps too.
  void Merge(int from, int into, Grouping* grouping);
  /// Leaves out the groups that are parts of others, and numbers the rest anew, in `readers` too.
  void Drop(Grouping* grouping, std::vector<std::vector<int>>* readers) const;

 private:
  absl::flat_hash_map<int, int> into_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_GROUP_MERGE_H_
