#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_SUMS_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_SUMS_H_

#include <vector>

#include "codegen/schedule/sum_rows.h"

// Sums over the rows of a product, or of maps of it (FuseEpilogueReductions), while its kernel walks them: blocks are
// whole groups of 64 rows.

namespace reel::codegen {

/// The sums of a group of rows, of at most so many lanes, one for each of the product's row reductions.
std::vector<RowSums> OpenRowSums(const ScheduleContext& context, int64_t lanes);
/// At the element `index` of the product: adds what the columns are sums of to the sums at `lane`.
void AddToRowSums(const ScheduleContext& context, const std::vector<RowSums>& sums, const Index& index,
                  const Affine& lane, std::vector<Stmt>* out);
/// After row `index`: if it is the last of its group, the sums go to memory, and the next group's begin. `columns` of
/// them, from `column` on, so many at once.
Stmt EndGroup(const ScheduleContext& context, const std::vector<RowSums>& sums, Index index, const Affine& column,
              int64_t columns, int64_t vector);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_SUMS_H_
