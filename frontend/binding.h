#ifndef REEL_FRONTEND_BINDING_H_
#define REEL_FRONTEND_BINDING_H_

#include <cstdint>

#include "reel/tensor.h"

// What a binding to another language needs beyond the public headers.

namespace reel::internal {

/// Line of the user's program, and which function of Reel it called; strings with static lifetime, null if unknown.
struct SourceLine {
  const char* file = nullptr;
  uint32_t line = 0;
  const char* function = nullptr;
};

/// Finds the user's line in another language. Called only when an error or a consumer of the event
/// stream needs it, for calls whose std::source_location is default-constructed.
using LineFinder = SourceLine (*)();
void SetLineFinder(LineFinder find);

/// A tensor of elements that belong to someone else and never change; release(context) is called
/// when the last tensor that shares them goes away, on any thread.
Tensor AdoptMemory(const Type& type, const void* elements, void (*release)(void*), void* context);

/// True while something on this thread records or traces.
bool Observed();

}  // namespace reel::internal

#endif  // REEL_FRONTEND_BINDING_H_
