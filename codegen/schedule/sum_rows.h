#ifndef REEL_CODEGEN_SCHEDULE_SUM_ROWS_H_
#define REEL_CODEGEN_SCHEDULE_SUM_ROWS_H_

#include <vector>

#include "codegen/schedule/schedule.h"

// Sums over rows, one for each element of a row, by the rule of reduce.cc: each group of 64 rows has its sums, which
// another kernel adds up.

namespace reel::codegen {

/// Sums of the rows at hand and where they go: [groups of 64 rows, width].
struct RowSums {
  LocalId sums = -1;  ///< of `width` elements
  BufferId partials = -1;
  Combine combine = Combine::kSum;
  DType dtype = kFloat32;
  int64_t turns = 1;  ///< of the elements in `sums`: the first of each so many neighbours, the second ones, ...
};

/// The kernel's loops: the body accumulates step `row` of `together` rows, of `rows`, into each of the sums; `lanes`
/// elements at once move them to memory.
void SumOverRows(Kernel* kernel, const std::vector<RowSums>& columns, AxisId row, int64_t rows, int64_t together,
                 int64_t width, int64_t lanes, std::vector<Stmt> body);
/// A reduction over rows of several axes whose first kernel this is (SplitReductions).
void ScheduleRowSums(const ScheduleContext& context);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_SUM_ROWS_H_
