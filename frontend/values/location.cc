#include "frontend/values/location.h"

#include <atomic>

#include "frontend/record/event_stream.h"
#include "runtime/per_thread.h"

namespace reel::internal {

namespace {

std::atomic<LineFinder> line_finder{nullptr};

}  // namespace

void SetLineFinder(LineFinder find) { line_finder = find; }

SourceLine UserLine() {
  const ThreadState* const state = runtime::FindPerThread<ThreadState>();  // a destructor asks, which may not throw
  if (state && state->location.file && *state->location.file) return state->location;
  const LineFinder find = line_finder;
  return find ? find() : SourceLine{};
}

LocationScope::LocationScope(const std::source_location& location, const char* function)
    : outermost_(State().location.file == nullptr) {
  if (outermost_) State().location = {location.file_name(), location.line(), function};
}
LocationScope::~LocationScope() {
  if (outermost_) State().location = {};
}

}  // namespace reel::internal
