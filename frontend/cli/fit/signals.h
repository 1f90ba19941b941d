#ifndef REEL_FRONTEND_CLI_FIT_SIGNALS_H_
#define REEL_FRONTEND_CLI_FIT_SIGNALS_H_

#include <signal.h>

namespace reel::cli {

/// While one lives, signals that ask the process to end (SIGINT, SIGTERM, SIGHUP) wait, of this thread and of those it
/// starts: a run ends between two steps. Afterwards they do what they do.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

  /// One that waits; 0: none.
  int Pending() const;

 private:
  sigset_t watched_, before_;
};

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_FIT_SIGNALS_H_
