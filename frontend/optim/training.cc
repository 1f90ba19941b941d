#include "reel/training.h"

#include <limits>
#include <map>
#include <mutex>

#include "frontend/ops/common.h"
#include "frontend/optim/optimizer_data.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/functions.h"
#include "reel/ops.h"
#include "runtime/fork.h"

namespace reel {
namespace {

template <typename F>
GradientList Map(const GradientList& gradients, F f) {
  std::vector<GradientEntry> entries(gradients.begin(), gradients.end());
  for (GradientEntry& entry : entries) {
    if (entry.gradient) entry.gradient.emplace(f(entry.gradient->Dense()));
  }
  return GradientList(std::move(entries));
}

void CheckNorm(const char* op, double max_norm) {
  if (max_norm > 0) return;
  internal::ThrowInvalid(StrCat(op, ": max_norm ", max_norm, " must be positive"));
}

Tensor SumOfSquares(const Tensor& x) { return ReduceSum(Square(internal::Wide(x))); }

}  // namespace

GradientList ClipByValue(const GradientList& gradients, double low, double high) {
  if (!(low <= high)) {
    internal::ThrowInvalid(StrCat("clip_by_value: low ", low, " is above high ", high));
  }
  return Map(gradients, [&](const Tensor& g) { return Minimum(Maximum(g, low), high); });
}

Tensor ClipByNorm(const Operand& x, double max_norm) {
  const internal::LocationScope scope(x);
  CheckNorm("clip_by_norm", max_norm);
  const Tensor t = internal::Materialize(x);
  // Bounded before the root: the derivative at 0 is finite.
  const Tensor norm = Sqrt(Maximum(max_norm * max_norm, SumOfSquares(t)));
  return Mul(t, Cast(Div(max_norm, norm), t.dtype()));
}

GradientList ClipByNorm(const GradientList& gradients, double max_norm) {
  return Map(gradients, [&](const Tensor& g) { return ClipByNorm(g, max_norm); });
}

Tensor GlobalNorm(const GradientList& gradients) {
  Tensor sum;
  for (const GradientEntry& entry : gradients) {
    if (!entry.gradient) continue;
    const Tensor squares = SumOfSquares(*entry.gradient);
    sum = sum.defined() ? Add(sum, Cast(squares, sum.dtype())) : squares;
  }
  return sum.defined() ? Sqrt(sum) : Tensor(0.f);
}

GradientList ClipByGlobalNorm(const GradientList& gradients, double max_norm) {
  CheckNorm("clip_by_global_norm", max_norm);
  const Tensor norm = GlobalNorm(gradients);
  const Tensor nan = Full({}, std::numeric_limits<double>::quiet_NaN(), norm.dtype());
  const Tensor scale = Where(IsFinite(norm), Div(max_norm, Maximum(norm, max_norm)), nan);
  return Map(gradients, [&](const Tensor& g) { return Mul(g, Cast(scale, g.dtype())); });
}

Tensor AllFinite(const GradientList& gradients) {
  Tensor finite(true);
  for (const GradientEntry& entry : gradients) {
    if (entry.gradient) finite = LogicalAnd(finite, ReduceAll(IsFinite(*entry.gradient)));
  }
  return finite;
}

Variable internal::AverageData::AverageOf(const Variable& v) {
  const std::string name = StrCat("average/", v.name());
  Tensor initial;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = averages.find(v.id()); found != averages.end()) return found->second;
    if (const auto found = kept.find(name); found != kept.end()) initial = found->second;
  }
  const SuspendScope eager;
  const Tensor value = Wide(v.value());
  if (initial.defined() && initial.type() != value.type()) {
    ThrowInvalid(StrCat("exponential_moving_average: the value that was loaded for '", name, "' is ",
                        initial.type().ToString(), ", the variable needs ", value.type().ToString(),
                        "; is it the state of another model?"));
  }
  Variable average(initial.defined() ? initial : value, {.name = name, .trainable = false});
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = averages.emplace(v.id(), std::move(average));
  if (!is_new) return at->second;
  kept.erase(name);
  all.push_back(at->second);
  return at->second;
}

ExponentialMovingAverage::ExponentialMovingAverage(const AverageOptions& options)
    : data_(std::make_shared<internal::AverageData>()) {
  if (!(options.decay >= 0 && options.decay < 1)) {
    internal::ThrowInvalid(StrCat("exponential_moving_average: decay ", options.decay, " is not in [0, 1)"));
  }
  const internal::SuspendScope eager;
  data_->decay = Variable(internal::ScalarOf(kFloat32, options.decay), {.name = "average/decay", .trainable = false});
  data_->all = {data_->decay};
  if (!options.warmup) return;
  data_->count = Variable(Tensor(int64_t{0}), {.name = "average/count", .trainable = false});
  data_->all.push_back(data_->count);
}

void ExponentialMovingAverage::Update(const std::vector<Variable>& variables) const {
  Tensor decay = data_->decay.value();
  if (data_->count.defined()) {
    const Tensor count = Add(data_->count, int64_t{1});
    data_->count.Assign(count);
    const Tensor n = Cast(count, kFloat32);
    decay = Minimum(decay, Div(n, Add(n, 9.0)));
  }
  for (const Variable& v : variables) {
    const Variable average = data_->AverageOf(v);
    // average - (1 - decay) (average - value)
    const Tensor old = average.value();
    const Tensor distance = Sub(old, internal::Wide(v.value()));
    average.Assign(Sub(old, Mul(distance, Cast(Sub(1, decay), old.dtype()))));
  }
}

Variable ExponentialMovingAverage::Average(const Variable& variable) const {
  const auto exists = [&] {
    const std::lock_guard lock(data_->mutex);
    return data_->averages.contains(variable.id()) || data_->kept.contains(StrCat("average/", variable.name()));
  };
  if (!exists()) {
    internal::ThrowError(ErrorCode::kNotFound, StrCat("exponential_moving_average: variable '", variable.name(),
                                                      "' has no average; pass it to Update first"));
  }
  return data_->AverageOf(variable);
}

void ExponentialMovingAverage::AssignTo(const std::vector<Variable>& variables) const {
  for (const Variable& v : variables) v.Assign(Cast(Average(v), v.dtype()));
}

std::vector<Variable> ExponentialMovingAverage::variables() const {
  const std::lock_guard lock(data_->mutex);
  return data_->all;
}

struct LossScale::Data {
  LossScaleOptions options;
  Variable scale, count;
};

LossScale::LossScale(const LossScaleOptions& options) : data_(std::make_shared<Data>()) {
  if (!(options.initial > 0) || !(options.factor > 1) || options.interval < 1) {
    internal::ThrowInvalid(StrCat("loss_scale: initial ", options.initial, ", factor ", options.factor, ", interval ",
                                  options.interval,
                                  "; initial must be positive, factor above 1, interval at least "
                                  "1"));
  }
  const internal::SuspendScope eager;
  data_->options = options;
  data_->scale =
      Variable(internal::ScalarOf(kFloat32, options.initial), {.name = "loss_scale/scale", .trainable = false});
  data_->count = Variable(Tensor(int64_t{0}), {.name = "loss_scale/finite_steps", .trainable = false});
}

Tensor LossScale::Scale(const Operand& loss) const {
  const internal::LocationScope scope(loss);
  const Tensor t = internal::Materialize(loss);
  return Mul(t, Cast(data_->scale, t.dtype()));
}

GradientList LossScale::Unscale(const GradientList& gradients) const {
  const Tensor inverse = Div(1, data_->scale);
  return Map(gradients, [&](const Tensor& g) {
    const Tensor wide = internal::Wide(g);
    return Mul(wide, Cast(inverse, wide.dtype()));
  });
}

void LossScale::Apply(const Optimizer& optimizer, const GradientList& gradients) const {
  const Tensor finite = AllFinite(gradients);
  optimizer.ApplyIf(finite, gradients);
  if (!data_->options.dynamic) return;
  const double factor = data_->options.factor;
  const Tensor scale = data_->scale.value();
  const Tensor count = Where(finite, Add(data_->count, int64_t{1}), 0);
  const Tensor grows = GreaterEqual(count, data_->options.interval);
  const Tensor grown = Mul(scale, factor);
  const Tensor larger = Where(LogicalAnd(grows, IsFinite(grown)), grown, scale);
  data_->scale.Assign(Where(finite, larger, Maximum(Div(scale, factor), 1)));
  data_->count.Assign(Where(grows, 0, count));
}

std::vector<Variable> LossScale::variables() const { return {data_->scale, data_->count}; }

}  // namespace reel
