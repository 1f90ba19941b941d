#include "passes/gradient/rule.h"

namespace reel::passes {

// Reading at indices and adding at indices are each other's transpose; out of range means nothing
// in both.
GRAD(Gather, kB, kNone) {
  const int64_t axis = g.node().attr<int64_t>("axis");
  g.Set(0, b.ScatterAdd(b.Zeros(g.x_type()), g.in(1), g.dy(), axis));
}
GRAD(ScatterAdd, kB, kNone) {
  g.Set(0, g.dy());
  if (g.wants(2)) g.Set(2, b.Gather(g.dy(), g.in(1), g.node().attr<int64_t>("axis")));
}
GRAD(DynamicSlice, kB, kNone) {
  const int64_t axis = g.node().attr<int64_t>("axis");
  g.Set(0, b.DynamicUpdate(b.Zeros(g.x_type()), g.dy(), g.in(1), axis));
}
GRAD(DynamicUpdate, kC, kNone) {
  const int64_t axis = g.node().attr<int64_t>("axis");
  const Type update = g.x_type(1);
  if (g.wants(0)) g.Set(0, b.DynamicUpdate(g.dy(), b.Zeros(update), g.in(2), axis));
  if (g.wants(1)) {
    const int64_t size = update.shape.dim(static_cast<int>(axis));
    g.Set(1, b.DynamicSlice(g.dy(), g.in(2), axis, size));
  }
}

}  // namespace reel::passes
