#include "reel/resize.h"

#include <algorithm>
#include <cmath>

#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/ops.h"
#include "runtime/buffer.h"

namespace reel {

using internal::ThrowInvalid;

namespace {

// The place of output element i of n among m input elements.
double Place(ResizeCoordinates coordinates, int64_t i, int64_t m, int64_t n) {
  // One product, one quotient: a ratio rounded first would move places that are integers.
  const auto at = static_cast<double>(i), in = static_cast<double>(m), out = static_cast<double>(n);
  switch (coordinates) {
    case ResizeCoordinates::kHalfPixel: return (at + 0.5) * in / out - 0.5;
    case ResizeCoordinates::kAlignCorners: return n == 1 ? 0 : at * (in - 1) / (out - 1);
    default: return at * in / out;
  }
}

// The nearest element: for kHalfPixel the place of the sample's edge is (i + 1/2) m / n.
int64_t Nearest(ResizeCoordinates coordinates, double place) {
  const double shift = coordinates == ResizeCoordinates::kAsymmetric ? 0 : 0.5;
  return static_cast<int64_t>(std::floor(place + shift));
}

Tensor Indices(const std::vector<int64_t>& indices) {
  return Tensor::FromData(indices, {static_cast<int64_t>(indices.size())});
}

// Is there memory for n positions along the axis and for the result? Looked for before they are counted.
void CheckRoom(const Tensor& x, int64_t axis, int64_t n) {
  Type type = x.type();
  type.shape.set(static_cast<int>(axis), n);
  const bool fits = FitsInMemory(type.shape);
  const int64_t positions = int64_t{sizeof(int64_t)} * (fits ? n : 0);
  if (fits && (n == 0 || runtime::Buffer::TryAllocate(static_cast<size_t>(std::max(positions, type.bytes()))))) return;
  internal::ThrowError(ErrorCode::kResourceExhausted,
                       StrCat("resize: no memory for ", n, " elements along axis ", axis, " of ", x.type().ToString()));
}

Tensor ResizeAxis(const Tensor& x, int64_t axis, int64_t n, const ResizeOptions& options) {
  const int64_t m = x.shape().dim(static_cast<int>(axis));
  CheckRoom(x, axis, n);
  std::vector<int64_t> low, high;
  std::vector<double> weight;  // of the higher neighbour
  for (int64_t i = 0; i < n; ++i) {
    const double place = Place(options.coordinates, i, m, n);
    if (options.method == ResizeMethod::kNearest) {
      low.push_back(std::clamp<int64_t>(Nearest(options.coordinates, place), 0, m - 1));
      continue;
    }
    const double inside = std::clamp(place, 0.0, static_cast<double>(m - 1));
    low.push_back(static_cast<int64_t>(inside));
    high.push_back(std::min(low.back() + 1, m - 1));
    weight.push_back(inside - static_cast<double>(low.back()));
  }
  const Tensor left = Gather(x, Indices(low), axis);
  if (options.method == ResizeMethod::kNearest) return left;
  std::vector<int64_t> dims(static_cast<size_t>(x.rank()), 1);
  dims[static_cast<size_t>(axis)] = n;
  const Tensor w = Cast(Reshape(Tensor::FromData(weight, {n}), dims), x.dtype());
  const Tensor right = Gather(x, Indices(high), axis);
  return Add(Mul(left, Sub(1, w)), Mul(right, w));
}

}  // namespace

Tensor Resize(const Operand& x, const std::vector<int64_t>& sizes, const ResizeOptions& options) {
  const internal::LocationScope scope(x);
  Tensor t = internal::Materialize(x);
  if (sizes.size() != options.axes.size()) {
    ThrowInvalid(StrCat("resize: ", sizes.size(), " sizes for ", options.axes.size(), " axes; give one each"));
  }
  if (options.method == ResizeMethod::kLinear && !IsFloat(t.dtype())) {
    ThrowInvalid(StrCat("resize: linear interpolation needs floats, got ", t.type().ToString(),
                        "; Cast it, or use ResizeMethod::kNearest"));
  }
  const std::string type = t.type().ToString();
  internal::ResolveAxes("resize", options.axes, t.rank());  // in range, none twice
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t axis = internal::NormalizeAxis("resize", options.axes[i], t.rank());
    const int64_t old = t.shape().dim(static_cast<int>(axis));
    if (sizes[i] < 0 || (old == 0 && sizes[i] > 0)) {
      ThrowInvalid(StrCat("resize: axis ", axis, " of ", type, " cannot have ", sizes[i],
                          " elements; the input must have some, the size must not be negative"));
    }
    if (sizes[i] != old) t = ResizeAxis(t, axis, sizes[i], options);
  }
  return t;
}

}  // namespace reel
