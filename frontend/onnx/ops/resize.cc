#include <algorithm>
#include <cmath>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"

// Resize and Upsample: along each axis, a weighted sum of a few elements at positions that are
// known at import.

namespace reel::onnx {
namespace {

struct Axis {
  int64_t in = 0, out = 0;
  double scale = 1, start = 0, end = 1;  // start and end: of the region of interest
};

struct Method {
  std::string mode, coordinates, nearest;
  double cubic = -0.75, outside = 0;
  bool exclude_outside = false;
};

// One of the elements that make up each result: its position and its weight.
struct Tap {
  std::vector<int64_t> position;
  std::vector<double> weight;
};

double Coordinate(const Method& m, const Axis& a, int64_t i) {
  const auto x = static_cast<double>(i);
  const double length = a.scale * static_cast<double>(a.in), last = static_cast<double>(a.in) - 1;
  if (m.coordinates == "half_pixel") return (x + 0.5) / a.scale - 0.5;
  if (m.coordinates == "pytorch_half_pixel") return length > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
  if (m.coordinates == "align_corners") return length == 1 ? 0 : x * last / (length - 1);
  if (m.coordinates == "asymmetric") return x / a.scale;
  if (m.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
  if (m.coordinates == "tf_crop_and_resize") {
    return length > 1 ? a.start * last + x * (a.end - a.start) * last / (length - 1) : (a.start + a.end) / 2 * last;
  }
  Refuse(StrCat("coordinate_transformation_mode ", m.coordinates));
}

double Nearest(const std::string& mode, double x) {
  if (mode == "round_prefer_floor") return std::ceil(x - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5);
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  Refuse(StrCat("nearest_mode ", mode));
}

// Keys' cubic convolution kernel at distance d.
double CubicWeight(double a, double d) {
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

std::vector<Tap> Taps(const Method& m, const Axis& a) {
  const int count = m.mode == "nearest" ? 1 : m.mode == "linear" ? 2 : 4;
  std::vector<Tap> taps(static_cast<size_t>(count));
  for (int64_t i = 0; i < a.out; ++i) {
    const double x = Coordinate(m, a, i);
    const double first = m.mode == "nearest" ? Nearest(m.nearest, x) : std::floor(x) - (count / 2 - 1);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      Tap& tap = taps[static_cast<size_t>(k)];
      const double position = first + k, last = static_cast<double>(a.in) - 1;
      const double distance = std::abs(x - position);
      double weight = m.mode == "nearest" ? 1 : m.mode == "linear" ? 1 - distance : CubicWeight(m.cubic, distance);
      if (m.exclude_outside && (position < 0 || position > last)) weight = 0;
      sum += weight;
      tap.position.push_back(static_cast<int64_t>(std::clamp(position, 0.0, last)));
      tap.weight.push_back(weight);
    }
    if (!m.exclude_outside) continue;
    for (Tap& tap : taps) tap.weight.back() /= sum;
  }
  return taps;
}

Tensor Constant(const std::vector<double>& values, DType dtype) {
  return Cast(Tensor::FromData(values, {static_cast<int64_t>(values.size())}), dtype);
}

Tensor ResizeAxis(const Tensor& x, int axis, const Axis& a, const Method& m) {
  if (a.in == 0 || a.out < 0 || a.out > kLongestList) Wrong(StrCat("axis ", axis, " from ", a.in, " to ", a.out));
  Tensor y;
  for (const Tap& tap : Taps(m, a)) {
    Tensor part = TakeAt(x, tap.position, axis);
    if (m.mode != "nearest") part = part * Along(Constant(tap.weight, x.dtype()), axis, x.rank());
    y = y.defined() ? y + part : part;
  }
  if (m.coordinates != "tf_crop_and_resize") return y;
  std::vector<double> inside;
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = Coordinate(m, a, i);
    inside.push_back(at >= 0 && at <= static_cast<double>(a.in) - 1 ? 1 : 0);
  }
  return Where(Along(Constant(inside, kBool), axis, x.rank()), y, ScalarLike(x, m.outside));
}

Tensor ResizeAll(Tensor x, const std::vector<Axis>& axes, const Method& m) {
  if (m.mode != "nearest" && m.mode != "linear" && m.mode != "cubic")
    Refuse(StrCat("mode ", m.mode, "; nearest, linear and cubic are supported"));
  for (size_t i = 0; i < axes.size(); ++i) {
    const Axis& a = axes[i];
    if (a.in == a.out && a.scale == 1 && m.coordinates != "tf_crop_and_resize") continue;
    x = ResizeAxis(x, static_cast<int>(i), a, m);
  }
  return x;
}

// By scales or by sizes, of all axes.
std::vector<Axis> ReadAxes(const Tensor& x, const std::vector<double>& scales, const std::vector<int64_t>& sizes) {
  const auto rank = static_cast<size_t>(x.rank());
  if ((scales.empty() ? sizes.size() : scales.size()) != rank)
    Wrong(StrCat("scales or sizes must be for the ", rank, " axes of ", x.type().ToString()));
  std::vector<Axis> axes;
  for (size_t i = 0; i < rank; ++i) {
    Axis a;
    a.in = x.shape().dim(static_cast<int>(i));
    const auto in = static_cast<double>(a.in);
    a.scale = scales.empty() ? static_cast<double>(sizes[i]) / in : scales[i];
    if (!(a.scale > 0)) Wrong(StrCat("the scale ", a.scale));
    const double out = std::floor(in * a.scale);
    if (!(out <= 1e12)) Wrong(StrCat("an extent of ", out));
    a.out = scales.empty() ? sizes[i] : static_cast<int64_t>(out);
    axes.push_back(a);
  }
  return axes;
}

Tensors ImportResize(const NodeContext& c) {
  const Tensor x = c.In(0);
  const bool old = c.opset() < 11;  // inputs: x, scales; no choice of coordinates
  Method m{c.String("mode", "nearest"),
           c.String("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
           c.String("nearest_mode", old ? "floor" : "round_prefer_floor"),
           c.Float("cubic_coeff_a", -0.75),
           c.Float("extrapolation_value", 0),
           c.Int("exclude_outside", 0) != 0};
  const size_t at = old ? 1 : 2;
  std::vector<double> scales;
  if (c.Has(at)) scales = c.KnownFloats(at);
  std::vector<int64_t> sizes;
  if (!old && c.Has(3)) sizes = c.KnownInts(3);
  if (!scales.empty() && !sizes.empty()) Wrong("scales and sizes are both given");
  std::vector<Axis> axes = ReadAxes(x, scales, sizes);
  if (m.coordinates == "tf_crop_and_resize") {
    const std::vector<double> roi = c.KnownFloats(1);
    if (roi.size() != 2 * axes.size()) Wrong("roi must be two numbers an axis");
    for (size_t i = 0; i < axes.size(); ++i) {
      axes[i].start = roi[i];
      axes[i].end = roi[axes.size() + i];
    }
  }
  return {ResizeAll(x, axes, m)};
}

Tensors ImportUpsample(const NodeContext& c) {
  const Tensor x = c.In(0);
  const std::vector<double> scales = c.opset() < 9 ? c.Floats("scales") : c.KnownFloats(1);
  return {ResizeAll(x, ReadAxes(x, scales, {}), {c.String("mode", "nearest"), "asymmetric", "floor"})};
}

constexpr OpRow kRows[] = {
    {"Resize", 10, ImportResize},
    {"Upsample", 7, ImportUpsample},
};

}  // namespace

absl::Span<const OpRow> ResizeOps() { return kRows; }

}  // namespace reel::onnx
