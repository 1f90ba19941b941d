#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_PAIRS_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_PAIRS_H_

#include <vector>

#include "codegen/schedule/contract_shape.h"

// Products of pairs of bf16. AVX512-BF16 adds two products to a sum in f32, one after the other, each rounded once:
// what the rule of contractions says (ir/README.md), with the pair's first element in the upper half. But it takes
// denormal operands and sums for 0. So it multiplies where there can be none: no operand is denormal, and the smallest
// ones' product has no bit below the smallest normal number. Then every product, and so every sum of them, is a
// multiple of that bit. Elsewhere two fma do the same, at half the speed: the same bits either way.

namespace reel::codegen {

/// The pair of an operand that begins at `at`, or `dynamic` (even) elements behind that, as i32.
ExprId PairAt(ExprBuilder* builder, ir::Value operand, const PairedOperand& paired, const Affine& at,
              ExprId dynamic = -1);

/// Elements of an operand: those `at` 64 * chunk + lane behind a place, for each iteration of a loop.
struct Elements {
  ir::Value operand;
  Stmt loop;                ///< without a body
  Affine at;                ///< of lane 0, within the loop
  int64_t lanes = 1;        ///< neighbours in memory
  Affine clip_base = {};    ///< lanes end where clip_base + lane is clip_total, if that is >= 0
  int64_t clip_total = -1;

  /// Of the loop, or of lanes.
  void Clip(bool of_lanes, const Affine& base, int64_t total) {
    (of_lanes ? clip_base : loop.clip_base) = base;
    (of_lanes ? clip_total : loop.clip_total) = total;
  }
};
/// Declares the local `least`, whose element 0 becomes the bits of the smallest magnitude but 0 of the elements, less
/// 1; 65535 if all are 0.
void LeastOf(Kernel* kernel, ExprBuilder* builder, Elements elements, LocalId* least, std::vector<Stmt>* out);
/// Whether Combine::kDotPair of operands with these LeastOf is Combine::kFmaPair.
ExprId MayDot(Kernel* kernel, ExprBuilder* builder, LocalId x_least, LocalId w_least);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_PAIRS_H_
