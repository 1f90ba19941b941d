#include <algorithm>

#include "passes/gradient/rule.h"
#include "passes/gradient/rules/window.h"

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

// The row-major position of every element among those that are reduced together.
ir::Value PositionInReduced(ir::Builder& b, const Shape& shape, const std::vector<int64_t>& axes) {
  ir::Value position = b.Zeros({kInt64, shape});
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    const ir::Value along = b.Iota(kInt64, shape, axes[i]);
    position = b.Add(position, b.Mul(along, b.ScalarLike(along, static_cast<double>(stride))));
    stride *= shape.dim(static_cast<int>(axes[i]));
  }
  return position;
}

constexpr int64_t kFew = 16;  // elements that are compared one by one

// Values of one shape side by side along a new last axis: y[..., k] = parts[k].
ir::Value SideBySide(ir::Builder& b, const std::vector<ir::Value>& parts) {
  Shape shape = b.shape(parts[0]);
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < shape.rank(); ++i) axes.push_back(i);
  shape.push_back(static_cast<int64_t>(parts.size()));
  const ir::Value k = b.Iota(kInt64, shape, shape.rank() - 1);
  ir::Value y = b.Broadcast(parts.back(), shape, axes);
  for (size_t i = parts.size() - 1; i-- > 0;) {
    const ir::Value here = b.Equal(k, b.ScalarLike(k, static_cast<double>(i)));
    y = b.Select(here, b.Broadcast(parts[i], shape, axes), y);
  }
  return y;
}

// Whether x is windows that overlap: each element is compared in several of them.
bool IsOverlapping(const ir::Function& f, ir::Value x) {
  const ir::Node* node = f.producer(x);
  if (!node || node->op != ir::Op::kWindow) return false;
  const auto& axes = node->attr<std::vector<int64_t>>("axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (WindowsOverlap(*node, i, f.type(x).shape.dim(static_cast<int>(axes[i])))) return true;
  }
  return false;
}

// Of elements that have been compared with the extremum, each one's part of dy: that of the first hit.
std::vector<ir::Value> PartsOfFirst(GradContext& g, ir::Builder& b, const std::vector<ir::Value>& hits) {
  const ir::Value zero = b.ScalarLike(g.dy(), 0);
  std::vector<ir::Value> parts;
  if (IsOverlapping(*b.function(), g.x())) {  // positions are known once, not in every window again
    ir::Value position = b.Full({kInt32, b.shape(hits[0])}, static_cast<double>(hits.size()));
    for (size_t k = hits.size(); k-- > 0;) {
      const ir::Value here = b.ScalarLike(position, static_cast<double>(k));
      position = b.Select(hits[k], here, position);
    }
    for (size_t k = 0; k < hits.size(); ++k) {
      const ir::Value here = b.Equal(position, b.ScalarLike(position, static_cast<double>(k)));
      parts.push_back(b.Select(here, g.dy(), zero));
    }
    return parts;
  }
  ir::Value taken;
  for (ir::Value hit : hits) {
    const ir::Value first = taken.valid() ? b.And(hit, b.Not(taken)) : hit;
    parts.push_back(b.Select(first, g.dy(), zero));
    taken = taken.valid() ? b.Or(taken, hit) : hit;
  }
  return parts;
}

// What GiveToFirst does, for few elements, which are compared one by one: lanes run along an axis that stays.
void GiveToFirstOfFew(GradContext& g, ir::Builder& b) {
  const auto& axes = g.node().attr<std::vector<int64_t>>("axes");
  const Shape shape = g.x_shape();
  std::vector<ir::Value> hits;
  for (ir::Value x : b.Elements(g.x(), axes)) {
    hits.push_back(b.Equal(x, g.y()));
    if (IsFloat(g.x_type().dtype)) hits.back() = b.Or(hits.back(), b.NotEqual(x, x));
  }
  const std::vector<ir::Value> parts = PartsOfFirst(g, b, hits);
  std::vector<int64_t> order, inverse(static_cast<size_t>(shape.rank()));
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!std::binary_search(axes.begin(), axes.end(), i)) order.push_back(i);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  Shape moved;
  for (size_t i = 0; i < order.size(); ++i) {
    moved.push_back(shape[static_cast<int>(order[i])]);
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  g.Set(0, b.Transpose(b.Reshape(SideBySide(b, parts), moved), inverse));
}

// The first element equal to the extremum (the first NaN, if it is NaN) gets all of its cotangent.
void GiveToFirst(GradContext& g, ir::Builder& b) {
  const auto& axes = g.node().attr<std::vector<int64_t>>("axes");
  int64_t count = 1;
  for (int64_t a : axes) count *= g.x_shape().dim(static_cast<int>(a));
  if (count >= 1 && count <= kFew) return GiveToFirstOfFew(g, b);
  const ir::Value position = PositionInReduced(b, g.x_shape(), axes);
  ir::Value hit = b.Equal(g.x(), Unreduce(g, b, g.y()));
  if (IsFloat(g.x_type().dtype)) hit = b.Or(hit, b.NotEqual(g.x(), g.x()));
  const ir::Value never = b.ScalarLike(position, static_cast<double>(count));
  const ir::Value first = b.ReduceMin(b.Select(hit, position, never), axes);
  const ir::Value dy = Unreduce(g, b, g.dy()), zero = b.ScalarLike(dy, 0);
  g.Set(0, b.Select(b.Equal(position, Unreduce(g, b, first)), dy, zero));
}

// The elements equal to the extremum share its cotangent equally.
void Share(GradContext& g, ir::Builder& b) {
  const auto& axes = g.node().attr<std::vector<int64_t>>("axes");
  const auto* first = g.node().attrs().Find("first");
  if (first && std::get<bool>(*first)) return GiveToFirst(g, b);
  const ir::Value hit = b.Cast(b.Equal(g.x(), Unreduce(g, b, g.y())), g.x_type().dtype);
  const ir::Value share = b.Div(g.dy(), b.ReduceSum(hit, axes));
  g.Set(0, b.Mul(hit, Unreduce(g, b, share)));
}

// The products of what comes before each element along the last axis, or after it: y[0] = 1, y[t] =
// x[t - 1] y[t - 1].
ir::Value ProductsOfOthers(ir::Builder& b, ir::Value x, bool after) {
  const Type type = b.type(x);
  const int last = type.shape.rank() - 1;
  const int64_t by = after ? -1 : 1;
  const ir::Value shifted = ShiftAlong(b, x, last, by, 1);
  const ir::Value nothing = b.Full(type, -0.0);  // x + -0 = x for every x
  return b.Recurrence(shifted, ShiftAlong(b, nothing, last, by, 1), last, after);
}

}  // namespace

GRAD(ReduceSum, kNone, kNone) { g.Set(0, Unreduce(g, b, g.dy())); }
GRAD(ReduceMax, kX, kY) { Share(g, b); }
GRAD(ReduceMin, kX, kY) { Share(g, b); }

// The cotangent of each element is dy times the product of all others: right where some are 0,
// unlike y / x.
GRAD(ReduceProd, kX, kNone) {
  const Shape shape = g.x_shape();
  if (shape.has_zero()) return g.Set(0, b.Zeros(g.x_type()));
  const auto& axes = g.node().attr<std::vector<int64_t>>("axes");
  std::vector<int64_t> order, inverse(static_cast<size_t>(shape.rank()));
  Shape moved, rows;
  int64_t reduced = 1;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (std::binary_search(axes.begin(), axes.end(), i)) {
      reduced *= shape.dim(static_cast<int>(i));
    } else {
      order.push_back(i);
      rows.push_back(shape[static_cast<int>(i)]);
    }
  }
  rows.push_back(reduced);
  order.insert(order.end(), axes.begin(), axes.end());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    moved.push_back(shape[static_cast<int>(order[i])]);
  }
  const ir::Value x = b.Reshape(b.Transpose(g.x(), order), rows);
  const ir::Value before = ProductsOfOthers(b, x, false), after = ProductsOfOthers(b, x, true);
  const ir::Value others = b.Transpose(b.Reshape(b.Mul(before, after), moved), inverse);
  g.Set(0, b.Mul(Unreduce(g, b, g.dy()), others));
}

}  // namespace reel::passes
