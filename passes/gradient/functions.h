#ifndef REEL_PASSES_GRADIENT_FUNCTIONS_H_
#define REEL_PASSES_GRADIENT_FUNCTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "ir/graph.h"
#include "passes/gradient/flow.h"

namespace reel::passes {

/// Asks for the cotangents of some parameters of a function, given those of some of its results.
/// What `sums` marks, of the parameters, comes in as a sum of other contributions and goes out with
/// the function's own added: for a slice of an invariant, that costs the slice alone.
struct GradientKey {
  std::string function;
  Mask parameters, results;
  Mask sums = {};  ///< empty: none
  template <typename H>
  friend H AbslHashValue(H h, const GradientKey& k) {
    return H::combine(std::move(h), k.function, k.parameters, k.results, k.sums);
  }
  friend bool operator==(const GradientKey&, const GradientKey&) = default;
};

/// (all parameters, cotangents of key.results, key.sums) -> cotangents of key.parameters.
struct BuiltGradient {
  ir::Function function;
  Mask used;  ///< per parameter of the forward function: whether the gradient reads it
};

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
  /// superset of those used.
  std::string Name(const GradientKey& key, const Mask& keep);
  /// Adds a function under the first free name like its own; returns that name.
  std::string AddFunction(ir::Function function);

 private:
  ir::Module* module_;
  Flow flow_;
  absl::flat_hash_map<GradientKey, std::unique_ptr<BuiltGradient>> built_;
  absl::flat_hash_map<std::pair<GradientKey, Mask>, std::string> names_;
};

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_FUNCTIONS_H_
