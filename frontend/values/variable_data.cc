#include "frontend/values/variable_data.h"

#include <utility>

#include "runtime/fork.h"

namespace reel::internal {

runtime::Buffer VariableData::Load() {
  const runtime::NoFork whole;
  const std::lock_guard lock(mutex);
  return buffer;
}

void VariableData::Store(runtime::Buffer value) {
  const runtime::NoFork whole;
  const std::lock_guard lock(mutex);
  std::swap(buffer, value);
}

}  // namespace reel::internal
