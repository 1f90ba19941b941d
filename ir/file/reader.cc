#include "ir/file/reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "ir/budget_meter.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

constexpr char kCannotOpen[] = "cannot open", kCannotRead[] = "cannot read";

absl::Status Refused(std::string_view path, std::string_view why) {
  return absl::PermissionDeniedError(StrCat(QuotedPath(path), " ", why));
}

/// Opens the file that `path` names below the folder, each name without following a link.
absl::StatusOr<Descriptor> OpenBelow(const Descriptor& folder, std::string_view path) {
  if (absl::Status s = CheckPath(path); !s.ok()) return s;
  if (path.starts_with('/')) return Refused(path, "is not below the folder: it begins at the root");
  Descriptor parent;
  int at = folder.fd();
  for (std::string_view rest = path;;) {
    const size_t slash = rest.find('/');
    const std::string name(rest.substr(0, slash));
    const bool last = slash == rest.npos;
    if (name == "..") return Refused(path, "is not below the folder: it has .. in it");
    if (last || (!name.empty() && name != ".")) {
      // A pipe would wait for a writer; what is no regular file is refused below.
      const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (last ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY);
      Descriptor next(Uninterrupted([&] { return ::openat(at, name.c_str(), flags); }));
      if (!next.ok() && errno == ELOOP) return Refused(path, "is a symbolic link; put the file itself there");
      if (!next.ok()) return FileError(kCannotOpen, path);
      if (last) return next;
      parent = std::move(next);
      at = parent.fd();
    }
    rest.remove_prefix(slash + 1);
  }
}

absl::Status ReadAt(int fd, int64_t offset, std::vector<std::byte>* out, std::string_view path) {
  for (size_t done = 0; done < out->size();) {
    const ssize_t n = Uninterrupted([&] {
      return ::pread(fd, out->data() + done, out->size() - done,
                     static_cast<off_t>(offset + static_cast<int64_t>(done)));
    });
    if (n < 0) return FileError(kCannotRead, path);
    if (n == 0) return absl::DataLossError(StrCat(QuotedPath(path), " became shorter while it was read"));
    done += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, const Budget& budget) {
  if (absl::Status s = CheckPath(path); !s.ok()) return s;
  const BudgetMeter meter(budget);
  const auto fail = [&](const absl::Status& s) {
    return absl::Status(s.code(), StrCat(QuotedPath(path), ": ", std::string(s.message())));
  };
  const int named = DescriptorNamed(path);
  const Descriptor file(Uninterrupted([&] {
    return named >= 0 ? ::fcntl(named, F_DUPFD_CLOEXEC, 3) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  }));
  if (!file.ok()) return FileError(kCannotOpen, path);
  struct stat info;
  if (::fstat(file.fd(), &info) != 0) return FileError(kCannotRead, path);
  std::string data;
  if (S_ISREG(info.st_mode)) {
    if (absl::Status s = meter.CheckBytes(info.st_size); !s.ok()) return fail(s);
    data.reserve(static_cast<size_t>(info.st_size));
  }
  // Pipes have no size: each piece is checked.
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = Uninterrupted([&] { return ::read(file.fd(), buffer, sizeof buffer); });
    if (n < 0) return FileError(kCannotRead, path);
    if (n == 0) return data;
    data.append(buffer, static_cast<size_t>(n));
    if (absl::Status s = meter.CheckBytes(static_cast<int64_t>(data.size())); !s.ok()) return fail(s);
    if (absl::Status s = meter.CheckTime(); !s.ok()) return fail(s);
  }
}

absl::StatusOr<std::vector<std::byte>> ReadBelow(const Descriptor& folder, std::string_view path, int64_t offset,
                                                 int64_t length) {
  const auto file = OpenBelow(folder, path);
  if (!file.ok()) return file.status();
  struct stat info;
  if (::fstat(file->fd(), &info) != 0) return FileError(kCannotRead, path);
  if (!S_ISREG(info.st_mode)) return Refused(path, "is not a regular file");
  if (info.st_nlink != 1) return Refused(path, "has several names (hard links); put a copy there");
  if (offset < 0 || length < 0 || offset > info.st_size || length > info.st_size - offset)
    return absl::DataLossError(StrCat(QuotedPath(path), " is too short: it has ", int64_t{info.st_size}, " bytes"));
  std::vector<std::byte> bytes(static_cast<size_t>(length));
  if (absl::Status s = ReadAt(file->fd(), offset, &bytes, path); !s.ok()) return s;
  return bytes;
}

}  // namespace reel::ir
