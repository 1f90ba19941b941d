#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

// Functions that entry points and initial values reach, by name.
absl::flat_hash_set<std::string> Reachable(const ir::Module& m, const PassContext& context) {
  absl::flat_hash_set<std::string> seen;
  std::vector<const ir::Function*> stack;
  const auto visit = [&](std::string_view name) {
    const ir::Function* f = m.FindFunction(name);
    if (f && seen.insert(f->name()).second) stack.push_back(f);
  };
  for (const std::string& name : context.entry_points) visit(name);
  for (const ir::Variable& v : m.variables()) {
    if (const auto* init = std::get_if<std::string>(&v.initial)) visit(*init);
  }
  while (!stack.empty()) {
    const ir::Function& f = *stack.back();
    stack.pop_back();
    for (const ir::Node& node : f.nodes()) {
      for (std::string_view callee : ir::CalledFunctions(node)) visit(callee);
    }
  }
  return seen;
}

// Rebuilds the module without the others: removing them one by one would be quadratic.
bool RemoveUnreachable(ir::Module* m, const PassContext& context) {
  if (context.entry_points.empty()) return false;
  const auto reachable = Reachable(*m, context);
  if (reachable.size() == m->functions().size()) return false;
  ir::Module out(m->name());
  for (const auto& f : m->functions()) {
    if (reachable.contains(f->name())) out.AddFunction(std::move(*f));
  }
  for (ir::Variable& v : m->mutable_variables()) out.AddVariable(std::move(v));
  out.symbols() = std::move(m->symbols());
  out.metadata() = std::move(m->metadata());
  *m = std::move(out);
  return true;
}

}  // namespace

absl::StatusOr<bool> Dce(ir::Module* m, const PassContext& context) {
  bool changed = RemoveUnreachable(m, context);
  for (const auto& f : m->functions()) {
    const std::vector<bool> live = LiveNodes(*f);
    if (std::find(live.begin(), live.end(), false) == live.end()) continue;
    *f = WithoutDeadNodes(*f);
    changed = true;
  }
  return changed;
}

}  // namespace reel::passes
