#include "frontend/program/shared_library.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "codegen/target/target.h"
#include "ir/file/folder.h"
#include "ir/file/reader.h"
#include "ir/file/writer.h"
#include "ir/strings.h"

extern char** environ;

namespace reel::internal {
namespace {

// What ended the program: 0, or as a shell says it. What it says goes to a file.
absl::StatusOr<int> Run(std::vector<std::string> arguments, const std::string& output) {
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    return absl::UnavailableError(StrCat("a shared library is linked by the C compiler `cc`, which cannot be run: ",
                                         std::strerror(failure), "; install one, or link the object yourself"));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return absl::UnavailableError(StrCat("cc: waitpid: ", std::strerror(errno)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

absl::Status CheckLinkable(const std::string& cpu, const std::string& os) {
  const auto targets = codegen::FindTargets(cpu, os);
  if (!targets.ok()) return targets.status();
  const auto own = codegen::FindTarget("x86-64-v2");
  const codegen::Target& target = targets->front();
  if (target.platform.triple == own->platform.triple) return absl::OkStatus();
  return absl::UnimplementedError(
      StrCat("a shared library for ", target.level, " on ", target.platform.os,
             " is linked by that system's compiler, not by this machine's cc; make an object "
             "(emit obj) and link that"));
}

absl::StatusOr<std::string> LinkShared(std::string_view object) {
  const ir::TemporaryFolder folder;
  if (absl::Status s = folder.status(); !s.ok()) return s;
  const std::string path = folder.path() + "/object.o", shared = folder.path() + "/object.so";
  const std::string said = folder.path() + "/cc.txt";
  if (absl::Status s = ir::WriteFile(path, object); !s.ok()) return s;
  absl::StatusOr<int> status = Run({"cc", "-shared", "-o", shared, path}, said);
  if (!status.ok()) return status.status();
  if (*status != 0) {
    const absl::StatusOr<std::string> text = ir::ReadFile(said, Budget());
    return absl::InvalidArgumentError(
        StrCat("cc could not link a shared library (status ", *status, "):\n", text.ok() ? *text : ""));
  }
  return ir::ReadFile(shared, Budget());
}

}  // namespace reel::internal
