#ifndef REEL_FRONTEND_VALUES_ADOPT_MEMORY_H_
#define REEL_FRONTEND_VALUES_ADOPT_MEMORY_H_

#include "reel/tensor.h"

namespace reel::internal {

/// A tensor of elements that belong to someone else and never change; release(context) is called
/// when the last tensor that shares them goes away, on any thread.
Tensor AdoptMemory(const Type& type, const void* elements, void (*release)(void*), void* context);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_ADOPT_MEMORY_H_
