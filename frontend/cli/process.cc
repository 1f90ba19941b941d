#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "frontend/cli/cli.h"

namespace reel::cli {
namespace {

// Reads both pipes until the program has closed them.
void Drain(std::array<int, 2> pipes, std::array<std::string*, 2> texts) {
  std::array<pollfd, 2> polls{{{pipes[0], POLLIN, 0}, {pipes[1], POLLIN, 0}}};
  char buffer[1 << 12];
  while (polls[0].fd >= 0 || polls[1].fd >= 0) {
    if (::poll(polls.data(), polls.size(), -1) < 0 && errno != EINTR) return;
    for (size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].fd < 0 || polls[i].revents == 0) continue;
      const ssize_t n = ::read(polls[i].fd, buffer, sizeof buffer);
      if (n > 0)
        texts[i]->append(buffer, static_cast<size_t>(n));
      else if (n == 0 || errno != EINTR)
        polls[i].fd = -1;
    }
  }
}

}  // namespace

ProcessResult RunProcess(const std::vector<std::string>& arguments, const std::string& folder) {
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> out{}, err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
    Fail(kIo, StrCat("cannot start ", arguments[0], ": ", std::strerror(errno)));
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    if (folder.empty() || ::chdir(folder.c_str()) == 0) ::execvp(argv[0], argv.data());
    ::_exit(127);  // what a shell says of a program it does not find
  }
  ::close(out[1]);
  ::close(err[1]);
  ProcessResult result;
  if (child > 0) Drain({out[0], err[0]}, {&result.out, &result.err});
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) Fail(kIo, StrCat("cannot start ", arguments[0], ": ", std::strerror(errno)));
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.status == 127) Fail(kIo, StrCat("cannot run the program ", arguments[0]));
  return result;
}

}  // namespace reel::cli
