#ifndef REEL_PASSES_SIMPLIFY_SITE_H_
#define REEL_PASSES_SIMPLIFY_SITE_H_

#include <optional>

#include "ir/builder.h"

namespace reel::passes {

/// A node about to be copied: what a rule looks at. Values belong to the new function.
struct Site {
  ir::Op op;
  ir::ValueList operands;
  const ir::Attributes& attributes;
  Type type;  // of the result
  ir::Builder& b;
  bool differentiation_done;
  bool sole_user;  // of x: nothing else reads it

  const ir::Function& f() const { return *b.function(); }
  ir::Value x() const { return operands[0]; }
  template <typename T>
  const T& attr(std::string_view name) const {
    return attributes.Get<T>(name);
  }
};

/// The replacement by the algebraic rows (rows.cc); invalid if none applies.
ir::Value SimplifyByRows(Site& site);
/// The replacement by the rules on shapes and attributes (shape.cc).
ir::Value SimplifyShape(Site& site);
/// The replacement of a contraction of transposed operands (contract.cc).
ir::Value SimplifyContract(Site& site);

}  // namespace reel::passes

#endif  // REEL_PASSES_SIMPLIFY_SITE_H_
