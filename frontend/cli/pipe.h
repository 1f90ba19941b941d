#ifndef REEL_FRONTEND_CLI_PIPE_H_
#define REEL_FRONTEND_CLI_PIPE_H_

#include <sys/types.h>

#include <array>
#include <limits>
#include <string>

// What a child process writes, and how it ended.

namespace reel::cli {

/// Fails with kIo if none is to be had.
struct Pipe {
  std::array<int, 2> fds{-1, -1};  ///< read, write
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void CloseWriter();
};

/// Reads both pipes until the child has closed them; false: that takes longer than `seconds`.
bool Drain(const Pipe& out, const Pipe& err, std::string* out_text, std::string* err_text,
           double seconds = std::numeric_limits<double>::infinity());

/// The status of a child that ended, as waitpid gives it.
int WaitFor(pid_t child);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_PIPE_H_
