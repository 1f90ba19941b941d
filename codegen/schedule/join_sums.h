#ifndef REEL_CODEGEN_SCHEDULE_JOIN_SUMS_H_
#define REEL_CODEGEN_SCHEDULE_JOIN_SUMS_H_

#include "codegen/group/group.h"
#include "codegen/target/target.h"
#include "ir/graph.h"

namespace reel::codegen {

/// Rows of a block that are whole groups of 64, and where its axis begins.
struct BlockOfGroups {
  size_t axis = 0;    ///< cut into blocks; those behind it are whole
  int64_t block = 0;  ///< iterations of the axis in the smallest block; 0: there is none
};
/// extents: of the rows of a product, outermost first.
BlockOfGroups GroupsOfRows(const std::vector<int64_t>& extents, const Tuning& tuning);

/// Where a product, or a map that its kernel computes from it, is more than L2 holds and is summed over its rows, the
/// product's kernel adds up groups of 64 rows, too (Group::columns): statistics of a batch, gradients by biases. What
/// nothing else reads then needs no memory. Before: SplitSums. Linear but for the groups of such products.
void JoinSums(const ir::Function& function, const Target& target, Grouping* grouping);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_JOIN_SUMS_H_
