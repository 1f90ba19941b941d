#include <algorithm>
#include <cmath>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/ops/conv.h"
#include "ir/strings.h"
#include "reel/conv.h"
#include "reel/shapes.h"

// Images sampled at computed places. Each sample is a weighted sum of neighbouring pixels, so x and
// the places have gradients.

namespace reel::onnx {
namespace {

// Pixels of x [n, c, extents...] at these coordinates, each of shape [...], in images of that shape:
// [..., c].
Tensor PixelsAt(const Tensor& x, const Tensor& image, const std::vector<Tensor>& at) {
  std::vector<int64_t> last = {0};
  for (int i = 2; i < x.rank(); ++i) last.push_back(i);
  last.push_back(1);
  Tensor position = image;
  for (size_t i = 0; i < at.size(); ++i)
    position = position * x.shape().dim(static_cast<int>(i) + 2) + Cast(at[i], kInt64);
  return Gather(Reshape(Transpose(x, last), {-1, x.shape().dim(1)}), position, 0);
}

struct Grid {
  std::string mode, padding;
  bool align_corners = false;
};

// Places beyond the ends mirrored at them: at the outer pixels' centres, or at their edges.
Tensor Reflected(const Tensor& at, int64_t extent, bool align_corners) {
  const double low = align_corners ? 0 : -0.5;
  const double span = static_cast<double>(extent) - (align_corners ? 1 : 0);
  if (span <= 0) return ZerosLike(at);
  const Tensor offset = Abs(at - low);
  const Tensor inside = offset - Floor(offset / (2 * span)) * (2 * span);
  return Minimum(inside, 2 * span - inside) + low;
}

// One axis of a sample: pixels and weights, and 0 where padding reads zeros.
struct Neighbour {
  Tensor pixel, weight;
};

std::vector<Neighbour> Neighbours(const Grid& g, Tensor at, int64_t extent) {
  const double last = static_cast<double>(extent) - 1;
  if (g.padding == "border") at = Minimum(Maximum(at, 0.0), last);
  if (g.padding == "reflection") at = Reflected(at, extent, g.align_corners);
  std::vector<Neighbour> out;
  const auto add = [&](Tensor pixel, Tensor weight) {
    if (g.padding == "reflection" && g.mode == "bicubic") pixel = Reflected(pixel, extent, g.align_corners);
    const Tensor clamped = Minimum(Maximum(pixel, 0.0), last);
    if (g.padding == "zeros") weight = Where(pixel == clamped, weight, ScalarLike(weight, 0));
    out.push_back({clamped, weight});
  };
  const Tensor floor = Floor(at), t = at - floor;
  if (g.mode == "nearest") {  // ties to even
    const Tensor half = floor / 2.0;
    const Tensor up = LogicalOr(t > 0.5, LogicalAnd(t == 0.5, half != Floor(half)));
    add(floor + Cast(up, at.dtype()), OnesLike(at));
  } else if (g.mode == "bilinear") {
    add(floor, 1.0 - t);
    add(floor + 1.0, t);
  } else {
    constexpr double a = -0.75;  // Keys' kernel, at distances t + 1, t, 1 - t and 2 - t
    const auto outer = [&](const Tensor& d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    const auto inner = [&](const Tensor& d) { return ((a + 2) * d - (a + 3)) * d * d + 1.0; };
    add(floor - 1.0, outer(t + 1.0));
    add(floor, inner(t));
    add(floor + 1.0, inner(1.0 - t));
    add(floor + 2.0, outer(2.0 - t));
  }
  return out;
}

using Combine = Tensor (*)(const Operand&, const Operand&);

// Every choice of one neighbour an axis: pixels of x in these images by the product of the weights,
// combined: [..., c].
Tensor Sampled(const Tensor& x, const Tensor& image, const std::vector<std::vector<Neighbour>>& axes, Combine combine) {
  Tensor out;
  size_t choices = 1;
  for (const auto& axis : axes) choices *= axis.size();
  for (size_t choice = 0; choice < choices; ++choice) {
    std::vector<Tensor> pixels;
    Tensor weight;
    size_t rest = choice, stride = choices;
    for (const auto& axis : axes) {
      stride /= axis.size();
      const Neighbour& n = axis[rest / stride];
      rest %= stride;
      pixels.push_back(n.pixel);
      weight = weight.defined() ? weight * n.weight : n.weight;
    }
    const Tensor part = PixelsAt(x, image, pixels) * ExpandDims(weight, -1);
    out = out.defined() ? combine(out, part) : part;
  }
  return out;
}

// [n, places..., c] as [n, c, places...].
Tensor ChannelsFirst(const Tensor& y) { return MoveAxis(y, -1, 1); }

// Coordinate i of the last axis of the grid, from [-1, 1] to pixels.
Tensor Place(const Grid& g, const Tensor& grid, int64_t i, int64_t extent) {
  const auto n = static_cast<double>(extent);
  const Tensor x = Squeeze(TakeAt(grid, {i}, grid.rank() - 1), -1);
  return g.align_corners ? (x + 1.0) * ((n - 1) / 2) : ((x + 1.0) * n - 1.0) / 2.0;
}

// x [n, c, extents...] at grid [n, places..., axes] of (x, y), (x, y, z). Opset 20 renamed the modes.
Tensors ImportGridSample(const NodeContext& c) {
  const Tensor x = c.In(0), grid = c.In(1);
  Grid g{c.String("mode", "linear"), c.String("padding_mode", "zeros"), c.Int("align_corners", 0) != 0};
  const int n = x.rank() - 2;
  if (n < 1 || grid.rank() != x.rank() || grid.shape().dim(n + 1) != n)
    Wrong(StrCat("images and places are needed, got ", x.type().ToString(), " and ", grid.type().ToString()));
  if (g.mode == "linear") g.mode = "bilinear";
  if (g.mode == "cubic") g.mode = "bicubic";
  if (g.mode != "nearest" && g.mode != "bilinear" && g.mode != "bicubic")
    Refuse(StrCat("mode ", g.mode, "; nearest, linear and cubic are supported"));
  std::vector<std::vector<Neighbour>> axes;
  for (int i = 0; i < n; ++i) {
    const int64_t extent = x.shape().dim(i + 2);
    axes.push_back(Neighbours(g, Place(g, grid, n - 1 - i, extent), extent));
  }
  const Tensor image = Iota(Shape(Dims(grid.shape(), 0, n + 1)), 0);
  return {ChannelsFirst(Sampled(x, image, axes, Add))};
}

// Places [n, extents..., axes] of (x, y, 1), (x, y, z, 1) times theta [n, axes, axes + 1].
Tensors ImportAffineGrid(const NodeContext& c) {
  const Tensor theta = c.In(0);
  const std::vector<int64_t> size = c.KnownInts(1);
  const bool corners = c.Int("align_corners", 0) != 0;
  const auto n = static_cast<int64_t>(size.size()) - 2;
  if (n < 1 || theta.shape() != Shape({size[0], n, n + 1}))
    Wrong(StrCat("theta ", theta.type().ToString(), " for ", n, " axes"));
  const Shape shape = ShapeOf({size.begin() + 2, size.end()});
  Tensors coordinates;
  for (int64_t axis = n; axis-- > 0;) {
    const auto extent = static_cast<double>(shape.dim(static_cast<int>(axis)));
    const Tensor i = Iota(shape, axis, theta.dtype());
    const Tensor at = corners ? i * (2 / std::max(extent - 1, 1.0)) - 1.0 : (i * 2.0 + 1.0) / extent - 1.0;
    coordinates.push_back(Reshape(at, {-1}));
  }
  coordinates.push_back(Ones(coordinates[0].shape(), theta.dtype()));
  const Tensor places = MatMul(Stack(coordinates, 1), Transpose(theta, {0, 2, 1}));
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin(), size[0]);
  dims.push_back(n);
  return {Reshape(places, dims)};
}

// Where a filter's elements look along one axis: [n, groups, filter..., places...], moved by the
// offsets of that axis.
Tensor FilterPlaces(const Tensor& offset, const ConvOptions& o, int axis, int n) {
  const auto a = static_cast<size_t>(axis);
  const int64_t low = o.low.empty() ? 0 : o.low[a];
  const Shape& shape = offset.shape();
  const DType dtype = offset.dtype();
  return offset + Iota(shape, 2 + axis, dtype) * static_cast<double>(o.dilation[a]) +
         Iota(shape, 2 + n + axis, dtype) * static_cast<double>(o.strides[a]) - static_cast<double>(low);
}

// A convolution whose filter's elements look at places that are moved by offsets
// [n, groups * filter... * axes, places...], weighed by a mask.
Tensors ImportDeformConv(const NodeContext& c) {
  const Tensor x = c.In(0), w = c.In(1), offsets = c.In(2);
  const ConvOptions o = ReadConv(c, x);
  const int n = x.rank() - 2;
  const int64_t groups = c.Int("offset_group", 1);
  if (w.rank() != x.rank() || offsets.rank() != x.rank() || groups < 1 || x.shape().dim(1) % groups != 0)
    Wrong(StrCat("a filter and offsets are needed, got ", w.type().ToString(), " and ", offsets.type().ToString()));
  const std::vector<int64_t> filter = Dims(w.shape(), 2, n + 2), places = Dims(offsets.shape(), 2, n + 2);
  const auto shaped = [&](std::vector<int64_t> dims) {
    dims.insert(dims.begin(), {x.shape().dim(0), groups});
    dims.insert(dims.end(), places.begin(), places.end());
    return dims;
  };
  std::vector<int64_t> with_axes = filter;
  with_axes.push_back(n);
  const Tensor moved = Reshape(offsets, shaped(with_axes));
  std::vector<std::vector<Neighbour>> axes;
  const Grid g{"bilinear", "zeros"};
  for (int i = 0; i < n; ++i) {
    const Tensor offset = Squeeze(TakeAt(moved, {i}, 2 + n), 2 + n);
    axes.push_back(Neighbours(g, FilterPlaces(offset, o, i, n), x.shape().dim(i + 2)));
  }
  // The channels of each group of offsets are an image of their own.
  const int64_t channels = x.shape().dim(1) / groups, count = Product(filter), area = Product(places);
  std::vector<int64_t> images = {x.shape().dim(0) * groups, channels};
  for (int i = 0; i < n; ++i) images.push_back(x.shape().dim(i + 2));
  const Shape shape = ShapeOf(shaped(filter));
  Tensor y = Sampled(Reshape(x, images), Iota(shape, 0) * groups + Iota(shape, 1), axes, Add);
  if (c.Has(4)) y = y * ExpandDims(Reshape(c.In(4), shape.dims()), -1);
  y = Transpose(Reshape(y, {x.shape().dim(0), groups, count, area, channels}), {0, 1, 4, 2, 3});
  y = Reshape(y, {x.shape().dim(0), x.shape().dim(1) * count, area});
  const Tensor flat = Reshape(w, {w.shape().dim(0), w.shape().dim(1) * count, 1});
  y = Conv(y, flat, {.groups = o.groups, .format = kChannelsFirst});
  std::vector<int64_t> dims = places;
  dims.insert(dims.begin(), {x.shape().dim(0), w.shape().dim(0)});
  y = Reshape(y, dims);
  return {c.Has(3) ? y + Along(c.In(3), 1, y.rank()) : y};
}

// One axis of the regions [r]: `samples` places in each of `bins` parts, [r, bins, samples].
Tensor RegionPlaces(const Tensor& start, const Tensor& extent, int64_t bins, int64_t samples) {
  const Shape shape = ShapeOf({start.shape().dim(0), bins, samples});
  const auto wide = [](const Tensor& t) { return Reshape(t, {-1, 1, 1}); };
  const Tensor inside = (Iota(shape, 2, start.dtype()) + 0.5) / static_cast<double>(samples);
  const Tensor part = Iota(shape, 1, start.dtype()) + inside;
  return wide(start) + part * wide(extent / static_cast<double>(bins));
}

// The mean, or maximum, over samples of each part of the regions [r, 4] = (x1, y1, x2, y2) of their images.
Tensors ImportRoiAlign(const NodeContext& c) {
  const Tensor x = c.In(0), regions = c.In(1), images = c.In(2);
  const bool half = c.opset() >= 16 && c.String("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  const int64_t height = c.Int("output_height", 1), width = c.Int("output_width", 1);
  const int64_t samples = c.Int("sampling_ratio", 0);
  const double scale = c.Float("spatial_scale", 1);
  const std::string mode = c.String("mode", "avg");
  if (mode != "avg" && mode != "max") Wrong(StrCat("mode ", mode, "; it must be avg or max"));
  if (samples < 1) Refuse("a number of samples that depends on the regions; set sampling_ratio");
  if (x.rank() != 4 || regions.rank() != 2 || regions.shape().dim(1) != 4)
    Wrong(StrCat("images and regions are needed, got ", x.type().ToString(), " and ", regions.type().ToString()));
  const auto corner = [&](int64_t i) { return Squeeze(TakeAt(regions, {i}, 1), 1) * scale - (half ? 0.5 : 0.0); };
  const auto places = [&](int64_t i, int64_t bins) {
    const Tensor start = corner(i), extent = corner(i + 2) - start;
    return RegionPlaces(start, half ? extent : Maximum(extent, 1.0), bins, samples);
  };
  // Within a pixel of the image the nearest pixels count, beyond it nothing does.
  const auto neighbours = [&](const Tensor& at, int axis, const std::vector<int64_t>& dims) {
    const int64_t extent = x.shape().dim(axis);
    const Tensor near = LogicalAnd(at >= -1.0, at <= static_cast<double>(extent));
    auto list = Neighbours({"bilinear", "border"}, at, extent);
    for (Neighbour& n : list) {
      n.weight = Reshape(Where(near, n.weight, ScalarLike(at, 0)), dims);
      n.pixel = Reshape(n.pixel, dims);
    }
    return list;
  };
  const int64_t count = regions.shape().dim(0);
  const Tensor image = Reshape(Cast(images, kInt64), {-1, 1, 1, 1, 1});
  const std::vector<std::vector<Neighbour>> axes = {neighbours(places(1, height), 2, {count, height, 1, samples, 1}),
                                                    neighbours(places(0, width), 3, {count, 1, width, 1, samples})};
  // What is largest are weighted pixels, not their sums.
  const Tensor y = Sampled(x, image, axes, mode == "avg" ? static_cast<Combine>(Add) : Maximum);
  return {ChannelsFirst(mode == "avg" ? ReduceMean(y, {3, 4}) : ReduceMax(y, {3, 4}))};
}

constexpr OpRow kRows[] = {
    {"AffineGrid", 20, ImportAffineGrid},
    {"DeformConv", 19, ImportDeformConv},
    {"GridSample", 16, ImportGridSample},
    {"RoiAlign", 10, ImportRoiAlign},
};

}  // namespace

absl::Span<const OpRow> SampleOps() { return kRows; }

}  // namespace reel::onnx
