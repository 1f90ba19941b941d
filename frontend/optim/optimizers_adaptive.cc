#include <cmath>
#include <limits>

#include "frontend/optim/optimizer_data.h"
#include "ir/strings.h"
#include "reel/functions.h"

namespace reel {
namespace internal {
namespace {

// 1 - a decay.
Tensor Rest(const Tensor& decay) { return Sub(1, decay); }

struct RmsPropData : OptimizerData {
  explicit RmsPropData(const RmsPropOptions& options)
      : OptimizerData("rmsprop", options.learning_rate), centered(options.centered), lazy(options.lazy) {
    rho = Hyper("rho", options.rho);
    epsilon = Hyper("epsilon", options.epsilon);
    if (options.momentum != 0) momentum = Hyper("momentum", options.momentum);
    Decay(DecayKind::kCoupled, options.weight_decay);
  }

  void BeginStep() override {
    keep = rho.value();
    eps = epsilon.value();
    if (momentum.defined()) inertia = momentum.value();
  }

  std::vector<std::string_view> SlotNames() const override {
    std::vector<std::string_view> names = {"v"};
    if (centered) names.push_back("mean");
    if (momentum.defined()) names.push_back("momentum");
    return names;
  }
  Tensor Step(const Variable& p, const Tensor& g) override {
    const Tensor k = As(keep, p), rest = As(Rest(keep), p);
    const Tensor v = Average(Slot("v", p), k, Square(g), rest);
    Tensor variance = v;
    if (centered) {
      const Tensor m = Average(Slot("mean", p), k, g, rest);
      variance = Maximum(Sub(v, Square(m)), 0);
    }
    const Tensor scaled = Div(g, Add(Sqrt(variance), As(eps, p)));
    if (!momentum.defined()) return Mul(scaled, As(rate, p));
    const Variable velocity = Slot("momentum", p);
    const Tensor u = Add(Mul(Old(velocity), As(inertia, p)), scaled);
    Set(velocity, u);
    return Mul(u, As(rate, p));
  }

  bool LeavesOthers(const Variable&) const override { return lazy; }

  bool centered, lazy;
  Variable rho, epsilon, momentum;
  Tensor keep, eps, inertia;  // of the step in progress
};

struct AdagradData : OptimizerData {
  explicit AdagradData(const AdagradOptions& options)
      : OptimizerData("adagrad", options.learning_rate), start(options.initial_accumulator) {
    epsilon = Hyper("epsilon", options.epsilon);
    Decay(DecayKind::kCoupled, options.weight_decay);
  }

  void BeginStep() override { eps = epsilon.value(); }

  std::vector<std::string_view> SlotNames() const override { return {"sum"}; }
  Tensor Step(const Variable& p, const Tensor& g) override {
    const Variable sum = Slot("sum", p, start);
    const Tensor s = Add(Old(sum), Square(g));
    Set(sum, s);
    return Div(Mul(g, As(rate, p)), Add(Sqrt(s), As(eps, p)));
  }
  bool LeavesOthers(const Variable& p) const override { return !Decays(p); }

  double start;
  Variable epsilon;
  Tensor eps;  // of the step in progress
};

struct AdadeltaData : OptimizerData {
  explicit AdadeltaData(const AdadeltaOptions& options) : OptimizerData("adadelta", options.learning_rate) {
    rho = Hyper("rho", options.rho);
    epsilon = Hyper("epsilon", options.epsilon);
    Decay(DecayKind::kCoupled, options.weight_decay);
  }

  void BeginStep() override {
    keep = rho.value();
    eps = epsilon.value();
  }

  std::vector<std::string_view> SlotNames() const override { return {"v", "u"}; }
  Tensor Step(const Variable& p, const Tensor& g) override {
    const Tensor k = As(keep, p), rest = As(Rest(keep), p), e = As(eps, p);
    const Variable square = Slot("v", p), moved = Slot("u", p);
    const Tensor v = Blend(square, k, Square(g), rest);
    const Tensor old = moved.value();
    const Tensor d = Mul(Div(Sqrt(Add(old, e)), Sqrt(Add(v, e))), g);
    Set(square, v);
    Set(moved, Blend(old, k, Square(d), rest));
    return Mul(d, As(rate, p));
  }

  Variable rho, epsilon;
  Tensor keep, eps;  // of the step in progress
};

struct LionData : OptimizerData {
  explicit LionData(const LionOptions& options) : OptimizerData("lion", options.learning_rate) {
    beta_1 = Hyper("beta_1", options.beta_1);
    beta_2 = Hyper("beta_2", options.beta_2);
    Decay(DecayKind::kDecoupled, options.weight_decay);
  }

  void BeginStep() override {
    b1 = beta_1.value();
    b2 = beta_2.value();
  }

  std::vector<std::string_view> SlotNames() const override { return {"m"}; }
  Tensor Step(const Variable& p, const Tensor& g) override {
    const Variable mean = Slot("m", p);
    const Tensor m = mean.value();
    const Tensor direction = Sign(Blend(m, As(b1, p), g, As(Rest(b1), p)));
    Set(mean, Blend(m, As(b2, p), g, As(Rest(b2), p)));
    return Mul(direction, As(rate, p));
  }

  Variable beta_1, beta_2;
  Tensor b1, b2;  // of the step in progress
};

Tensor NormOf(const Tensor& x) { return Sqrt(ReduceSum(Square(x))); }

struct LambData : Moments {
  explicit LambData(const LambOptions& options)
      : Moments("lamb", options.learning_rate, options.beta_1, options.beta_2, options.epsilon) {
    power_1 = Hyper("beta_1_power", 1);
    power_2 = Hyper("beta_2_power", 1);
    Decay(DecayKind::kNone, options.weight_decay);  // it belongs to what is normalised
  }

  void BeginStep() override {
    Moments::BeginStep();
    scale_1 = Div(1, Sub(1, Raise(power_1, b1)));
    scale_2 = Rsqrt(Sub(1, Raise(power_2, b2)));
  }

  Tensor Step(const Variable& p, const Tensor& g) override {
    const Tensor m = NextFirst(p, g), v = NextSecond(p, g), value = Wide(p.value());
    Tensor u = Div(Mul(m, As(scale_1, p)), Add(Mul(Sqrt(v), As(scale_2, p)), As(eps, p)));
    if (Decays(p)) u = Add(u, Mul(value, As(decay_value, p)));
    const Tensor size = NormOf(value), length = NormOf(u);
    const Tensor nothing = LogicalOr(Equal(size, 0), Equal(length, 0));
    const Tensor trust = Where(nothing, 1, Div(size, Where(nothing, 1, length)));
    return Mul(u, Mul(trust, As(rate, p)));
  }

  Variable power_1, power_2;
  Tensor scale_1, scale_2;  // of the step in progress
};

Tensor RootMeanSquare(const Tensor& x) { return Sqrt(ReduceMean(Square(x))); }

struct AdafactorData : OptimizerData {
  explicit AdafactorData(const AdafactorOptions& options)
      : OptimizerData("adafactor", options.learning_rate, true), settings(options) {
    Decay(DecayKind::kDecoupled, options.weight_decay);
  }

  void BeginStep() override {
    const Tensor t = Cast(count, kFloat64);
    fresh = Cast(Pow(t, settings.beta_2_decay), kFloat32);
    relative = Minimum(rate, Cast(Rsqrt(t), kFloat32));
  }

  // The mean of squares of a matrix as rows times columns, or of anything else as it is.
  Tensor Second(const Variable& p, const Tensor& g, double least) {
    const Tensor f = As(fresh, p), k = Rest(f), square = Square(g);
    const int rank = p.shape().rank();
    if (rank < 2) {
      return Average(Slot("v", p), k, square, f);
    }
    const auto factor = [&](const char* what, int axis) {
      Shape shape = p.shape();
      shape.set(axis, 1);
      return Average(Slot(what, p, shape), k, ReduceMean(square, axis, {.keepdims = true}), f);
    };
    const Tensor rows = factor("rows", rank - 1), columns = factor("columns", rank - 2);
    const Tensor mean = Maximum(ReduceMean(rows, -2, {.keepdims = true}), least);
    return Div(Mul(rows, columns), mean);
  }

  std::vector<std::string_view> SlotNames() const override { return {"v", "rows", "columns"}; }
  Tensor Step(const Variable& p, const Tensor& g) override {
    const double least = settings.epsilon_1 > 0  ? settings.epsilon_1
                         : p.dtype() == kFloat64 ? std::numeric_limits<double>::epsilon()
                                                 : std::numeric_limits<float>::epsilon();
    const Tensor size = Maximum(RootMeanSquare(Wide(p.value())), settings.epsilon_2);
    const Tensor v = Maximum(Second(p, g, least), least * least);
    const Tensor u = Mul(Rsqrt(v), g);
    const Tensor clipped = Maximum(Div(RootMeanSquare(u), settings.clip), 1);
    return Mul(u, Div(Mul(size, As(relative, p)), clipped));
  }

  AdafactorOptions settings;
  Tensor fresh, relative;  // of the step in progress
};

}  // namespace
}  // namespace internal

RmsProp::RmsProp(const RmsPropOptions& options) : Optimizer(std::make_shared<internal::RmsPropData>(options)) {}
Adagrad::Adagrad(const AdagradOptions& options) : Optimizer(std::make_shared<internal::AdagradData>(options)) {}
Adadelta::Adadelta(const AdadeltaOptions& options) : Optimizer(std::make_shared<internal::AdadeltaData>(options)) {}
Lion::Lion(const LionOptions& options) : Optimizer(std::make_shared<internal::LionData>(options)) {}
Lamb::Lamb(const LambOptions& options) : Optimizer(std::make_shared<internal::LambData>(options)) {}
Adafactor::Adafactor(const AdafactorOptions& options) : Optimizer(std::make_shared<internal::AdafactorData>(options)) {}

}  // namespace reel
