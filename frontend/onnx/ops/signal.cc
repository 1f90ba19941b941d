#include <algorithm>
#include <cmath>
#include <numbers>

#include "frontend/core.h"
#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"

// Windows, Fourier transforms and mel filters. A transform of n points is a product with an n x n
// matrix of sines and cosines.

namespace reel::onnx {
namespace {

// A table as wide as this is 4 MiB.
constexpr int64_t kLongest = 1024;

// sum over k of terms[k] (-1)^k cos(2 pi k i / n)
Tensors CosineWindow(const NodeContext& c, const std::vector<double>& terms) {
  const std::vector<int64_t> size = c.KnownInts(0);
  if (size.size() != 1 || size[0] < 0 || size[0] > 1 << 20) Wrong("the size must be one number");
  const bool periodic = c.Int("periodic", 1) != 0;
  const DType dtype = c.DTypeAttribute("output_datatype", kFloat32);
  const double n = std::max(1.0, static_cast<double>(periodic ? size[0] : size[0] - 1));
  std::vector<double> window;
  for (int64_t i = 0; i < size[0]; ++i) {
    double sum = 0;
    for (size_t k = 0; k < terms.size(); ++k) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(k) * static_cast<double>(i) / n;
      sum += (k % 2 == 0 ? terms[k] : -terms[k]) * std::cos(angle);
    }
    window.push_back(sum);
  }
  return {Cast(Tensor::FromData(window, {size[0]}), dtype)};
}
Tensors ImportHann(const NodeContext& c) { return CosineWindow(c, {0.5, 0.5}); }
Tensors ImportHamming(const NodeContext& c) { return CosineWindow(c, {25.0 / 46, 1 - 25.0 / 46}); }
Tensors ImportBlackman(const NodeContext& c) { return CosineWindow(c, {0.42, 0.5, 0.08}); }

// [n, bins] with f(2 pi i k / n); the product is reduced first, so the angle is exact.
template <typename F>
Tensor Table(int64_t n, int64_t bins, DType dtype, F f) {
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < bins; ++k) {
      values.push_back(
          f(2 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n)));
    }
  }
  return Cast(Tensor::FromData(values, {n, bins}), dtype);
}

// The transform of the last axis but one of x [..., n, 1 or 2], real and imaginary parts last.
Tensor Transform(const Tensor& x, bool inverse, bool onesided) {
  const int64_t n = x.shape().dim(x.rank() - 2), parts = x.shape().dim(x.rank() - 1);
  if (n < 1 || n > kLongest) Refuse(StrCat("a transform of ", n, " points; at most ", kLongest));
  if (parts != 1 && parts != 2) Wrong(StrCat("the last axis must be 1 or 2, it is ", parts));
  if (onesided && (inverse || parts == 2)) Refuse("a one-sided transform of complex numbers");
  const int64_t bins = onesided ? n / 2 + 1 : n;
  const Tensor cosine = Table(n, bins, x.dtype(), [](double a) { return std::cos(a); });
  const Tensor sine = Table(n, bins, x.dtype(), [](double a) { return std::sin(a); });
  const int last = x.rank() - 1;
  const Tensor re = Squeeze(TakeAt(x, {0}, last), last);
  // (re + i im) (cos -+ i sin)
  Tensor real = MatMul(re, cosine), imaginary = MatMul(re, sine);
  if (!inverse) imaginary = -imaginary;
  if (parts == 2) {
    const Tensor im = Squeeze(TakeAt(x, {1}, last), last);
    const Tensor turned = MatMul(im, sine);
    real = inverse ? real - turned : real + turned;
    imaginary = imaginary + MatMul(im, cosine);
  }
  const Tensor y = Stack({real, imaginary}, last);
  return inverse ? y / static_cast<double>(n) : y;
}

// x cut or filled with zeros to n along an axis.
Tensor WithLength(const Tensor& x, int64_t axis, int64_t n) {
  const auto a = static_cast<size_t>(axis);
  std::vector<int64_t> zeros(static_cast<size_t>(x.rank()), 0), limits = x.shape().dims(),
                                                                high = zeros;
  high[a] = std::max<int64_t>(n - limits[a], 0);
  limits[a] = std::min(limits[a], n);
  return Pad(Slice(x, zeros, limits), zeros, high);
}

Tensors ImportDft(const NodeContext& c) {
  Tensor x = c.In(0);
  const int64_t axis = AxisOf(c, "axis", 1, x.rank());
  if (x.rank() < 3 || axis == x.rank() - 1)
    Wrong(StrCat("an axis and parts are needed, got ", x.type().ToString()));
  const bool inverse = c.Int("inverse", 0) != 0, onesided = c.Int("onesided", 0) != 0;
  if (c.Has(1)) x = WithLength(x, axis, c.KnownInts(1).at(0));
  std::vector<int64_t> order;
  for (int i = 0; i < x.rank() - 1; ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  order.push_back(x.rank() - 1);
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return {Transpose(Transform(Transpose(x, order), inverse, onesided), back)};
}

// Frames of the signal [batch, time, 1 or 2], step apart, times the window, transformed:
// [batch, frames, bins, 2].
Tensors ImportStft(const NodeContext& c) {
  Tensor x = c.In(0);
  if (x.rank() == 2) x = ExpandDims(x, 2);
  const int64_t step = c.KnownInts(1).at(0);
  const int64_t length = c.Has(3)   ? c.KnownInts(3).at(0)
                         : c.Has(2) ? c.In(2).shape().dim(0)
                                    : x.shape().dim(1);
  const int64_t time = x.shape().dim(1);
  if (x.rank() != 3 || step < 1 || length < 1 || length > time)
    Wrong(StrCat("frames of ", length, ", ", step, " apart, of ", x.type().ToString()));
  const int64_t frames = 1 + (time - length) / step;
  const Shape grid(std::vector<int64_t>{frames, length});
  Tensor y = Gather(x, Iota(grid, 0) * step + Iota(grid, 1), 1);  // [batch, frames, length, parts]
  if (c.Has(2)) y = y * Along(c.In(2), 2, 4);
  return {Transform(y, false, c.Int("onesided", 1) != 0)};
}

double Mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double Hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// [bins, mels]: triangles between neighbouring points that are evenly apart on the mel scale.
Tensors ImportMelWeightMatrix(const NodeContext& c) {
  const int64_t mels = c.KnownInts(0).at(0), length = c.KnownInts(1).at(0),
                rate = c.KnownInts(2).at(0);
  const double low = Mel(c.KnownFloats(3).at(0)), high = Mel(c.KnownFloats(4).at(0));
  const DType dtype = c.DTypeAttribute("output_datatype", kFloat32);
  if (mels < 1 || mels > kLongest || length < 1 || length > 16 * kLongest || rate < 1)
    Wrong(StrCat(mels, " bands of ", length, " points at ", rate, " Hz"));
  const int64_t bins = length / 2 + 1;
  std::vector<int64_t> point;
  for (int64_t i = 0; i < mels + 2; ++i) {
    const double hertz =
        Hertz(low + static_cast<double>(i) * (high - low) / static_cast<double>(mels + 2));
    point.push_back(static_cast<int64_t>(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  std::vector<double> weights(static_cast<size_t>(bins * mels), 0);
  for (int64_t m = 0; m < mels; ++m) {
    const auto i = static_cast<size_t>(m);
    const int64_t from = point[i], centre = point[i + 1], to = point[i + 2];
    const auto set = [&](int64_t bin, double w) {
      if (bin >= 0 && bin < bins) weights[static_cast<size_t>(bin * mels + m)] = w;
    };
    if (centre == from) set(centre, 1);
    for (int64_t bin = from; bin <= centre && centre > from; ++bin)
      set(bin, static_cast<double>(bin - from) / static_cast<double>(centre - from));
    for (int64_t bin = centre; bin < to; ++bin)
      set(bin, static_cast<double>(to - bin) / static_cast<double>(to - centre));
  }
  return {Cast(Tensor::FromData(weights, {bins, mels}), dtype)};
}

constexpr OpRow kRows[] = {
    {"BlackmanWindow", 17, ImportBlackman},         {"DFT", 17, ImportDft},
    {"HammingWindow", 17, ImportHamming},           {"HannWindow", 17, ImportHann},
    {"MelWeightMatrix", 17, ImportMelWeightMatrix}, {"STFT", 17, ImportStft},
};

}  // namespace

absl::Span<const OpRow> SignalOps() { return kRows; }

}  // namespace reel::onnx
