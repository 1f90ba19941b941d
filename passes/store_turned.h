#ifndef REEL_PASSES_STORE_TURNED_H_
#define REEL_PASSES_STORE_TURNED_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace reel::passes {

/// A variable that is stored with its axes in another order: axis i of what is stored is axis permutation[i] of it.
struct TurnedVariable {
  std::string name;
  std::vector<int64_t> permutation;
};

/// What a literal is in another order of its axes.
using TurnLiteral = std::function<ir::Literal(const ir::Literal&, const std::vector<int64_t>& permutation)>;

/// Stores variables as functions read them: one that no function changes, and that all read through transposes of one
/// order alone, gets the type and the initial value of that, so that calls do not turn it again and again.
/// Returns which; who reads or sets them by name turns them.
absl::StatusOr<std::vector<TurnedVariable>> StoreTurned(ir::Module* m, const TurnLiteral& turn);

}  // namespace reel::passes

#endif  // REEL_PASSES_STORE_TURNED_H_
