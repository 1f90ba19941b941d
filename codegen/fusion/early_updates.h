#ifndef REEL_CODEGEN_FUSION_EARLY_UPDATES_H_
#define REEL_CODEGEN_FUSION_EARLY_UPDATES_H_

#include <vector>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// Updates of variables that nothing waits for run as soon as they can: what they read is still in cache, and its
/// memory is free earlier. So do sums that only they read. Readers of a variable's old value run before, so that the
/// new one is written in its place; updates that read each other's variables come last, through a copy. Variables are
/// the function's state, and parameters that results take the place of.
void RunUpdatesEarly(const ir::Function& function, const std::vector<InPlace>& in_place, const Tuning& tuning,
                     PlanGraph* plan);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_EARLY_UPDATES_H_
