#ifndef REEL_FRONTEND_OPS_CALLBACK_H_
#define REEL_FRONTEND_OPS_CALLBACK_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/attributes.h"
#include "reel/variable.h"
#include "runtime/callback.h"

// Functions of the process as ops, for what runs later. Tensors, graphs and programs that name one hold it.

namespace reel::internal {

/// A row-major tensor in somebody's memory.
struct CallbackTensor {
  Type type;
  void* data;
};

/// Reads the operands, writes the result; may throw.
using CallbackBody = std::function<void(absl::Span<const CallbackTensor> operands, const CallbackTensor& result)>;
using CallbackPtr = std::shared_ptr<const runtime::Callback>;
CallbackPtr MakeCallback(CallbackBody body);

struct CallbackOptions {
  std::string of;  ///< in errors and listings
  /// It is there for what the function does, the result is the next order, of the type of operands[0].
  bool effect = false;
  /// It is called only where an element of operands[1], of bool, is false; where not, the result is zeros.
  bool guarded = false;
};
/// The tensor of the type that the function makes of the operands.
Tensor CallBack(CallbackPtr callback, CallbackOptions options, const Type& type, const std::vector<Tensor>& operands);

/// What a callback op with these attributes does: tensors[0] is the result, the others are the operands.
void RunCallback(const ir::Attributes& attributes, absl::Span<const CallbackTensor> tensors);
/// The same for ir::EvalOptions::callback.
absl::StatusOr<ir::Literal> EvaluateCallback(const ir::Attributes& attributes, absl::Span<const ir::Literal> operands,
                                             const Type& result);

/// i32[], what keeps callbacks in order: one reads it, is given it, and assigns it. No call waits for another that
/// does.
const Variable& CallbackOrder();

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_CALLBACK_H_
