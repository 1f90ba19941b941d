#ifndef REEL_CODEGEN_PLAN_RULES_H_
#define REEL_CODEGEN_PLAN_RULES_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

// The rules of planning by name, each asked where it is needed: so a test can leave one out.

namespace reel::codegen {

enum class Rule : uint8_t {
  kNone,
#define REEL_RULE(name, text, why) name,
#include "codegen/plan/rules.def"
#undef REEL_RULE
};

struct RuleInfo {
  Rule rule;
  std::string_view text, why;
};
/// All of rules.def.
absl::Span<const RuleInfo> Rules();

/// `holds`; also true if a test has left this rule out (PlanChecks::left_out).
bool Holds(Rule rule, bool holds);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_RULES_H_
