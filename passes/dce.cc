#include <algorithm>
#include <utility>

#include "ir/calls.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {

absl::StatusOr<bool> Dce(ir::Module* m, const PassContext& context) {
  std::vector<const ir::Function*> entries;
  for (const std::string& name : context.entry_points) {
    if (const ir::Function* f = m->FindFunction(name)) entries.push_back(f);
  }
  bool changed = !context.entry_points.empty() && ir::KeepReached(m, std::move(entries));
  for (const auto& f : m->functions()) {
    const std::vector<bool> live = LiveNodes(*f);
    if (std::find(live.begin(), live.end(), false) == live.end()) continue;
    *f = WithoutDeadNodes(*f);
    changed = true;
  }
  return changed;
}

}  // namespace reel::passes
