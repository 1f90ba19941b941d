#include "passes/expand/complex.h"
#include "passes/expand/half.h"
#include "passes/expand/rule.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {

Expansion ExpansionOf(ir::Op op) {
  switch (op) {
#define EXPANSION(Enum) \
  case ir::Op::k##Enum: return Expand##Enum;
#include "passes/expand/expansions.def"
#undef EXPANSION
    default: return nullptr;
  }
}

namespace {

// Whether there is nothing to compute. Schedules then need not think of axes of extent 0 in the middle of a kernel.
bool IsEmpty(const ir::Function& f, const ir::Node& node) {
  if (ir::Info(node.op).Has(ir::kControl) || node.op == ir::Op::kConstant || node.op == ir::Op::kBroadcast)
    return false;
  for (int i = 0; i < node.num_results; ++i) {
    const Shape& shape = f.type(node.result(i)).shape;
    if (!shape.is_constant() || shape.size() != 0) return false;
  }
  return node.num_results > 0;
}

}  // namespace

absl::StatusOr<bool> ExpandNodes(ir::Module* m,
                                 const std::function<bool(const ir::Function&, const ir::Node&)>& wanted) {
  bool any = false;
  for (size_t i = 0; i < m->functions().size(); ++i) {  // expansions append functions
    ir::Function* f = m->functions()[i].get();
    bool again = true;
    while (again) {  // an expansion may emit ops that have expansions
      auto changed = Rewrite(f, m, [&wanted, m, f](const ir::Node& node, Copier& copier, ir::Builder& b) {
        if (IsEmpty(*f, node)) {
          for (int i = 0; i < node.num_results; ++i) copier.Map(node.result(i), b.Zeros(f->type(node.result(i))));
          return true;
        }
        if (!wanted(*f, node)) return false;
        const Expansion expand = ComputesInHalf(*f, node) ? ExpandHalf : ExpansionOf(node.op);
        if (!expand) return false;
        ExpandContext c{b, m, node, copier(node.operands)};
        const ir::ValueList results = expand(c);
        for (size_t k = 0; k < results.size(); ++k) {
          copier.Map(node.result(static_cast<int>(k)), results[k]);
        }
        return !results.empty();
      });
      if (!changed.ok()) return changed.status();
      again = *changed;
      any = any || again;
    }
  }
  return any;
}

absl::StatusOr<bool> Expand(ir::Module* m, const PassContext& context) {
  const auto any = ExpandNodes(m, [&context](const ir::Function& f, const ir::Node& node) {
    const bool product = node.op == ir::Op::kContract && f.type(node.result()).dtype == kBFloat16;
    return !product || !context.keep_bf16_products;
  });
  if (!any.ok()) return any.status();
  // Complex values that calls take and give would be stored with their parts side by side.
  const bool inlines = context.differentiation_done && HasComplex(*m);
  const auto flat = inlines ? Inline(m, context) : absl::StatusOr<bool>(false);
  if (!flat.ok()) return flat.status();
  const auto split = SplitComplex(m);
  if (!split.ok()) return split.status();
  return *any || *flat || *split;
}

}  // namespace reel::passes
