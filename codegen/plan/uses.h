#ifndef REEL_CODEGEN_PLAN_USES_H_
#define REEL_CODEGEN_PLAN_USES_H_

#include <vector>

#include "codegen/plan/plan.h"
#include "codegen/target/tuning.h"

namespace reel::codegen {

/// By value: what reads it.
struct Uses {
  static constexpr int32_t kUnread = -2, kNoStack = -1;

  std::vector<int> count;                ///< consumers, directly or through views; results count, too
  std::vector<const ir::Node*> reader;   ///< the only node that reads it, if nothing else does
  std::vector<bool> is_result;
  std::vector<bool> broadcast;  ///< a view of it repeats its elements
  std::vector<bool> minor_broadcast;  ///< a broadcast repeats each element along a short last axis
  std::vector<bool> non_elementwise;  ///< what is no map of it reads it: reductions, slices, rows of another shape, ...
  std::vector<bool> wants_buffer;  ///< some op could write over it, or takes it as a whole
  std::vector<int32_t> stack;  ///< id of the last value of the only stack that reads it, or one of the above
};

/// The argsort along its last axis of which a slice takes the first elements of each row, and nothing else is read;
/// null: none. Then the slice is what a kernel makes, without the rest.
const ir::Node* SelectionOf(const ir::Function& function, const Uses& uses, const ir::Node& slice,
                            const Tuning& tuning);
/// The argsort of a sort kernel: its root, or what that selects from.
const ir::Node& SortOf(const ir::Function& function, const KernelPlan& kernel);

Uses UsesOf(const ir::Function& function, const Tuning& tuning);
/// What an op is the root of.
KernelKind RootOf(ir::Op op);
/// It is there for what it does: control ops, checks, callbacks, collectives.
bool IsControl(ir::Op op);

/// Values that are few operations away from one array as large, beside small ones.
struct Arrays {
  std::vector<ir::Value> of;  ///< by value: the array it is a map of, else itself
  std::vector<int> maps;  ///< by array: how many maps of it several readers share
};

/// `uses`: by value, how many read it.
Arrays FindArrays(const ir::Function& function, const std::vector<int>& uses, const Tuning& tuning);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_USES_H_
