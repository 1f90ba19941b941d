#include "frontend/cli/pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "frontend/cli/cli.h"
#include "ir/budget_meter.h"

namespace reel::cli {

Pipe::Pipe() {
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) {
    Fail(kIo, StrCat("cannot start a process: ", std::strerror(errno)));
  }
}

Pipe::~Pipe() {
  for (const int fd : fds) {
    if (fd >= 0) ::close(fd);
  }
}

void Pipe::CloseWriter() { ::close(std::exchange(fds[1], -1)); }

bool Drain(const Pipe& out, const Pipe& err, std::string* out_text, std::string* err_text, double seconds) {
  std::array<pollfd, 2> polls{{{out.fds[0], POLLIN, 0}, {err.fds[0], POLLIN, 0}}};
  const std::array<std::string*, 2> texts{out_text, err_text};
  const double end = ir::SteadySeconds() + seconds;
  char buffer[1 << 14];
  while (polls[0].fd >= 0 || polls[1].fd >= 0) {
    const double left = end - ir::SteadySeconds();
    if (left <= 0) return false;
    const int wait = static_cast<int>(std::min(left, 1e6) * 1000) + 1;
    if (::poll(polls.data(), polls.size(), wait) < 0 && errno != EINTR) return false;
    for (size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].fd < 0 || polls[i].revents == 0) continue;
      const ssize_t n = ::read(polls[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        texts[i]->append(buffer, static_cast<size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        polls[i].fd = -1;
      }
    }
  }
  return true;
}

int WaitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace reel::cli
