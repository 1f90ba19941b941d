#ifndef REEL_PASSES_GRADIENT_SWEEP_H_
#define REEL_PASSES_GRADIENT_SWEEP_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/builder.h"
#include "passes/gradient/functions.h"
#include "passes/gradient/gradient.h"

namespace reel::passes {

class GradContext;

/// The reverse sweep over one function: marks what depends on the xs, then walks the forward nodes
/// from the last to the first, adding each node's contributions to the cotangents of its operands.
/// It stops where it needs the gradient of another function and goes on when called again.
class Sweep {
 public:
  /// name_nodes: as in GradientOptions; the gradients of other functions always have names.
  Sweep(ir::Function* f, FunctionGradients* functions, bool name_nodes = true);

  /// seeds: one per y, added up in this order. Nodes that produce a value in `stops` are not differentiated.
  void Start(absl::Span<const ir::Value> ys, absl::Span<const Cotangent> seeds, absl::Span<const ir::Value> xs,
             absl::Span<const ir::Value> stops);
  /// Null when done, else the gradient to build before the next call.
  absl::StatusOr<std::optional<GradientKey>> Run();
  /// The cotangent of a forward value; invalid = none.
  const Cotangent& Found(ir::Value v) const { return cotangents_[static_cast<size_t>(v.id)]; }
  /// Whether a seed had better be +0 where it is missing: what is added to it first is a part.
  bool WantsZeros(ir::Value v) const { return wants_zeros_[static_cast<size_t>(v.id)]; }
  ir::Builder& builder() { return builder_; }

 private:
  void MarkActive(const ir::Node& node);
  absl::StatusOr<std::optional<GradientKey>> Differentiate(const ir::Node& node);
  void Accumulate(ir::Value v, Cotangent cotangent);
  void TakeSums(const ir::Node& node, GradContext* g) const;
  void HandOut(const ir::Node& node, GradContext* g, const Cotangent& shared);
  // Names what was appended since there were so many values after the node it is the gradient of.
  void NameNodes(const ir::Node& forward, int32_t first);

  ir::Function* f_;
  FunctionGradients* functions_;
  const bool name_nodes_;
  ir::Builder builder_;
  std::vector<bool> active_;        // by forward value: an x, or depends on one
  std::vector<bool> differentiate_;  // by forward node: a result depends on an x through the node
  std::vector<Cotangent> cotangents_;  // by forward value: sum of the contributions so far
  std::vector<bool> wants_zeros_;
  size_t remaining_ = 0;  // forward nodes not yet visited
};

/// Gradients() with functions of the module that are built already, and for those to come.
absl::StatusOr<std::vector<ir::Value>> GradientsWith(FunctionGradients* functions, ir::Function* f,
                                                     absl::Span<const ir::Value> ys, absl::Span<const ir::Value> xs,
                                                     const GradientOptions& options = {});

/// Runs a sweep to its end; builds the gradients of functions it meets, without recursion.
absl::Status RunSweep(Sweep* sweep, FunctionGradients* functions);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_SWEEP_H_
