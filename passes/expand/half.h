#ifndef REEL_PASSES_EXPAND_HALF_H_
#define REEL_PASSES_EXPAND_HALF_H_

#include "passes/expand/rule.h"

// f16 and bf16 are storage: every op on them is computed in f32 and its results are rounded once. So
// + - * / and sqrt are correctly rounded, sums and contractions accumulate in f32, and code generation
// needs only loads, stores, casts and select for 16 bits.

namespace reel::passes {

/// True for a node that has an f16 or bf16 operand or result and does more than move elements.
bool ComputesInHalf(const ir::Function& f, const ir::Node& node);
/// The node on operands cast to f32, its results cast back.
ir::ValueList ExpandHalf(ExpandContext& c);

}  // namespace reel::passes

#endif  // REEL_PASSES_EXPAND_HALF_H_
