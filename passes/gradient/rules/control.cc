#include "ir/strings.h"
#include "passes/gradient/rule.h"

// Control ops name functions; their gradients name the gradients of those, which run the forward
// part again from what they are given. Only inputs that a gradient reads are passed or saved.

namespace reel::passes {
namespace {

using Values = std::vector<ir::Value>;

Mask Wanted(const GradContext& g, int first) {
  Mask mask;
  for (int i = first; i < g.num_operands(); ++i) mask.push_back(g.wants(i));
  return mask;
}

// Wanted operands from `first` on that have a sum already; empty if none has.
Mask Sums(const GradContext& g, int first) {
  Mask mask;
  for (int i = first; i < g.num_operands(); ++i) mask.push_back(g.sum(i).valid());
  return Any(mask) ? mask : Mask();
}

// The operands from `first` on that `keep` marks, then the cotangents and the sums that exist.
Values Arguments(const GradContext& g, int first, const Mask& keep) {
  Values out;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) out.push_back(g.in(first + static_cast<int>(i)));
  }
  for (int i = 0; i < g.node().num_results; ++i) {
    if (g.dy(i).valid()) out.push_back(g.dy(i));
  }
  for (int i = first; i < g.num_operands(); ++i) {
    if (g.sum(i).valid()) out.push_back(g.sum(i));
  }
  return out;
}

// Hands the results out to the wanted operands from `first` on.
void SetWanted(GradContext& g, int first, const ir::ValueList& results) {
  size_t next = 0;
  for (int i = first; i < g.num_operands() && next < results.size(); ++i) {
    if (!g.wants(i)) continue;
    const ir::Value d = results[next++];
    g.sum(i).valid() ? g.SetTotal(i, d) : g.Set(i, d);
  }
}

// vjp: (operands, cotangents of the floating results) -> cotangents of the floating operands.
void CallVjp(GradContext& g, ir::Builder& b, const std::string& vjp) {
  Values arguments;
  for (int i = 0; i < g.num_operands(); ++i) arguments.push_back(g.in(i));
  for (int i = 0; i < g.node().num_results; ++i) {
    if (IsDifferentiable(g.y_type(i).dtype)) arguments.push_back(g.dy_or_zeros(i));
  }
  const ir::ValueList results = b.Call(vjp, arguments);
  size_t next = 0;
  for (int i = 0; i < g.num_operands() && next < results.size(); ++i) {
    if (IsDifferentiable(g.x_type(i).dtype)) g.Set(i, results[next++]);
  }
}

}  // namespace

GRAD(Call, kAll, kNone) {
  if (const auto* vjp = g.node().attrs().Find("vjp")) {
    return CallVjp(g, b, std::get<std::string>(*vjp));
  }
  const GradientKey key{g.node().attr<std::string>("callee"), Wanted(g, 0), g.seeded(), Sums(g, 0)};
  const BuiltGradient* built = g.Require(key);
  if (!built) return;
  SetWanted(g, 0, b.Call(g.functions().Name(key, built->used), Arguments(g, 0, built->used)));
}

GRAD(If, kAll, kNone) {
  const GradientKey then_key{g.node().attr<std::string>("then"), Wanted(g, 1), g.seeded(),
                             Sums(g, 1)};
  const GradientKey else_key{g.node().attr<std::string>("else"), Wanted(g, 1), g.seeded(),
                             Sums(g, 1)};
  const BuiltGradient* then_built = g.Require(then_key);
  if (!then_built) return;
  const BuiltGradient* else_built = g.Require(else_key);
  if (!else_built) return;
  Mask keep = then_built->used;  // both branches take the same
  for (size_t i = 0; i < keep.size(); ++i) keep[i] = keep[i] || else_built->used[i];
  SetWanted(g, 1, b.If(g.in(0), g.functions().Name(then_key, keep),
                       g.functions().Name(else_key, keep), Arguments(g, 1, keep)));
}

}  // namespace reel::passes
