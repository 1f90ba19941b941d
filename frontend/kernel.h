#ifndef REEL_FRONTEND_KERNEL_H_
#define REEL_FRONTEND_KERNEL_H_

#include "frontend/core.h"

namespace reel::internal {

/// Runs one op eagerly on concrete operands whose result types are known.
TensorList RunKernel(ir::Op op, const AttributesPtr& attributes, absl::Span<const Tensor> operands,
                     absl::Span<const Type> result_types);

/// Uninitialised memory for a tensor; throws kResourceExhausted.
runtime::Buffer NewBuffer(const Type& type);
/// Memory whose elements are all the one at `number`. Large zeros take none until they are written to.
runtime::Buffer Filled(const std::byte* number, const Type& type);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_KERNEL_H_
