#ifndef REEL_FRONTEND_STOP_H_
#define REEL_FRONTEND_STOP_H_

#include <cstdint>

namespace reel::internal {

/// What reel_instance::stop of the instances of this process points to: not 0 stops their long loops, and what is
/// compiled for a caller who waits.
const volatile int32_t* StopFlag();

/// While one lives, an interrupt (Ctrl-C) for which the process has a handler, as Python has, stops those, too. Without a
/// handler an interrupt ends the process, as ever. One at a time looks; others change nothing.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  bool looks_ = false;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_STOP_H_
