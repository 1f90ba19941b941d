#include "frontend/summary/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "ir/file/crc32c.h"
#include "ir/file/folder.h"
#include "ir/strings.h"

namespace reel::summary {
namespace {

template <typename T>
void AppendNumber(std::string* out, T number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out->append(bytes, sizeof bytes);
}

std::string HostName() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

}  // namespace

void AppendRecord(std::string* out, std::string_view bytes) {
  const size_t begin = out->size();
  AppendNumber(out, uint64_t{bytes.size()});
  AppendNumber(out, ir::MaskedCrc32c(ir::Crc32c(std::string_view(*out).substr(begin))));
  out->append(bytes);
  AppendNumber(out, ir::MaskedCrc32c(ir::Crc32c(bytes)));
}

EventFile::EventFile(std::string path, ir::Descriptor file)
    : path_(std::move(path)), file_(std::move(file)), process_(::getpid()) {}

absl::StatusOr<EventFile> EventFile::Create(const std::string& folder, int64_t seconds) {
  if (absl::Status s = ir::CheckPath(folder); !s.ok()) return s;
  if (const int failure = ir::MakeFolders(folder); failure != 0) {
    errno = failure;
    return ir::FileError("summary: cannot make the folder", folder);
  }
  const std::string prefix = StrCat(folder, folder.ends_with('/') ? "" : "/", "events.out.tfevents.", seconds, ".",
                                    HostName(), ".", ::getpid());
  for (int n = 0;; ++n) {
    std::string path = StrCat(prefix, ".", n);
    const int fd = ir::Uninterrupted(
        [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666); });
    if (fd >= 0) return EventFile(std::move(path), ir::Descriptor(fd));
    if (errno != EEXIST) return ir::FileError("summary: cannot create", path);
  }
}

absl::Status EventFile::Flush() {
  if (pending_.empty() || ::getpid() != process_) return absl::OkStatus();
  size_t written = 0;
  while (written < pending_.size()) {
    const ssize_t n =
        ir::Uninterrupted([&] { return ::write(file_.fd(), pending_.data() + written, pending_.size() - written); });
    if (n < 0) {
      const absl::Status status = ir::FileError("summary: cannot write", path_);
      if (written > 0 && ::ftruncate(file_.fd(), size_) != 0) return ir::FileError("summary: cannot write", path_);
      return status;
    }
    written += static_cast<size_t>(n);
  }
  size_ += static_cast<int64_t>(written);
  pending_.clear();
  return absl::OkStatus();
}

}  // namespace reel::summary
