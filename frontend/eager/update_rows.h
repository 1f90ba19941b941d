#ifndef REEL_FRONTEND_EAGER_UPDATE_ROWS_H_
#define REEL_FRONTEND_EAGER_UPDATE_ROWS_H_

#include "frontend/values/variable_data.h"
#include "ir/graph.h"
#include "reel/tensor.h"

namespace reel::internal {

/// Assigns the variable the result of a scatter op along its first axis; indices out of range are dropped. Where
/// nothing on this thread listens and nobody shares the value, these rows alone are written to.
void UpdateRows(const VariablePtr& variable, ir::Op op, const Tensor& indices, const Tensor& rows);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_EAGER_UPDATE_ROWS_H_
