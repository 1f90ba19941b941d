#include <algorithm>

#include "passes/gradient/rule.h"

namespace reel::passes {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

NOT_DIFFERENTIABLE(Constant)
NOT_DIFFERENTIABLE(Iota)
GRAD(Reshape, kNone, kNone) { g.Set(0, b.Reshape(g.dy(), g.x_shape())); }

GRAD(Transpose, kNone, kNone) {
  const auto& permutation = g.node().attr<Ints>("permutation");
  Ints inverse(permutation.size());
  for (size_t i = 0; i < inverse.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  g.Set(0, b.Transpose(g.dy(), std::move(inverse)));
}

// Elements that the slice skipped get 0: before, after and between.
GRAD(Slice, kNone, kNone) {
  const auto &starts = g.node().attr<Ints>("starts"), &strides = g.node().attr<Ints>("strides");
  const Shape shape = g.x_shape(), sliced = g.y_type().shape;
  Ints low = starts, high, interior;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!shape[i].is_constant()) {  // whole
      high.push_back(0);
      interior.push_back(0);
      continue;
    }
    const int64_t n = sliced.dim(i);
    const int64_t span = n == 0 ? 0 : (n - 1) * strides[AxisIndex(i)] + 1;
    high.push_back(shape.dim(i) - low[AxisIndex(i)] - span);
    interior.push_back(strides[AxisIndex(i)] - 1);
  }
  const ir::Value zero = b.Scalar(g.y_type().dtype, 0);
  g.Set(0, b.Pad(g.dy(), zero, std::move(low), std::move(high), std::move(interior)));
}

// Sum over the repeated axes, then back to extents of 1 where the operand had them.
GRAD(Broadcast, kNone, kNone) {
  const auto& axes = g.node().attr<Ints>("axes");
  const Shape from = g.x_shape(), to = g.y_type().shape;
  Ints repeated;
  for (int i = 0; i < to.rank(); ++i) {
    const auto at = std::find(axes.begin(), axes.end(), i);
    const auto axis = static_cast<int>(at - axes.begin());
    if (at == axes.end() || from[axis] != to[i]) repeated.push_back(i);
  }
  g.Set(0, b.Reshape(b.ReduceSum(g.dy(), std::move(repeated)), from));
}

GRAD(Pad, kNone, kNone) {
  const auto &low = g.node().attr<Ints>("low"), &high = g.node().attr<Ints>("high"),
             &interior = g.node().attr<Ints>("interior");
  const Shape shape = g.x_shape();
  if (g.wants(0)) {
    Ints limits, strides;
    for (int i = 0; i < shape.rank(); ++i) {
      if (!shape[i].is_constant()) {  // not padded
        limits.push_back(-1);
        strides.push_back(1);
        continue;
      }
      const int64_t n = shape.dim(i);
      limits.push_back(low[AxisIndex(i)] + (n == 0 ? 0 : (n - 1) * (interior[AxisIndex(i)] + 1) + 1));
      strides.push_back(interior[AxisIndex(i)] + 1);
    }
    g.Set(0, b.Slice(g.dy(), low, std::move(limits), std::move(strides)));
  }
  if (g.wants(1)) {  // the sum of dy where the padding is
    const ir::Value no = b.Zeros({kBool, shape}), yes = b.Scalar(kBool, 1);
    const ir::Value padding = b.Pad(no, yes, low, high, interior);
    Ints all;
    for (int i = 0; i < shape.rank(); ++i) all.push_back(i);
    const ir::Value kept = b.Select(padding, g.dy(), b.ScalarLike(g.dy(), 0));
    g.Set(1, b.ReduceSum(kept, std::move(all)));
  }
}

GRAD(Reverse, kNone, kNone) { g.Set(0, b.Reverse(g.dy(), g.node().attr<Ints>("axes"))); }

}  // namespace reel::passes
