#ifndef REEL_CODEGEN_SCHEDULE_FUSE_ROWS_H_
#define REEL_CODEGEN_SCHEDULE_FUSE_ROWS_H_

#include "codegen/group/group.h"
#include "ir/graph.h"

namespace reel::codegen {

/// Merges groups that walk the same rows, and read each other's values only in their own row, into groups of the kind
/// kRows: softmax or a layer norm with its gradient is one kernel. A reduction over many rows (a bias gradient) leaves
/// its partial sums to the kernel that has the rows in hand; what it then still does is a small group of its own. Adds
/// a node to `f` for each value that holds partial sums. Linear but for bounded look-arounds.
void FuseRows(ir::Function* f, const Tuning& tuning, Grouping* grouping);

/// Adds a value to the function that holds what a reduction has before its last step: its kernel reads it in the place
/// of the root's operand. No group computes it yet.
ir::Value AddPartials(ir::Function* f, Grouping* grouping, ir::Value root, const Shape& shape);
/// Extents of a shape without those that are 1.
std::vector<int64_t> WithoutOnes(const Shape& shape);
/// The stored values that the expression of v, a member of a group, reads.
std::vector<ir::Value> LeavesOf(const ir::Function& f, const Grouping& grouping, ir::Value v);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_FUSE_ROWS_H_
