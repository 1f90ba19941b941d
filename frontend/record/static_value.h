#ifndef REEL_FRONTEND_RECORD_STATIC_VALUE_H_
#define REEL_FRONTEND_RECORD_STATIC_VALUE_H_

#include "reel/tensor.h"

namespace reel::internal {

class EventLog;

/// The elements of a tensor of a trace that depends on constants alone, or of one that has elements; a null tensor
/// otherwise. Nothing is recorded. Small tensors and few ops only: it is for shapes, axes and indices.
Tensor StaticValue(const Tensor& x);

/// While it lives, StaticValue() knows what this log of a trace on this thread says.
class StaticLogScope {
 public:
  explicit StaticLogScope(const EventLog* log);
  ~StaticLogScope();
  StaticLogScope(const StaticLogScope&) = delete;
  StaticLogScope& operator=(const StaticLogScope&) = delete;

 private:
  friend Tensor StaticValue(const Tensor& x);
  const EventLog* log_;
  const StaticLogScope* outer_;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_STATIC_VALUE_H_
