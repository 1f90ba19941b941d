#include "reel/initializers.h"

#include <algorithm>
#include <cmath>

#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/linalg.h"
#include "reel/ops.h"
#include "reel/random.h"
#include "reel/shapes.h"

namespace reel {
namespace {

struct Fans {
  double in, out;
};

Fans FansOf(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  const double last = static_cast<double>(shape.dim(shape.rank() - 1));
  if (shape.rank() == 1) return {last, last};
  double field = 1;  // extents that belong to both
  for (int i = 0; i < shape.rank() - 2; ++i) field *= static_cast<double>(shape.dim(i));
  return {field * static_cast<double>(shape.dim(shape.rank() - 2)), field * last};
}

double FanOf(const Shape& shape, FanMode mode) {
  const Fans fans = FansOf(shape);
  const double fan = mode == FanMode::kIn ? fans.in : mode == FanMode::kOut ? fans.out : (fans.in + fans.out) / 2;
  return std::max(fan, 1.0);  // empty kernels draw nothing
}

// Halves are drawn in f32 and rounded.
DType DrawType(DType dtype) { return IsHalf(dtype) ? kFloat32 : dtype; }

Initializer Scaled(double scale, FanMode mode, FanDistribution distribution) {
  return VarianceScaling({.scale = scale, .mode = mode, .distribution = distribution});
}

}  // namespace

Tensor Initializer::operator()(const Shape& shape, DType dtype, const Generator& generator) const {
  if (!function_) internal::ThrowInvalid("initializer: it is null; give it a function");
  const Tensor value = function_(shape, dtype, generator);
  if (value.type() != Type{dtype, shape}) {
    internal::ThrowInvalid(
        StrCat("initializer: it gave ", value.type().ToString(), " for ", Type{dtype, shape}.ToString()));
  }
  return value;
}

Initializer ConstantInit(double value) {
  return [=](const Shape& shape, DType dtype, const Generator&) { return Full(shape, value, dtype); };
}
Initializer ZerosInit() { return ConstantInit(0); }
Initializer OnesInit() { return ConstantInit(1); }

Initializer IdentityInit(double gain) {
  return [=](const Shape& shape, DType dtype, const Generator&) {
    if (shape.rank() != 2) {
      internal::ThrowInvalid(StrCat("identity: the shape ", shape.ToString(), " is not that of a matrix"));
    }
    return Mul(Eye(shape.dim(0), shape.dim(1), 0, dtype), gain);
  };
}

Initializer UniformInit(double low, double high) {
  return [=](const Shape& shape, DType dtype, const Generator& generator) {
    const UniformOptions uniform = {.low = low, .high = high, .dtype = DrawType(dtype), .generator = generator};
    return Cast(RandomUniform(shape, uniform), dtype);
  };
}

Initializer NormalInit(double mean, double stddev) {
  return [=](const Shape& shape, DType dtype, const Generator& generator) {
    const NormalOptions normal = {.mean = mean, .stddev = stddev, .dtype = DrawType(dtype), .generator = generator};
    return Cast(RandomNormal(shape, normal), dtype);
  };
}

Initializer TruncatedNormalInit(double mean, double stddev) {
  return [=](const Shape& shape, DType dtype, const Generator& generator) {
    const TruncatedNormalOptions normal = {
        .mean = mean, .stddev = stddev, .dtype = DrawType(dtype), .generator = generator};
    return Cast(RandomTruncatedNormal(shape, normal), dtype);
  };
}

// A tall matrix of normal numbers is q r; with the signs of r's diagonal, q is uniform (Mezzadri:
// "How to generate random matrices from the classical compact groups", 2007).
Initializer OrthogonalInit(double gain) {
  return [=](const Shape& shape, DType dtype, const Generator& generator) {
    if (shape.rank() < 2) {
      internal::ThrowInvalid(StrCat("orthogonal: the shape ", shape.ToString(), " is not that of a matrix"));
    }
    const int64_t columns = shape.dim(shape.rank() - 1);
    const int64_t rows = columns == 0 ? 0 : shape.size() / columns;
    const Shape tall = {std::max(rows, columns), std::min(rows, columns)};
    const auto [q, r] = Qr(NormalInit(0, 1)(tall, DrawType(dtype), generator));
    const Tensor diagonal = DiagPart(r);
    const Tensor signs = Where(Less(diagonal, 0), -1, OnesLike(diagonal));
    const Tensor uniform = Cast(Mul(Mul(q, signs), gain), dtype);
    return Reshape(rows < columns ? Transpose(uniform) : uniform, shape.dims());
  };
}

Initializer VarianceScaling(const VarianceScalingOptions& options) {
  if (!(options.scale > 0)) {
    internal::ThrowInvalid(StrCat("variance_scaling: scale ", options.scale, " must be positive"));
  }
  return [=](const Shape& shape, DType dtype, const Generator& generator) {
    const double variance = options.scale / FanOf(shape, options.mode);
    if (options.distribution == FanDistribution::kNormal)
      return NormalInit(0, std::sqrt(variance))(shape, dtype, generator);
    if (options.distribution == FanDistribution::kTruncatedNormal) {
      constexpr double kStddev = 0.87962566103423978;  // of a standard normal cut at +-2
      return TruncatedNormalInit(0, std::sqrt(variance) / kStddev)(shape, dtype, generator);
    }
    const double limit = std::sqrt(3 * variance);
    return UniformInit(-limit, limit)(shape, dtype, generator);
  };
}

Initializer GlorotUniform() { return Scaled(1, FanMode::kAverage, FanDistribution::kUniform); }
Initializer GlorotNormal() { return Scaled(1, FanMode::kAverage, FanDistribution::kNormal); }
Initializer HeUniform() { return Scaled(2, FanMode::kIn, FanDistribution::kUniform); }
Initializer HeNormal() { return Scaled(2, FanMode::kIn, FanDistribution::kNormal); }
Initializer LecunUniform() { return Scaled(1, FanMode::kIn, FanDistribution::kUniform); }
Initializer LecunNormal() { return Scaled(1, FanMode::kIn, FanDistribution::kNormal); }

Tensor GlorotUniform(int64_t fan_in, int64_t fan_out, const Shape& shape, const Generator& generator) {
  const double limit = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
  return RandomUniform(shape, {.low = -limit, .high = limit, .generator = generator});
}

}  // namespace reel
