#include "passes/gradient/rule.h"

namespace reel::passes {

// y[t] = a[t] y[t - 1] + b[t]. The cotangent of y[t], later ones included, runs the other way:
//   g[t] = dy[t] + a[t + 1] g[t + 1],  db[t] = g[t],  da[t] = g[t] y[t - 1],  da[0] = 0
GRAD(Recurrence, kA, kY) {
  const auto axis = g.node().attr<int64_t>("axis");
  const bool reverse = g.node().attr<bool>("reverse");
  if (g.x_shape().dim(static_cast<int>(axis)) == 0) {
    g.Set(0, g.dy());
    return g.Set(1, g.dy());
  }
  const int64_t step = reverse ? -1 : 1;
  const ir::Value next = ShiftAlong(b, g.in(0), axis, -step, 0);
  const ir::Value all = b.Recurrence(next, g.dy(), axis, !reverse);
  g.Set(1, all);
  if (!g.wants(0)) return;
  const ir::Value product = b.Mul(ShiftAlong(b, all, axis, -step, 0), g.y());  // da[t + 1]
  g.Set(0, ShiftAlong(b, product, axis, step, 0));
}

}  // namespace reel::passes
