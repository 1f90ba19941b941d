#ifndef REEL_PASSES_GRADIENT_FUNCTIONS_H_
#define REEL_PASSES_GRADIENT_FUNCTIONS_H_

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "ir/hash_map.h"
#include "passes/gradient/flow.h"
#include "passes/without.h"

namespace reel::passes {

/// A cotangent that may be missing when the graph runs: a branch that was not taken, a loop that never ran. `present`
/// is a bool scalar, invalid if the cotangent is always there. A missing one is -0, which adds nothing to any number,
/// or +0 if `zero`, for sums to which parts are added in place.
struct Cotangent {
  ir::Value value = {}, present = {};
  bool zero = false;
  bool valid() const { return value.valid(); }
  bool maybe() const { return present.valid(); }
};

/// Bit i of a mask that may be empty.
inline bool Has(const Mask& mask, size_t i) { return i < mask.size() && mask[i]; }

/// Asks for the cotangents of some parameters of a function, given those of some of its results.
/// What `sums` marks, of the parameters, comes in as a sum of other contributions and goes out with
/// the function's own added: for a slice of an invariant, that costs the slice alone.
/// Empty masks are of none.
struct GradientKey {
  std::string function;
  Mask parameters, results;
  Mask sums = {};
  Mask maybe_results = {}, maybe_sums = {};  ///< of those above, the ones that come with a `present`
  Mask zeros = {};  ///< per parameter: where it is missing, its sum (or its result's cotangent) is +0, and goes out so
  template <typename H>
  friend H AbslHashValue(H h, const GradientKey& k) {
    return H::combine(std::move(h), k.function, k.parameters, k.results, k.sums, k.maybe_results, k.maybe_sums,
                      k.zeros);
  }
  friend bool operator==(const GradientKey&, const GradientKey&) = default;
};

/// (all parameters, cotangents of key.results, key.sums, what is present of the maybe_results, of the maybe_sums)
/// -> cotangents of key.parameters, which of these are present.
struct BuiltGradient {
  ir::Function function;
  Mask used;  ///< per parameter of the forward function: whether the gradient reads it
  Mask maybe;  ///< per parameter: whether its cotangent may be missing
  Mask wants_zeros;  ///< per parameter: key.zeros would save a pass over the sum
};

/// The gradient with the "present" of the parameters that are marked, alone.
ir::Function WithPresent(const GradientKey& key, const BuiltGradient& built, const Mask& present);

/// The gradients of the functions that control ops name, each built once.
class FunctionGradients {
 public:
  explicit FunctionGradients(ir::Module* module) : module_(module), flow_(module) {}

  ir::Module* module() { return module_; }
  Flow& flow() { return flow_; }
  /// Null if it is not built.
  const BuiltGradient* Find(const GradientKey& key) const;
  void Add(const GradientKey& key, BuiltGradient built);
  /// Name in the module of a built gradient that takes only the forward parameters in `keep`, a
  /// superset of those used, and returns "present" for the parameters in `present`.
  std::string Name(const GradientKey& key, const Mask& keep, const Mask& present);
  /// Adds a function under the first free name like its own; returns that name.
  std::string AddFunction(ir::Function function);
  /// Name of a function that does the same without effects of callbacks: what a gradient runs again.
  std::string WithoutEffects(const std::string& function) { return Without(module_, function, IsEffect, &silent_); }

 private:
  ir::Module* module_;
  Flow flow_;
  Names silent_;
  HashMap<GradientKey, std::unique_ptr<BuiltGradient>> built_;
  HashMap<std::tuple<GradientKey, Mask, Mask>, std::string> names_;
};

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_FUNCTIONS_H_
