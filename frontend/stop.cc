#include "frontend/stop.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>

namespace reel::internal {
namespace {

volatile int32_t stop = 0;
std::atomic<bool> looking{false};
std::atomic<void (*)()> pending_check{nullptr};
struct sigaction before;

void OnInterrupt(int signal, siginfo_t* info, void* context) {
  stop = 1;
  (before.sa_flags & SA_SIGINFO) != 0 ? before.sa_sigaction(signal, info, context) : before.sa_handler(signal);
}

}  // namespace

const volatile int32_t* StopFlag() { return &stop; }

// The thread that looked may not be there in a child.
[[maybe_unused]] const int at_fork = pthread_atfork(nullptr, nullptr, [] {
  stop = 0;
  looking = false;
});

void CheckPending() {
  if (void (*const check)() = pending_check.load()) check();
}
void SetPendingCheck(void (*check)()) { pending_check = check; }

InterruptScope::InterruptScope() {
  if (looking.exchange(true)) return;
  struct sigaction now;
  sigaction(SIGINT, nullptr, &now);
  const bool handled = (now.sa_flags & SA_SIGINFO) != 0
                           ? now.sa_sigaction != OnInterrupt
                           : now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
  if (!handled) {
    looking = false;
    return;
  }
  stop = 0;
  before = now;
  now.sa_sigaction = OnInterrupt;
  now.sa_flags |= SA_SIGINFO;
  looks_ = sigaction(SIGINT, &now, nullptr) == 0;
  if (!looks_) looking = false;
}

InterruptScope::~InterruptScope() {
  if (!looks_) return;
  sigaction(SIGINT, &before, nullptr);
  stop = 0;
  looking = false;
}

}  // namespace reel::internal
