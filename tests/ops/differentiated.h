#ifndef REEL_TESTS_OPS_DIFFERENTIATED_H_
#define REEL_TESTS_OPS_DIFFERENTIATED_H_

#include <vector>

#include "ir/eval/eval.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {

/// A case with its derivatives in one function @checked(x..., u..., v...), where phi = <u, y(x)>:
///   y..., gradient of phi..., J v..., H v by reverse over reverse..., H v by forward over reverse...
/// u has one tensor per y, v one per floating x.
class Differentiated {
 public:
  explicit Differentiated(const OpCase& c);

  absl::Status Build();
  absl::StatusOr<std::vector<ir::EvalTensor>> Evaluate(const std::vector<ir::EvalTensor>& parameters) const;

  /// Inputs of the case, then random u and v in [-1, 1].
  std::vector<ir::Literal> Parameters(const OpCase& c, Rng& rng) const;

  const std::vector<ir::Value>& xs() const { return xs_; }  ///< the floating inputs
  size_t num_ys() const { return ys_.size(); }
  size_t num_us() const { return u_.size(); }
  // Positions of the parts in the results.
  size_t gradient() const { return num_ys(); }
  size_t tangent() const { return gradient() + xs_.size(); }
  size_t reverse_reverse() const { return tangent() + num_ys(); }
  size_t forward_reverse() const { return reverse_reverse() + xs_.size(); }
  const ir::Module& module() const { return module_; }

 private:
  ir::Module module_;
  ir::Function function_;
  std::vector<ir::Value> xs_, u_, v_, ys_;
};

}  // namespace reel::optable

#endif  // REEL_TESTS_OPS_DIFFERENTIATED_H_
