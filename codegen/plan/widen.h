#ifndef REEL_CODEGEN_PLAN_WIDEN_H_
#define REEL_CODEGEN_PLAN_WIDEN_H_

#include <optional>
#include <vector>

#include "codegen/plan/plan.h"
#include "ir/graph.h"

// Operands of products that are stored in 16 bits: the copy in f32 that the meaning of f16 and bf16 asks for
// (passes/expand/half.h) is made piece by piece in the kernel.

namespace reel::codegen {

/// A cast from f16 or bf16 to f32, which loses nothing.
bool IsWidening(const ir::Function& function, const ir::Node& node);
/// Memory of 16 bits that v, an f32 value, is a view of, through one widening cast and views of it or of its operand;
/// none if there is no such cast. The base need not have memory yet.
std::optional<View> WidenedView(const ir::Function& function, const PlanGraph& plan, ir::Value v);
/// Whether a contraction, read through these views, is one of pairs of bf16 (ContractShape::pairs), and large enough.
bool MultipliesPairs(const ir::Function& function, const ir::Node& node, const View& x, const View& w,
                     const Tuning& tuning);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_WIDEN_H_
