#ifndef REEL_FRONTEND_EAGER_DISPATCH_H_
#define REEL_FRONTEND_EAGER_DISPATCH_H_

#include <initializer_list>
#include <utility>

#include "absl/types/span.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/graph.h"
#include "reel/variable.h"

// The one dispatcher through which every op goes.
//
//   op -> Dispatch -> infer types -> eager kernel, or a symbolic result while a trace is active
//                  -> one event to each sink

namespace reel::internal {

/// The op on the operands, with their exact types: no broadcasting, no promotion. Throws on a type
/// error.
TensorList DispatchAll(ir::Op op, AttributesPtr attributes, absl::Span<const Tensor> operands);
/// The same for ops with one result.
Tensor Dispatch(ir::Op op, absl::Span<const Tensor> operands, ir::Attributes attributes = {});
inline Tensor Dispatch(ir::Op op, std::initializer_list<Tensor> operands, ir::Attributes attributes = {}) {
  return Dispatch(op, absl::Span<const Tensor>(operands.begin(), operands.size()), std::move(attributes));
}

/// An elementwise op whose operands have one type and values, and for which there is a kernel, outside of traces: it is
/// run, and told to those who record. Null if that is not so.
Tensor RunReady(ir::Op op, std::initializer_list<const Operand*> operands, const char* function = __builtin_FUNCTION());

/// The value of a variable as a new tensor; in a trace, symbolic.
Tensor ReadVariable(const VariablePtr& variable);
void AssignVariable(const VariablePtr& variable, const Tensor& value);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_EAGER_DISPATCH_H_
