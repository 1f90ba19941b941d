#ifndef REEL_CODEGEN_FUSION_TWO_STAGE_REDUCTIONS_H_
#define REEL_CODEGEN_FUSION_TWO_STAGE_REDUCTIONS_H_

#include "codegen/plan/plan.h"
#include "ir/graph.h"

namespace reel::codegen {

/// A reduction of many elements to one is two kernels: one writes the results of its blocks of 4096, which threads
/// share, another reduces these as the rule says (schedule/reduce.cc): the bits are those of one kernel. So is one over
/// rows of several axes: the first kernel walks memory row by row and writes the sums of groups of 64 rows
/// (schedule/sum_rows.h). And a deep product to few elements: the first kernel has blocks of k, the second
/// adds their sums. Adds a node to `f` for each value that holds results of blocks, or partials. Linear.
void SplitReductions(ir::Function* f, const Tuning& tuning, PlanGraph* plan);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_TWO_STAGE_REDUCTIONS_H_
