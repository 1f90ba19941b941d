#include "passes/vectorize/rule.h"

namespace reel::passes {
namespace {

using ir::Value;

// Axis `axis` and the next as one.
Value Merged(ir::Builder& b, Value x, int axis) {
  const Shape from = b.shape(x);
  Shape shape;
  for (int i = 0; i < from.rank(); ++i) {
    if (i == axis + 1) continue;
    i == axis ? shape.push_back(from.dim(i) * from.dim(i + 1)) : shape.push_back(from[i]);
  }
  return b.Reshape(x, shape);
}

// Axis `axis` as two, the first of them of extent `first`.
Value Split(ir::Builder& b, Value x, int axis, int64_t first) {
  const Shape from = b.shape(x);
  Shape shape;
  for (int i = 0; i < from.rank(); ++i) {
    if (i != axis) {
      shape.push_back(from[i]);
      continue;
    }
    shape.push_back(first);
    shape.push_back(first == 0 ? 0 : from.dim(i) / first);
  }
  return b.Reshape(x, shape);
}

}  // namespace

// Rows of the input join its batch, rows of the filter its outputs, rows of both are groups.
//   a[n, s..., g, c], b[k..., g, c, o] -> [n, s..., g, o]
BATCH(Conv) {
  const int64_t rows = c.CountRows();
  const int spatial = c.x_type().shape.rank() - 3;
  const Shape result = WithRows(b, rows, c.y_type().shape);
  if (!b.status().ok()) return;
  if (result.size() == 0) return c.Set(0, b.Zeros({c.y_type().dtype, result}));
  const ir::Builder::ConvGeometry geometry{c.ints("strides"), c.ints("low"), c.ints("high"), c.ints("a_dilation"),
                                           c.ints("b_dilation")};
  if (!c.batched(1)) {
    return c.Set(0, Split(b, b.Conv(Merged(b, c.in(0), 0), c.in(1), geometry), 0, rows));
  }
  const int axis = c.batched(0) ? spatial + 1 : spatial + 2;  // of the result, where the rows are
  Value input = c.in(0), filter = MoveAxis(b, c.in(1), 0, c.batched(0) ? spatial : spatial + 2);
  if (c.batched(0)) input = Merged(b, MoveAxis(b, input, 0, axis), axis);
  filter = Merged(b, filter, c.batched(0) ? spatial : axis);
  const Value y = Split(b, b.Conv(input, filter, geometry), axis, rows);
  if (y.valid()) c.Set(0, MoveAxis(b, y, axis, 0));
}

}  // namespace reel::passes
