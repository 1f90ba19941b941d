#ifndef REEL_INITIALIZERS_H_
#define REEL_INITIALIZERS_H_

#include <concepts>
#include <cstdint>
#include <functional>

#include "reel/random.h"
#include "reel/tensor.h"

namespace reel {

/// How a variable begins: a function of its shape that draws from a generator (null: the default
/// one). Fans are those of a kernel [..., in, out]: fan_in is the product of all extents but the
/// last, fan_out of all but the last but one; a vector of n has both n, a scalar 1.
class Initializer {
 public:
  /// None: a layer takes its own.
  Initializer() = default;
  template <typename F>
    requires(std::is_class_v<F> && std::is_invocable_r_v<Tensor, const F&, const Shape&, DType, const Generator&>)
  Initializer(F f) : function_(std::move(f)) {}  // NOLINT: implicit

  Tensor operator()(const Shape& shape, DType dtype = kFloat32,
                    const Generator& generator = Generator::Default()) const;
  explicit operator bool() const { return function_ != nullptr; }

 private:
  std::function<Tensor(const Shape&, DType, const Generator&)> function_;
};

/// One number everywhere.
Initializer ConstantInit(double value);
Initializer ZerosInit();  ///< what biases begin with
Initializer OnesInit();
/// gain on the main diagonal of a matrix, 0 elsewhere.
Initializer IdentityInit(double gain = 1);
Initializer UniformInit(double low = -0.05, double high = 0.05);  ///< in [low, high)
Initializer NormalInit(double mean = 0, double stddev = 0.05);    ///< of this mean and deviation
/// Normal, given that it is within two stddevs of the mean.
Initializer TruncatedNormalInit(double mean = 0, double stddev = 0.05);
/// gain times a matrix with orthonormal columns (rows, if they are fewer), uniform among all: the
/// QR decomposition of a normal one. A kernel [..., out] counts as a matrix of rows [out]. Saxe,
/// McClelland, Ganguli: "Exact solutions to the nonlinear dynamics of learning", 2014.
Initializer OrthogonalInit(double gain = 1);

/// The fan that divides the variance: of the inputs, of the outputs, or their mean.
enum class FanMode { kIn, kOut, kAverage };
/// What is drawn: all of that variance, the last one without what is beyond two deviations.
enum class FanDistribution { kUniform, kNormal, kTruncatedNormal };
/// Options of VarianceScaling.
struct VarianceScalingOptions {
  double scale = 1;
  FanMode mode = FanMode::kIn;
  FanDistribution distribution = FanDistribution::kUniform;
};
/// Mean 0 and variance scale / fan: uniform in +-sqrt(3 scale / fan), normal, or truncated normal
/// (what Keras calls normal).
Initializer VarianceScaling(const VarianceScalingOptions& options);

/// Uniform in +-sqrt(6 / (fan_in + fan_out)): Glorot and Bengio, "Understanding the difficulty of
/// training deep feedforward neural networks", 2010.
Initializer GlorotUniform();
Initializer GlorotNormal();  ///< variance 2 / (fan_in + fan_out)
/// Uniform in +-sqrt(6 / fan_in): He et al., "Delving deep into rectifiers", 2015.
Initializer HeUniform();
Initializer HeNormal();  ///< variance 2 / fan_in
/// Uniform in +-sqrt(3 / fan_in): LeCun et al., "Efficient backprop", 1998.
Initializer LecunUniform();
Initializer LecunNormal();  ///< variance 1 / fan_in

/// Glorot's uniform distribution with fans of the caller's.
Tensor GlorotUniform(int64_t fan_in, int64_t fan_out, const Shape& shape,
                     const Generator& generator = Generator::Default());

}  // namespace reel

#endif  // REEL_INITIALIZERS_H_
