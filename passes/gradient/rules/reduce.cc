#include <algorithm>

#include "passes/gradient/rule.h"

namespace reel::passes {
namespace {

// A value of the reduced shape, repeated along the reduced axes.
ir::Value Unreduce(GradContext& g, ir::Builder& b, ir::Value v) {
  const auto& reduced = g.node().attr<std::vector<int64_t>>("axes");
  const Shape shape = g.x_shape();
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!std::binary_search(reduced.begin(), reduced.end(), i)) axes.push_back(i);
  }
  return v.valid() && b.shape(v) == shape ? v : b.Broadcast(v, shape, std::move(axes));
}

// The elements equal to the extremum share its cotangent equally.
void Share(GradContext& g, ir::Builder& b) {
  const auto& axes = g.node().attr<std::vector<int64_t>>("axes");
  const ir::Value hit = b.Cast(b.Equal(g.x(), Unreduce(g, b, g.y())), g.x_type().dtype);
  const ir::Value share = b.Div(g.dy(), b.ReduceSum(hit, axes));
  g.Set(0, b.Mul(hit, Unreduce(g, b, share)));
}

}  // namespace

GRAD(ReduceSum, kNone, kNone) { g.Set(0, Unreduce(g, b, g.dy())); }
GRAD(ReduceMax, kX, kY) { Share(g, b); }
GRAD(ReduceMin, kX, kY) { Share(g, b); }

}  // namespace reel::passes
