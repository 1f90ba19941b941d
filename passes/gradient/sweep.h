#ifndef REEL_PASSES_GRADIENT_SWEEP_H_
#define REEL_PASSES_GRADIENT_SWEEP_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/builder.h"
#include "passes/gradient/functions.h"

namespace reel::passes {

/// The reverse sweep over one function: marks what depends on the xs, then walks the forward nodes
/// from the last to the first, adding each node's contributions to the cotangents of its operands.
/// It stops where it needs the gradient of another function and goes on when called again.
class Sweep {
 public:
  /// name_nodes: as in GradientOptions; the gradients of other functions always have names.
  Sweep(ir::Function* f, FunctionGradients* functions, bool name_nodes = true);

  /// seeds: one per y, all valid. Nodes that produce a value in `stops` are not differentiated.
  void Start(absl::Span<const ir::Value> ys, absl::Span<const ir::Value> seeds,
             absl::Span<const ir::Value> xs, absl::Span<const ir::Value> stops);
  /// Null when done, else the gradient to build before the next call.
  absl::StatusOr<std::optional<GradientKey>> Run();
  /// The cotangent of a forward value; invalid = none.
  ir::Value Cotangent(ir::Value v) const { return cotangents_[static_cast<size_t>(v.id)]; }
  ir::Builder& builder() { return builder_; }

 private:
  void MarkActive(const ir::Node& node);
  absl::StatusOr<std::optional<GradientKey>> Differentiate(const ir::Node& node);
  void Accumulate(ir::Value v, ir::Value cotangent);
  // Names what was appended since there were so many values after the node it is the gradient of.
  void NameNodes(const ir::Node& forward, int32_t first);

  ir::Function* f_;
  FunctionGradients* functions_;
  const bool name_nodes_;
  ir::Builder builder_;
  std::vector<bool> active_;        // by forward value: an x, or depends on one
  std::vector<bool> differentiate_;  // by forward node: a result depends on an x through the node
  std::vector<ir::Value> cotangents_;  // by forward value: sum of the contributions so far
  size_t remaining_ = 0;  // forward nodes not yet visited
};

/// Runs a sweep to its end; builds the gradients of functions it meets, without recursion.
absl::Status RunSweep(Sweep* sweep, FunctionGradients* functions);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_SWEEP_H_
