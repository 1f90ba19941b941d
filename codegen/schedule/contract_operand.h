#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_OPERAND_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_OPERAND_H_

#include <vector>

#include "codegen/schedule/schedule.h"

// The second operand of a product, computed row by row where it is multiplied (FuseProducers), with the sums over its
// rows by the rule of reduce.cc.

namespace reel::codegen {

/// What the product has of it: columns from `base` on, in steps of `vector` lanes.
struct ComputedColumns {
  Affine base;
  int64_t columns, vector;
  LocalId to;           ///< where a row is put,
  int64_t row_stride;   ///< row k of the block so many elements behind the first
};

/// for groups of 64 of the rows of a block of k { their sums; each row computed, then `body` for it }. `row` and
/// `group`: axes whose positions are row 64 * group + row of the block.
Stmt OverComputedRows(const ScheduleContext& c, const ComputedColumns& columns, int64_t depth, AxisId block,
                      AxisId group, AxisId row, std::vector<Stmt> body);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_OPERAND_H_
