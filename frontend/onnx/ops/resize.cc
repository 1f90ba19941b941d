#include <algorithm>
#include <cmath>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"
#include "reel/shapes.h"

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
  bool exclude_outside = false, antialias = false;
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
  if (m.coordinates == "half_pixel_symmetric") {  // the middles coincide, whatever was rounded
    const double offset = static_cast<double>(a.in) / 2 * (1 - static_cast<double>(a.out) / length);
    return offset + (x + 0.5) / a.scale - 0.5;
  }
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

// Antialiasing widens the kernel to what one result stands for.
std::vector<Tap> Taps(const Method& m, const Axis& a) {
  const double narrow = m.antialias ? std::min(a.scale, 1.0) : 1;
  const double reach = m.mode == "linear" ? std::ceil(1 / narrow) : std::ceil(2 / narrow);
  if (reach * std::max(static_cast<double>(a.out), 1.0) > 2 * kLongestList)
    Wrong(StrCat("an axis from ", a.in, " to ", a.out));
  const int count = m.mode == "nearest" ? 1 : 2 * static_cast<int>(reach);
  std::vector<Tap> taps(static_cast<size_t>(count));
  for (int64_t i = 0; i < a.out; ++i) {
    const double x = Coordinate(m, a, i);
    const double first = m.mode == "nearest" ? Nearest(m.nearest, x) : std::floor(x) - (count / 2 - 1);
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      Tap& tap = taps[static_cast<size_t>(k)];
      const double position = first + k, last = static_cast<double>(a.in) - 1;
      const double distance = std::abs(x - position) * narrow;
      double weight = m.mode == "nearest"  ? 1
                      : m.mode == "linear" ? std::max(1 - distance, 0.0)
                                           : CubicWeight(m.cubic, distance);
      if (m.exclude_outside && (position < 0 || position > last)) weight = 0;
      sum += weight;
      tap.position.push_back(static_cast<int64_t>(std::clamp(position, 0.0, last)));
      tap.weight.push_back(weight);
    }
    if (!m.exclude_outside && !m.antialias) continue;
    for (Tap& tap : taps) tap.weight.back() /= sum;
  }
  return taps;
}

Tensor Constant(const std::vector<double>& values, DType dtype) {
  return Cast(Tensor::FromData(values, {static_cast<int64_t>(values.size())}), dtype);
}

// More taps than these are one product with a matrix of weights.
constexpr size_t kMostTaps = 4;
constexpr int64_t kLargestMatrix = 1 << 22;

Tensor Weighted(const Tensor& x, int axis, const Axis& a, const std::vector<Tap>& taps) {
  if (a.in > kLargestMatrix / std::max<int64_t>(a.out, 1)) Wrong(StrCat("axis ", axis, " from ", a.in, " to ", a.out));
  std::vector<double> matrix(static_cast<size_t>(a.in * a.out), 0);  // [in, out]
  for (const Tap& tap : taps) {
    for (size_t i = 0; i < tap.position.size(); ++i)
      matrix[static_cast<size_t>(tap.position[i] * a.out) + i] += tap.weight[i];
  }
  const Tensor weights = Cast(Tensor::FromData(matrix, {a.in, a.out}), x.dtype());
  return MoveAxis(MatMul(MoveAxis(x, axis, -1), weights), -1, axis);
}

Tensor ResizeAxis(const Tensor& x, int axis, const Axis& a, const Method& m) {
  if (a.in == 0 || a.out < 0 || a.out > kLongestList) Wrong(StrCat("axis ", axis, " from ", a.in, " to ", a.out));
  const std::vector<Tap> taps = Taps(m, a);
  if (taps.size() > kMostTaps) return Weighted(x, axis, a, taps);
  Tensor y;
  for (const Tap& tap : taps) {
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

// What a node says of the axes that it lists: scales or sizes, and the region of interest.
struct Sizes {
  std::vector<int64_t> axes;
  std::vector<double> scales;
  std::vector<int64_t> sizes;
  std::string policy = "stretch";
};

std::vector<int64_t> AllAxes(const Tensor& x) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < x.rank(); ++i) axes.push_back(i);
  return axes;
}

// The one scale of all axes by which no result is larger, or none smaller, than its size.
double CommonScale(const Tensor& x, const Sizes& s) {
  if (s.policy != "not_larger" && s.policy != "not_smaller")
    Wrong(StrCat("keep_aspect_ratio_policy ", s.policy, "; it must be stretch, not_larger or not_smaller"));
  double common = 0;
  for (size_t i = 0; i < s.axes.size(); ++i) {
    const double scale =
        static_cast<double>(s.sizes[i]) / static_cast<double>(x.shape().dim(static_cast<int>(s.axes[i])));
    common = i == 0 ? scale : s.policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
  }
  return common;
}

// All axes of x; those that are not listed stay as they are.
std::vector<Axis> ReadAxes(const Tensor& x, const Sizes& s) {
  const bool by_scale = !s.scales.empty();
  if ((by_scale ? s.scales.size() : s.sizes.size()) != s.axes.size())
    Wrong(StrCat("scales or sizes must be for the ", s.axes.size(), " axes of ", x.type().ToString()));
  std::vector<Axis> axes(static_cast<size_t>(x.rank()));
  for (size_t i = 0; i < axes.size(); ++i) axes[i].in = axes[i].out = x.shape().dim(static_cast<int>(i));
  const double common = by_scale || s.policy == "stretch" ? 0 : CommonScale(x, s);
  for (size_t i = 0; i < s.axes.size(); ++i) {
    Axis& a = axes[static_cast<size_t>(s.axes[i])];
    const auto in = static_cast<double>(a.in);
    a.scale = by_scale ? s.scales[i] : common > 0 ? common : static_cast<double>(s.sizes[i]) / in;
    if (!(a.scale > 0)) Wrong(StrCat("the scale ", a.scale));
    const double out = common > 0 ? std::floor(in * a.scale + 0.5) : std::floor(in * a.scale);
    if (!(out <= 1e12)) Wrong(StrCat("an extent of ", out));
    a.out = by_scale || common > 0 ? static_cast<int64_t>(out) : s.sizes[i];
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
           c.Int("exclude_outside", 0) != 0,
           c.Int("antialias", 0) != 0};
  if (m.mode == "nearest") m.antialias = false;
  const size_t at = old ? 1 : 2;
  Sizes s;
  s.axes = c.Ints("axes", AllAxes(x));
  for (int64_t& axis : s.axes) axis = NormalAxis(axis, x.rank());
  if (c.Has(at)) s.scales = c.KnownFloats(at);
  if (!old && c.Has(3)) s.sizes = c.KnownInts(3);
  s.policy = c.String("keep_aspect_ratio_policy", "stretch");
  if (!s.scales.empty() && !s.sizes.empty()) Wrong("scales and sizes are both given");
  std::vector<Axis> axes = ReadAxes(x, s);
  if (m.coordinates == "tf_crop_and_resize") {
    const std::vector<double> roi = c.KnownFloats(1);
    if (roi.size() != 2 * s.axes.size()) Wrong("roi must be two numbers an axis");
    for (size_t i = 0; i < s.axes.size(); ++i) {
      axes[static_cast<size_t>(s.axes[i])].start = roi[i];
      axes[static_cast<size_t>(s.axes[i])].end = roi[s.axes.size() + i];
    }
  }
  return {ResizeAll(x, axes, m)};
}

Tensors ImportUpsample(const NodeContext& c) {
  const Tensor x = c.In(0);
  const std::vector<double> scales = c.opset() < 9 ? c.Floats("scales") : c.KnownFloats(1);
  const Sizes sizes = {AllAxes(x), scales, {}};
  return {ResizeAll(x, ReadAxes(x, sizes), {c.String("mode", "nearest"), "asymmetric", "floor"})};
}

constexpr OpRow kRows[] = {
    {"Resize", 10, ImportResize},
    {"Upsample", 7, ImportUpsample},
};

}  // namespace

absl::Span<const OpRow> ResizeOps() { return kRows; }

}  // namespace reel::onnx
