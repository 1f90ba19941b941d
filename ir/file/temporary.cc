#include "ir/file/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <atomic>
#include <memory>
#include <string_view>

#include "ir/file/folder.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

constexpr std::string_view kPrefix = ".reel-tmp-", kHex = "0123456789abcdef";
constexpr size_t kRandomBytes = 16;

bool IsTemporaryName(std::string_view name) {
  return name.starts_with(kPrefix) && name.size() == kPrefix.size() + 2 * kRandomBytes &&
         name.find_first_not_of(kHex, kPrefix.size()) == name.npos;
}

bool RandomName(std::string* name) {
  unsigned char bytes[kRandomBytes];
  const ssize_t n = Uninterrupted([&] { return ::getrandom(bytes, sizeof bytes, 0); });
  if (n != ssize_t{kRandomBytes}) {
    if (n >= 0) errno = EIO;
    return false;
  }
  *name = kPrefix;
  for (const unsigned char byte : bytes) name->append({kHex[byte >> 4], kHex[byte & 15]});
  return true;
}

enum class Lock { kTaken, kLost, kFailed };

/// Lost: a sweeper was there between making the file and locking it, and has removed it or will.
Lock TakeLock(int fd) {
  if (Uninterrupted([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }) != 0) {
    if (errno == EWOULDBLOCK) return Lock::kLost;
    // A file system without locks: there sweepers cannot take one either.
    const bool none = errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK || errno == EINVAL;
    return none ? Lock::kTaken : Lock::kFailed;
  }
  struct stat info;
  if (::fstat(fd, &info) != 0) return Lock::kFailed;
  return info.st_nlink > 0 ? Lock::kTaken : Lock::kLost;
}

bool IsOurs(const struct stat& info) {
  const bool alone = S_ISDIR(info.st_mode) || (S_ISREG(info.st_mode) && info.st_nlink == 1);
  return alone && info.st_uid == ::geteuid();
}

void Remove(int folder, const char* name, bool is_folder) {
  if (!is_folder) ::unlinkat(folder, name, 0);
  if (is_folder) RemoveFolder(StrCat("/proc/self/fd/", folder, "/", name));
}

/// Locked before it is removed, and only if the name still is that file.
void RemoveIfAbandoned(int folder, const char* name) {
  struct stat info, now;
  if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !IsOurs(info)) return;
  const Descriptor file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.ok() || ::fstat(file.fd(), &info) != 0 || !IsOurs(info)) return;
  if (::flock(file.fd(), LOCK_EX | LOCK_NB) != 0) return;
  const bool same =
      ::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == info.st_dev && now.st_ino == info.st_ino;
  if (same) Remove(folder, name, S_ISDIR(info.st_mode));
}

/// What `make` makes under a random name, opened and locked.
template <typename Make>
Descriptor CreateLocked(int folder, bool is_folder, std::string* name, const Make& make) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (!RandomName(name)) return Descriptor();
    Descriptor file(make(name->c_str()));
    if (!file.ok() && errno == EEXIST) continue;
    if (!file.ok()) return file;
    const Lock lock = TakeLock(file.fd());
    if (lock == Lock::kTaken) return file;
    const int error = errno;
    Remove(folder, name->c_str(), is_folder);
    errno = error;
    if (lock == Lock::kFailed) return Descriptor();
  }
  return Descriptor();
}

}  // namespace

Descriptor CreateTemporary(int folder, mode_t mode, std::string* name) {
  return CreateLocked(folder, false, name, [&](const char* path) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    return Uninterrupted([&] { return ::openat(folder, path, kFlags, mode); });
  });
}

Descriptor CreateTemporaryFolder(int folder, mode_t mode, std::string* name) {
  return CreateLocked(folder, true, name, [&](const char* path) {
    if (::mkdirat(folder, path, mode) != 0) return -1;
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    return Uninterrupted([&] { return ::openat(folder, path, kFlags); });
  });
}

void SweepTemporaries(int folder) {
  static std::atomic<uint64_t> last = 0;
  struct stat info;
  if (::fstat(folder, &info) != 0) return;
  const uint64_t id = info.st_ino * 0x9E3779B97F4A7C15u + info.st_dev + 1;
  if (last.exchange(id) == id) return;
  Descriptor again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again.ok()) return;
  const auto close = [](DIR* d) { ::closedir(d); };
  const std::unique_ptr<DIR, decltype(close)> entries(::fdopendir(again.fd()), close);
  if (!entries) return;
  again.Release();  // closedir closes it
  while (const dirent* entry = ::readdir(entries.get())) {
    if (IsTemporaryName(entry->d_name)) RemoveIfAbandoned(folder, entry->d_name);
  }
}

}  // namespace reel::ir
