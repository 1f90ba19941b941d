#include <algorithm>

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

// The gradient of a function that takes the operands from `first` on: by the results that have cotangents, added to
// the sums that wanted operands have so far.
GradientKey Key(const GradContext& g, std::string_view function, int first) {
  GradientKey key{g.node().attr<std::string>(function), Wanted(g, first), g.seeded()};
  for (int i = first; i < g.num_operands(); ++i) {
    key.sums.push_back(g.sum(i).valid());
    key.maybe_sums.push_back(g.sum(i).maybe());
    key.zeros.push_back(g.sum(i).maybe() && g.sum(i).zero);
  }
  for (int i = 0; i < g.node().num_results; ++i) key.maybe_results.push_back(g.cotangent(i).maybe());
  for (Mask* mask : {&key.sums, &key.maybe_sums, &key.zeros, &key.maybe_results}) {
    if (!Any(*mask)) mask->clear();
  }
  return key;
}

// The operands from `first` on that `keep` marks, then the cotangents and the sums that exist, then what is present.
Values Arguments(const GradContext& g, ir::Builder& b, int first, const Mask& keep) {
  Values out, present;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) out.push_back(g.in(first + static_cast<int>(i)));
  }
  const auto add = [&](const Cotangent& d) {
    if (d.valid()) out.push_back(d.value);
    if (d.maybe()) present.push_back(d.present);
  };
  for (int i = 0; i < g.node().num_results; ++i) add(WithMissing(b, g.cotangent(i), false));
  for (int i = first; i < g.num_operands(); ++i) add(g.sum(i));
  out.insert(out.end(), present.begin(), present.end());
  return out;
}

// Hands the results out to the wanted operands from `first` on.
void SetWanted(GradContext& g, int first, const GradientKey& key, const Mask& maybe, const ir::ValueList& results) {
  auto present = static_cast<size_t>(std::count(key.parameters.begin(), key.parameters.end(), true));
  for (size_t i = 0, next = 0; i < key.parameters.size() && next < results.size(); ++i) {
    if (!key.parameters[i]) continue;
    const int operand = first + static_cast<int>(i);
    const Cotangent d{results[next++], maybe[i] ? results[present++] : ir::Value(), Has(key.zeros, i)};
    g.sum(operand).valid() ? g.SetTotal(operand, d) : g.Set(operand, d);
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
  const GradientKey key = Key(g, "callee", 0);
  const BuiltGradient* built = g.Require(key);
  if (!built) return;
  for (int i = 0; i < g.num_operands(); ++i) {
    if (built->wants_zeros[static_cast<size_t>(i)]) g.WantZeros(i);
  }
  const std::string name = g.functions().Name(key, built->used, built->maybe);
  SetWanted(g, 0, key, built->maybe, b.Call(name, Arguments(g, b, 0, built->used)));
}

GRAD(If, kAll, kNone) {
  const GradientKey then_key = Key(g, "then", 1), else_key = Key(g, "else", 1);
  const BuiltGradient* then_built = g.Require(then_key);
  if (!then_built) return;
  const BuiltGradient* else_built = g.Require(else_key);
  if (!else_built) return;
  Mask keep = then_built->used, maybe = then_built->maybe;  // both branches take and return the same
  for (size_t i = 0; i < keep.size(); ++i) {
    keep[i] = keep[i] || else_built->used[i];
    maybe[i] = maybe[i] || else_built->maybe[i];
    if (then_built->wants_zeros[i] || else_built->wants_zeros[i]) g.WantZeros(1 + static_cast<int>(i));
  }
  const std::string yes = g.functions().Name(then_key, keep, maybe), no = g.functions().Name(else_key, keep, maybe);
  SetWanted(g, 1, then_key, maybe, b.If(g.in(0), yes, no, Arguments(g, b, 1, keep)));
}

}  // namespace reel::passes
