#ifndef REEL_CODEGEN_PLAN_LAYOUT_H_
#define REEL_CODEGEN_PLAN_LAYOUT_H_

#include <optional>
#include <vector>

#include "codegen/plan/plan.h"

namespace reel::codegen {

/// Strides of a product's result by which what a transpose makes of it lies in order, if the product can be computed
/// with the lanes that then are neighbours: its last columns, or, where it has one column, a batch along which both
/// operands are neighbours, too (depthwise convolutions).
std::optional<std::vector<int64_t>> ProductLayout(const ir::Function& function, const ir::Node& product,
                                                  const ir::Node& transpose, const View& x, const View& w);

/// Whether a product can read its second operand through this view: the elements of its last axis lie side by side for
/// lanes, or the schedule brings them together panel by panel, which pays for few rows.
bool MakesLanes(const ir::Function& function, const ir::Node& product, const View& w, const Tuning& tuning);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_LAYOUT_H_
