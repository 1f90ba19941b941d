#ifndef REEL_FRONTEND_AUTODIFF_FORWARD_MODE_H_
#define REEL_FRONTEND_AUTODIFF_FORWARD_MODE_H_

#include <atomic>
#include <mutex>

#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/variable_data.h"
#include "ir/hash_map.h"
#include "reel/forward.h"
#include "runtime/fork.h"

namespace reel::internal {

/// What a ForwardAccumulator knows: the tangents of tensors and variables that move. The tangent of a tensor lives
/// no longer than the tensor.
class ForwardCore : public EventSink {
 public:
  ForwardCore();
  ~ForwardCore() override;

  void OnOp(const OpEvent& event) override;
  void OnCustom(const CustomEvent& event) override;
  void OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) override;
  void OnAssign(const VariablePtr&, const Tensor&, SourceLine) override {}
  bool listening() const override { return recording_; }

  /// Adds to the tangent of the primal.
  void Watch(const Source& primal, const Tensor& tangent);
  /// A null tensor if there is none.
  Tensor Find(uint64_t id) const;
  /// Sets the tangent, or removes it if it is a null tensor; returns the one before.
  Tensor Exchange(uint64_t id, Tensor tangent);
  void SetRecording(bool recording) { recording_ = recording; }
  size_t size() const;

 private:
  void Put(const Tensor& value, Tensor tangent);

  std::atomic<bool> recording_{false};
  mutable runtime::Mutex mutex_;  // guards tangents_
  HashMap<uint64_t, Tensor> tangents_;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_AUTODIFF_FORWARD_MODE_H_
