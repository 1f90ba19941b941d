#ifndef REEL_IR_COST_H_
#define REEL_IR_COST_H_

#include "ir/ops.h"

// What ops cost: the one table that hoisting, recomputing, splitting, fusing and the profile's flops ask.

namespace reel::ir {

/// Of one element, in a vector loop whose operands are at hand.
struct CostNumbers {
  int cycles;  ///< in additions; measured in tests/bench/math_cycles for functions, in round numbers
  int flops;   ///< that a roofline counts
};

constexpr CostNumbers NumbersOf(OpCost cost) {
  switch (cost) {
    case OpCost::kFree: return {0, 0};
    case OpCost::kMove: return {1, 0};
    case OpCost::kArithmetic: return {1, 1};
    case OpCost::kDivide: return {5, 1};
    case OpCost::kIndexed: return {4, 0};
    case OpCost::kFunction: return {20, 20};
    case OpCost::kPower: return {40, 40};
    case OpCost::kSpecial: return {80, 80};
    case OpCost::kSeries: return {1000, 1000};
    case OpCost::kWhole: return {1, 1};  // beside what it reads
  }
  return {};
}

inline int CyclesOf(Op op) { return NumbersOf(Info(op).cost).cycles; }
inline int FlopsOf(Op op) { return NumbersOf(Info(op).cost).flops; }

/// Whether an element of the result is an expression of elements of the operands, which a kernel may compute where it
/// is used.
inline bool IsExpression(Op op) { return Info(op).cost != OpCost::kWhole; }

/// Whether computing it again costs no more than reading it back: fused into what reads it.
inline bool IsRematerialisable(Op op) {
  const OpInfo& info = Info(op);
  return info.cost <= OpCost::kPower &&
         (info.Has(kElementwise) || info.operands == 0 || info.Has(kView) || op == Op::kPad);
}

/// Whether it is worth the memory of its result outside of a loop whose iterations would compute it again.
inline bool IsCostly(Op op) {
  const OpInfo& info = Info(op);
  if (info.Has(kControl) || IsCheck(op) || IsCall(op)) return false;
  // A transpose or a gather reads memory in an order that each iteration would pay for.
  return info.cost >= OpCost::kFunction || op == Op::kTranspose || op == Op::kGather;
}

}  // namespace reel::ir

#endif  // REEL_IR_COST_H_
