#ifndef REEL_CODEGEN_PLAN_NORMALIZE_H_
#define REEL_CODEGEN_PLAN_NORMALIZE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/target/tuning.h"
#include "ir/graph.h"

namespace reel::codegen {

/// What a function is compiled as: decides which of its results may stay one of its parameters.
enum class Role : uint8_t {
  kEntry,   ///< an entry point: a variable that keeps its value
  kBody,    ///< of a loop: a carried value that keeps its value
  kBranch,  ///< of an if, a loop's condition, a callee: none
};

/// The function in the form that planning expects; same values, same bits:
///  - contract is a[batch..., m..., k...] x b[batch..., k..., n...], with transposes before it where needed;
///  - the axes of a reduce are neighbours;
///  - a result that is a parameter, a constant or a repeated result goes through an identity of its own;
///  - operands of control ops are constants or have memory; a result of a control op that is always one of its
///    operands is that operand; control ops without results are gone;
///  - a check is of one number, nothing reads its result, and it stands in front where it may.
/// `origins`, if asked for: by value, the value of `function` that it was made for, or invalid; the nodes then have its
/// location, which only checks have otherwise.
/// Unimplemented: symbolic extents. Complex numbers must be expanded before.
absl::StatusOr<ir::Function> Normalize(const ir::Function& function, const ir::Module& module, Role role,
                                       const Tuning& tuning, std::vector<ir::Value>* origins = nullptr);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_NORMALIZE_H_
