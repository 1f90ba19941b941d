#ifndef REEL_CODEGEN_FUSION_PRODUCER_FUSION_H_
#define REEL_CODEGEN_FUSION_PRODUCER_FUSION_H_

#include "codegen/plan/plan.h"
#include "codegen/target/target.h"
#include "ir/graph.h"

namespace reel::codegen {

/// A product over many rows (the gradient of weights) whose second operand is a map that, beside it, only sums over the
/// same rows read (the gradient of a bias) takes in that map and these sums: nothing is stored. After SplitReductions.
/// Linear.
void FuseProducers(const ir::Function& f, const Target& target, PlanGraph* plan);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_PRODUCER_FUSION_H_
