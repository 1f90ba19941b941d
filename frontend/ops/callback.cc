#include "frontend/ops/callback.h"

#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

#include "frontend/eager/dispatch.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "ir/callback.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel::internal {
namespace {

// Whether all elements of a bool tensor are true.
bool All(const CallbackTensor& x) {
  return x.type.bytes() == 0 || std::memchr(x.data, 0, static_cast<size_t>(x.type.bytes())) == nullptr;
}

}  // namespace

CallbackPtr MakeCallback(CallbackBody body) {
  return runtime::AddCallback([body = std::move(body)](const int64_t* words, void* const* buffers) {
    const ir::CallbackCall call = ir::ReadCallbackWords(words);
    std::vector<CallbackTensor> tensors;
    for (const Type& type : call.types) tensors.push_back({type, buffers[tensors.size()]});
    const CallbackTensor& result = tensors[0];
    if (call.guarded && All(tensors[2])) {
      if (result.type.bytes() > 0) std::memset(result.data, 0, static_cast<size_t>(result.type.bytes()));
      return;
    }
    body(absl::MakeConstSpan(tensors).subspan(1), result);
  });
}

Tensor CallBack(CallbackPtr callback, CallbackOptions options, const Type& type, const std::vector<Tensor>& operands) {
  ir::Attributes attributes{{"dtype", type.dtype},  {"effect", options.effect},    {"guarded", options.guarded},
                            {"id", callback->id()}, {"of", std::move(options.of)}, {"shape", type.shape}};
  attributes.Hold(std::move(callback));
  return Dispatch(ir::Op::kCallback, {operands.data(), operands.size()}, std::move(attributes));
}

void RunCallback(const ir::Attributes& attributes, absl::Span<const CallbackTensor> tensors) {
  const CallbackPtr callback = runtime::FindCallback(attributes.Get<int64_t>("id"));
  if (!callback) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("callback: ", attributes.Get<std::string>("of"), " is ", ir::CallbackAdvice()));
  }
  std::vector<Type> types;
  std::vector<void*> buffers;
  for (const CallbackTensor& x : tensors) {
    types.push_back(x.type);
    buffers.push_back(x.data);
  }
  callback->Run(ir::CallbackWords(attributes.Get<bool>("guarded"), types).data(), buffers.data());
}

absl::StatusOr<ir::Literal> EvaluateCallback(const ir::Attributes& attributes, absl::Span<const ir::Literal> operands,
                                             const Type& result) {
  std::vector<std::byte> made(static_cast<size_t>(result.bytes()));
  std::vector<std::vector<std::byte>> bytes;
  std::vector<CallbackTensor> tensors{{result, made.data()}};
  for (const ir::Literal& x : operands) {
    bytes.emplace_back(x.bytes().begin(), x.bytes().end());
    tensors.push_back({x.type(), bytes.back().data()});
  }
  try {
    RunCallback(attributes, tensors);
  } catch (const std::exception& e) {
    return absl::AbortedError(StrCat(attributes.Get<std::string>("of"), ": ", e.what()));
  }
  return ir::Literal(result, std::move(made));
}

const Variable& CallbackOrder() {
  static constinit Lazy<const Variable> order;
  return order.Get([] {
    const SuspendScope eager;
    return std::make_unique<const Variable>(Zeros({}, kInt32), VariableOptions{"callbacks", false});
  });
}

}  // namespace reel::internal
