#ifndef REEL_SCHEDULES_H_
#define REEL_SCHEDULES_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <vector>

#include "reel/tensor.h"
#include "reel/variable.h"

// Learning rates that follow the step. An optimizer computes them in its graph from its step count,
// a variable, so that a compiled step follows the schedule too.

namespace reel {

/// A number as a function of the count of updates made so far (0 at the first): a constant, or any
/// callable that takes the step, f64[], and returns a tensor f64[].
class Schedule {
 public:
  template <internal::Element T>
  Schedule(T value) : value_(static_cast<double>(value)) {}  // NOLINT: implicit
  template <typename F>
    requires(std::is_class_v<F> && std::is_invocable_r_v<Tensor, const F&, const Tensor&>)
  Schedule(F f) : function_(std::move(f)) {}  // NOLINT: implicit

  /// True unless it depends on the step.
  bool constant() const { return function_ == nullptr; }
  /// The value at step 0 if it is constant.
  double value() const { return value_; }
  /// The value at a step, a number or an integer or float scalar; f64[].
  Tensor operator()(const Operand& step) const;

 private:
  double value_ = 0;
  std::function<Tensor(const Tensor&)> function_;
};

/// initial rate^(step / steps); with staircase, the exponent is rounded down.
struct ExponentialDecayOptions {
  double initial = 0.1, rate = 0.96;
  int64_t steps = 1000;
  bool staircase = false;
};
Schedule ExponentialDecay(const ExponentialDecayOptions& options);

/// initial / (1 + rate step / steps).
struct InverseTimeDecayOptions {
  double initial = 0.1, rate = 1;
  int64_t steps = 1000;
};
Schedule InverseTimeDecay(const InverseTimeDecayOptions& options);

/// final + (initial - final) (1 - min(step, steps) / steps)^power; linear if power is 1.
struct PolynomialDecayOptions {
  double initial = 0.1, final = 1e-4, power = 1;
  int64_t steps = 1000;
};
Schedule PolynomialDecay(const PolynomialDecayOptions& options);

/// final + (initial - final) (1 + cos(pi min(t, steps) / steps)) / 2, t steps after the warm-up, in
/// which it rises linearly from warmup_start to initial. Loshchilov, Hutter: "SGDR", 2017.
struct CosineDecayOptions {
  double initial = 0.1, final = 0;
  int64_t steps = 1000;
  int64_t warmup_steps = 0;  ///< before the `steps` of the cosine
  double warmup_start = 0;
};
Schedule CosineDecay(const CosineDecayOptions& options);

/// Cosines one after the other: period i has first_steps period_factor^i steps and goes from final
/// + (initial - final) height_factor^i to final. Loshchilov, Hutter: "SGDR", 2017.
struct CosineRestartsOptions {
  double initial = 0.1, final = 0;
  int64_t first_steps = 1000;
  double period_factor = 2, height_factor = 1;
};
Schedule CosineRestarts(const CosineRestartsOptions& options);

/// values[i] for steps above boundaries[i - 1] up to boundaries[i]: one more value than boundaries.
Schedule PiecewiseConstant(const std::vector<int64_t>& boundaries, const std::vector<double>& values);

/// peak min(n / warmup_steps, sqrt(warmup_steps / n)), n = step + 1. Vaswani et al.: "Attention is
/// all you need", 2017.
Schedule InverseSqrtDecay(double peak, int64_t warmup_steps);

/// Linear from `start` to the first value of `after` in `steps` steps, then `after` from its own
/// step 0.
Schedule LinearWarmup(int64_t steps, Schedule after, double start = 0);

}  // namespace reel

#endif  // REEL_SCHEDULES_H_
