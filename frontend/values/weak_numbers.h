#ifndef REEL_FRONTEND_VALUES_WEAK_NUMBERS_H_
#define REEL_FRONTEND_VALUES_WEAK_NUMBERS_H_

#include <span>
#include <vector>

#include "reel/variable.h"

// Numbers of another language as tensors: what Promote (promotion.h) does for the operands of an op, where there is no
// op.

namespace reel::internal {

/// The operand as a tensor; a number gets the dtype that it has beside `strong`.
Tensor NumberBeside(const Operand& x, DType strong);
/// All operands as tensors of their own dtypes; numbers get the dtype that they have beside the others.
std::vector<Tensor> NumbersBeside(std::span<const Operand> operands);

/// x padded with a value that is converted to x's dtype.
Tensor PadWith(const Tensor& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
               const Operand& value);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_WEAK_NUMBERS_H_
