#include "frontend/program/interrupt.h"

#include <signal.h>

#include <atomic>
#include <mutex>

#include "ir/lazy.h"
#include "runtime/fork.h"

namespace reel::internal {
namespace {

volatile int32_t stop = 0;
bool looking = false;  // the handler is ours
std::atomic<void (*)()> pending_check{nullptr};
struct sigaction before;

void OnInterrupt(int signal, siginfo_t* info, void* context) {
  stop = 1;
  (before.sa_flags & SA_SIGINFO) != 0 ? before.sa_sigaction(signal, info, context) : before.sa_handler(signal);
}

constinit Lazy<runtime::Mutex> mutex;  // guards the handlers and the count
int count = 0;                         // of scopes, of all threads
[[gnu::tls_model("initial-exec")]] thread_local constinit int own_count = 0;

void Look() {
  struct sigaction now;
  sigaction(SIGINT, nullptr, &now);
  const bool handled = (now.sa_flags & SA_SIGINFO) != 0 ? now.sa_sigaction != OnInterrupt
                                                        : now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
  if (!handled) return;
  before = now;
  now.sa_sigaction = OnInterrupt;
  now.sa_flags |= SA_SIGINFO;
  looking = sigaction(SIGINT, &now, nullptr) == 0;
}

void LookAway() {
  if (looking) sigaction(SIGINT, &before, nullptr);
  looking = false;
  stop = 0;
}

// Scopes of other threads are not there in a child.
[[maybe_unused]] const bool at_fork = [] {
  runtime::OnFork([] {}, [] {},
                  [] {
                    count = own_count;
                    if (count == 0) LookAway();
                  });
  return true;
}();

}  // namespace

const volatile int32_t* StopFlag() { return &stop; }

void CheckPending() {
  if (void (*const check)() = pending_check.load()) check();
}
void SetPendingCheck(void (*check)()) { pending_check = check; }

InterruptScope::InterruptScope() {
  const std::lock_guard lock(mutex.Get());
  ++count;
  ++own_count;
  if (!looking) Look();
}

InterruptScope::~InterruptScope() {
  const std::lock_guard lock(mutex.Get());
  --own_count;
  if (--count == 0) LookAway();
}

}  // namespace reel::internal
