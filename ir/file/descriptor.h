#ifndef REEL_IR_FILE_DESCRIPTOR_H_
#define REEL_IR_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace reel::ir {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  /// False with errno on failure. Linux has closed it even then, so an interrupted close is done.
  bool Close() {
    const int fd = Release();
    return fd < 0 || ::close(fd) == 0 || errno == EINTR;
  }

 private:
  int fd_;
};

/// Calls again what a signal has interrupted.
template <typename Call>
auto Uninterrupted(const Call& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// `what "path": reason` of errno: NotFound, PermissionDenied or Unavailable.
absl::Status FileError(std::string_view what, std::string_view path);
/// That a path is one the system can be given: not empty, no NUL, which would end it.
absl::Status CheckPath(std::string_view path);
/// The descriptor of this process that a path such as /dev/stdout names, else -1. Opened anew it would have
/// forgotten its place in the file.
int DescriptorNamed(std::string_view path);

}  // namespace reel::ir

#endif  // REEL_IR_FILE_DESCRIPTOR_H_
