#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/simplify/site.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;

// if on a constant = a call of the branch; a loop that may not run = its operands
bool SimplifyControl(const ir::Node& node, Copier& copier, ir::Builder& b) {
  const ir::ValueList operands = copier(node.operands);
  ir::ValueList results;
  if (node.op == Op::kIf) {
    const auto condition = SplatOf(*b.function(), operands[0]);
    if (!condition) return false;
    const auto& branch = node.attr<std::string>(condition->AsInt(0) ? "then" : "else");
    results = b.Call(branch, absl::MakeConstSpan(operands).subspan(1));
  } else if (node.op == Op::kWhile) {
    const auto* bound = node.attrs().Find("maximum_iterations");
    if (!bound || std::get<int64_t>(*bound) != 0) return false;
    results = operands;
  } else {
    return false;
  }
  for (int i = 0; i < node.num_results && b.status().ok(); ++i) {
    copier.Map(node.result(i), results[static_cast<size_t>(i)]);
  }
  return true;
}

// By value: how many operands and results it is.
std::vector<int> CountUses(const ir::Function& f) {
  std::vector<int> uses(static_cast<size_t>(f.num_values()), 0);
  for (const ir::Node& node : f.nodes()) {
    for (ir::Value v : node.operands) ++uses[static_cast<size_t>(v.id)];
  }
  for (ir::Value v : f.results()) ++uses[static_cast<size_t>(v.id)];
  return uses;
}

}  // namespace

absl::StatusOr<bool> Simplify(ir::Module* m, const PassContext& context) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    const std::vector<int> uses = CountUses(*f);
    const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
      if (ir::Info(node.op).Has(ir::kControl)) return SimplifyControl(node, copier, b);
      if (node.operands.empty()) return false;
      Site site{node.op,
                copier(node.operands),
                node.attrs(),
                f->type(node.result()),
                b,
                context.differentiation_done,
                uses[static_cast<size_t>(node.operands[0].id)] == 1};
      for (const auto rule : {SimplifyByRows, SimplifyShape, SimplifyContract}) {
        const ir::Value v = rule(site);
        if (!v.valid()) continue;
        copier.Map(node.result(), v);
        return true;
      }
      return false;
    };
    const auto rewritten = Rewrite(f.get(), m, visit);
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
