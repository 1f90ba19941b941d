#ifndef REEL_FRONTEND_EAGER_KERNEL_LIBRARY_H_
#define REEL_FRONTEND_EAGER_KERNEL_LIBRARY_H_

#include "codegen/library/library.h"
#include "frontend/values/tensor_data.h"
#include "ir/graph.h"
#include "reel/tensor.h"

// Eager ops without the compiler. Elementwise ops and reductions run kernels of libreel_kernels.so,
// which our own compiler made when the project was built (codegen/library); ops that only move
// elements are copies. Bits are those of compiled code: the kernels come from the same schedules,
// and rows longer than a block are cut here by the same rule.

namespace reel::internal {

/// Runs the op into `out`, contiguous memory for the result; false if it has to be compiled.
bool RunFromLibrary(ir::Op op, const ir::Attributes& attributes, absl::Span<const Tensor> operands, const Type& result,
                    void* out);

/// The kernel of an elementwise op whose operands have one dtype, and its result's dtype; null if
/// there is none.
struct LibraryOp {
  const codegen::LibraryKernel* kernel = nullptr;
  DType result = kFloat32;
};
LibraryOp FindInLibrary(ir::Op op, DType dtype);
/// Elements of an operand, or one that stands for all.
struct ElementwiseOperand {
  ElementwiseOperand() = default;
  explicit ElementwiseOperand(const TensorData& x)
      : repeated(x.is_number()), dtype(x.type.dtype), data(repeated ? x.number() : x.buffer().data()) {}
  bool repeated = false;
  DType dtype = kFloat32;
  const void* data = nullptr;
};
/// At most three operands.
void RunElementwise(const codegen::LibraryKernel& kernel, absl::Span<const ElementwiseOperand> operands,
                    const Type& result, void* out);

/// Numbers repeated so often or more have no memory until something asks for it (TensorData::number).
inline constexpr int64_t kRepeatsFrom = 1 << 13;

/// Ops that only move elements (broadcast, transpose, slice, reverse, pad, dynamic_slice,
/// dynamic_update): the same as copies; false for others.
bool RunAsCopy(ir::Op op, const ir::Attributes& attributes, absl::Span<const Tensor> operands, const Type& result,
               void* out);

/// rows x columns elements of `bytes` each (1 to 16) to columns x rows.
void Transpose(const void* from, int64_t rows, int64_t columns, int64_t bytes, void* to);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_EAGER_KERNEL_LIBRARY_H_
