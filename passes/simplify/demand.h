#ifndef REEL_PASSES_SIMPLIFY_DEMAND_H_
#define REEL_PASSES_SIMPLIFY_DEMAND_H_

#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/graph.h"

namespace reel::passes {

/// Which elements of a value anybody looks at: with y = select(c, a, b), a counts where c is true and b where it is
/// false, and so does what only they are computed from, element by element.
class Demand {
 public:
  explicit Demand(const ir::Function& f);
  /// The operand that a select is equal to wherever it is looked at; invalid if both branches are.
  ir::Value Taken(const ir::Node& select) const;

 private:
  /// Where a value counts: 2 c for "c is false", 2 c + 1 for "c is true"; all of them hold.
  using Places = absl::InlinedVector<int32_t, 4>;
  void Want(ir::Value v, const Places& places);

  std::vector<Places> places_;  // by value; empty for a function without two selects
  std::vector<bool> wanted_;
};

}  // namespace reel::passes

#endif  // REEL_PASSES_SIMPLIFY_DEMAND_H_
