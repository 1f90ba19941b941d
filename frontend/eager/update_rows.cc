#include "frontend/eager/update_rows.h"

#include <cstring>
#include <mutex>

#include "frontend/eager/dispatch.h"
#include "frontend/eager/kernel.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "ir/infer.h"
#include "runtime/fork.h"

namespace reel::internal {

void UpdateRows(const VariablePtr& variable, ir::Op op, const Tensor& indices, const Tensor& rows) {
  const ir::Attributes attributes{{"axis", int64_t{0}}};
  if (!MayRunPrograms() || indices.symbolic() || rows.symbolic()) {
    return AssignVariable(variable, Dispatch(op, {ReadVariable(variable), indices, rows}, attributes));
  }
  const Type& type = variable->type;
  Take(ir::InferTypes({op, {type, indices.type(), rows.type()}, attributes, nullptr}));
  const OverKernel kernel(op, attributes, {type, indices.type(), rows.type()});
  const void* operands[] = {nullptr, indices.raw_data(), rows.raw_data()};
  runtime::Buffer old;  // lives longer than the lock: what dies with it may call
  const runtime::NoFork whole;
  const std::lock_guard lock(variable->mutex);
  variable->RequireValue();
  if (!variable->buffer.unique()) {
    runtime::Buffer copy = NewBuffer(type);
    if (type.bytes() > 0) std::memcpy(copy.data(), variable->buffer.data(), static_cast<size_t>(type.bytes()));
    old = std::exchange(variable->buffer, std::move(copy));
  }
  kernel.Run(operands, variable->buffer.data());
}

}  // namespace reel::internal
