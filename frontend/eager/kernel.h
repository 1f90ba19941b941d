#ifndef REEL_FRONTEND_EAGER_KERNEL_H_
#define REEL_FRONTEND_EAGER_KERNEL_H_

#include <memory>

#include "absl/types/span.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/tensor_data.h"
#include "ir/graph.h"
#include "ir/infer.h"
#include "reel/tensor.h"
#include "runtime/buffer.h"

namespace reel::internal {

/// Runs one op eagerly on concrete operands whose result types are known.
TensorList RunKernel(ir::Op op, const AttributesPtr& attributes, absl::Span<const Tensor> operands,
                     absl::Span<const Type> result_types);

struct CompiledKernel;

/// The code of an op whose only result is an update of its first operand, that writes over it.
class OverKernel {
 public:
  OverKernel(ir::Op op, const ir::Attributes& attributes, const ir::TypeList& operands);
  /// `operands`: of which the first is not read. Fails and throws before it has written.
  void Run(absl::Span<const void* const> operands, void* memory) const;

 private:
  const ir::Op op_;
  const std::shared_ptr<const CompiledKernel> kernel_;
  const runtime::Buffer instance_;
};

/// Uninitialised memory for a tensor; throws kResourceExhausted.
runtime::Buffer NewBuffer(const Type& type);
/// Memory whose elements are all the one at `number`. Large zeros take none until they are written to.
runtime::Buffer Filled(const std::byte* number, const Type& type);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_EAGER_KERNEL_H_
