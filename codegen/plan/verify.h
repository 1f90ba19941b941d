#ifndef REEL_CODEGEN_PLAN_VERIFY_H_
#define REEL_CODEGEN_PLAN_VERIFY_H_

#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "codegen/plan/plan.h"
#include "codegen/plan/rules.h"

// Plans are trusted by what makes loops of them. So each is checked first.

namespace reel::codegen {

/// Internal if the kernels do not compute the function: every value that a kernel reads is one of its own, or stored by
/// one kernel, which runs before it; what is computed in place is no root; results are stored. Linear.
absl::Status VerifyPlan(const ir::Function& function, const PlanGraph& plan);

/// What tests and fuzzers set, process-wide, before they compile anything.
struct PlanChecks {
  /// At first what REEL_VERIFY says. A wrong plan is an error, and looked for after each phase; so are the loops of
  /// each kernel (loop/verify.h). Else it is looked for after the last one,
  /// the function is planned again with a kernel for each op, and standard error asks for a report.
  bool strict = false;
  /// Called after each phase, may make the plan wrong.
  std::function<void(std::string_view phase, PlanGraph* plan)> after_phase = {};
  Rule left_out = Rule::kNone;  ///< which planning does without: what finds that?
  int64_t times_left_out = 0;  ///< how often it would have said no
};
PlanChecks& GetPlanChecks();

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_VERIFY_H_
