#ifndef REEL_FRONTEND_PROGRAM_INTERRUPT_H_
#define REEL_FRONTEND_PROGRAM_INTERRUPT_H_

#include <cstdint>

namespace reel::internal {

/// What reel_instance::stop of the instances of this process points to: not 0 stops their long loops, and what is
/// compiled for a caller who waits.
const volatile int32_t* StopFlag();

/// While one lives, an interrupt (Ctrl-C) for which the process has a handler, as Python has, stops those, too. Without
/// a handler an interrupt ends the process, as ever. It stops all that runs in scopes of any thread, and what enters
/// one until the last of these has ended. An interrupt that came before is the language's to tell: CheckPending().
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

/// Throws what the handler's owner makes of an interrupt that it has seen and nobody was told of yet: Python's handler
/// only notes it. Within a scope, with no lock: it may wait for other threads. Nothing without an owner.
void CheckPending();
/// The owner's way to throw it; null: none.
void SetPendingCheck(void (*check)());

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_INTERRUPT_H_
