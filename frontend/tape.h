#ifndef REEL_FRONTEND_TAPE_H_
#define REEL_FRONTEND_TAPE_H_

#include <atomic>
#include <map>
#include <mutex>

#include "absl/container/flat_hash_set.h"
#include "frontend/gradient.h"

namespace reel::internal {

/// What a GradientTape records: the ops that depend on something watched, and the values their
/// gradients need.
class TapeCore : public EventSink {
 public:
  explicit TapeCore(TapeOptions options) : options_(options) {}

  void OnOp(const OpEvent& event) override;
  void OnCustom(const CustomEvent& event) override;
  void OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) override;
  void OnAssign(const VariablePtr&, const Tensor&, SourceLine) override {}
  bool listening() const override { return recording_ && paused_ == 0; }

  void Watch(const Source& source);
  std::vector<Variable> WatchedVariables();
  GradientList Gradient(const Targets& targets, const Sources& sources,
                        const GradientOptions& options);
  void Reset();
  void Stop() { recording_ = false; }
  void Pause() { ++paused_; }
  void Resume() { --paused_; }
  bool recording() const { return recording_; }

 private:
  // Follows a variable that is read, if it is watched; true if it is.
  bool WatchRead(const VariablePtr& variable);

  const TapeOptions options_;
  std::atomic<bool> recording_{true};
  std::atomic<int> paused_{0};
  std::mutex mutex_;  // guards everything below
  bool used_ = false;
  std::vector<TapeEntry> entries_;
  absl::flat_hash_set<uint64_t> on_tape_;      // tensors and variables that are followed
  std::map<uint64_t, VariablePtr> variables_;  // watched, in the order of creation
};

/// Puts a sink on this thread's stream.
void PushSink(std::shared_ptr<EventSink> sink);
/// Takes it off; false if it is not the last one of this thread.
bool PopSink(const EventSink* sink);

/// A sink on this thread's stream while this lives.
class SinkScope {
 public:
  explicit SinkScope(std::shared_ptr<EventSink> sink) : sink_(sink.get()) {
    PushSink(std::move(sink));
  }
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

#endif  // REEL_FRONTEND_TAPE_H_
