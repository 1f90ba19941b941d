#include "ir/file/folder.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {

int MakeFolders(const std::string& path, mode_t mode) {
  int failure = 0;  // the first: later ones follow from it
  const auto make = [&failure](const std::string& folder, mode_t m) {
    if (::mkdir(folder.c_str(), m) != 0 && errno != EEXIST && failure == 0) failure = errno;
  };
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    make(path.substr(0, slash), slash + 1 == path.size() ? mode : 0777);
  make(path, mode);
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  return failure != 0 ? failure : errno;
}

void RemoveFolder(const std::string& path) noexcept {
  const auto remove = [](const char* file, const struct stat*, int, struct FTW*) {
    std::remove(file);
    return 0;  // what stays does not keep the rest
  };
  ::nftw(path.c_str(), remove, 16, FTW_DEPTH | FTW_PHYS);
}

TemporaryFolder::TemporaryFolder() {
  const char* const given = std::getenv("TMPDIR");
  struct stat info;
  const bool usable = given && ::stat(given, &info) == 0 && S_ISDIR(info.st_mode);
  path_ = StrCat(usable ? given : "/tmp", "/reel-XXXXXX");
  if (!::mkdtemp(path_.data())) failure_ = errno;
}

TemporaryFolder::~TemporaryFolder() {
  if (failure_ == 0) RemoveFolder(path_);
}

absl::Status TemporaryFolder::status() const {
  if (failure_ == 0) return absl::OkStatus();
  return absl::UnavailableError(StrCat("cannot make a folder like ", QuotedPath(path_), ": ", std::strerror(failure_)));
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

}  // namespace reel::ir
