#include "frontend/summary/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ir/file/folder.h"
#include "ir/strings.h"

namespace reel::summary {
namespace {

// Remainders of the bytes by the polynomial 0x1EDC6F41, bits reversed.
constexpr std::array<uint32_t, 256> kRemainders = [] {
  std::array<uint32_t, 256> out{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ (r & 1 ? 0x82F63B78u : 0u);
    out[i] = r;
  }
  return out;
}();

// A CRC of bytes that hold their own CRCs says little: TFRecord files rotate it and add a constant.
uint32_t Masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }

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

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = kRemainders[(crc ^ static_cast<uint8_t>(byte)) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

void AppendRecord(std::string* out, std::string_view bytes) {
  const size_t begin = out->size();
  AppendNumber(out, uint64_t{bytes.size()});
  AppendNumber(out, Masked(Crc32c(std::string_view(*out).substr(begin))));
  out->append(bytes);
  AppendNumber(out, Masked(Crc32c(bytes)));
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
