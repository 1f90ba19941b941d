#include "passes/without.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "passes/rewrite.h"

namespace reel::passes {

bool IsCheck(const ir::Node& node) { return ir::IsCheck(node.op); }
bool IsEffect(const ir::Node& node) { return node.op == ir::Op::kCallback && node.attr<bool>("effect"); }

namespace {

// The functions that a run reaches from here on without those that `made` knows; `changes`: whether it knows or finds
// something to take away. Each is looked at once for all calls with one `made`.
std::vector<const ir::Function*> Unknown(const ir::Module& m, const std::string& root, bool (*drops)(const ir::Node&),
                                         const Names& made, bool* changes) {
  std::vector<const ir::Function*> unknown = {m.FindFunction(root)};
  HashSet<const ir::Function*> seen = {unknown[0]};
  for (size_t i = 0; i < unknown.size(); ++i) {
    ir::ChargeVisits(unknown[i]->nodes().size());
    for (const ir::Node& node : unknown[i]->nodes()) {
      *changes = *changes || drops(node);
      for (std::string_view callee : ir::CalledFunctions(node)) {
        const auto known = made.find(std::string(callee));
        if (known != made.end()) {
          *changes = *changes || known->second != callee;
        } else if (const ir::Function* f = m.FindFunction(callee); f && seen.insert(f).second) {
          unknown.push_back(f);
        }
      }
    }
  }
  return unknown;
}

}  // namespace

std::string Without(ir::Module* m, const std::string& function, bool (*drops)(const ir::Node&), Names* made) {
  if (const auto it = made->find(function); it != made->end()) return it->second;
  bool changes = false;
  const std::vector<const ir::Function*> reached = Unknown(*m, function, drops, *made, &changes);
  if (!changes) {
    for (const ir::Function* f : reached) (*made)[f->name()] = f->name();
    return function;
  }
  for (const ir::Function* f : reached) {  // names first: a copy names copies
    std::string name = m->UniqueFunctionName(f->name());
    m->AddFunction(ir::Function(name));
    (*made)[f->name()] = std::move(name);
  }
  for (const ir::Function* f : reached) {
    ir::Function out(made->at(f->name()));
    Copier copier(*f, &out);
    CopySignature(*f, &out, &copier);
    for (const ir::Node& node : f->nodes()) {
      if (drops(node)) {
        copier.Map(node.result(), copier(node.operands[0]));
        continue;
      }
      ir::Node named = node;
      if (ir::Info(node.op).Has(ir::kControl)) {
        ir::Attributes attributes = node.attrs();
        for (const auto& [name, value] : node.attrs().entries()) {
          if (const auto* callee = std::get_if<std::string>(&value)) attributes.Set(name, made->at(*callee));
        }
        named.attributes = std::make_shared<const ir::Attributes>(std::move(attributes));
      }
      copier.CopyNode(named);
    }
    CopyResults(*f, &out, copier);
    m->AddFunction(std::move(out));
  }
  return made->at(function);
}

}  // namespace reel::passes
