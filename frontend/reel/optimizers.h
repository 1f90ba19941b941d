#ifndef REEL_OPTIMIZERS_H_
#define REEL_OPTIMIZERS_H_

#include <functional>
#include <memory>
#include <source_location>
#include <vector>

#include "reel/schedules.h"
#include "reel/tape.h"
#include "reel/variable.h"

// Optimizers are shared handles. Hyperparameters and slots are non-trainable variables, so that a
// lifted step carries them: set them by Assign, also in a compiled program. Below, p is a variable,
// g its gradient, t the number of the step (1 at the first); slots start at 0 unless said. Halves
// are stepped in f32, slots included, and rounded once.

namespace reel {

namespace internal {
struct OptimizerData;
}

/// What all optimizers have.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Updates each source, a variable, by its gradient. Sources without gradient are left as they
  /// are, with a warning the first time if they are trainable. A sparse gradient gives the same step
  /// as the dense one of the same sums. Where other rows do not move (SGD without momentum, Adagrad,
  /// both without decay), or are left alone by choice (`lazy`), only its rows are read and written:
  /// the table may be of any size.
  void Apply(const GradientList& gradients, std::source_location location = std::source_location::current()) const;
  /// The same where the bool scalar is true; where it is false, nothing changes, slots and counts
  /// included, whatever the gradients hold. A selection in the graph, not a branch.
  void ApplyIf(const Operand& condition, const GradientList& gradients) const;
  /// Hyperparameters and slots that exist so far.
  std::vector<Variable> variables() const;
  /// With a schedule: the rate of the last step.
  const Variable& learning_rate() const;

  const std::shared_ptr<internal::OptimizerData>& internal_data() const { return data_; }

 protected:
  explicit Optimizer(std::shared_ptr<internal::OptimizerData> data) : data_(std::move(data)) {}

  std::shared_ptr<internal::OptimizerData> data_;
};

/// How much weights decay, and which: all, or those for which `applies` is true, for instance
/// {0.01, [](const Variable& v) { return v.shape().rank() > 1; }}.
struct WeightDecay {
  WeightDecay(double amount_ = 0, std::function<bool(const Variable&)> applies_ = {})  // NOLINT
      : amount(amount_), applies(std::move(applies_)) {}
  double amount;
  std::function<bool(const Variable&)> applies;
};

/// Options of Sgd.
struct SgdOptions {
  Schedule learning_rate = 0.01;
  double momentum = 0;  ///< 0: none, and no slot
  bool nesterov = false;
  WeightDecay weight_decay = {};  ///< g += weight_decay p, before all else
  bool lazy = false;              ///< a sparse gradient moves its rows alone: momentum and decay of others wait
};

/// Stochastic gradient descent:
///   p -= learning_rate g                                         without momentum
///   u = momentum u + g;  p -= learning_rate u                    with momentum
///   u = momentum u + g;  p -= learning_rate (g + momentum u)     Nesterov's
/// Sutskever, Martens, Dahl, Hinton: "On the importance of initialization and momentum in deep
/// learning", 2013.
class Sgd : public Optimizer {
 public:
  explicit Sgd(const SgdOptions& options = {});
};

/// Options of Adam and AdamW.
struct AdamOptions {
  Schedule learning_rate = 1e-3;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
  WeightDecay weight_decay = {};  ///< Adam: g += weight_decay p; AdamW: p -= rate weight_decay p
  bool amsgrad = false;           ///< the largest v so far takes the place of v
  /// A sparse gradient moves its rows alone, as LazyAdam and SparseAdam elsewhere: m, v and p of other rows stay, where
  /// Adam lets m and v decay, and moves p by them. t is the number of the step, not of those of a row.
  bool lazy = false;
};

/// Adam:
///   m = beta_1 m + (1 - beta_1) g;  v = beta_2 v + (1 - beta_2) g^2
///   p -= learning_rate (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + epsilon)
/// Kingma, Ba: "Adam: a method for stochastic optimization", 2015; amsgrad: Reddi, Kale, Kumar: "On
/// the convergence of Adam and beyond", 2018. The powers of beta are variables, multiplied at every
/// step.
class Adam : public Optimizer {
 public:
  explicit Adam(const AdamOptions& options = {});
};

/// Adam with weight decay beside the gradient: p = p (1 - learning_rate weight_decay) - Adam's
/// step; weight_decay is 0.01 if no options are given. Loshchilov, Hutter: "Decoupled weight decay
/// regularization", 2019.
class AdamW : public Optimizer {
 public:
  explicit AdamW(const AdamOptions& options = {.weight_decay = 0.01});
};

/// Options of Adamax.
struct AdamaxOptions {
  Schedule learning_rate = 2e-3;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
  WeightDecay weight_decay = {};  ///< g += weight_decay p
};

/// Adam with the maximum norm:
///   m = beta_1 m + (1 - beta_1) g;  u = max(beta_2 u, |g| + epsilon)
///   p -= learning_rate / (1 - beta_1^t) m / u
/// Kingma, Ba, 2015, section 7.
class Adamax : public Optimizer {
 public:
  explicit Adamax(const AdamaxOptions& options = {});
};

/// Options of Nadam.
struct NadamOptions {
  Schedule learning_rate = 2e-3;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
  double momentum_decay = 4e-3;
  WeightDecay weight_decay = {};  ///< g += weight_decay p
};

/// Adam with Nesterov's momentum: mu_t = beta_1 (1 - 0.96^(t momentum_decay) / 2), M_t = mu_1 ...
/// mu_t, m and v as Adam's,
///   p -= learning_rate ((1 - mu_t) / (1 - M_t) g + mu_(t+1) / (1 - M_t mu_(t+1)) m)
///        / (sqrt(v / (1 - beta_2^t)) + epsilon)
/// Dozat: "Incorporating Nesterov momentum into Adam", 2016.
class Nadam : public Optimizer {
 public:
  explicit Nadam(const NadamOptions& options = {});
};

/// Options of RmsProp.
struct RmsPropOptions {
  Schedule learning_rate = 0.01;
  double rho = 0.99;
  double epsilon = 1e-8;
  double momentum = 0;  ///< 0: none, and no slot
  bool centered = false;  ///< subtracts the squared mean of g
  WeightDecay weight_decay = {};  ///< g += weight_decay p
  /// A sparse gradient moves its rows alone, as TensorFlow's RMSPropOptimizer has it: v, a, u and p of other rows stay.
  bool lazy = false;
};

///   v = rho v + (1 - rho) g^2;  centered: a = rho a + (1 - rho) g, and v - a^2 in the place of v
///   u = momentum u + g / (sqrt(v) + epsilon);  p -= learning_rate u
/// Tieleman, Hinton, 2012; centered: Graves, 2013. PyTorch's form: epsilon outside of the root.
class RmsProp : public Optimizer {
 public:
  explicit RmsProp(const RmsPropOptions& options = {});
};

/// Options of Adagrad.
struct AdagradOptions {
  Schedule learning_rate = 0.01;
  double initial_accumulator = 0;
  double epsilon = 1e-10;
  WeightDecay weight_decay = {};  ///< g += weight_decay p
};

/// s += g^2;  p -= learning_rate g / (sqrt(s) + epsilon), s initial_accumulator at first. Duchi,
/// Hazan, Singer: "Adaptive subgradient methods", 2011.
class Adagrad : public Optimizer {
 public:
  explicit Adagrad(const AdagradOptions& options = {});
};

/// Options of Adadelta.
struct AdadeltaOptions {
  Schedule learning_rate = 1.0;
  double rho = 0.9;
  double epsilon = 1e-6;
  WeightDecay weight_decay = {};  ///< g += weight_decay p
};

///   v = rho v + (1 - rho) g^2;  d = sqrt(u + epsilon) / sqrt(v + epsilon) g
///   u = rho u + (1 - rho) d^2;  p -= learning_rate d
/// Zeiler: "ADADELTA: an adaptive learning rate method", 2012.
class Adadelta : public Optimizer {
 public:
  explicit Adadelta(const AdadeltaOptions& options = {});
};

/// Options of Lion.
struct LionOptions {
  Schedule learning_rate = 1e-4;
  double beta_1 = 0.9;
  double beta_2 = 0.99;
  WeightDecay weight_decay = {};  ///< p -= learning_rate weight_decay p
};

/// p -= learning_rate sign(beta_1 m + (1 - beta_1) g);  m = beta_2 m + (1 - beta_2) g. Chen et al.:
/// "Symbolic discovery of optimization algorithms", 2023.
class Lion : public Optimizer {
 public:
  explicit Lion(const LionOptions& options = {});
};

/// Options of Lamb.
struct LambOptions {
  Schedule learning_rate = 1e-3;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-6;
  WeightDecay weight_decay = {};  ///< u += weight_decay p
};

/// u = Adam's step with learning rate 1, plus weight_decay p;  p -= learning_rate (|p| / |u|) u,
/// with ratio 1 if either norm is 0. You et al.: "Large batch optimization for deep learning",
/// 2020.
class Lamb : public Optimizer {
 public:
  explicit Lamb(const LambOptions& options = {});
};

/// Options of Adafactor.
struct AdafactorOptions {
  Schedule learning_rate = 0.01;  ///< relative to the size of p
  double beta_2_decay = -0.8;
  double epsilon_1 = 0;  ///< of the mean squares; 0: the dtype's epsilon
  double epsilon_2 = 1e-3;  ///< least size of p
  double clip = 1;  ///< largest root mean square of an update
  WeightDecay weight_decay = {};  ///< p -= learning_rate weight_decay p
};

/// f = t^beta_2_decay; for p [..., n, m] two factors in the place of a mean square for each element
///   r = (1 - f) r + f mean_m(g^2);  c = (1 - f) c + f mean_n(g^2);  v = r c / mean_n(r)
/// (for rank 0 and 1, v = (1 - f) v + f g^2);  u = g / sqrt(max(v, epsilon_1^2))
///   p -= min(learning_rate, 1 / sqrt(t)) max(epsilon_2, rms(p)) u / max(1, rms(u) / clip)
/// Shazeer, Stern: "Adafactor: adaptive learning rates with sublinear memory cost", 2018, in
/// PyTorch's form.
class Adafactor : public Optimizer {
 public:
  explicit Adafactor(const AdafactorOptions& options = {});
};

}  // namespace reel

#endif  // REEL_OPTIMIZERS_H_
