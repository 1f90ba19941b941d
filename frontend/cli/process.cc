#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "frontend/cli/cli.h"
#include "frontend/cli/pipe.h"

namespace reel::cli {

ProcessResult RunProcess(const std::vector<std::string>& arguments, const std::string& folder) {
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  Pipe out, err;
  const pid_t child = ::fork();
  if (child < 0) Fail(kIo, StrCat("cannot start ", arguments[0], ": ", std::strerror(errno)));
  if (child == 0) {
    ::dup2(out.fds[1], STDOUT_FILENO);
    ::dup2(err.fds[1], STDERR_FILENO);
    if (folder.empty() || ::chdir(folder.c_str()) == 0) ::execvp(argv[0], argv.data());
    ::_exit(127);  // what a shell says of a program it does not find
  }
  out.CloseWriter();
  err.CloseWriter();
  ProcessResult result;
  Drain(out, err, &result.out, &result.err);
  const int status = WaitFor(child);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.status == 127) Fail(kIo, StrCat("cannot run the program ", arguments[0]));
  return result;
}

}  // namespace reel::cli
