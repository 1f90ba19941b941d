#ifndef REEL_PASSES_PASS_H_
#define REEL_PASSES_PASS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/budget_meter.h"
#include "ir/graph.h"

// The passes. Each is a function from a verified module to a verified module that computes the same
// bits, and returns whether it changed anything. They run in linear time and never recurse.

namespace reel::passes {

/// What passes may know beside the module.
struct PassContext {
  /// Functions that are called from outside; empty: all are. The others may be removed.
  std::vector<std::string> entry_points = {};
  /// The module is compiled next and not differentiated any more: stop_gradient and vjp have done
  /// their work.
  bool differentiation_done = false;
  /// Expand leaves products (contract) of bf16 as they are: the target adds them by a rule of its own.
  bool keep_bf16_products = false;
  /// false: ProveIndices takes every check away.
  bool check_bounds = true;
  /// Constants of more bytes are not computed at compile time.
  int64_t fold_limit_bytes = 4096;
  /// Inlining stops when it has copied this many nodes.
  int64_t inline_limit_nodes = 200000;
  /// Looked at before every pass; null: time is not limited.
  const ir::BudgetMeter* meter = nullptr;
};

using Pass = absl::StatusOr<bool> (*)(ir::Module* m, const PassContext& context);

/// Replaces ops that are compiled as compositions (expand/expansions.def) by those. Not among the
/// optimizations: gradients are taken before.
absl::StatusOr<bool> Expand(ir::Module* m, const PassContext& context);
/// Moves transposes of what convolutions and poolings leave below the maps, paddings and joins that read it, until the
/// next convolution undoes them: images stay with their channels last. Before Expand, which no longer shows
/// convolutions.
absl::StatusOr<bool> SinkTransposes(ir::Module* m, const PassContext& context);
/// Reshapes and transposes of what products leave go below the maps that read it, which so are computed with the
/// product: of products by weights in panels (store_turned.h), which then read these as they lie, and of convolutions
/// by a filter for each channel. After Simplify, which joins what showed the panels as one axis.
absl::StatusOr<bool> SinkViews(ir::Module* m, const PassContext& context);
/// Slices of at most half of a map's elements, of which nothing else is read, go to what the map reads. Leaves modules
/// alone that may be differentiated yet.
absl::StatusOr<bool> SinkSlices(ir::Module* m, const PassContext& context);
/// Replaces calls by the bodies of the functions they name; a call with a vjp stays while gradients
/// may be wanted.
absl::StatusOr<bool> Inline(ir::Module* m, const PassContext& context);
/// A function with the bodies of calls in their place, and of calls in those, as long as what is copied has at most
/// *left nodes, which are taken off. Linear in what it makes; nothing else of the module is looked at.
ir::Function WithoutCalls(const ir::Function& f, const ir::Module& m, bool with_vjp, int64_t* left);
/// Replaces exact ops on constants, and sums of equal integers, by constants.
absl::StatusOr<bool> Fold(ir::Module* m, const PassContext& context);
/// Applies identities that hold bit for bit: x * 1 = x, never x + 0 = x (it is not so for -0).
absl::StatusOr<bool> Simplify(ir::Module* m, const PassContext& context);
/// Merges nodes that compute the same.
absl::StatusOr<bool> Cse(ir::Module* m, const PassContext& context);
/// Runs a loop once where a later one computes the same and more: the recording loop of a gradient
/// takes the place of the forward loop.
absl::StatusOr<bool> MergeLoops(ir::Module* m, const PassContext& context);
/// Computes before a loop what its body would compute again and again from values it leaves as they
/// are: costly ops (transposes, products, reductions, functions), which it then carries.
absl::StatusOr<bool> Hoist(ir::Module* m, const PassContext& context);
/// Takes values of a few columns apart that loops stack and take single columns of: states of small systems, which they
/// then carry column by column.
absl::StatusOr<bool> Unstack(ir::Module* m, const PassContext& context);
/// Makes one map of computed values that are stacked along a short axis: select(position == k, part k, ...), so that
/// one kernel computes all of them, and what they share once. Leaves modules alone that may be differentiated yet.
absl::StatusOr<bool> SelectParts(ir::Module* m, const PassContext& context);
/// Takes away each check of what is in range whatever the arguments are: iota, argsort, clamped, modulo; constants.
absl::StatusOr<bool> ProveIndices(ir::Module* m, const PassContext& context);
/// Removes nodes that no result depends on, and functions that no entry point reaches.
absl::StatusOr<bool> Dce(ir::Module* m, const PassContext& context);

}  // namespace reel::passes

#endif  // REEL_PASSES_PASS_H_
