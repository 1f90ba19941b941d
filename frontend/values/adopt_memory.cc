#include "frontend/values/adopt_memory.h"

#include <utility>

#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"

namespace reel::internal {

Tensor AdoptMemory(const Type& type, const void* elements, void (*release)(void*), void* context) {
  runtime::Buffer buffer = runtime::Buffer::TryAdopt(elements, static_cast<size_t>(type.bytes()), release, context);
  if (!buffer) {
    ThrowError(ErrorCode::kResourceExhausted, StrCat("no memory for ", type.ToString(), ": ", type.bytes(), " bytes"));
  }
  return MakeTensor(type, std::move(buffer));
}

}  // namespace reel::internal
