#ifndef REEL_FRONTEND_VALUES_PROMOTION_H_
#define REEL_FRONTEND_VALUES_PROMOTION_H_

#include <cstdint>

#include "absl/types/span.h"
#include "frontend/values/tensor_data.h"
#include "ir/graph.h"
#include "reel/variable.h"

// Promotion and broadcasting, used by all op families.

namespace reel::internal {

/// Operands as tensors of one dtype: the array API table, weak numbers follow.
TensorList Promote(ir::Op op, absl::Span<const Operand* const> operands);
/// Broadcast to one shape by NumPy's rule.
void BroadcastTogether(ir::Op op, absl::Span<Tensor> operands);
Shape BroadcastShapes(ir::Op op, const Shape& a, const Shape& b);
Tensor BroadcastTensor(const Tensor& x, const Shape& shape);
/// A weak number becomes a scalar of this dtype.
Tensor ConvertWeak(const Operand& x, DType dtype);
/// The operand; a weak number gets its default dtype (f32 or i64).
Tensor Materialize(const Operand& x);
Tensor ScalarOf(DType dtype, double value);
/// axis, or axis + rank if negative; throws if out of range.
int64_t NormalizeAxis(const char* op, int64_t axis, int rank);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_PROMOTION_H_
