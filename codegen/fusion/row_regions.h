#ifndef REEL_CODEGEN_FUSION_ROW_REGIONS_H_
#define REEL_CODEGEN_FUSION_ROW_REGIONS_H_

#include <map>
#include <vector>

#include "codegen/fusion/row_access.h"
#include "ir/hash_map.h"

namespace reel::codegen {

/// Kernels that walk the same rows and may become one.
struct RowRegion {
  RowForm form;
  std::vector<int> parts;   ///< kernels; of those that sum over rows only what makes the partial sums
  HashSet<int32_t> reads;  ///< values
  int last = 0;
  int nodes = 0;
  bool reduces = false;
  bool flat = true;  ///< every access walks the rows as one axis
  int64_t column_bytes = 0;

  bool Worthwhile() const { return reduces && (parts.size() > 1 || column_bytes > 0); }
};

/// The regions of a plan, whose kernel_of has for what a region computes its owner's number: that of a kernel, or
/// behind these that of a region.
struct RowRegions {
  PlanGraph& plan;
  std::vector<RowRegion> regions;                             ///< those that are not worth it have no parts
  std::map<int, int> region_of_part;                          ///< by kernel
  std::vector<bool> summed;                                   ///< by kernel: a region makes its partial sums
  std::vector<std::vector<ir::Value>> leaves, post_leaves;    ///< what kernels read; of what follows a sum over rows

  int num_kernels() const { return static_cast<int>(leaves.size()); }
  int OwnerOf(ir::Value v) const { return plan.kernel_of[v.index()]; }
  int NumberOf(int region) const { return num_kernels() + region; }
  /// The region of this number, less than 0 for a kernel's.
  int RegionOf(int owner) const { return owner - num_kernels(); }
  bool IsSummed(int g) const { return summed[static_cast<size_t>(g)]; }
  /// The region that kernel g, or the partial sums of it, is part of; -1: none.
  int RegionOfPart(int g) const;
  /// visit(owner) for all that an owner reads from.
  template <typename Visit>
  void VisitInputs(int owner, Visit visit) const;
};
RowRegions FindRowRegions(const ir::Function& f, const Tuning& tuning, PlanGraph* plan);

template <typename Visit>
void RowRegions::VisitInputs(int owner, Visit visit) const {
  const auto all = [&](const std::vector<ir::Value>& values) {
    for (ir::Value v : values) {
      if (OwnerOf(v) >= 0 && OwnerOf(v) != owner) visit(OwnerOf(v));
    }
  };
  if (const int r = RegionOf(owner); r >= 0) {
    for (int part : regions[static_cast<size_t>(r)].parts) all(leaves[static_cast<size_t>(part)]);
    return;
  }
  const auto g = static_cast<size_t>(owner);
  summed[g] ? visit(NumberOf(region_of_part.at(owner))) : all(leaves[g]);
  all(post_leaves[g]);
}

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_ROW_REGIONS_H_
