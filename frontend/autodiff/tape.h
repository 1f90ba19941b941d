#ifndef REEL_FRONTEND_AUTODIFF_TAPE_H_
#define REEL_FRONTEND_AUTODIFF_TAPE_H_

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

#include "frontend/autodiff/backward.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/variable_data.h"
#include "ir/hash_map.h"
#include "runtime/fork.h"

namespace reel::internal {

/// An op that a tape saw and did not follow: nothing that it watched went in, it has no gradient, or
/// recording was stopped.
struct UnfollowedOp {
  ir::Op op;
  bool stopped;
  DType dtype;  // of the first result
  SourceLine line;
  absl::InlinedVector<uint64_t, 3> operands;
  absl::InlinedVector<uint64_t, 1> results;
};

/// What a GradientTape records: the ops that depend on something watched, and the values their
/// gradients need.
class TapeCore : public EventSink {
 public:
  explicit TapeCore(TapeOptions options) : options_(options) {}

  void OnOp(const OpEvent& event) override;
  void OnCustom(const CustomEvent& event) override;
  void OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) override;
  void OnAssign(const VariablePtr&, const Tensor&, SourceLine) override {}
  bool listening() const override { return recording_; }

  /// Marks the tensors that are followed.
  void MarkFollowed(absl::Span<const Tensor> tensors, std::vector<bool>* followed);
  void Watch(const Source& source);
  std::vector<Variable> WatchedVariables();
  std::vector<std::optional<GradientValue>> Gradient(const Targets& targets, const Sources& sources,
                                                     const GradientOptions& options, bool sparse);
  std::string ExplainNone(const Source& target, const Source& source);
  std::string Summary();
  void Reset();
  void Start();
  void Stop();
  void Pause() { ++paused_; }
  void Resume() { --paused_; }
  bool persistent() const { return options_.persistent; }
  bool recording() const { return recording_ && paused_ == 0; }
  bool stopped() const { return !recording_; }

 private:
  // Follows a variable that is read, if it is watched; true if it is.
  bool WatchRead(const VariablePtr& variable);
  void Miss(UnfollowedOp op);
  void Record(TapeEntry entry);
  // Forgets ops whose results nobody holds and no other op needs.
  void DropDead();
  // The recorded ops, for a gradient; of a tape that is not persistent they come back by Return.
  std::vector<TapeEntry> Borrow(GradientRequest* request);
  void Return(std::vector<TapeEntry> entries) noexcept;

  static constexpr size_t kFirstDrop = 1024;

  const TapeOptions options_;
  std::atomic<bool> recording_{true};
  std::atomic<int> paused_{0};
  runtime::Mutex mutex_;  // guards everything below
  bool used_ = false;
  SourceLine end_;  // where it stopped
  TypeTable types_;
  std::vector<TapeEntry> entries_;
  size_t next_drop_ = kFirstDrop;  // at so many entries
  std::deque<UnfollowedOp> missed_;  // the last of them
  HashSet<uint64_t> on_tape_;      // tensors and variables that are followed
  std::map<uint64_t, VariablePtr> variables_;  // watched, in the order of creation
};

/// The event for this thread's tapes alone: others know the ops of the function.
void TellTapes(const CustomEvent& event);

/// Puts a sink on this thread's stream.
void PushSink(std::shared_ptr<EventSink> sink);
/// Takes it off; false if it is not the last one of this thread.
bool PopSink(const EventSink* sink);

/// A sink on this thread's stream while this lives.
class SinkScope {
 public:
  explicit SinkScope(std::shared_ptr<EventSink> sink) : sink_(sink.get()) { PushSink(std::move(sink)); }
  ~SinkScope() { PopSink(sink_); }
  SinkScope(const SinkScope&) = delete;
  SinkScope& operator=(const SinkScope&) = delete;

 private:
  const EventSink* sink_;
};

/// No tape that this thread has now records while this lives; recordings and traces do.
class PauseTapesScope {
 public:
  PauseTapesScope();
  ~PauseTapesScope();
  PauseTapesScope(const PauseTapesScope&) = delete;
  PauseTapesScope& operator=(const PauseTapesScope&) = delete;

 private:
  std::vector<std::shared_ptr<TapeCore>> tapes_;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_AUTODIFF_TAPE_H_
