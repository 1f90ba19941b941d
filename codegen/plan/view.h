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
int64_t Product(const std::vector<int64_t>& extents);

/// How an expression reads a value; aligned = at the expression's own indices.
struct Leaf {
  ir::Value value;
  bool aligned;
};
/// The stored values that expressions with these operands read, sorted.
std::vector<Leaf> LeavesOf(const ir::Function& f, const PlanGraph& plan, std::vector<Leaf> operands);
/// The stored values that the expression of v, a member of a kernel, reads.
std::vector<ir::Value> LeavesOf(const ir::Function& f, const PlanGraph& plan, ir::Value v);
/// By value: the kernels that read it, itself among them if it does; a result as if by one behind all.
std::vector<std::vector<int>> ReadersOf(const ir::Function& f, const PlanGraph& plan);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_VIEW_H_
