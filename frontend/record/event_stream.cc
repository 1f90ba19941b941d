#include "frontend/record/event_stream.h"

#include <algorithm>
#include <utility>

#include "frontend/autodiff/check_numerics.h"
#include "frontend/record/observed.h"
#include "runtime/per_thread.h"

namespace reel::internal {

ThreadState& State() { return runtime::PerThread<ThreadState>(); }

void EventSink::OnCustom(const CustomEvent& event) {
  for (size_t i = 0; i < event.results.size(); ++i) {
    OnOp({ir::Op::kIdentity, nullptr, event.inner.subspan(i, 1), event.results.subspan(i, 1), event.line});
  }
}

bool Observed() { return State().trace != nullptr || !State().sinks.empty(); }
bool InTrace() { return State().trace != nullptr; }

bool MayDifferentiateTwice() { return State().trace != nullptr || State().sinks.size() > 1; }

bool MayRunPrograms() {
  const ThreadState& state = State();
  return !state.trace && !ChecksNumerics() &&
         std::none_of(state.sinks.begin(), state.sinks.end(), [](const auto& sink) { return sink->listening(); });
}

SuspendScope::SuspendScope()
    : sinks_(std::exchange(State().sinks, {})), trace_(std::exchange(State().trace, nullptr)) {}
SuspendScope::~SuspendScope() {
  State().sinks = std::move(sinks_);
  State().trace = trace_;
}

}  // namespace reel::internal
