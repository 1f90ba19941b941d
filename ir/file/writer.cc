#include "ir/file/writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <climits>
#include <cstdio>

#include "ir/file/temporary.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

constexpr char kCannotWrite[] = "cannot write";

/// The file that a path names through links at its end; it need not exist.
absl::StatusOr<std::string> FollowLinks(const std::string& given) {
  constexpr int kMaxLinks = 40;  // as the kernel has it
  std::string path = given;
  for (int links = 0; links <= kMaxLinks && DescriptorNamed(path) < 0; ++links) {
    char text[PATH_MAX];
    const ssize_t n = ::readlink(path.c_str(), text, sizeof text);
    if (n < 0 && (errno == EINVAL || errno == ENOENT)) return path;  // no link, or nothing
    if (n < 0) return FileError(kCannotWrite, given);
    const std::string_view link(text, static_cast<size_t>(n));
    path.resize(link.starts_with('/') ? 0 : path.rfind('/') + 1);
    path.append(link);
  }
  if (DescriptorNamed(path) >= 0) return path;
  errno = ELOOP;
  return FileError(kCannotWrite, given);
}

/// A folder that may be written but not listed can be neither synced nor swept.
Descriptor OpenFolder(const std::string& path) {
  Descriptor folder(Uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!folder.ok() && errno == EACCES)
    folder = Descriptor(Uninterrupted([&] { return ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
  return folder;
}

bool IsListable(int folder) {
  const int flags = ::fcntl(folder, F_GETFL);
  return flags >= 0 && (flags & O_PATH) == 0;
}

/// What has no disk behind it says that it cannot be synced.
bool Sync(int fd, bool must) {
  if (Uninterrupted([&] { return ::fsync(fd); }) == 0) return true;
  return !must && (errno == EINVAL || errno == EOPNOTSUPP || errno == EROFS);
}

}  // namespace

FileWriter::FileWriter(FileWriter&& other) noexcept = default;

FileWriter::~FileWriter() {
  if (!temporary_.empty() && folder_.ok()) ::unlinkat(folder_.fd(), temporary_.c_str(), 0);
}

absl::Status FileWriter::Fail(std::string_view what) {
  status_ = FileError(what, path_);
  return status_;
}

absl::StatusOr<FileWriter> FileWriter::Open(const std::string& path, const WriteOptions& options) {
  if (absl::Status s = CheckPath(path); !s.ok()) return s;
  const auto target = FollowLinks(path);
  if (!target.ok()) return target.status();
  FileWriter writer(path, options);
  if (const int named = DescriptorNamed(*target); named >= 0) {
    if (absl::Status s = writer.OpenStream(named, AT_FDCWD, *target); !s.ok()) return s;
    return writer;
  }
  const size_t base = target->rfind('/') + 1;
  Descriptor folder = OpenFolder(base == 0 ? "." : target->substr(0, base));
  if (!folder.ok()) return writer.Fail(kCannotWrite);
  writer.folder_ = std::move(folder);
  if (absl::Status s = writer.OpenName(target->substr(base)); !s.ok()) return s;
  return writer;
}

absl::StatusOr<FileWriter> FileWriter::OpenIn(Descriptor folder, const std::string& name, const WriteOptions& options) {
  FileWriter writer(name, options);
  writer.folder_ = std::move(folder);
  if (absl::Status s = writer.OpenName(name); !s.ok()) return s;
  return writer;
}

absl::Status FileWriter::OpenName(const std::string& name) {
  name_ = name;
  struct stat info;
  exists_ = ::fstatat(folder_.fd(), name.empty() ? "." : name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists_ && errno != ENOENT) return Fail(kCannotWrite);
  if (exists_ && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return Fail(kCannotWrite);
  }
  if (exists_ && !S_ISREG(info.st_mode)) return OpenStream(-1, folder_.fd(), name);
  if (exists_) {
    // A file that may not be written may not be replaced either.
    if (::faccessat(folder_.fd(), name.c_str(), W_OK, AT_EACCESS) != 0) return Fail(kCannotWrite);
    old_mode_ = info.st_mode & 0777;
    old_user_ = info.st_uid;
    old_group_ = info.st_gid;
  }
  return OpenTemporary();
}

absl::Status FileWriter::OpenStream(int named, int folder, const std::string& name) {
  constexpr int kFlags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
  file_ = Descriptor(Uninterrupted(
      [&] { return named >= 0 ? ::fcntl(named, F_DUPFD_CLOEXEC, 3) : ::openat(folder, name.c_str(), kFlags); }));
  struct stat info;
  if (!file_.ok() || ::fstat(file_.fd(), &info) != 0) return Fail(kCannotWrite);
  if (named >= 0 || !S_ISREG(info.st_mode)) return absl::OkStatus();
  errno = EAGAIN;  // it was no regular file a moment ago
  return Fail(kCannotWrite);
}

absl::Status FileWriter::OpenTemporary() {
  // Nobody else reads it before it has the mode of the file that it replaces.
  file_ = CreateTemporary(folder_.fd(), exists_ ? 0600 : options_.mode, &temporary_);
  if (!file_.ok()) {
    temporary_.clear();
    return Fail("cannot create a file beside");
  }
  lock_ = Descriptor(::fcntl(file_.fd(), F_DUPFD_CLOEXEC, 3));
  return lock_.ok() ? absl::OkStatus() : Fail(kCannotWrite);
}

absl::Status FileWriter::Append(std::string_view bytes) {
  if (!status_.ok()) return status_;
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_.fd(), bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // a pipe whose other end made it non-blocking
      pollfd one{file_.fd(), POLLOUT, 0};
      if (::poll(&one, 1, -1) >= 0 || errno == EINTR) continue;
    }
    if (n == 0) errno = EIO;
    return Fail(kCannotWrite);
  }
  return absl::OkStatus();
}

absl::Status FileWriter::KeepModeAndOwner() {
  struct stat info;
  if (::fstat(file_.fd(), &info) != 0) return Fail(kCannotWrite);
  const bool same = info.st_uid == old_user_ && info.st_gid == old_group_;
  if (!same && ::fchown(file_.fd(), old_user_, old_group_) != 0)
    return Fail("cannot keep the owner of; remove it first, or write elsewhere:");
  return ::fchmod(file_.fd(), old_mode_) == 0 ? absl::OkStatus() : Fail("cannot keep the mode of");
}

absl::Status FileWriter::Finish() {
  if (!status_.ok() || !file_.ok()) return status_;
  const bool stream = temporary_.empty();
  if (!stream && exists_) {
    if (absl::Status s = KeepModeAndOwner(); !s.ok()) return s;
  }
  if (options_.durable && !Sync(file_.fd(), !stream)) return Fail(kCannotWrite);
  return file_.Close() ? absl::OkStatus() : Fail(kCannotWrite);
}

absl::Status FileWriter::Commit() {
  if (absl::Status s = Finish(); !s.ok() || temporary_.empty()) return s;
  if (Uninterrupted([&] { return ::renameat(folder_.fd(), temporary_.c_str(), folder_.fd(), name_.c_str()); }) != 0)
    return Fail(kCannotWrite);
  temporary_.clear();
  if (!IsListable(folder_.fd())) return absl::OkStatus();
  SweepTemporaries(folder_.fd());
  if (options_.durable && !Sync(folder_.fd(), false)) return Fail("cannot sync the folder of");
  return absl::OkStatus();
}

absl::Status WriteFile(const std::string& path, std::string_view bytes, const WriteOptions& options) {
  auto writer = FileWriter::Open(path, options);
  if (!writer.ok()) return writer.status();
  if (absl::Status s = writer->Append(bytes); !s.ok()) return s;
  return writer->Commit();
}

}  // namespace reel::ir
