#ifndef REEL_CODEGEN_PLAN_STORAGE_H_
#define REEL_CODEGEN_PLAN_STORAGE_H_

#include <vector>

#include "codegen/plan/plan.h"
#include "codegen/plan/uses.h"

namespace reel::codegen {

/// Which values get memory, and how the others are read: a plan without kernels, and what is known of the values.
struct Storage {
  PlanGraph plan;
  Uses uses;
  // By value:
  std::vector<int> nodes;       ///< ops computed in its place, itself among them; 0 if it has memory
  std::vector<bool> flat_expr;  ///< it, and all that is computed in its place, walks memory in order
  std::vector<bool> in_place;   ///< a dynamic_update that is a root
  std::vector<bool> selects;    ///< a slice that is the root of a sort (SelectionOf)
};
Storage PlanStorage(const ir::Function& function, const MapOptions& options);

/// What a node is the root of, given whether updates are in place.
KernelKind RootOf(const Storage& storage, const ir::Node& node);
/// Reduced axes of several elements.
int ReducedAxes(const ir::Function& function, const ir::Node& node);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_STORAGE_H_
