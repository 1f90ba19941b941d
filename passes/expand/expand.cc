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

absl::StatusOr<bool> Expand(ir::Module* m, const PassContext&) {
  bool any = false;
  for (size_t i = 0; i < m->functions().size(); ++i) {  // expansions append functions
    ir::Function* f = m->functions()[i].get();
    bool again = true;
    while (again) {  // an expansion may emit ops that have expansions
      auto changed = Rewrite(f, m, [m, f](const ir::Node& node, Copier& copier, ir::Builder& b) {
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
  const auto split = SplitComplex(m);
  if (!split.ok()) return split.status();
  return any || *split;
}

}  // namespace reel::passes
