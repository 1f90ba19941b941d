#ifndef REEL_PRODUCTS_H_
#define REEL_PRODUCTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "reel/ops.h"

// Products of tensors beyond MatMul and Contract (ops.h).

namespace reel {

/// Options of MatMul.
struct MatMulOptions {
  bool transpose_a = false,
       transpose_b = false;  ///< of the last two axes; operands must have rank 2 or more
};
Tensor MatMul(const Operand& a, const Operand& b, const MatMulOptions& options);
/// NumPy's dot: scalars multiply; else the sum over the last axis of a and the last but one (a
/// vector's only) of b.
Tensor Dot(const Operand& a, const Operand& b);
/// Every product of an element of a with one of b: [a.size(), b.size()].
Tensor Outer(const Operand& a, const Operand& b);
/// The sum over the last `axes` axes of a and the first of b.
Tensor TensorDot(const Operand& a, const Operand& b, int64_t axes = 2);
/// The sum over the named axes, paired in order.
Tensor TensorDot(const Operand& a, const Operand& b, const std::vector<int64_t>& a_axes,
                 const std::vector<int64_t>& b_axes);

/// Einstein's notation: Einsum("bij,bjk->bik", {a, b}). Labels are letters; one that is not in the
/// result is summed. A repeated label in one operand takes the diagonal, "..." stands for axes that
/// broadcast, extent 1 stretches. Without "->" the result has the labels that occur once, in
/// alphabetical order. Operands meet from left to right.
Tensor Einsum(std::string_view equation, const std::vector<Tensor>& operands);

}  // namespace reel

#endif  // REEL_PRODUCTS_H_
