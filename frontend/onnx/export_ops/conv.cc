#include <algorithm>

#include "frontend/onnx/export_node.h"

namespace reel::onnx {
namespace {

// a[n, s..., g, c] as [n, g c, s...].
Val ImagesFirst(GraphWriter& w, const Val& a, const Shape& shape) {
  const int spatial = shape.rank() - 3;
  Ints order{0, spatial + 1, spatial + 2};
  Shape joined{shape[0], shape.dim(spatial + 1) * shape.dim(spatial + 2)};
  for (int k = 0; k < spatial; ++k) {
    order.push_back(k + 1);
    joined.push_back(shape[k + 1]);
  }
  return w.Reshape(w.Transpose(a, order), joined);
}

// b[k..., g, c, o] as [g o, c, k...].
Val FiltersFirst(GraphWriter& w, const Val& b, const Shape& shape) {
  const int spatial = shape.rank() - 3;
  Ints order{spatial, spatial + 2, spatial + 1};
  Shape joined{shape.dim(spatial) * shape.dim(spatial + 2), shape[spatial + 1]};
  for (int k = 0; k < spatial; ++k) {
    order.push_back(k);
    joined.push_back(shape[k]);
  }
  return w.Reshape(w.Transpose(b, order), joined);
}

// Zeros between the elements of the spatial axes of x[n, c, s...].
Val Spread(GraphWriter& w, Val x, Shape shape, const Ints& dilations) {
  for (int k = 2; k < shape.rank(); ++k) {
    const int64_t zeros = dilations[static_cast<size_t>(k - 2)] - 1;
    if (zeros == 0 || shape.dim(k) < 2) continue;
    Shape apart = shape;
    apart.insert(k + 1, 1);
    Ints pads(static_cast<size_t>(apart.rank()) * 2, 0);
    pads[static_cast<size_t>(apart.rank() + k + 1)] = zeros;
    x = w.Same("Pad", {w.Reshape(x, apart), w.List(pads)});
    shape.set(k, shape.dim(k) * (zeros + 1));
    x = w.Reshape(x, shape);
    shape.set(k, shape.dim(k) - zeros);
    x = w.Slice(x, {0}, {shape.dim(k)}, {k}, {1});
  }
  return x;
}

// Cuts what low and high take away; they are 0 there afterwards.
Val Cut(GraphWriter& w, const Val& x, const Shape& shape, const Ints& dilations, Ints* low, Ints* high) {
  Ints starts, ends, axes;
  for (size_t i = 0; i < low->size(); ++i) {
    if ((*low)[i] >= 0 && (*high)[i] >= 0) continue;
    const int64_t extent = (shape.dim(static_cast<int>(i) + 1) - 1) * dilations[i] + 1;
    axes.push_back(static_cast<int64_t>(i) + 2);
    starts.push_back(std::max<int64_t>(0, -(*low)[i]));
    ends.push_back(extent - std::max<int64_t>(0, -(*high)[i]));
    (*low)[i] = std::max<int64_t>(0, (*low)[i]);
    (*high)[i] = std::max<int64_t>(0, (*high)[i]);
  }
  return axes.empty() ? x : w.Slice(x, starts, ends, axes, Ints(axes.size(), 1));
}

void Conv(const Site& s) {
  GraphWriter& w = s.w();
  const Shape &a = s.shape(0), &b = s.shape(1);
  const int spatial = a.rank() - 3;
  Ints low = s.ints("low"), high = s.ints("high");
  Shape images{a[0], a.dim(spatial + 1) * a.dim(spatial + 2)};
  for (int k = 0; k < spatial; ++k) images.push_back(a[k + 1]);
  Val x = Spread(w, ImagesFirst(w, s.x(0), a), images, s.ints("a_dilation"));
  x = Cut(w, x, a, s.ints("a_dilation"), &low, &high);
  Ints pads = low;
  pads.insert(pads.end(), high.begin(), high.end());
  const Val y = w.Same("Conv", {x, FiltersFirst(w, s.x(1), b)},
                       {IntList("dilations", s.ints("b_dilation")), Int("group", b.dim(spatial)), IntList("pads", pads),
                        IntList("strides", s.ints("strides"))});
  // [n, g o, s...] as [n, s..., g, o].
  const Shape& result = s.result().shape;
  Shape apart{result[0], result[spatial + 1], result[spatial + 2]};
  Ints order{0};
  for (int k = 0; k < spatial; ++k) {
    apart.push_back(result[k + 1]);
    order.push_back(k + 3);
  }
  order.insert(order.end(), {1, 2});
  s.Set(w.Transpose(w.Reshape(y, apart), order));
}

constexpr ExportRow kRows[] = {
    {ir::Op::kConv, Conv, "Conv", "f32; of other dtypes windows and a contraction"},
};

}  // namespace

ExportRows ConvExports() { return kRows; }

}  // namespace reel::onnx
