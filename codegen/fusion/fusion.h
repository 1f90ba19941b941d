#ifndef REEL_CODEGEN_FUSION_FUSION_H_
#define REEL_CODEGEN_FUSION_FUSION_H_

#include <vector>

#include "codegen/plan/plan.h"
#include "codegen/target/target.h"
#include "ir/graph.h"

// The rewrites of a plan, in the order in which they run (program/phases.cc). All are linear but for bounded
// look-arounds.

namespace reel::codegen {

/// Makes one kernel of those that walk the same rows, and read each other's values only in their own row: softmax or a
/// layer norm with its gradient is one kernel. A reduction over many rows (a bias gradient) leaves its partial sums to
/// the kernel that has the rows in hand; what it then still does is a small kernel of its own. Adds a node to `f` for
/// each value that holds partial sums.
void FuseRows(ir::Function* f, const Tuning& tuning, PlanGraph* plan);

/// A reduction of many elements to one is two kernels: one writes the results of its blocks of 4096, which threads
/// share, another reduces these as the rule says (schedule/reduce.cc): the bits are those of one kernel. So is one over
/// rows of several axes: the first kernel walks memory row by row and writes the sums of groups of 64 rows
/// (schedule/sum_rows.h). And a deep product to few elements: the first kernel has blocks of k, the second
/// adds their sums. Adds a node to `f` for each value that holds results of blocks, or partials.
void SplitReductions(ir::Function* f, const Tuning& tuning, PlanGraph* plan);

/// Where a product, or a map that its kernel computes from it, is more than L2 holds and is summed over its rows, the
/// product's kernel adds up groups of 64 rows, too (MatmulKernel::row_reductions): statistics of a batch, gradients by
/// biases. What nothing else reads then needs no memory. After SplitReductions.
void FuseEpilogueReductions(const ir::Function& function, const Target& target, PlanGraph* plan);

/// A product over many rows (the gradient of weights) whose second operand is a map that, beside it, only sums over the
/// same rows read (the gradient of a bias) takes in that map and these sums: nothing is stored. After SplitReductions.
void FuseProducers(const ir::Function& function, const Target& target, PlanGraph* plan);

/// What only a padding reads is stored where that has it, with room for the border: the padding's kernel writes no more
/// than the border, in place. Adds a node to `f` for each value that holds what is stored. After what moves kernels.
void StoreInBorders(ir::Function* f, PlanGraph* plan);

/// Updates of variables that nothing waits for run as soon as they can: what they read is still in cache, and its
/// memory is free earlier. So do sums that only they read. Readers of a variable's old value run before, so that the
/// new one is written in its place; updates that read each other's variables come last, through a copy. Variables are
/// the function's state, and parameters that results take the place of.
void RunUpdatesEarly(const ir::Function& function, const std::vector<InPlace>& in_place, const Tuning& tuning,
                     PlanGraph* plan);

/// Adds a value to the function that holds what a reduction has before its last step: its kernel reads it in the place
/// of the root's operand. No kernel computes it yet.
ir::Value AddPartials(ir::Function* f, PlanGraph* plan, ir::Value root, Shape shape);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_FUSION_H_
