#include "ir/file/folder_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "ir/file/folder.h"
#include "ir/file/temporary.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

constexpr char kCannotWriteFolder[] = "cannot write the folder";

/// 0 an empty folder, 1 another one, -1 with errno.
int HasEntries(const std::string& path) {
  const auto close = [](DIR* d) { ::closedir(d); };
  const std::unique_ptr<DIR, decltype(close)> entries(::opendir(path.c_str()), close);
  if (!entries) return -1;
  int dots = 0;  // "." and ".."
  while (::readdir(entries.get())) ++dots;
  return dots > 2;
}

/// The name `to` is what `from` was; what `to` was, if anything, is `from` then, or `aside` where two names cannot be
/// exchanged.
bool Exchange(int folder, const std::string& from, const std::string& to, std::string* aside) {
  const auto rename = [&](const std::string& a, const std::string& b, unsigned flags) {
    return ::renameat2(folder, a.c_str(), folder, b.c_str(), flags) == 0;
  };
  *aside = from;
  if (rename(from, to, RENAME_EXCHANGE)) return true;
  if (errno == EINVAL || errno == ENOSYS) {
    *aside = from + "-old";
    if (rename(to, *aside, 0)) {
      if (rename(from, to, 0)) return true;
      const int error = errno;
      rename(*aside, to, 0);
      errno = error;
    }
    if (errno != ENOENT) return false;
  }
  aside->clear();
  return errno == ENOENT && ::renameat(folder, from.c_str(), folder, to.c_str()) == 0;
}

}  // namespace

absl::Status FolderWriter::FindTarget(const std::string& mark) {
  std::string target = path_;
  while (target.size() > 1 && target.ends_with('/')) target.pop_back();
  struct stat info;
  if (::stat(target.c_str(), &info) == 0) {
    const std::unique_ptr<char, decltype(&::free)> real(::realpath(target.c_str(), nullptr), ::free);
    if (!real) return Fail(kCannotWriteFolder);
    target = real.get();
    if (!S_ISDIR(info.st_mode)) errno = ENOTDIR;
    const int entries = S_ISDIR(info.st_mode) ? HasEntries(target) : -1;
    if (entries < 0) return Fail(kCannotWriteFolder);
    if (entries > 0 && ::access(StrCat(target, "/", mark).c_str(), F_OK) != 0)
      return absl::FailedPreconditionError(StrCat("the folder ", QuotedPath(path_), " has files but no ", mark,
                                                  ", so it is not replaced; name a new folder, or remove it"));
  } else if (errno != ENOENT) {
    return Fail(kCannotWriteFolder);
  }
  name_ = std::string(FileName(target));
  above_ = target.substr(0, target.size() - name_.size());
  if (!name_.empty() && name_ != "." && name_ != "..") return absl::OkStatus();
  errno = EBUSY;  // as the system calls have it
  return Fail(kCannotWriteFolder);
}

absl::StatusOr<FolderWriter> FolderWriter::Open(const std::string& path, const std::string& mark) {
  if (absl::Status s = CheckPath(path); !s.ok()) return s;
  FolderWriter writer(path);
  if (absl::Status s = writer.FindTarget(mark); !s.ok()) return s;
  const std::string parent = writer.above_.empty() ? "." : writer.above_;
  writer.parent_ =
      Descriptor(Uninterrupted([&] { return ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!writer.parent_.ok()) return writer.Fail(kCannotWriteFolder);
  std::string name;
  writer.lock_ = CreateTemporaryFolder(writer.parent_.fd(), 0777, &name);
  if (!writer.lock_.ok()) return writer.Fail("cannot create a folder beside");
  writer.temporary_ = std::move(name);
  return writer;
}

FolderWriter::~FolderWriter() {
  if (parent_.ok() && !temporary_.empty()) RemoveFolder(folder());
}

absl::Status FolderWriter::Commit() {
  if (::fsync(lock_.fd()) != 0) return Fail(kCannotWriteFolder);
  std::string aside;
  if (!Exchange(parent_.fd(), temporary_, name_, &aside)) return Fail(kCannotWriteFolder);
  temporary_.clear();
  if (!aside.empty()) RemoveFolder(above_ + aside);
  SweepTemporaries(parent_.fd());
  if (::fsync(parent_.fd()) != 0 && errno != EINVAL && errno != EOPNOTSUPP) return Fail("cannot sync the folder of");
  return absl::OkStatus();
}

}  // namespace reel::ir
