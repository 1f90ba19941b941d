#ifndef REEL_FRONTEND_INDEX_H_
#define REEL_FRONTEND_INDEX_H_

#include "frontend/core.h"

namespace reel::internal {

/// Throws if an index is not in [0, extent of x's axis). Eager calls look at the indices; compiled
/// code and traces cannot.
void CheckIndices(const char* op, const Tensor& x, const Tensor& indices, int64_t axis);
/// The operand; throws unless it is i32 or i64.
Tensor IndexTensor(const Operand& x);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_INDEX_H_
