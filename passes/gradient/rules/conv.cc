#include "passes/gradient/rule.h"

namespace reel::passes {
namespace {

using ir::Value;
using Ints = std::vector<int64_t>;
using Geometry = ir::Builder::ConvGeometry;

Geometry GeometryOf(const ir::Node& node) {
  const auto ints = [&node](std::string_view name) { return node.attr<Ints>(name); };
  return {ints("strides"), ints("low"), ints("high"), ints("a_dilation"), ints("b_dilation")};
}

// 0, 1, .. with the named two axes swapped.
Ints Swapped(int rank, int i, int j) {
  Ints order;
  for (int k = 0; k < rank; ++k) order.push_back(k == i ? j : k == j ? i : k);
  return order;
}

// n elements with dilation - 1 between them.
int64_t Spread(int64_t n, int64_t dilation) { return n == 0 ? 0 : (n - 1) * dilation + 1; }

}  // namespace

// y[i] = sum_k a'[i s + k d] b[k] with a'[j + low] = a[j / D] where D divides j. Both gradients are
// convolutions:
//   da[m] = sum_k dy'[m D + low - k d] b[k]: dy spread by s, b reversed with channels and outputs
//   swapped, steps of D db[k] = sum_i a'[k d + i s] dy[i]: dy spread by s is the filter, steps of
//   d; the batch is what is contracted
// The upper padding is what makes the extents those of a and b.
GRAD_EACH(Conv, kB, kNone, kA, kNone) {
  const Geometry q = GeometryOf(g.node());
  const Shape a = g.x_shape(0), filter = g.x_shape(1), y = g.y_type().shape;
  const int spatial = a.rank() - 3;
  Geometry input{q.a_dilation, {}, {}, q.strides, q.b_dilation},
      weight{q.b_dilation, q.low, {}, q.a_dilation, q.strides};
  Ints axes;
  for (int i = 0; i < spatial; ++i) {
    const auto n = static_cast<size_t>(i);
    const int64_t reach = Spread(filter.dim(i), q.b_dilation[n]) - 1, spread = Spread(y.dim(i + 1), q.strides[n]);
    axes.push_back(i);
    input.low.push_back(reach - q.low[n]);
    input.high.push_back(Spread(a.dim(i + 1), q.a_dilation[n]) + reach - spread - input.low.back());
    weight.high.push_back(reach + spread - Spread(a.dim(i + 1), q.a_dilation[n]) - q.low[n]);
  }
  if (g.wants(0)) {
    if (a.has_zero() || y.has_zero()) {
      g.Set(0, b.Zeros(g.x_type(0)));
    } else {
      const Value turned = b.Transpose(b.Reverse(g.in(1), axes), Swapped(spatial + 3, spatial + 1, spatial + 2));
      g.Set(0, b.Conv(g.dy(), turned, input));
    }
  }
  if (g.wants(1)) {
    if (filter.has_zero() || y.has_zero()) return g.Set(1, b.Zeros(g.x_type(1)));
    // [n, s..., g, c] -> [c, s..., g, n]; [n, s..., g, o] -> [s..., g, n, o]; result [c, k..., g,
    // o] -> [k..., g, c, o]
    Ints to_filter, from_result;
    for (int i = 0; i <= spatial; ++i) to_filter.push_back(i + 1), from_result.push_back(i + 1);
    to_filter.insert(to_filter.end(), {0, spatial + 2});
    from_result.insert(from_result.end(), {0, spatial + 2});
    const Value rows = b.Transpose(g.in(0), Swapped(spatial + 3, 0, spatial + 2));
    g.Set(1, b.Transpose(b.Conv(rows, b.Transpose(g.dy(), to_filter), weight), from_result));
  }
}

}  // namespace reel::passes
