#ifndef REEL_TRAINING_H_
#define REEL_TRAINING_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "reel/optimizers.h"
#include "reel/tape.h"
#include "reel/variable.h"

// What stands between gradients and an optimizer, and beside it. All of it is ordinary ops and
// non-trainable variables: a lifted or traced step carries it.

namespace reel {

namespace internal {
struct AverageData;
}

/// min(max(g, low), high) of every gradient.
GradientList ClipByValue(const GradientList& gradients, double low, double high);
/// x scaled down to a Euclidean norm of at most max_norm: x max_norm / max(|x|, max_norm).
Tensor ClipByNorm(const Operand& x, double max_norm);
/// ClipByNorm of every gradient.
GradientList ClipByNorm(const GradientList& gradients, double max_norm);
/// The norm of all gradients as one vector, computed in the dtype of the first, at least f32.
Tensor GlobalNorm(const GradientList& gradients);
/// All gradients times max_norm / max(GlobalNorm(gradients), max_norm). A norm that is not finite
/// makes all of them NaN.
GradientList ClipByGlobalNorm(const GradientList& gradients, double max_norm);
/// True (bool[]) if every element of every gradient is finite.
Tensor AllFinite(const GradientList& gradients);

/// Options of ExponentialMovingAverage.
struct AverageOptions {
  double decay = 0.999;
  /// The decay of update n is min(decay, n / (n + 9)): early averages forget faster.
  bool warmup = false;
};

/// Exponential moving averages of variables: average = decay average + (1 - decay) value, at first
/// the value. Those of halves are f32, which small steps change. A shared handle.
class ExponentialMovingAverage {
 public:
  explicit ExponentialMovingAverage(const AverageOptions& options = {});
  /// Takes the present values into the averages.
  void Update(const std::vector<Variable>& variables) const;
  /// The average of a variable; throws if it was never updated.
  Variable Average(const Variable& variable) const;
  /// Assigns the averages to the variables, for instance to evaluate.
  void AssignTo(const std::vector<Variable>& variables) const;
  /// decay, count of updates, averages.
  std::vector<Variable> variables() const;

  const std::shared_ptr<internal::AverageData>& internal_data() const { return data_; }

 private:
  std::shared_ptr<internal::AverageData> data_;
};

/// Options of LossScale.
struct LossScaleOptions {
  double initial = 32768;
  bool dynamic = true;      ///< false: the scale stays, steps are skipped all the same
  double factor = 2;        ///< by which it grows and shrinks
  int64_t interval = 2000;  ///< finite steps after which it grows
};

/// Keeps small gradients of narrow dtypes from vanishing: the loss is multiplied by a scale, the
/// gradients are divided by it. A step with a gradient that is not finite changes nothing but the
/// scale, which shrinks. Micikevicius et al.: "Mixed precision training", 2018.
///
///   GradientTape tape;
///   const Tensor loss = ...;
///   const GradientList scaled = tape.Gradient(scale.Scale(loss), variables);
///   scale.Apply(optimizer, scale.Unscale(scaled));
class LossScale {
 public:
  explicit LossScale(const LossScaleOptions& options = {});
  /// loss times the scale.
  Tensor Scale(const Operand& loss) const;
  /// Gradients divided by the scale; those of halves as f32, where what is small stays.
  GradientList Unscale(const GradientList& gradients) const;
  /// optimizer.ApplyIf(AllFinite(gradients), gradients); then adapts the scale.
  void Apply(const Optimizer& optimizer, const GradientList& gradients) const;
  /// The scale, f32[], and the count of finite steps since it changed, i64[].
  std::vector<Variable> variables() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace reel

#endif  // REEL_TRAINING_H_
