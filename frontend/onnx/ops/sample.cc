#include <cmath>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"

// Images sampled at computed places. Each sample is a weighted sum of neighbouring pixels, so x and
// the places have gradients.

namespace reel::onnx {
namespace {

// Pixels of x [n, c, h, w] at rows y and columns x of shape [n, ...], image b[...]: [n, ..., c].
Tensor PixelsAt(const Tensor& x, const Tensor& image, const Tensor& row, const Tensor& column) {
  const int64_t height = x.shape().dim(2), width = x.shape().dim(3);
  const Tensor flat = Reshape(Transpose(x, {0, 2, 3, 1}), {-1, x.shape().dim(1)});
  return Gather(flat, (image * height + Cast(row, kInt64)) * width + Cast(column, kInt64), 0);
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

// Column i of the last axis of the grid, from [-1, 1] to pixels.
Tensor Place(const Grid& g, const Tensor& grid, int64_t i, int64_t extent) {
  const auto n = static_cast<double>(extent);
  const Tensor x = Squeeze(TakeAt(grid, {i}, 3), 3);
  return g.align_corners ? (x + 1.0) * ((n - 1) / 2) : ((x + 1.0) * n - 1.0) / 2.0;
}

// x [n, c, h, w] at grid [n, rows, columns, 2] of (x, y).
Tensors ImportGridSample(const NodeContext& c) {
  const Tensor x = c.In(0), grid = c.In(1);
  const Grid g{c.String("mode", "bilinear"), c.String("padding_mode", "zeros"), c.Int("align_corners", 0) != 0};
  if (x.rank() != 4 || grid.rank() != 4 || grid.shape().dim(3) != 2)
    Wrong(StrCat("images and places are needed, got ", x.type().ToString(), " and ", grid.type().ToString()));
  if (g.mode != "nearest" && g.mode != "bilinear" && g.mode != "bicubic")
    Refuse(StrCat("mode ", g.mode, "; nearest, bilinear and bicubic are supported"));
  const Tensor image = Iota(Shape(Dims(grid.shape(), 0, 3)), 0);
  Tensor sum;
  const auto columns = Neighbours(g, Place(g, grid, 0, x.shape().dim(3)), x.shape().dim(3));
  for (const Neighbour& row : Neighbours(g, Place(g, grid, 1, x.shape().dim(2)), x.shape().dim(2))) {
    for (const Neighbour& column : columns) {
      const Tensor weight = ExpandDims(row.weight * column.weight, 3);
      const Tensor part = PixelsAt(x, image, row.pixel, column.pixel) * weight;
      sum = sum.defined() ? sum + part : part;
    }
  }
  return {Transpose(sum, {0, 3, 1, 2})};
}

// One axis of the regions [r]: `samples` places in each of `bins` parts, [r, bins, samples].
Tensor RegionPlaces(const Tensor& start, const Tensor& extent, int64_t bins, int64_t samples) {
  const Shape shape = ShapeOf({start.shape().dim(0), bins, samples});
  const auto wide = [](const Tensor& t) { return Reshape(t, {-1, 1, 1}); };
  const Tensor inside = (Iota(shape, 2, start.dtype()) + 0.5) / static_cast<double>(samples);
  const Tensor part = Iota(shape, 1, start.dtype()) + inside;
  return wide(start) + part * wide(extent / static_cast<double>(bins));
}

// The mean over samples of each part of the regions [r, 4] = (x1, y1, x2, y2) of their images.
Tensors ImportRoiAlign(const NodeContext& c) {
  const Tensor x = c.In(0), regions = c.In(1), images = c.In(2);
  const bool half = c.opset() >= 16 && c.String("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  const int64_t height = c.Int("output_height", 1), width = c.Int("output_width", 1);
  const int64_t samples = c.Int("sampling_ratio", 0);
  const double scale = c.Float("spatial_scale", 1);
  if (c.String("mode", "avg") != "avg") Refuse("mode max; avg is supported");
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
  const auto columns = neighbours(places(0, width), 3, {count, 1, width, 1, samples});
  Tensor sum;
  for (const Neighbour& row : neighbours(places(1, height), 2, {count, height, 1, samples, 1})) {
    for (const Neighbour& column : columns) {
      const Tensor weight = ExpandDims(row.weight * column.weight, 5);
      const Tensor part = PixelsAt(x, image, row.pixel, column.pixel) * weight;
      sum = sum.defined() ? sum + part : part;
    }
  }
  return {Transpose(ReduceMean(sum, {3, 4}), {0, 3, 1, 2})};
}

constexpr OpRow kRows[] = {
    {"GridSample", 16, ImportGridSample},
    {"RoiAlign", 10, ImportRoiAlign},
};

}  // namespace

absl::Span<const OpRow> SampleOps() { return kRows; }

}  // namespace reel::onnx
