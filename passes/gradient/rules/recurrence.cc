#include "passes/gradient/rule.h"

namespace reel::passes {
namespace {

using ir::Value;
using Ints = std::vector<int64_t>;

// Along the axis: without the last element (or the first), and with a zero before (or after).
Value Cut(ir::Builder& b, Value x, int64_t axis, bool first) {
  const Shape shape = b.shape(x);
  Ints starts(static_cast<size_t>(shape.rank()), 0), limits = shape.dims();
  const Ints ones(starts.size(), 1);
  (first ? ++starts[static_cast<size_t>(axis)] : --limits[static_cast<size_t>(axis)]);
  return b.Slice(x, std::move(starts), std::move(limits), ones);
}
Value Extend(ir::Builder& b, Value x, int64_t axis, bool before) {
  const Type type = b.type(x);
  Ints low(static_cast<size_t>(type.shape.rank()), 0), high = low;
  const Ints none = low;
  (before ? low : high)[static_cast<size_t>(axis)] = 1;
  return b.Pad(x, b.Scalar(type.dtype, 0), std::move(low), std::move(high), none);
}

}  // namespace

// y[t] = a[t] y[t - 1] + b[t]. The cotangent of y[t], later ones included, runs the other way:
//   g[t] = dy[t] + a[t + 1] g[t + 1],  db[t] = g[t],  da[t] = g[t] y[t - 1],  da[0] = 0
GRAD(Recurrence, kA, kY) {
  const auto axis = g.node().attr<int64_t>("axis");
  const bool reverse = g.node().attr<bool>("reverse");
  if (g.x_shape().dim(static_cast<int>(axis)) == 0) {
    g.Set(0, g.dy());
    return g.Set(1, g.dy());
  }
  const Value next = Extend(b, Cut(b, g.in(0), axis, !reverse), axis, reverse);
  const Value all = b.Recurrence(next, g.dy(), axis, !reverse);
  g.Set(1, all);
  if (!g.wants(0)) return;
  const Value before = Cut(b, g.y(), axis, reverse);
  g.Set(0, Extend(b, b.Mul(Cut(b, all, axis, !reverse), before), axis, !reverse));
}

}  // namespace reel::passes
