#ifndef REEL_FRONTEND_RECORD_EVENT_STREAM_H_
#define REEL_FRONTEND_RECORD_EVENT_STREAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "frontend/values/location.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/graph.h"
#include "reel/tensor.h"

// The event stream of a thread: each op that runs or is traced, each read and assign of a variable is one event to each
// sink: Recording, GradientTape, ForwardAccumulator, the trace itself.

namespace reel::internal {

using AttributesPtr = std::shared_ptr<const ir::Attributes>;

/// One op that ran (or was traced). The spans live only during the call.
struct OpEvent {
  ir::Op op;
  const AttributesPtr& attributes;
  absl::Span<const Tensor> operands, results;
  SourceLine line;
};

struct CustomCall;  // autodiff/custom_gradient.h

/// A function with a gradient of its own that ran. Its ops were events already, with the results
/// `inner`; `results` are new tensors of the same values. `call` is this as a call op with a vjp,
/// null unless a log records.
struct CustomEvent {
  const std::shared_ptr<CustomCall>& custom;
  absl::Span<const Tensor> operands, inner, results;
  const OpEvent* call;
  SourceLine line;
};

/// A consumer of a thread's event stream.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void OnOp(const OpEvent& event) = 0;
  /// By default, results are identities of what the ordinary ops computed.
  virtual void OnCustom(const CustomEvent& event);
  virtual void OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) = 0;
  virtual void OnAssign(const VariablePtr& variable, const Tensor& value, SourceLine line) = 0;
  /// False once stopped: then it is not called.
  virtual bool listening() const = 0;
};

/// A trace in progress: the functions its control ops name, and its identity.
struct TraceState {
  explicit TraceState(TraceState* outer_) : id(NextId()), outer(outer_) {}
  uint64_t id;
  TraceState* outer;  // the trace of the function this one is a branch of; null if none
  uint64_t outer_before = outer ? outer->outer_before : 0;  // older eager tensors are operands
  std::shared_ptr<ir::Module> module = outer ? outer->module : std::make_shared<ir::Module>();
};

/// What a thread records now.
struct ThreadState {
  std::vector<std::shared_ptr<EventSink>> sinks;  // outermost first
  TraceState* trace = nullptr;  // innermost
  SourceLine location;  // of the outermost op call in progress; a file "" is found when needed
};
ThreadState& State();

/// Whether a compiled program may stand for ops that run now: nothing records or traces them, or looks at their
/// numbers.
bool MayRunPrograms();

/// Nothing is recorded or traced inside: for initial values, slots, checks.
class SuspendScope {
 public:
  SuspendScope();
  ~SuspendScope();
  SuspendScope(const SuspendScope&) = delete;
  SuspendScope& operator=(const SuspendScope&) = delete;

 private:
  std::vector<std::shared_ptr<EventSink>> sinks_;
  TraceState* trace_;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_EVENT_STREAM_H_
