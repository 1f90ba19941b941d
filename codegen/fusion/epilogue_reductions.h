#ifndef REEL_CODEGEN_FUSION_EPILOGUE_REDUCTIONS_H_
#define REEL_CODEGEN_FUSION_EPILOGUE_REDUCTIONS_H_

#include "codegen/plan/plan.h"
#include "codegen/target/target.h"
#include "ir/graph.h"

namespace reel::codegen {

/// Where a product, or a map that its kernel computes from it, is more than L2 holds and is summed over its rows, the
/// product's kernel adds up groups of 64 rows, too (MatmulKernel::row_reductions): statistics of a batch, gradients by
/// biases. What nothing else reads then needs no memory. Before: SplitReductions. Linear but for the groups of such
/// products.
void FuseEpilogueReductions(const ir::Function& function, const Target& target, PlanGraph* plan);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_EPILOGUE_REDUCTIONS_H_
