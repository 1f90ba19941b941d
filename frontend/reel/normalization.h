#ifndef REEL_NORMALIZATION_H_
#define REEL_NORMALIZATION_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "reel/layers.h"
#include "reel/ops.h"

// Normalisation: functions (verbs) and layers with variables. x is float; `scale` and `offset`
// multiply and shift the result and have the shape of the axes they belong to. f16 and bf16 are
// computed in f32 and rounded at the end.

namespace reel {

/// Mean and variance, the mean of (x - mean)^2, over axes.
struct MeanAndVariance {
  Tensor mean, variance;
};
MeanAndVariance Moments(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});

/// x / max(|x|, epsilon), the Euclidean norm over an axis (all if not given); its derivative at 0
/// is that of x / epsilon.
Tensor L2Normalize(const Operand& x, const Axes& axes = -1, double epsilon = 1e-12);

/// A scale or an offset that may be left out.
using OptionalOperand = std::optional<Operand>;

/// Options of LayerNormalize.
struct LayerNormalizeOptions {
  Axes axes = -1;
  double epsilon = 1e-5;
};
/// (x - mean) / sqrt(variance + epsilon) scale + offset over axes: Ba, Kiros, Hinton: "Layer
/// normalization", 2016.
Tensor LayerNormalize(const Operand& x, const OptionalOperand& scale = {}, const OptionalOperand& offset = {},
                      const LayerNormalizeOptions& options = {});

/// Options of RmsNormalize.
struct RmsNormalizeOptions {
  Axes axes = -1;
  double epsilon = 1e-6;
};
/// x / sqrt(mean(x^2) + epsilon) scale over axes: Zhang, Sennrich: "Root mean square layer
/// normalization", 2019.
Tensor RmsNormalize(const Operand& x, const OptionalOperand& scale = {}, const RmsNormalizeOptions& options = {});

/// Options of GroupNormalize.
struct GroupNormalizeOptions {
  int64_t axis = -1;  ///< of the channels; axis 0 is the batch
  double epsilon = 1e-5;
};
/// Layer normalisation of each group of neighbouring channels, over all positions of one example;
/// scale and offset [channels]. Wu, He: "Group normalization", 2018.
Tensor GroupNormalize(const Operand& x, int64_t groups, const OptionalOperand& scale = {},
                      const OptionalOperand& offset = {}, const GroupNormalizeOptions& options = {});
/// GroupNormalize with one channel in each group: Ulyanov, Vedaldi, Lempitsky: "Instance
/// normalization", 2016.
Tensor InstanceNormalize(const Operand& x, const OptionalOperand& scale = {}, const OptionalOperand& offset = {},
                         const GroupNormalizeOptions& options = {});

/// Options of BatchNormalize.
struct BatchNormalizeOptions {
  int64_t axis = -1;  ///< of the channels
  double epsilon = 1e-5;
};
/// (x - mean) / sqrt(variance + epsilon) scale + offset; all four [channels].
Tensor BatchNormalize(const Operand& x, const Operand& mean, const Operand& variance, const OptionalOperand& scale = {},
                      const OptionalOperand& offset = {}, const BatchNormalizeOptions& options = {});

// --- layers: variables scale (ones; LayerOptions::kernel_init) and offset (zeros; bias_init, if
// use_bias), made by the first call ---

/// LayerNormalize over the last axis.
class LayerNorm : public Layer {
 public:
  explicit LayerNorm(double epsilon = 1e-5, LayerOptions options = {});
  Tensor operator()(const Operand& x) const;
};

/// RmsNormalize over the last axis; no offset.
class RmsNorm : public Layer {
 public:
  explicit RmsNorm(double epsilon = 1e-6, LayerOptions options = {});
  Tensor operator()(const Operand& x) const;
};

/// GroupNormalize.
class GroupNorm : public Layer {
 public:
  explicit GroupNorm(int64_t groups, GroupNormalizeOptions axis = {}, LayerOptions options = {});
  Tensor operator()(const Operand& x) const;
};

/// InstanceNormalize.
class InstanceNorm : public Layer {
 public:
  explicit InstanceNorm(GroupNormalizeOptions axis = {}, LayerOptions options = {});
  Tensor operator()(const Operand& x) const;
};

/// Options of the layer BatchNorm.
struct BatchNormOptions {
  int64_t axis = -1;  ///< of the channels
  double epsilon = 1e-5;
  double decay = 0.9;  ///< of the running statistics; PyTorch's momentum is 1 - decay
};
/// In a TrainingScope, BatchNormalize by the mean and variance of x over all axes but that of the
/// channels, and
///   running_mean = decay running_mean + (1 - decay) mean
///   running_variance = decay running_variance + (1 - decay) variance n / (n - 1), n values each
/// (non-trainable variables, 0 and 1 at first); outside, BatchNormalize by the running statistics.
/// Ioffe, Szegedy: "Batch normalization", 2015.
class BatchNorm : public Layer {
 public:
  explicit BatchNorm(BatchNormOptions batch = {}, LayerOptions options = {});
  Tensor operator()(const Operand& x) const;
};

}  // namespace reel

#endif  // REEL_NORMALIZATION_H_
