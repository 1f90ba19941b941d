#include "ir/strings.h"
#include "passes/gradient/rule.h"

namespace reel::passes {

absl::StatusOr<std::vector<ir::Value>> Jvp(ir::Function* f, ir::Module* m,
                                           absl::Span<const ir::Value> ys,
                                           absl::Span<const ir::Value> xs,
                                           absl::Span<const ir::Value> dxs) {
  if (dxs.size() != xs.size()) {
    return absl::InvalidArgumentError(
        StrCat("jvp: length mismatch: ", dxs.size(), " tangents for ", xs.size(), " xs"));
  }
  std::vector<ir::Value> tangents(ys.size()), moving, moving_dx;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!dxs[i].valid()) continue;
    moving.push_back(xs[i]);
    moving_dx.push_back(dxs[i]);
  }
  // u: any value would do, but not 0, for which sqrt's rule has an answer of its own.
  ir::Builder b(f, m);
  std::vector<ir::Value> smooth, u;
  std::vector<size_t> position;
  for (size_t i = 0; i < ys.size(); ++i) {
    if (!IsDifferentiable(f->type(ys[i]).dtype)) continue;
    smooth.push_back(ys[i]);
    u.push_back(b.Ones(Type(f->type(ys[i]))));
    position.push_back(i);
  }
  if (!b.status().ok()) return b.status();
  if (smooth.empty() || moving.empty()) return tangents;
  const auto g = Gradients(f, m, smooth, moving, {.grad_ys = u});
  if (!g.ok()) return g.status();
  GradientOptions options;
  std::vector<ir::Value> connected;
  for (size_t i = 0; i < moving.size(); ++i) {
    if (!(*g)[i].valid()) continue;
    connected.push_back((*g)[i]);
    options.grad_ys.push_back(moving_dx[i]);
  }
  if (connected.empty()) return tangents;
  const auto along = Gradients(f, m, connected, u, options);
  if (!along.ok()) return along.status();
  for (size_t i = 0; i < smooth.size(); ++i) tangents[position[i]] = (*along)[i];
  return tangents;
}

}  // namespace reel::passes
