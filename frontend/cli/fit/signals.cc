#include "frontend/cli/fit/signals.h"

#include <initializer_list>

namespace reel::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

SignalsWait::SignalsWait() {
  sigemptyset(&watched_);
  for (const int signal : kSignals) {
    struct sigaction now;
    const bool ignored = ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&watched_, signal);  // of nohup, and of what runs in the background
  }
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
}

SignalsWait::~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int SignalsWait::Pending() const {
  sigset_t pending;
  if (::sigpending(&pending) != 0) return 0;
  for (const int signal : kSignals) {
    if (sigismember(&watched_, signal) == 1 && sigismember(&pending, signal) == 1) return signal;
  }
  return 0;
}

}  // namespace reel::cli
