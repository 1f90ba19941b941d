#include "frontend/ops/callback.h"

#include <memory>
#include <utility>

#include "frontend/eager/dispatch.h"
#include "frontend/record/event_stream.h"
#include "ir/lazy.h"
#include "reel/ops.h"

namespace reel::internal {

Tensor CallBack(int64_t id, std::string of, bool effect, const Type& type, const std::vector<Tensor>& operands) {
  return Dispatch(
      ir::Op::kCallback, {operands.data(), operands.size()},
      {{"dtype", type.dtype}, {"effect", effect}, {"id", id}, {"of", std::move(of)}, {"shape", type.shape}});
}

const Variable& CallbackOrder() {
  static constinit Lazy<const Variable> order;
  return order.Get([] {
    const SuspendScope eager;
    return std::make_unique<const Variable>(Zeros({}, kInt32), VariableOptions{"callbacks", false});
  });
}

}  // namespace reel::internal
