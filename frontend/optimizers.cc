#include "reel/optimizers.h"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>

#include "frontend/core.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {
namespace internal {

/// Hyperparameters, slots, and the update rule.
struct OptimizerData {
  explicit OptimizerData(std::string name_) : name(std::move(name_)) {}
  virtual ~OptimizerData() = default;

  /// Once per Apply, before the variables.
  virtual void BeginStep() {}
  virtual void Update(const Variable& p, const Tensor& g) = 0;

  Variable Hyper(const char* what, double value) {
    const SuspendScope eager;
    Variable v(ScalarOf(kFloat32, value), {.name = StrCat(name, "/", what), .trainable = false});
    all.push_back(v);
    return v;
  }

  /// The slot of a variable, zeros at first.
  Variable Slot(const char* what, const Variable& p) {
    const std::lock_guard lock(mutex);
    Variable& slot = slots[{what, p.id()}];
    if (!slot.defined()) {
      const SuspendScope eager;
      slot = Variable(Zeros(p.shape(), p.dtype()),
                      {.name = StrCat(name, "/", p.name(), "/", what), .trainable = false});
      all.push_back(slot);
    }
    return slot;
  }

  const std::string name;
  Variable learning_rate;
  std::mutex mutex;  // guards slots and all
  std::map<std::pair<std::string, uint64_t>, Variable> slots;
  std::vector<Variable> all;
};

namespace {

// Hyperparameters are f32; a variable of another dtype gets them converted.
Tensor As(const Tensor& hyper, const Variable& p) { return Cast(hyper, p.dtype()); }

struct SgdData : OptimizerData {
  explicit SgdData(const SgdOptions& options) : OptimizerData("sgd"), nesterov(options.nesterov) {
    learning_rate = Hyper("learning_rate", options.learning_rate);
    if (options.momentum != 0) momentum = Hyper("momentum", options.momentum);
  }

  void BeginStep() override {
    rate = learning_rate.value();
    if (momentum.defined()) decay = momentum.value();
  }

  void Update(const Variable& p, const Tensor& g) override {
    Tensor step = g;
    if (momentum.defined()) {
      const Variable velocity = Slot("momentum", p);
      const Tensor u = Add(Mul(velocity, As(decay, p)), g);
      velocity.Assign(u);
      step = nesterov ? Add(g, Mul(u, As(decay, p))) : u;
    }
    p.AssignSub(Mul(step, As(rate, p)));
  }

  bool nesterov;
  Variable momentum;
  Tensor rate, decay;  // of the step in progress
};

struct AdamData : OptimizerData {
  explicit AdamData(const AdamOptions& options) : OptimizerData("adam") {
    learning_rate = Hyper("learning_rate", options.learning_rate);
    beta_1 = Hyper("beta_1", options.beta_1);
    beta_2 = Hyper("beta_2", options.beta_2);
    epsilon = Hyper("epsilon", options.epsilon);
    power_1 = Hyper("beta_1_power", 1);
    power_2 = Hyper("beta_2_power", 1);
  }

  // p -= rate m / (sqrt(v) scale + epsilon) with rate = learning_rate / (1 - beta_1^t), scale = 1 /
  // sqrt(1 - beta_2^t)
  void BeginStep() override {
    b1 = beta_1.value();
    b2 = beta_2.value();
    eps = epsilon.value();
    const Tensor p1 = Mul(power_1, b1), p2 = Mul(power_2, b2);
    power_1.Assign(p1);
    power_2.Assign(p2);
    rate = Div(learning_rate, Sub(1, p1));
    scale = Rsqrt(Sub(1, p2));
    rest_1 = Sub(1, b1);
    rest_2 = Sub(1, b2);
  }

  void Update(const Variable& p, const Tensor& g) override {
    const Variable first = Slot("m", p), second = Slot("v", p);
    const Tensor m = Add(Mul(first, As(b1, p)), Mul(g, As(rest_1, p)));
    const Tensor v = Add(Mul(second, As(b2, p)), Mul(Square(g), As(rest_2, p)));
    first.Assign(m);
    second.Assign(v);
    const Tensor root = Add(Mul(Sqrt(v), As(scale, p)), As(eps, p));
    p.AssignSub(Div(Mul(m, As(rate, p)), root));
  }

  Variable beta_1, beta_2, epsilon, power_1, power_2;
  Tensor b1, b2, eps, rate, scale, rest_1, rest_2;  // of the step in progress
};

void WarnWithoutGradient(const std::string& optimizer, const std::string& variable) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  std::fprintf(
      stderr,
      "reel: %s: variable '%s' has no gradient and is not updated; does the loss depend on it?\n",
      optimizer.c_str(), variable.c_str());
}

}  // namespace
}  // namespace internal

void Optimizer::Apply(const GradientList& gradients, std::source_location location) const {
  const internal::LocationScope scope(location);
  data_->BeginStep();
  for (const GradientEntry& entry : gradients) {
    if (!entry.source.is_variable()) {
      internal::ThrowInvalid(StrCat(data_->name, ": a source is a tensor ",
                                    entry.source.type().ToString(),
                                    "; only variables can be updated"));
    }
    if (entry.gradient)
      data_->Update(entry.source.variable(), *entry.gradient);
    else
      internal::WarnWithoutGradient(data_->name, entry.source.variable().name());
  }
}

std::vector<Variable> Optimizer::variables() const {
  const std::lock_guard lock(data_->mutex);
  return data_->all;
}

const Variable& Optimizer::learning_rate() const { return data_->learning_rate; }

Sgd::Sgd(const SgdOptions& options) : Optimizer(std::make_shared<internal::SgdData>(options)) {}
Adam::Adam(const AdamOptions& options) : Optimizer(std::make_shared<internal::AdamData>(options)) {}

}  // namespace reel
