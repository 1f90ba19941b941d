#ifndef REEL_CODEGEN_GROUP_NORMALIZE_H_
#define REEL_CODEGEN_GROUP_NORMALIZE_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace reel::codegen {

/// The function in the form that grouping expects; same values, same bits:
///  - contract is a[(b,) m, k] x b[(b,) k, n], with transposes and reshapes around it where needed;
///  - the axes of a reduce are neighbours;
///  - a result that is a parameter, a constant or a repeated result goes through an identity of its own.
/// Unimplemented: control flow (calls must be inlined), symbolic extents, dtypes without kernels.
absl::StatusOr<ir::Function> Normalize(const ir::Function& function, const ir::Module& module);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_GROUP_NORMALIZE_H_
