#include "codegen/loop/depends.h"

namespace reel::codegen {

std::vector<Dependencies> DependenciesOf(const Kernel& kernel) {
  std::vector<Dependencies> all(kernel.exprs.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const Expr& e = kernel.exprs[i];
    Dependencies& d = all[i];
    const auto add = [&](ExprId operand) {
      if (operand < 0) return;
      const Dependencies& o = all[static_cast<size_t>(operand)];
      d.axes.insert(o.axes.begin(), o.axes.end());
      d.locals.insert(o.locals.begin(), o.locals.end());
      d.buffers.insert(o.buffers.begin(), o.buffers.end());
    };
    for (ExprId operand : e.operands) add(operand);
    add(e.dynamic);
    add(e.guard);
    for (const auto& [axis, c] : e.index.terms) d.axes.insert(axis);
    if (e.kind == Expr::Kind::kLocal) d.locals.insert(e.local);
    const bool loads = e.kind == Expr::Kind::kLoad;
    if (loads && kernel.buffers[static_cast<size_t>(e.buffer)].is_output) d.buffers.insert(e.buffer);
  }
  return all;
}

}  // namespace reel::codegen
