#ifndef REEL_PASSES_GRADIENT_GRADIENT_H_
#define REEL_PASSES_GRADIENT_GRADIENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

// Symbolic reverse mode with the meaning of tf.gradients. Rules are in rules/, one per primitive.

namespace reel::passes {

struct GradientOptions {
  /// Seeds, one per y; an invalid Value means ones. Empty: ones for all.
  std::vector<ir::Value> grad_ys = {};
  /// No gradient flows back through the nodes that produce these.
  std::vector<ir::Value> stop_gradients = {};
  /// Zeros instead of an invalid Value for an x that no y depends on.
  bool zero_unconnected = false;
  /// The nodes of the gradient of `h` get the name hint "h.grad", of an unnamed one that of its op: "tanh.grad".
  bool name_nodes = true;
};

/// Appends the backward graph to f and returns, for each x, the sum over ys of dy/dx: a total
/// derivative, of x's type; invalid (None) if no y depends on x. xs may be intermediate values or
/// ys. Integers cut the path, but an integer that is both x and y has gradient one. Only cotangents
/// on a path from an x to a y are computed. Time and appended nodes are linear in f; the functions
/// of control ops get gradient functions in m (null if f has no control ops). On error f may have
/// gained unused nodes.
///
///   Value y = b.Mul(x, x);
///   auto dx = Gradients(&f, &m, {y}, {x});    // appends mul(ones, x) twice and an add
absl::StatusOr<std::vector<ir::Value>> Gradients(ir::Function* f, ir::Module* m, absl::Span<const ir::Value> ys,
                                                 absl::Span<const ir::Value> xs, const GradientOptions& options = {});

/// Forward mode: appends the tangents of ys for the tangents dxs of xs (types of xs; an invalid
/// Value is a zero tangent) and returns J dx per y; invalid if the y depends on no x with a tangent.
/// An x may be an intermediate value: what it gets from other xs and its own tangent add. Loops
/// carry tangents beside values: no stacks, no bound on iterations needed. A call with a vjp uses
/// the transpose of that. Linear in f; functions of control ops are added to m (null if there are none).
absl::StatusOr<std::vector<ir::Value>> Jvp(ir::Function* f, ir::Module* m, absl::Span<const ir::Value> ys,
                                           absl::Span<const ir::Value> xs, absl::Span<const ir::Value> dxs);

/// Adds "<function>.jvp": takes the arguments of the function, then "d.<x>" for each argument marked
/// in `xs`; touches the same variables, as the function does; returns its results, then "d.<y>" for
/// each floating or complex one (zeros if it depends on no marked x). Returns its name.
absl::StatusOr<std::string> AddJvpFunction(ir::Module* m, std::string_view function, std::vector<bool> xs);

struct GradientFunction {
  std::string name;
  std::vector<bool> connected;  ///< per x: false if no y depends on it (its result is zeros)
};

/// Adds "<function>.grad": takes the parameters of the function, then, if asked, one "d.<y>" per y;
/// touches the same variables without changing them; returns one "d.<x>" per x. ys are result names
/// or positions ("0"), all if empty; xs are parameter or variable names, all floating ones if
/// empty.
absl::StatusOr<GradientFunction> AddGradientFunction(ir::Module* m, std::string_view function,
                                                     absl::Span<const std::string> ys, absl::Span<const std::string> xs,
                                                     bool has_grad_ys = false);

/// Bit i: operand (result) i of a node.
struct Needs {
  uint32_t operands = 0, results = 0;
  friend bool operator==(const Needs&, const Needs&) = default;
};

/// The forward values that an op's gradient may refer to; nothing else needs to be kept for it.
Needs NeededByGradient(ir::Op op);
/// The same if only some operands get a gradient, bit i of `wanted` for operand i: a product with a
/// constant does not need the variable.
Needs NeededByGradient(ir::Op op, uint32_t wanted);
/// False if the op has no gradient at all: it cuts the path.
bool HasGradient(ir::Op op);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_GRADIENT_H_
