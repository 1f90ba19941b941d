#ifndef REEL_CODEGEN_PLAN_VIEW_H_
#define REEL_CODEGEN_PLAN_VIEW_H_

#include <optional>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// The view of the result of a view op, or of a cast, given its operand's; none for a reshape that strides cannot
/// express.
std::optional<View> ViewThrough(const ir::Function& function, const ir::Node& node, const View& operand);
/// Strides of what lies at `strides`, in another shape; none if there are no such.
std::optional<std::vector<int64_t>> ReshapeStrides(const Shape& from, const std::vector<int64_t>& strides,
                                                   const Shape& to);
/// True if the view of a value of this shape is its base's memory in order, from the start.
bool IsRowMajor(const View& view, const Shape& shape);
/// Extents of a shape without those that are 1.
std::vector<int64_t> WithoutOnes(const Shape& shape);
/// The stored values that the expression of v, a member of a kernel, reads.
std::vector<ir::Value> LeavesOf(const ir::Function& f, const PlanGraph& plan, ir::Value v);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_VIEW_H_
