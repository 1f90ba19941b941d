#ifndef REEL_PASSES_STORE_TURNED_H_
#define REEL_PASSES_STORE_TURNED_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace reel::passes {

/// A variable that is stored with its axes in another order: axis i of what is stored is axis permutation[i] of it.
/// With panels, the last of these, of n * panel elements, is cut: what is stored is [n, all others ..., panel].
struct TurnedVariable {
  std::string name;
  std::vector<int64_t> permutation;
  int64_t panel = 0;  ///< columns of a panel; 0: there are none
};
/// The type of what is stored for a variable of this type; the other way.
Type StoredType(const Type& type, const TurnedVariable& turned);
Type TypeOfStored(const Type& stored, const TurnedVariable& turned);

/// What is stored for a literal.
using TurnLiteral = std::function<ir::Literal(const ir::Literal&, const TurnedVariable& turned)>;

/// Stores variables as functions read them: one that no function changes, and that all read through transposes of one
/// order alone, gets the type and the initial value of that, so that calls do not turn it again and again. Large
/// matrices and filters are stored in panels: a product reads one in one run, not in pieces as far apart as it has
/// columns. Returns which; who reads or sets them by name turns them.
absl::StatusOr<std::vector<TurnedVariable>> StoreTurned(ir::Module* m, const TurnLiteral& turn);

}  // namespace reel::passes

#endif  // REEL_PASSES_STORE_TURNED_H_
