#include "passes/without.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ir/calls.h"
#include "passes/rewrite.h"

namespace reel::passes {

bool IsCheck(const ir::Node& node) { return node.op == ir::Op::kCheckIndex; }
bool IsEffect(const ir::Node& node) { return node.op == ir::Op::kCallback && node.attr<bool>("effect"); }

std::string Without(ir::Module* m, const std::string& function, bool (*drops)(const ir::Node&), Names* made) {
  if (const auto it = made->find(function); it != made->end()) return it->second;
  const std::vector<const ir::Function*> reached = ir::ReachedFunctions(*m, {m->FindFunction(function)});
  const auto has_some = [&](const ir::Function* f) { return std::any_of(f->nodes().begin(), f->nodes().end(), drops); };
  if (std::none_of(reached.begin(), reached.end(), has_some)) return (*made)[function] = function;
  for (const ir::Function* f : reached) {  // names first: a copy names copies
    if (made->contains(f->name())) continue;
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
