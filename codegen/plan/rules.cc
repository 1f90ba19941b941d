#include "codegen/plan/rules.h"

#include "codegen/plan/verify.h"

namespace reel::codegen {
namespace {

constexpr RuleInfo kRules[] = {
#define REEL_RULE(name, text, why) {Rule::name, text, why},
#include "codegen/plan/rules.def"
#undef REEL_RULE
};

}  // namespace

absl::Span<const RuleInfo> Rules() { return kRules; }

bool Holds(Rule rule, bool holds) {
  if (holds) return true;
  PlanChecks& checks = GetPlanChecks();
  if (checks.left_out != rule) return false;  // all that threads that compile side by side do here is read
  ++checks.times_left_out;
  return true;
}

}  // namespace reel::codegen
