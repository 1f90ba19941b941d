#include "codegen/cache/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "ir/file/folder.h"
#include "ir/file/temporary.h"
#include "ir/file/writer.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr char kSecretName[] = ".secret";
constexpr int64_t kUseCounts = 600;  // seconds; a file's time tells its last use

bool OnlyWeWrite(const struct stat& info) {
  return info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
// A file that was replaced while it was open has no link left: still ours.
bool IsOurs(const struct stat& info) { return S_ISREG(info.st_mode) && info.st_nlink <= 1 && OnlyWeWrite(info); }

/// Machine code is executed: where others can put some, none is looked for. Users learn why nothing is kept.
void SayRefused(const std::string& path, std::string_view why) {
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  std::fprintf(stderr, "reel: REEL_CACHE_DIR: %s %s: nothing is kept there\n", ir::Quoted(path).c_str(),
               std::string(why).c_str());
}

}  // namespace

CacheFolder::CacheFolder(const std::string& given, bool make) {
  std::string path = given;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();  // would follow a link
  if (make) ir::MakeFolders(path, 0700);
  folder_ = ir::Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info;
  if (!folder_.ok()) {
    if (errno == ELOOP || errno == ENOTDIR) {
      const bool link = ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
      if (link) SayRefused(path, "is a symbolic link");
    }
    return;
  }
  if (::fstat(folder_.fd(), &info) == 0 && OnlyWeWrite(info)) return;
  SayRefused(path, info.st_uid == ::geteuid() ? "may be written by others (chmod go-w)" : "is not yours");
  folder_ = ir::Descriptor();
}

std::optional<std::string> CacheFolder::Read(const std::string& name, int64_t max_bytes) const {
  const ir::Descriptor file(::openat(folder_.fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!file.ok() && errno == ENOENT) return std::nullopt;
  if (!file.ok() || ::fstat(file.fd(), &info) != 0 || !IsOurs(info)) {
    Remove(name);
    return std::nullopt;
  }
  if (info.st_size > max_bytes) return std::nullopt;
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ir::Uninterrupted([&] { return ::read(file.fd(), bytes.data() + done, bytes.size() - done); });
    if (n <= 0) return std::nullopt;
    done += static_cast<size_t>(n);
  }
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  if (now.count() - info.st_mtim.tv_sec > kUseCounts) ::futimens(file.fd(), nullptr);
  return bytes;
}

bool CacheFolder::Write(const std::string& name, std::string_view head, std::string_view body) const {
  struct stat info;
  if (::fstatat(folder_.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && !IsOurs(info)) Remove(name);
  ir::Descriptor folder(::fcntl(folder_.fd(), F_DUPFD_CLOEXEC, 3));
  if (!folder.ok()) return false;
  auto file = ir::FileWriter::OpenIn(std::move(folder), name, {.durable = false, .mode = 0600});
  return file.ok() && file->Append(head).ok() && file->Append(body).ok() && file->Commit().ok();
}

void CacheFolder::Remove(const std::string& name) const { ::unlinkat(folder_.fd(), name.c_str(), 0); }

void CacheFolder::ForEach(const std::function<void(const char*, const struct stat&)>& use) const {
  ir::Descriptor again(::openat(folder_.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto close = [](DIR* d) { ::closedir(d); };
  const std::unique_ptr<DIR, decltype(close)> entries(again.ok() ? ::fdopendir(again.fd()) : nullptr, close);
  if (!entries) return;
  again.Release();  // closedir closes it
  struct stat info;
  while (const dirent* entry = ::readdir(entries.get())) {
    const int found = ::fstatat(folder_.fd(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW);
    if (found == 0 && S_ISREG(info.st_mode)) use(entry->d_name, info);
  }
}

std::optional<Secret> CacheFolder::ReadSecret() const {
  Secret secret;
  struct stat info;
  const bool there = ::fstatat(folder_.fd(), kSecretName, &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && (info.st_mode & 077) != 0) Remove(kSecretName);  // it is none any more
  const auto bytes = Read(kSecretName, sizeof secret);
  if (!bytes || bytes->size() != sizeof secret) {
    if (bytes || there) Remove(kSecretName);
    return std::nullopt;
  }
  std::memcpy(secret.data(), bytes->data(), sizeof secret);
  return secret;
}

std::optional<Secret> CacheFolder::GetSecret(bool make) const {
  if (const auto secret = ReadSecret(); secret || !make) return secret;
  Secret fresh;
  std::string temporary;
  const auto random = ir::Uninterrupted([&] { return ::getrandom(fresh.data(), sizeof fresh, 0); });
  if (random != ssize_t{sizeof fresh}) return std::nullopt;
  const ir::Descriptor file = ir::CreateTemporary(folder_.fd(), 0600, &temporary);
  if (!file.ok()) return std::nullopt;
  const bool written = ::write(file.fd(), fresh.data(), sizeof fresh) == ssize_t{sizeof fresh};
  // Of several processes one wins, and all take its bytes.
  if (!written || ::renameat2(folder_.fd(), temporary.c_str(), folder_.fd(), kSecretName, RENAME_NOREPLACE) != 0)
    Remove(temporary);
  return ReadSecret();
}

}  // namespace reel::codegen
