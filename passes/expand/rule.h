#ifndef REEL_PASSES_EXPAND_RULE_H_
#define REEL_PASSES_EXPAND_RULE_H_

#include <functional>

#include "absl/status/statusor.h"

#include "ir/builder.h"
#include "ir/graph.h"

// How an expansion is written. An op named in expansions.def has one definition in expand/<family>.cc:
//
//   EXPAND(Conv) { return {c.b.Contract(patches, filter, axes)}; }
//
// A missing one is a link error.

namespace reel::passes {

/// What an expansion sees of one node; it emits its composition with `b`.
struct ExpandContext {
  ir::Builder& b;
  ir::Module* module;       ///< where functions of loops and branches are added
  const ir::Node& node;     ///< of the function being replaced
  ir::ValueList operands;   ///< in the function that `b` writes

  ir::Value x(int i = 0) const { return operands[static_cast<size_t>(i)]; }
  const Type& x_type(int i = 0) const { return b.type(x(i)); }
  const std::vector<int64_t>& ints(std::string_view name) const { return node.attr<std::vector<int64_t>>(name); }
};

/// One value per result of the node; none: the node stays as it is.
using Expansion = ir::ValueList (*)(ExpandContext& c);
#define EXPAND(Enum) ir::ValueList Expand##Enum([[maybe_unused]] ExpandContext& c)
#define EXPANSION(Enum) EXPAND(Enum);
#include "passes/expand/expansions.def"
#undef EXPANSION

/// Null for an op that code generation knows itself.
Expansion ExpansionOf(ir::Op op);

/// Replaces the nodes that `wanted` says and that have an expansion, until none is left, and what has no elements.
/// Expand is this for all nodes, and SplitComplex.
absl::StatusOr<bool> ExpandNodes(ir::Module* m,
                                 const std::function<bool(const ir::Function&, const ir::Node&)>& wanted);

}  // namespace reel::passes

#endif  // REEL_PASSES_EXPAND_RULE_H_
