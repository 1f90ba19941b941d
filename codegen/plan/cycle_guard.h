#ifndef REEL_CODEGEN_PLAN_CYCLE_GUARD_H_
#define REEL_CODEGEN_PLAN_CYCLE_GUARD_H_

#include <algorithm>
#include <vector>

#include "ir/hash_map.h"

namespace reel::codegen {

/// Says for all that makes kernels parts of each other whether some of them may become one: not if one of them is read,
/// by way of a kernel between, by what another reads. So kernels never wait for each other.
///
/// Each kernel has a rank, no higher than those of its readers. A search from what kernels read back to these kernels
/// ends at lower ranks, and with "no" after kMaxLookAround kernels. What becomes one has the lowest rank of its parts,
/// and all that the search saw is lowered to that: the rule holds again, at the cost of the search.
class CycleGuard {
 public:
  static constexpr size_t kMaxLookAround = 256;

  /// A kernel, number size(), of this rank. A new one that reads only what is known may have its number as rank; one in
  /// the place of another has that one's.
  void Add(int rank) { ranks_.push_back(rank); }
  int size() const { return static_cast<int>(ranks_.size()); }
  int rank(int kernel) const { return ranks_[static_cast<size_t>(kernel)]; }

  /// Whether `parts` and something new that reads `inputs` (if there are several parts: with what these read) may
  /// become one. If so, they may at once or never, under the number of any part. visit_inputs(g, visit) calls visit(d)
  /// for all d that g reads.
  template <typename VisitInputs>
  bool MayBecomeOne(const std::vector<int>& parts, const std::vector<int>& inputs, VisitInputs visit_inputs) {
    const auto is_part = [&parts](int g) { return std::find(parts.begin(), parts.end(), g) != parts.end(); };
    int lowest = rank(parts.front());
    for (int part : parts) lowest = std::min(lowest, rank(part));
    std::vector<int> stack;
    HashSet<int> between;
    for (int d : inputs) {
      if (!is_part(d)) stack.push_back(d);
    }
    while (!stack.empty()) {
      const int d = stack.back();
      stack.pop_back();
      if (rank(d) < lowest) continue;
      if (is_part(d)) return false;
      if (!between.insert(d).second) continue;
      if (between.size() > kMaxLookAround) return false;
      visit_inputs(d, [&stack](int e) { stack.push_back(e); });
    }
    for (int d : between) ranks_[static_cast<size_t>(d)] = lowest;
    for (int part : parts) ranks_[static_cast<size_t>(part)] = lowest;
    return true;
  }

 private:
  std::vector<int> ranks_;  // by kernel
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_CYCLE_GUARD_H_
