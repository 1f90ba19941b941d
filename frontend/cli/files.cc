#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "frontend/cli/cli.h"
#include "ir/names.h"

namespace reel::cli {
namespace {

[[noreturn]] void FailIo(const std::string& what, const std::string& path) {
  const int error = errno;
  Fail(kIo, StrCat(what, " ", ir::Quoted(path), ": ", std::strerror(error)));
}

// Closes a descriptor at the end of a scope.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

void CheckSize(size_t bytes, const std::string& path, const Budget& budget) {
  if (static_cast<int64_t>(bytes) <= budget.max_bytes) return;
  Fail(kBudget, StrCat(ir::Quoted(path), " is larger than the budget of ", budget.max_bytes,
                       " bytes; raise --budget-bytes"));
}

}  // namespace

std::string ReadFile(const std::string& path, const Budget& budget) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) FailIo("cannot open", path);
  std::string data;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) FailIo("cannot read", path);
    if (n == 0) return data;
    data.append(buffer, static_cast<size_t>(n));
    CheckSize(data.size(), path, budget);
  }
}

OutputFiles::~OutputFiles() {
  for (const auto& [temporary, target] : files_) ::unlink(temporary.c_str());
}

std::string OutputFiles::Reserve(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    FailIo("cannot write", path);
  }
  std::string name = StrCat(path, ".tmp-", ::getpid(), "-", files_.size());
  const Descriptor file{::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (file.fd < 0) FailIo("cannot create a file beside", path);
  files_.emplace_back(name, path);
  return name;
}

void OutputFiles::Add(const std::string& path, std::string_view bytes) {
  const std::string name = Reserve(path);
  const Descriptor file{::open(name.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.fd < 0) FailIo("cannot write", path);
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) FailIo("cannot write", path);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void OutputFiles::Commit() {
  for (const auto& [temporary, target] : files_) {
    if (::rename(temporary.c_str(), target.c_str()) != 0) FailIo("cannot write", target);
  }
  files_.clear();
}

void MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return;
  Fail(kIo, StrCat("cannot create the folder ", ir::Quoted(path), ": ", error.message()));
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path root = std::filesystem::temp_directory_path(error);
  path_ = ((error ? "/tmp" : root) / "reel-XXXXXX").string();
  if (!::mkdtemp(path_.data())) FailIo("cannot create a folder like", path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace reel::cli
