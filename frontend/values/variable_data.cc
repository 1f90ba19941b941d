#include "frontend/values/variable_data.h"

#include <utility>

#include "frontend/values/status.h"
#include "ir/strings.h"
#include "runtime/fork.h"

namespace reel::internal {

runtime::Buffer VariableData::Load() {
  const runtime::NoFork whole;
  const std::lock_guard lock(mutex);
  RequireValue();
  return buffer;
}

void VariableData::RequireValue() const {
  if (!in_parts) return;
  ThrowError(ErrorCode::kFailedPrecondition,
             StrCat("variable '", name, "', ", type.ToString(),
                    ": each process has its part, after a step with shard_optimizer; before it is read, call "
                    "GatherState(step)() in all of them"));
}

void VariableData::Store(runtime::Buffer value) {
  const runtime::NoFork whole;
  const std::lock_guard lock(mutex);
  std::swap(buffer, value);
  in_parts = false;
}

}  // namespace reel::internal
