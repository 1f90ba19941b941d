#ifndef REEL_CODEGEN_PLAN_PRODUCTS_H_
#define REEL_CODEGEN_PLAN_PRODUCTS_H_

#include <optional>
#include <vector>

#include "codegen/plan/plan.h"

// What planning asks of a product and its operands: how they lie in memory, and whether they are stored in 16 bits: the
// copy in f32 that the meaning of f16 and bf16 asks for (passes/expand/half.h) is made piece by piece in the kernel.

namespace reel::codegen {

/// Strides of a product's result by which what these views, one of the other, make of it lies in order, if the product
/// can be computed with the lanes that then are neighbours: its last columns, or, where it has one column, a batch
/// along which both operands are neighbours, too (depthwise convolutions). None for views that move nothing.
std::optional<std::vector<int64_t>> ProductLayout(const ir::Function& function, const ir::Node& product,
                                                  const std::vector<const ir::Node*>& views, const View& x,
                                                  const View& w);

/// Whether a product can read its second operand through this view: the elements of its last axis lie side by side for
/// lanes, or the schedule brings them together panel by panel, which pays for few rows.
bool MakesLanes(const ir::Function& function, const ir::Node& product, const View& w, const Tuning& tuning);

/// A cast from f16 or bf16 to f32, which loses nothing.
bool IsWidening(const ir::Function& function, const ir::Node& node);
/// Memory of 16 bits that v, an f32 value, is a view of, through one widening cast and views of it or of its operand;
/// none if there is no such cast. The base need not have memory yet.
std::optional<View> WidenedView(const ir::Function& function, const PlanGraph& plan, ir::Value v);
/// Whether a node is a product of bf16 that stayed one (PassContext::keep_bf16_products): tiles add it, and its result
/// is rounded once.
bool AddsInTiles(const ir::Function& function, const ir::Node& node);
/// Whether a contraction, read through these views, is one of pairs of bf16 (ContractShape::pairs), and large enough.
bool MultipliesPairs(const ir::Function& function, const ir::Node& node, const View& x, const View& w,
                     const Tuning& tuning);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_PRODUCTS_H_
