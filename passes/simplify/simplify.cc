#include <memory>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/simplify/demand.h"
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
  ir::ChargeVisits(f.nodes().size());
  std::vector<int> uses(static_cast<size_t>(f.num_values()), 0);
  for (const ir::Node& node : f.nodes()) {
    for (ir::Value v : node.operands) ++uses[static_cast<size_t>(v.id)];
  }
  for (ir::Value v : f.results()) ++uses[static_cast<size_t>(v.id)];
  return uses;
}

// Conditions x <= 0 of nodes y = select(x <= 0, 0, x), and these y: where y <= 0 the condition holds,
// for NaN and -0 too. What asks y in place of x, which has no other use, does not keep x: relu's
// gradient.
HashMap<int32_t, ir::Value> Relus(const ir::Function& f, const std::vector<int>& uses, const Demand* demand) {
  ir::ChargeVisits(f.nodes().size());
  HashMap<int32_t, ir::Value> relus;
  const auto is_zero = [&f](ir::Value v) {
    const auto splat = SplatOf(f, v);
    return splat && splat->AsDouble(0) == 0;
  };
  for (const ir::Node& node : f.nodes()) {
    if (node.op != Op::kSelect) continue;
    const ir::Node* condition = f.producer(node.operands[0]);
    if (!condition || condition->op != Op::kLessEqual) continue;
    const ir::Value x = node.operands[2];
    if (condition->operands[0] != x || uses[static_cast<size_t>(x.id)] > 2) continue;
    if (!IsFloat(f.type(node.result()).dtype)) continue;
    if (demand && demand->Taken(node).valid()) continue;  // y becomes a branch, which is not relu(x) everywhere
    if (!is_zero(condition->operands[1]) || !is_zero(node.operands[1])) continue;
    relus.emplace(condition->result().id, node.result());
  }
  return relus;
}

// select(x <= 0, a, b) = select(relu(x) <= 0, a, b)
bool AskRelu(const ir::Node& node, const HashMap<int32_t, ir::Value>& relus, Copier& copier, ir::Builder& b) {
  if (node.op != Op::kSelect) return false;
  const auto it = relus.find(node.operands[0].id);
  if (it == relus.end() || it->second.id >= node.result().id) return false;
  const ir::Value y = copier(it->second);
  const ir::Value condition = b.LessEqual(y, b.ScalarLike(y, 0));
  copier.Map(node.result(), b.Select(condition, copier(node.operands[1]), copier(node.operands[2])));
  return true;
}

// A select of which only one branch is looked at = that branch: select(c, a, f(select(c, 0, x))) = select(c, a, f(x)).
// Gradients need the inner one, where f'(x) is no number.
bool TakeBranch(const ir::Node& node, const Demand& demand, Copier& copier) {
  if (node.op != Op::kSelect) return false;
  const ir::Value taken = demand.Taken(node);
  if (taken.valid()) copier.Map(node.result(), copier(taken));
  return taken.valid();
}

}  // namespace

absl::StatusOr<bool> Simplify(ir::Module* m, const PassContext& context) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    const std::vector<int> uses = CountUses(*f);
    const auto demand = context.differentiation_done ? std::make_unique<Demand>(*f) : nullptr;
    const auto relus = Relus(*f, uses, demand.get());
    const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
      if (ir::Info(node.op).Has(ir::kControl)) return SimplifyControl(node, copier, b);
      if (node.operands.empty()) return false;
      if (demand && TakeBranch(node, *demand, copier)) return true;
      if (AskRelu(node, relus, copier, b)) return true;
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
