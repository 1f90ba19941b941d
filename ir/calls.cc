#include "ir/calls.h"

#include <string>
#include <utility>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"

namespace reel::ir {

absl::InlinedVector<std::string_view, 2> CalledFunctions(const Node& node) {
  absl::InlinedVector<std::string_view, 2> names;
  if (!Info(node.op).Has(kControl)) return names;
  for (const auto& [name, value] : node.attrs().entries()) {
    if (const auto* s = std::get_if<std::string>(&value)) names.push_back(*s);
  }
  return names;
}

std::vector<const Function*> ReachedFunctions(const Module& module, std::vector<const Function*> roots) {
  std::vector<const Function*> reached;
  HashSet<const Function*> seen;
  const auto visit = [&](const Function* f) {
    if (f && seen.insert(f).second) reached.push_back(f);
  };
  for (const Function* root : roots) visit(root);
  for (size_t i = 0; i < reached.size(); ++i) {
    ChargeVisits(reached[i]->nodes().size());
    for (const Node& node : reached[i]->nodes()) {
      for (std::string_view callee : CalledFunctions(node)) visit(module.FindFunction(callee));
    }
  }
  return reached;
}

std::vector<const Function*> InitFunctions(const Module& module) {
  std::vector<const Function*> out;
  for (const Variable& v : module.variables()) {
    const auto* name = std::get_if<std::string>(&v.initial);
    const Function* init = name ? module.FindFunction(*name) : nullptr;
    if (init) out.push_back(init);
  }
  return out;
}

std::vector<const Function*> EntryFunctions(const Module& module) {
  HashSet<std::string_view> inner;
  for (const Function* init : InitFunctions(module)) inner.insert(init->name());
  for (const auto& f : module.functions()) {
    ChargeVisits(f->nodes().size());
    for (const Node& node : f->nodes()) {
      for (std::string_view callee : CalledFunctions(node)) inner.insert(callee);
    }
  }
  std::vector<const Function*> out;
  for (const auto& f : module.functions()) {
    if (!inner.contains(f->name())) out.push_back(f.get());
  }
  return out;
}

bool KeepReached(Module* module, std::vector<const Function*> roots) {
  for (const Function* init : InitFunctions(*module)) roots.push_back(init);
  const std::vector<const Function*> list = ReachedFunctions(*module, std::move(roots));
  if (list.size() == module->functions().size()) return false;
  const HashSet<const Function*> reached(list.begin(), list.end());
  // Removing them one by one would be quadratic.
  Module out(module->name());
  for (const auto& f : module->functions()) {
    if (reached.contains(f.get())) out.AddFunction(std::move(*f));
  }
  for (Variable& v : module->mutable_variables()) out.AddVariable(std::move(v));
  out.symbols() = std::move(module->symbols());
  out.metadata() = std::move(module->metadata());
  *module = std::move(out);
  return true;
}

void CopyCallees(const Function& f, const Module& from, Module* to) {
  for (const Function* callee : ReachedFunctions(from, {&f})) {
    if (callee != &f && !to->FindFunction(callee->name())) to->AddFunction(*callee);
  }
}

std::vector<std::string> CalleesFirst(const Module& module) {
  std::vector<std::string> order;
  HashSet<const Function*> seen;
  std::vector<std::pair<const Function*, bool>> open;  // true: what it calls was visited
  for (const auto& root : module.functions()) {
    open.emplace_back(root.get(), false);
    while (!open.empty()) {
      const auto [f, leave] = open.back();
      open.pop_back();
      if (leave) order.push_back(f->name());
      if (leave || f == nullptr || !seen.insert(f).second) continue;
      open.emplace_back(f, true);
      ChargeVisits(f->nodes().size());
      for (const Node& node : f->nodes()) {
        for (std::string_view name : CalledFunctions(node)) open.emplace_back(module.FindFunction(name), false);
      }
    }
  }
  return order;
}

}  // namespace reel::ir
