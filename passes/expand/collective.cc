#include <string>
#include <vector>

#include "passes/expand/rule.h"

// Members send each other elements; what is added, each adds itself, by ops like any other: so the bits of a sum are
// those of its tree, whatever carries the bytes, and a transport knows no dtypes.

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;
using ir::ValueList;

// Up to so many elements every member gets all members' and adds them itself: one exchange in the place of two.
constexpr int64_t kGatheredElements = 4096;

Value Combine(ir::Builder& b, const std::string& kind, Value x, Value y) {
  return kind == "max" ? b.Max(x, y) : b.Add(x, y);
}

// Row i of x[rows, n].
Value Row(ir::Builder& b, Value x, int64_t i) {
  const int64_t n = b.shape(x).dim(1);
  return b.Reshape(b.Slice(x, {i, 0}, {i + 1, n}, {1, 1}), {n});
}

// The rows of x[rows, n] combined in a balanced tree: neighbours first, one that is left over goes up as it is.
Value ReduceRows(ir::Builder& b, const std::string& kind, Value x) {
  const int64_t rows = b.shape(x).dim(0);
  ValueList level;
  for (int64_t i = 0; i < rows; ++i) level.push_back(Row(b, x, i));
  while (level.size() > 1) {
    ValueList next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(Combine(b, kind, level[i], level[i + 1]));
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = std::move(next);
  }
  if (kind != "mean") return level[0];
  return b.Div(level[0], b.ScalarLike(level[0], static_cast<double>(rows)));
}

Value Move(ir::Builder& b, Op op, int64_t size, Value x) { return b.Emit(op, {x}, {{"size", size}}); }

}  // namespace

EXPAND(AllReduce) {
  ir::Builder& b = c.b;
  const auto size = c.node.attr<int64_t>("size");
  const auto& kind = c.node.attr<std::string>("kind");
  const Type type = c.x_type();
  if (size == 1) return {b.Identity(c.x())};
  const int64_t n = type.shape.size();
  const Value flat = b.Reshape(c.x(), {n});
  if (n <= kGatheredElements) {
    return {b.Reshape(ReduceRows(b, kind, b.Reshape(Move(b, Op::kAllGather, size, flat), {size, n})), type.shape)};
  }
  const int64_t part = (n + size - 1) / size, padding = part * size - n;
  const Value padded = padding == 0 ? flat : b.Pad(flat, b.Scalar(type.dtype, 0), {0}, {padding}, {0});
  const Value parts = b.Reshape(Move(b, Op::kAllToAll, size, padded), {size, part});
  const Value all = Move(b, Op::kAllGather, size, ReduceRows(b, kind, parts));
  return {b.Reshape(padding == 0 ? all : b.Slice(all, {0}, {n}, {1}), type.shape)};
}

EXPAND(ReduceScatter) {
  ir::Builder& b = c.b;
  const auto size = c.node.attr<int64_t>("size");
  if (size == 1) return {b.Identity(c.x())};
  const Shape shape = b.function()->type(c.x()).shape;
  const int64_t n = shape.size() / size;
  const Value parts = b.Reshape(Move(b, Op::kAllToAll, size, c.x()), {size, n});
  Shape result = shape;
  result.set(0, shape.dim(0) / size);
  return {b.Reshape(ReduceRows(b, c.node.attr<std::string>("kind"), parts), result)};
}

}  // namespace reel::passes
