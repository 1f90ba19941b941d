#include <algorithm>
#include <cmath>
#include <numbers>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"
#include "reel/complex.h"
#include "reel/fft.h"

// Windows, Fourier transforms and mel filters.

namespace reel::onnx {
namespace {

// The most bands of a mel filter.
constexpr int64_t kMaxBands = 1024;

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
      const double angle = 2 * std::numbers::pi * static_cast<double>(k) * static_cast<double>(i) / n;
      sum += (k % 2 == 0 ? terms[k] : -terms[k]) * std::cos(angle);
    }
    window.push_back(sum);
  }
  return {Cast(Tensor::FromData(window, {size[0]}), dtype)};
}
Tensors ImportHann(const NodeContext& c) { return CosineWindow(c, {0.5, 0.5}); }
Tensors ImportHamming(const NodeContext& c) { return CosineWindow(c, {25.0 / 46, 1 - 25.0 / 46}); }
Tensors ImportBlackman(const NodeContext& c) { return CosineWindow(c, {0.42, 0.5, 0.08}); }

// The transform along an axis of x [..., 1 or 2], whose last axis is real and imaginary parts.
Tensor Transform(const Tensor& x, const FftOptions& options, bool inverse, bool onesided) {
  const int last = x.rank() - 1;
  const int64_t parts = x.shape().dim(last);
  if (parts != 1 && parts != 2) Wrong(StrCat("the last axis must be 1 or 2, it is ", parts));
  if (onesided && inverse != (parts == 2))
    Wrong("a one-sided transform goes from real to complex numbers, its inverse back");
  const auto part = [&](int64_t i) { return Squeeze(TakeAt(x, {i}, last), last); };
  const Tensor z = parts == 1 ? part(0) : Complex(part(0), part(1));
  if (onesided && inverse) return ExpandDims(Irfft(z, options), last);
  const Tensor y = onesided ? Rfft(z, options) : inverse ? Ifft(z, options) : Fft(z, options);
  return Stack({Real(y), Imag(y)}, last);
}

// The axis is an attribute before opset 20, then an input.
Tensors ImportDft(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis =
      c.opset() < 20 ? AxisOf(c, "axis", 1, x.rank()) : NormalAxis(c.Has(2) ? c.KnownInt(2) : -2, x.rank());
  if (x.rank() < 2 || axis == x.rank() - 1) Wrong(StrCat("an axis and parts are needed, got ", x.type().ToString()));
  const bool inverse = c.Int("inverse", 0) != 0, onesided = c.Int("onesided", 0) != 0;
  const int64_t n = c.Has(1) ? c.KnownInt(1) : -1;
  return {Transform(x, {.n = n, .axis = axis}, inverse, onesided)};
}

// Frames of the signal [batch, time, 1 or 2], step apart, times the window, transformed:
// [batch, frames, bins, 2].
Tensors ImportStft(const NodeContext& c) {
  Tensor x = c.In(0);
  if (x.rank() == 2) x = ExpandDims(x, 2);
  const int64_t step = c.KnownInt(1);
  const int64_t length = c.Has(3) ? c.KnownInt(3) : c.Has(2) ? c.In(2).shape().dim(0) : x.shape().dim(1);
  const int64_t time = x.shape().dim(1);
  if (x.rank() != 3 || step < 1 || length < 1 || length > time)
    Wrong(StrCat("frames of ", length, ", ", step, " apart, of ", x.type().ToString()));
  const int64_t frames = 1 + (time - length) / step;
  const Shape grid(std::vector<int64_t>{frames, length});
  Tensor y = Gather(x, Iota(grid, 0) * step + Iota(grid, 1), 1);  // [batch, frames, length, parts]
  if (c.Has(2)) y = y * Along(c.In(2), 2, 4);
  return {Transform(y, {.axis = 2}, false, c.Int("onesided", 1) != 0)};
}

double Mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double Hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// [bins, mels]: triangles between neighbouring points that are evenly apart on the mel scale.
Tensors ImportMelWeightMatrix(const NodeContext& c) {
  const int64_t mels = c.KnownInt(0), length = c.KnownInt(1), rate = c.KnownInt(2);
  const double low = Mel(c.KnownFloat(3)), high = Mel(c.KnownFloat(4));
  const DType dtype = c.DTypeAttribute("output_datatype", kFloat32);
  if (mels < 1 || mels > kMaxBands || length < 1 || length > 16 * kMaxBands || rate < 1)
    Wrong(StrCat(mels, " bands of ", length, " points at ", rate, " Hz"));
  const int64_t bins = length / 2 + 1;
  std::vector<int64_t> point;
  for (int64_t i = 0; i < mels + 2; ++i) {
    const double hertz = Hertz(low + static_cast<double>(i) * (high - low) / static_cast<double>(mels + 2));
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    if (!std::isfinite(bin)) Wrong("the edges of the bands are not finite");
    point.push_back(static_cast<int64_t>(std::clamp(bin, -1e9, 1e9)));
  }
  std::vector<double> weights(static_cast<size_t>(bins * mels), 0);
  for (int64_t m = 0; m < mels; ++m) {
    const auto i = static_cast<size_t>(m);
    const int64_t from = point[i], centre = point[i + 1], to = point[i + 2];
    const auto set = [&](int64_t bin, double w) {
      if (bin >= 0 && bin < bins) weights[static_cast<size_t>(bin * mels + m)] = w;
    };
    if (centre == from) set(centre, 1);
    const auto first = [](int64_t bin) { return std::max<int64_t>(bin, 0); };
    for (int64_t bin = first(from); bin <= std::min(centre, bins - 1) && centre > from; ++bin)
      set(bin, static_cast<double>(bin - from) / static_cast<double>(centre - from));
    for (int64_t bin = first(centre); bin < std::min(to, bins); ++bin)
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
