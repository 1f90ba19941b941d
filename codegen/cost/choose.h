#ifndef REEL_CODEGEN_COST_CHOOSE_H_
#define REEL_CODEGEN_COST_CHOOSE_H_

#include "codegen/schedule/schedule.h"

namespace reel::codegen {

/// ScheduleKernel without a wish, but choices that the estimate knows better than a rule are those of the fewest
/// cycles: of reductions how many registers are side by side, of maps whether they transpose tiles. The usual ones stay
/// unless Tuning::cost_gain is won, with one thread and with two. As usual if PlanOptions::decide decides.
ScheduledKernel ScheduleByCost(const ir::Function& f, const PlanGraph& plan, int index, const Target& target,
                               const PlanOptions& options);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_COST_CHOOSE_H_
