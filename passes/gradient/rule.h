#ifndef REEL_PASSES_GRADIENT_RULE_H_
#define REEL_PASSES_GRADIENT_RULE_H_

#include <algorithm>
#include <cassert>
#include <optional>

#include "ir/builder.h"
#include "passes/gradient/functions.h"
#include "passes/gradient/gradient.h"

// How a gradient rule is written. Every op of ops.def has exactly one definition
//
//   GRAD(Exp, kNone, kY) { g.Set(0, b.Mul(g.dy(), g.y())); }    // exp' = exp
//   NOT_DIFFERENTIABLE(Floor)
//
// in rules/<family>.cc; a missing one is a link error, a second one a compile or link error. The
// two masks declare which operands and results the rule reads: the accessors assert that it reads
// no others. Of the arguments of one call only one may emit nodes, the others get names first: C++
// does not fix the order, and the graph must not depend on the compiler.

namespace reel::passes {

/// An axis as an index of attributes.
inline size_t AxisIndex(int axis) { return static_cast<size_t>(axis); }

/// What a rule sees of one forward node, and where it leaves the cotangents of the operands.
class GradContext {
 public:
  GradContext(ir::Builder* builder, const ir::Node& node, FunctionGradients* functions)
      : functions_(functions),
        builder_(builder),
        node_(node),
        wanted_(node.operands.size()),
        active_(node.operands.size()),
        is_total_(node.operands.size()),
        wants_zeros_(node.operands.size()),
        cotangents_(static_cast<size_t>(node.num_results)),
        gradients_(node.operands.size()),
        sums_(node.operands.size()) {}

  const ir::Node& node() const { return node_; }
  ir::Value in(int i) const {
    assert((needs_.operands >> std::min(i, 31) & 1) && "rule reads an undeclared operand");
    return node_.operands[static_cast<size_t>(i)];
  }
  ir::Value x() const { return in(0); }
  ir::Value y(int i = 0) const {
    assert((needs_.results >> std::min(i, 31) & 1) && "rule reads an undeclared result");
    return node_.result(i);
  }
  /// Cotangent of result i; invalid = zero. For a node with one result it is valid.
  ir::Value dy(int i = 0) const { return cotangent(i).value; }
  const Cotangent& cotangent(int i) const { return cotangents_[static_cast<size_t>(i)]; }
  /// The cotangent of result i, zeros if there is none.
  ir::Value dy_or_zeros(int i) { return dy(i).valid() ? dy(i) : builder_->Zeros(y_type(i)); }
  /// The results that have a cotangent.
  Mask seeded() const {
    Mask mask;
    for (const Cotangent& d : cotangents_) mask.push_back(d.valid());
    return mask;
  }
  /// Whether operand i needs a cotangent. Rules with one differentiable operand need not ask.
  bool wants(int i) const { return wanted_[static_cast<size_t>(i)]; }
  /// Whether operand i depends on an x at all, wanted or not.
  bool active(int i) const { return active_[static_cast<size_t>(i)]; }
  void Set(int i, ir::Value cotangent) { gradients_[static_cast<size_t>(i)] = {cotangent}; }
  /// For control ops: one that may be missing.
  void Set(int i, Cotangent cotangent) { gradients_[static_cast<size_t>(i)] = cotangent; }
  /// For control ops: the sum of what other nodes contributed to the cotangent of operand i, if
  /// there is any and the operand is wanted; of one that occurs twice, only for the last, which is the
  /// one that functions captured. A rule that adds its own part itself hands the total back; without a sum its part
  /// comes before those of the node's other operands, as in eager code, whose loops have used it last.
  const Cotangent& sum(int i) const { return sums_[static_cast<size_t>(i)]; }
  void SetTotal(int i, Cotangent total) {
    Set(i, total);
    is_total_[static_cast<size_t>(i)] = true;
  }
  /// The sum had better be +0 where it is missing.
  void WantZeros(int i) { wants_zeros_[static_cast<size_t>(i)] = true; }

  Type x_type(int i = 0) const { return builder_->function()->type(node_.operands[static_cast<size_t>(i)]); }
  Type y_type(int i = 0) const { return builder_->function()->type(node_.result(i)); }
  Shape x_shape(int i = 0) const { return x_type(i).shape; }
  int num_operands() const { return static_cast<int>(node_.operands.size()); }

  /// For control ops. Require: the gradient of a function, or null after noting that it must be
  /// built first: the rule then returns without emitting anything and is run again.
  FunctionGradients& functions() { return *functions_; }
  const BuiltGradient* Require(GradientKey key) {
    const BuiltGradient* built = functions_->Find(key);
    if (!built) request_ = std::move(key);
    return built;
  }

 private:
  friend class Sweep;
  friend class NodeJvp;
  FunctionGradients* functions_;
  ir::Builder* builder_;
  const ir::Node node_;  // a copy: emitting moves the function's nodes
  Needs needs_;
  absl::InlinedVector<bool, 4> wanted_, active_, is_total_, wants_zeros_;
  absl::InlinedVector<Cotangent, 2> cotangents_, gradients_, sums_;
  std::optional<GradientKey> request_;
};

struct GradRule {
  Needs needs;
  void (*emit)(GradContext& g, ir::Builder& b);  // null: not differentiable
  bool by_operand = false;  // needs depends on which of two operands is wanted: first, second
  Needs first = {}, second = {};
};

// Masks of GRAD.
inline constexpr uint32_t kNone = 0, kX = 1, kA = 1, kB = 2, kC = 4, kAll = ~0u, kY = 1;

#define GRAD(Enum, operands, results)                                \
  static void Emit##Enum(GradContext& g, ir::Builder& b);            \
  extern const GradRule k##Enum##Gradient;                           \
  const GradRule k##Enum##Gradient{{operands, results}, Emit##Enum}; \
  static void Emit##Enum([[maybe_unused]] GradContext& g, [[maybe_unused]] ir::Builder& b)
// GRAD for two operands of which each has its own needs.
#define GRAD_EACH(Enum, operands0, results0, operands1, results1)                        \
  static void Emit##Enum(GradContext& g, ir::Builder& b);                                \
  extern const GradRule k##Enum##Gradient;                                               \
  const GradRule k##Enum##Gradient{{(operands0) | (operands1), (results0) | (results1)}, \
                                   Emit##Enum,                                           \
                                   true,                                                 \
                                   {operands0, results0},                                \
                                   {operands1, results1}};                               \
  static void Emit##Enum([[maybe_unused]] GradContext& g, [[maybe_unused]] ir::Builder& b)
#define NOT_DIFFERENTIABLE(Enum)           \
  extern const GradRule k##Enum##Gradient; \
  const GradRule k##Enum##Gradient{{kNone, kNone}, nullptr};

/// The complex conjugate, by which cotangents of complex products are multiplied; a real value
/// itself.
inline ir::Value Conj(ir::Builder& b, ir::Value x) {
  if (!IsComplex(b.type(x).dtype)) return x;
  const ir::Value re = b.Real(x), im = b.Imag(x);
  return b.Complex(re, b.Neg(im));
}

/// y[t] = x[t - by] along the axis, `fill` where there is no such element.
ir::Value ShiftAlong(ir::Builder& b, ir::Value x, int64_t axis, int64_t by, double fill);

/// What a missing cotangent is: -0, or +0.
ir::Value Missing(ir::Builder& b, const Type& type, bool zero);
/// The cotangent with -0, or +0, where it is missing.
Cotangent WithMissing(ir::Builder& b, Cotangent d, bool zero);
/// One that is always there if one of the two is.
ir::Value EitherPresent(ir::Builder& b, const Cotangent& x, const Cotangent& y);

/// Zero but for some rows: what a slice or a gather gives its operand. A sum adds those rows alone.
bool IsPart(const ir::Function& f, ir::Value v);
/// A cotangent of all elements, as a function of a graph passes it on: an identity of a part is none.
Cotangent Whole(ir::Builder& b, Cotangent d);

/// The rule of an op.
const GradRule& RuleOf(ir::Op op);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_RULE_H_
