#ifndef REEL_CODEGEN_GROUP_VIEW_H_
#define REEL_CODEGEN_GROUP_VIEW_H_

#include <optional>

#include "codegen/group/group.h"

namespace reel::codegen {

/// The view of the result of a view op, or of a cast, given its operand's; none for a reshape that strides cannot
/// express.
std::optional<View> ViewThrough(const ir::Function& function, const ir::Node& node, const View& operand);
/// Strides of what lies at `strides`, in another shape; none if there are no such.
std::optional<std::vector<int64_t>> ReshapeStrides(const Shape& from, const std::vector<int64_t>& strides,
                                                   const Shape& to);
/// True if the view of a value of this shape is its base's memory in order, from the start.
bool IsRowMajor(const View& view, const Shape& shape);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_GROUP_VIEW_H_
