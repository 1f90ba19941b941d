#ifndef REEL_PASSES_COLUMNS_H_
#define REEL_PASSES_COLUMNS_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/hash_map.h"

// Which values of loops had better be kept column by column (Unstack in pass.h).

namespace reel::passes {

struct ColumnPlan {
  /// By name of a function that changes: by value the axis that is taken apart, -1: none.
  HashMap<std::string, std::vector<int64_t>> axes;
  HashSet<std::string> bodies, conditions;  ///< functions that a loop names
};

/// Axes of values are united where an op leaves them alone. A class of axes is taken apart if in loops the ops that
/// stack it or take single columns of it are more than twice as many as those that need it whole.
ColumnPlan PlanColumns(const ir::Module& m);

/// The axis of a reshape's other side with the same extent and as many elements before it; -1: there is none.
int64_t SameAxis(const Shape& from, int64_t axis, const Shape& to);
/// Where a dynamic_update begins along the axis, if that is known.
std::optional<int64_t> StartOfUpdate(const ir::Function& f, const ir::Node& update, int64_t axis);

}  // namespace reel::passes

#endif  // REEL_PASSES_COLUMNS_H_
