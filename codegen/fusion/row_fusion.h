#ifndef REEL_CODEGEN_FUSION_ROW_FUSION_H_
#define REEL_CODEGEN_FUSION_ROW_FUSION_H_

#include "codegen/plan/plan.h"
#include "ir/graph.h"

namespace reel::codegen {

/// Makes one kernel of those that walk the same rows, and read each other's values only in their own row: softmax or a
/// layer norm with its gradient is one kernel. A reduction over many rows (a bias gradient) leaves its partial sums to
/// the kernel that has the rows in hand; what it then still does is a small kernel of its own. Adds a node to `f` for
/// each value that holds partial sums. Linear but for bounded look-arounds.
void FuseRows(ir::Function* f, const Tuning& tuning, PlanGraph* plan);

/// Adds a value to the function that holds what a reduction has before its last step: its kernel reads it in the place
/// of the root's operand. No kernel computes it yet.
ir::Value AddPartials(ir::Function* f, PlanGraph* plan, ir::Value root, const Shape& shape);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_ROW_FUSION_H_
