#ifndef REEL_CODEGEN_PLAN_MERGE_H_
#define REEL_CODEGEN_PLAN_MERGE_H_

#include <vector>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// Kernels that become parts of others while a function is planned. Numbers of kernels stay what they are until Drop.
class MergedGroups {
 public:
  /// What a kernel is part of now: itself, if it is none.
  int Present(int g) const;
  /// Makes the maps of kernel `from` part of kernel `into`, maps too.
  void Merge(int from, int into, PlanGraph* plan);
  /// Leaves out the kernels that are parts of others, and numbers the rest anew, in `readers` too.
  void Drop(PlanGraph* plan, std::vector<std::vector<int>>* readers) const;

 private:
  bool IsPart(int g) const { return static_cast<size_t>(g) < into_.size() && into_[static_cast<size_t>(g)] >= 0; }

  mutable std::vector<int> into_;  // by kernel: what it became part of, shortened by Present; -1, or no entry: nothing
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_MERGE_H_
