#include <functional>

#include "frontend/cli/fit/nets.h"

namespace reel::cli {
namespace {

struct OptimizerEntry {
  std::string name;
  double rate;  ///< if none is given
  std::function<Optimizer(const Schedule&, const WeightDecay&)> make;
};

/// Decay is for matrices: biases and the scales of norms are left alone.
WeightDecay DecayOf(double amount) {
  return {amount, [](const Variable& v) { return v.shape().rank() > 1; }};
}

const std::vector<OptimizerEntry>& Optimizers() {
  using S = const Schedule&;
  using W = const WeightDecay&;
  static const std::vector<OptimizerEntry> optimizers = {
      {"sgd", 0.05, [](S s, W w) { return Sgd({.learning_rate = s, .momentum = 0.9, .weight_decay = w}); }},
      {"adam", 1e-3, [](S s, W w) { return Adam({.learning_rate = s, .weight_decay = w}); }},
      {"adamw", 1e-3, [](S s, W w) { return AdamW({.learning_rate = s, .beta_2 = 0.99, .weight_decay = w}); }},
      {"adamax", 2e-3, [](S s, W w) { return Adamax({.learning_rate = s, .weight_decay = w}); }},
      {"nadam", 2e-3, [](S s, W w) { return Nadam({.learning_rate = s, .weight_decay = w}); }},
      {"rmsprop", 1e-3, [](S s, W w) { return RmsProp({.learning_rate = s, .weight_decay = w}); }},
      {"adagrad", 0.01, [](S s, W w) { return Adagrad({.learning_rate = s, .weight_decay = w}); }},
      {"adadelta", 1.0, [](S s, W w) { return Adadelta({.learning_rate = s, .weight_decay = w}); }},
      {"lion", 1e-4, [](S s, W w) { return Lion({.learning_rate = s, .weight_decay = w}); }},
      {"lamb", 1e-3, [](S s, W w) { return Lamb({.learning_rate = s, .weight_decay = w}); }},
      {"adafactor", 0.01, [](S s, W w) { return Adafactor({.learning_rate = s, .weight_decay = w}); }},
  };
  return optimizers;
}

const OptimizerEntry& Find(const std::string& name) {
  for (const OptimizerEntry& entry : Optimizers()) {
    if (entry.name == name) return entry;
  }
  Fail(kUsage, StrCat("there is no optimizer ", name));
}

/// From the rate down to a tenth (cosine) or to nothing (linear), after the warm-up.
Schedule MakeSchedule(const FitSettings& settings, double rate, int64_t steps) {
  const int64_t rest = std::max<int64_t>(1, steps - settings.warmup);
  if (settings.schedule == "cosine") {
    return CosineDecay({.initial = rate, .final = rate / 10, .steps = rest, .warmup_steps = settings.warmup});
  }
  const Schedule after = settings.schedule == "linear"
                             ? PolynomialDecay({.initial = rate, .final = 0, .power = 1, .steps = rest})
                             : Schedule(rate);
  return settings.warmup > 0 ? LinearWarmup(settings.warmup, after) : after;
}

}  // namespace

const std::vector<std::string>& OptimizerNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const OptimizerEntry& entry : Optimizers()) all.push_back(entry.name);
    return all;
  }();
  return names;
}

double StandardRate(const std::string& optimizer) { return Find(optimizer).rate; }

Optimizer MakeOptimizer(const FitSettings& settings, int64_t steps) {
  const OptimizerEntry& entry = Find(settings.optimizer);
  const double rate = settings.learning_rate > 0 ? settings.learning_rate : entry.rate;
  return entry.make(MakeSchedule(settings, rate, steps), DecayOf(settings.weight_decay));
}

}  // namespace reel::cli
