#include "reel/schedules.h"

#include <cmath>
#include <numbers>

#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/functions.h"
#include "reel/ops.h"

namespace reel {
namespace {

void CheckSteps(const char* name, int64_t steps) {
  if (steps >= 1) return;
  internal::ThrowInvalid(StrCat(name, ": ", steps, " steps; there must be at least one"));
}

// (1 + cos(pi x)) / 2: 1 at 0, 0 at 1.
Tensor Cosine(const Tensor& x) { return Mul(Add(Cos(Mul(x, std::numbers::pi)), 1.0), 0.5); }

Tensor Between(const Tensor& weight, double at_one, double at_zero) {
  return Add(Mul(weight, at_one - at_zero), at_zero);
}

}  // namespace

Tensor Schedule::operator()(const Operand& step) const {
  const internal::LocationScope scope(step);
  if (constant()) return Tensor(value_);
  const Tensor rate = function_(Cast(step, kFloat64));
  if (rate.rank() != 0 || rate.dtype() != kFloat64) {
    internal::ThrowInvalid(
        StrCat("schedule: the rate must be f64[], got ", rate.type().ToString(), "; compute it from the step alone"));
  }
  return rate;
}

Schedule ExponentialDecay(const ExponentialDecayOptions& options) {
  CheckSteps("exponential_decay", options.steps);
  return [=](const Tensor& step) {
    const Tensor periods = Div(step, static_cast<double>(options.steps));
    return Mul(Pow(options.rate, options.staircase ? Floor(periods) : periods), options.initial);
  };
}

Schedule InverseTimeDecay(const InverseTimeDecayOptions& options) {
  CheckSteps("inverse_time_decay", options.steps);
  return [=](const Tensor& step) {
    return Div(options.initial, Add(Mul(step, options.rate / static_cast<double>(options.steps)), 1.0));
  };
}

Schedule PolynomialDecay(const PolynomialDecayOptions& options) {
  CheckSteps("polynomial_decay", options.steps);
  return [=](const Tensor& step) {
    const auto n = static_cast<double>(options.steps);
    const Tensor left = Sub(1.0, Div(Minimum(step, n), n));
    const Tensor weight = options.power == 1 ? left : Pow(left, options.power);
    return Between(weight, options.initial, options.final);
  };
}

Schedule CosineDecay(const CosineDecayOptions& options) {
  CheckSteps("cosine_decay", options.steps);
  const Schedule cosine = [=](const Tensor& step) {
    const auto n = static_cast<double>(options.steps);
    return Between(Cosine(Div(Minimum(step, n), n)), options.initial, options.final);
  };
  if (options.warmup_steps == 0) return cosine;
  return LinearWarmup(options.warmup_steps, cosine, options.warmup_start);
}

// With periods in units of the first, period i begins at (f^i - 1) / (f - 1).
Schedule CosineRestarts(const CosineRestartsOptions& options) {
  CheckSteps("cosine_restarts", options.first_steps);
  if (!(options.period_factor >= 1)) {
    internal::ThrowInvalid(StrCat("cosine_restarts: period_factor ", options.period_factor, " must be at least 1"));
  }
  return [=](const Tensor& step) {
    const double f = options.period_factor;
    const Tensor done = Div(step, static_cast<double>(options.first_steps));
    // The logarithm of f^i may come out just below i.
    const Tensor i = f == 1 ? Floor(done) : Floor(Add(Div(Log(Add(Mul(done, f - 1), 1.0)), std::log(f)), 1e-9));
    const Tensor length = f == 1 ? OnesLike(i) : Pow(f, i);
    const Tensor begin = f == 1 ? i : Div(Sub(length, 1.0), f - 1);
    const Tensor height = Pow(options.height_factor, i);
    const Tensor weight = Cosine(Div(Sub(done, begin), length));
    return Between(Mul(weight, height), options.initial, options.final);
  };
}

Schedule PiecewiseConstant(const std::vector<int64_t>& boundaries, const std::vector<double>& values) {
  if (values.size() != boundaries.size() + 1) {
    internal::ThrowInvalid(StrCat("piecewise_constant: ", values.size(), " values for ", boundaries.size(),
                                  " boundaries; give one value more"));
  }
  return [=](const Tensor& step) {
    Tensor rate = Tensor(values.back());
    for (size_t i = boundaries.size(); i-- > 0;)
      rate = Where(LessEqual(step, static_cast<double>(boundaries[i])), values[i], rate);
    return boundaries.empty() ? rate : Cast(rate, kFloat64);
  };
}

Schedule InverseSqrtDecay(double peak, int64_t warmup_steps) {
  CheckSteps("inverse_sqrt_decay", warmup_steps);
  return [=](const Tensor& step) {
    const auto warmup = static_cast<double>(warmup_steps);
    const Tensor n = Add(step, 1.0);
    return Mul(Minimum(Div(n, warmup), Sqrt(Div(warmup, n))), peak);
  };
}

Schedule LinearWarmup(int64_t steps, Schedule after, double start) {
  CheckSteps("linear_warmup", steps);
  return [=](const Tensor& step) {
    const auto n = static_cast<double>(steps);
    const Tensor first = after(0.0);
    const Tensor rising = Add(Mul(Div(step, n), Sub(first, start)), start);
    return Where(Less(step, n), rising, after(Maximum(Sub(step, n), 0.0)));
  };
}

}  // namespace reel
