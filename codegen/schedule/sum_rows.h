#ifndef REEL_CODEGEN_SCHEDULE_SUM_ROWS_H_
#define REEL_CODEGEN_SCHEDULE_SUM_ROWS_H_

#include <vector>

#include "codegen/schedule/schedule.h"

// Sums over rows, one for each element of a row, by the rule of reduce.cc: rows 64 i + j of each block of 4096 are
// added into row j of 64 rows of sums, which another kernel adds up. A chunk has a few neighbouring j: it reads memory
// in longer runs.

namespace reel::codegen {

/// Sums of the rows at hand and where they go: [64 * blocks of 4096 rows, width].
struct RowSums {
  LocalId sums = -1;  ///< of RowsAtOnce() * width elements
  BufferId partials = -1;
  Combine combine = Combine::kSum;
  DType dtype = kFloat32;
};

/// Bytes of stack for sums over rows, and rows that wait there.
inline constexpr int64_t kMaxRowStack = 32 << 10;

/// Neighbouring rows whose sums, of so many bytes a row, fit in cache beside them: a power of two, at most `most`.
int64_t RowsAtOnce(int64_t width, int64_t bytes, int64_t most = 8);
/// The kernel's loops: the body accumulates row `row`, of `rows`, into the first row of each of the sums; `lanes`
/// elements at once move them to memory.
void SumOverRows(Kernel* kernel, const std::vector<RowSums>& columns, AxisId row, int64_t rows, int64_t width,
                 int64_t at_once, int64_t lanes, std::vector<Stmt> body);
/// A reduction over rows of several axes whose first kernel this is (SplitSums).
void ScheduleRowSums(const ScheduleContext& context);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_SUM_ROWS_H_
