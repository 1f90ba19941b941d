#include "passes/gradient/rule.h"

namespace reel::passes {
namespace {

using ir::Value;
using Ints = std::vector<int64_t>;

// Pads and cuts the axis of x, at its end, to an extent. The other axes may be symbolic.
Value Fit(ir::Builder& b, Value x, int axis, int64_t extent) {
  const Type type = b.type(x);
  const int64_t have = type.shape.dim(axis);
  if (have == extent) return x;
  const Ints zeros(AxisIndex(type.shape.rank()), 0), ones(AxisIndex(type.shape.rank()), 1);
  if (have < extent) {
    Ints high = zeros;
    high[AxisIndex(axis)] = extent - have;
    return b.Pad(x, b.Scalar(type.dtype, 0), zeros, high, zeros);
  }
  Ints limits;
  for (Extent e : type.shape) limits.push_back(e.is_constant() ? e.value() : -1);
  limits[AxisIndex(axis)] = extent;
  return b.Slice(x, zeros, limits, ones);
}

// x[rest..., size, windows]: row k is spread by the stride and shifted by k * dilation, then the
// rows are added. A row of length extent + dilation, written one after the other and cut again
// every extent elements, moves by dilation a row: all in linear size, by ops that only move
// elements.
Value OverlapAdd(ir::Builder& b, Value x, int64_t extent, int64_t stride, int64_t dilation) {
  const Shape shape = b.shape(x);
  const int last = shape.rank() - 1;
  const int64_t size = shape.dim(last - 1), windows = shape.dim(last);
  Ints low(AxisIndex(shape.rank()), 0), interior = low, high = low;
  interior[AxisIndex(last)] = stride - 1;
  high[AxisIndex(last)] = extent + dilation - ((windows - 1) * stride + 1);
  x = b.Pad(x, b.Scalar(b.type(x).dtype, 0), low, high, interior);
  Shape flat, cut;
  for (int i = 0; i + 1 < last; ++i) flat.push_back(shape[i]);
  cut = flat;
  flat.push_back(size * (extent + dilation));
  cut.push_back(size);
  cut.push_back(extent);
  x = b.Reshape(Fit(b, b.Reshape(x, flat), last - 1, size * extent), cut);
  return b.ReduceSum(x, {last - 1});
}

// Windows along axis i of w that hold no element of each other; `windows` of them.
bool Apart(const ir::Builder::Windows& w, size_t i, int64_t windows) {
  return (w.dilations[i] == 1 || w.sizes[i] == 1) && (windows == 1 || w.sizes[i] <= w.strides[i]);
}

// The transpose of overlapping windows along one axis, whose elements are `element`.
Value CloseAxis(ir::Builder& b, Value x, int axis, int element, const ir::Builder::Windows& w, size_t i,
                int64_t extent) {
  const int rank = b.shape(x).rank();
  Ints order, back;
  for (int k = 0; k < rank; ++k) {
    if (k != axis && k != element) order.push_back(k);
  }
  order.push_back(element);
  order.push_back(axis);
  const int64_t stride = b.shape(x).dim(axis) == 1 ? 1 : w.strides[i];  // of one window it may be anything
  x = OverlapAdd(b, b.Transpose(x, order), extent, stride, w.dilations[i]);
  for (int k = 0; k + 1 < rank; ++k) back.push_back(k < axis ? k : k == axis ? rank - 2 : k - 1);
  return b.Transpose(x, back);
}

// The transpose of windows that do not overlap: each is padded to its stride and takes its place.
Value LayAll(ir::Builder& b, Value x, const ir::Builder::Windows& w, const Shape& shape) {
  const int rank = shape.rank();
  Ints order;
  Shape merged;
  for (int a = 0; a < rank; ++a) {
    order.push_back(a);
    Extent extent = b.shape(x)[a];
    for (size_t i = 0; i < w.axes.size(); ++i) {
      if (w.axes[i] != a) continue;
      const int64_t stride = extent == Extent(1) ? w.sizes[i] : w.strides[i];
      x = Fit(b, x, rank + static_cast<int>(i), stride);
      order.push_back(rank + static_cast<int64_t>(i));
      extent = extent.value() * stride;
    }
    merged.push_back(extent);
  }
  x = b.Reshape(b.Transpose(x, order), merged);
  for (int64_t a : w.axes) x = Fit(b, x, static_cast<int>(a), shape.dim(static_cast<int>(a)));
  return x;
}

}  // namespace

// Every element gets the sum of what the windows that show it got.
GRAD(Window, kNone, kNone) {
  const ir::Node& node = g.node();
  const ir::Builder::Windows w{node.attr<Ints>("axes"), node.attr<Ints>("sizes"), node.attr<Ints>("strides"),
                               node.attr<Ints>("dilations")};
  const Shape shape = g.x_shape();
  if (g.y_type().shape.has_zero()) return g.Set(0, b.Zeros(g.x_type()));
  Value x = g.dy();
  ir::Builder::Windows apart = w;
  for (size_t i = w.axes.size(); i-- > 0;) {
    const auto axis = static_cast<int>(w.axes[i]);
    if (Apart(w, i, g.y_type().shape.dim(axis))) continue;
    x = CloseAxis(b, x, axis, shape.rank() + static_cast<int>(i), w, i, shape.dim(axis));
    for (Ints* list : {&apart.axes, &apart.sizes, &apart.strides, &apart.dilations}) {
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  g.Set(0, LayAll(b, x, apart, shape));
}

}  // namespace reel::passes
