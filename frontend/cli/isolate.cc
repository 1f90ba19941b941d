// Work on untrusted input in a process of its own: what kills it does not kill us.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "frontend/cli/cli.h"
#include "frontend/cli/pipe.h"

namespace reel::cli {
namespace {

/// What the libraries that the child opens may map, beside its budget.
constexpr rlim_t kLibraryBytes = rlim_t{1} << 30;

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

/// Address space: the kernel bounds nothing closer to memory in use.
void LimitMemory([[maybe_unused]] int64_t bytes) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__)  // reserves terabytes
  unsigned long long pages = 0;
  if (FILE* statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%llu", &pages) != 1) pages = 0;
    std::fclose(statm);
  }
  const rlim_t limit =
      pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kLibraryBytes + static_cast<rlim_t>(bytes);
  const rlimit memory{limit, limit};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
}

/// A byte of status, then the result or a message.
std::string Answer(const std::function<std::string()>& work) {
  const auto answer = [](ExitStatus status, std::string_view text) {
    return std::string(1, static_cast<char>(status)).append(text);
  };
  try {
    return answer(kOk, work());
  } catch (const Failure& failure) {
    return answer(failure.status(), failure.what());
  } catch (const std::bad_alloc&) {
    return answer(kBudget, "out of the memory of --budget-memory");
  } catch (const std::exception& error) {
    return answer(kInvalid, error.what());
  }
}

[[noreturn]] void RunChild(const Budget& budget, const std::function<std::string()>& work, int out, int err) {
  ::dup2(err, STDERR_FILENO);
  LimitMemory(budget.max_memory);
  ::_exit(WriteAll(out, Answer(work)) ? 0 : kIo);
}

[[noreturn]] void FailKilled(int signal, const std::string& err) {
  const bool memory =
      signal == SIGKILL || err.find("bad_alloc") != std::string::npos || err.find("out of memory") != std::string::npos;
  if (memory) {
    Fail(kBudget, "the isolated process ran out of memory; nothing was written; raise --budget-memory");
  }
  Fail(kInvalid, StrCat("the isolated process crashed (signal ", signal,
                        "); nothing was written; what it said: ", err.substr(0, 1024)));
}

}  // namespace

std::string RunIsolated(const Budget& budget, const std::function<std::string()>& work) {
  Pipe out, err;
  const pid_t child = ::fork();
  if (child < 0) Fail(kIo, StrCat("cannot start a process: ", std::strerror(errno)));
  if (child == 0) RunChild(budget, work, out.fds[1], err.fds[1]);
  out.CloseWriter();
  err.CloseWriter();
  std::string answer, said;
  // The child looks at its clock itself; this is for one that cannot any more.
  const bool ended = Drain(out, err, &answer, &said, 1.5 * budget.max_seconds + 1);
  if (!ended) ::kill(child, SIGKILL);
  const int status = WaitFor(child);
  if (!ended) {
    Fail(kBudget, StrCat("the isolated process took longer than the budget of ", budget.max_seconds,
                         " s and was stopped; raise --budget-seconds"));
  }
  if (WIFSIGNALED(status)) FailKilled(WTERMSIG(status), said);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty())
    Fail(kInvalid, "the isolated process ended without an answer; nothing was written");
  if (answer[0] != kOk) Fail(static_cast<ExitStatus>(answer[0]), answer.substr(1));
  return answer.substr(1);
}

}  // namespace reel::cli
