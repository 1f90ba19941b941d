#include "ir/file/descriptor.h"

#include <charconv>
#include <cstring>

#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {

absl::Status FileError(std::string_view what, std::string_view path) {
  const int error = errno;
  const auto code = error == ENOENT || error == ENOTDIR                   ? absl::StatusCode::kNotFound
                    : error == EACCES || error == EPERM || error == EROFS ? absl::StatusCode::kPermissionDenied
                                                                          : absl::StatusCode::kUnavailable;
  return absl::Status(code, StrCat(what, " ", QuotedPath(path), ": ", std::string_view(std::strerror(error))));
}

absl::Status CheckPath(std::string_view path) {
  if (path.empty()) return absl::InvalidArgumentError("the name of a file is empty");
  if (path.find('\0') == std::string_view::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("the name of a file has a NUL in it: ", QuotedPath(path)));
}

int DescriptorNamed(std::string_view path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int fd = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
    if (error == std::errc() && end == number.data() + number.size() && fd >= 0) return fd;
  }
  return -1;
}

}  // namespace reel::ir
