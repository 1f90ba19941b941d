#ifndef REEL_OPTIMIZERS_H_
#define REEL_OPTIMIZERS_H_

#include <memory>
#include <source_location>
#include <vector>

#include "reel/tape.h"
#include "reel/variable.h"

// Optimizers are shared handles. Hyperparameters and slots are non-trainable variables, so that a
// lifted step carries them: set them by Assign, also in a compiled program.

namespace reel {

namespace internal {
struct OptimizerData;
}

/// What all optimizers have.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Updates each source, a variable, by its gradient. Sources without gradient are left as they
  /// are, with a warning the first time.
  void Apply(const GradientList& gradients,
             std::source_location location = std::source_location::current()) const;
  /// Hyperparameters and slots that exist so far.
  std::vector<Variable> variables() const;
  const Variable& learning_rate() const;

 protected:
  explicit Optimizer(std::shared_ptr<internal::OptimizerData> data) : data_(std::move(data)) {}

  std::shared_ptr<internal::OptimizerData> data_;
};

struct SgdOptions {
  double learning_rate = 0.01;
  double momentum = 0;  ///< 0: none, and no slot
  bool nesterov = false;
};

/// Stochastic gradient descent, per variable p with gradient g:
///   p -= learning_rate g                                         without momentum
///   u = momentum u + g;  p -= learning_rate u                    with momentum
///   u = momentum u + g;  p -= learning_rate (g + momentum u)     Nesterov's
/// Sutskever, Martens, Dahl, Hinton: "On the importance of initialization and momentum in deep
/// learning", 2013.
class Sgd : public Optimizer {
 public:
  explicit Sgd(const SgdOptions& options = {});
};

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
};

/// Adam, per variable p with gradient g at step t:
///   m = beta_1 m + (1 - beta_1) g;  v = beta_2 v + (1 - beta_2) g^2
///   p -= learning_rate (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + epsilon)
/// Kingma, Ba: "Adam: a method for stochastic optimization", 2015. The powers of beta are
/// variables, multiplied at every step.
class Adam : public Optimizer {
 public:
  explicit Adam(const AdamOptions& options = {});
};

}  // namespace reel

#endif  // REEL_OPTIMIZERS_H_
