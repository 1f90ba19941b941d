#include "codegen/cache/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "ir/strings.h"

namespace reel::codegen {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[] = "reel code 1\n";                  // of this layout of files
constexpr size_t kHeader = sizeof kMagic - 1 + 32 + 32;     // magic, key, digest of the bytes
constexpr auto kAbandoned = std::chrono::hours(1);          // a writer has died
constexpr auto kUseCounts = std::chrono::minutes(10);       // a file's time tells its last use

uint64_t Mix(uint64_t x, uint64_t factor) {
  x *= factor;
  return x ^ (x >> 32);
}

std::string DigestOf(std::string_view bytes) {
  Digest digest;
  digest.Add(bytes);
  return digest.Text();
}

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

/// Nobody but us and the system's administrator can have written it: it will be executed.
bool IsOurs(const struct stat& status) {
  return S_ISREG(status.st_mode) && (status.st_uid == ::geteuid() || status.st_uid == 0) &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

void Digest::Add(uint64_t x) {
  a_ = Mix(a_ ^ x, 0x9E3779B97F4A7C15u) + b_;
  b_ = Mix(b_ + x, 0xD6E8FEB86659FD93u) ^ (a_ << 1);
}

void Digest::Add(std::string_view bytes) {
  Add(uint64_t{bytes.size()});
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t n = std::min(sizeof word, bytes.size());
    std::memcpy(&word, bytes.data(), n);
    Add(word);
    bytes.remove_prefix(n);
  }
}

std::string Digest::Text() const {
  Digest end = *this;
  for (int i = 0; i < 3; ++i) end.Add(uint64_t{0});
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(end.a_),
                static_cast<unsigned long long>(end.b_));
  return text;
}

std::optional<std::string> DiskCache::Get(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const File file(::open(PathOf(key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0 || !IsOurs(status)) return std::nullopt;
  if (status.st_size < static_cast<off_t>(kHeader) || status.st_size > max_bytes_)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file.fd(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    done += static_cast<size_t>(n);
  }
  const std::string_view all = bytes, body = all.substr(kHeader);
  if (all.substr(0, kHeader) != StrCat(kMagic, key, DigestOf(body))) return std::nullopt;
  std::error_code error;
  const fs::path path = PathOf(key);
  const auto now = fs::file_time_type::clock::now();
  if (now - fs::last_write_time(path, error) > kUseCounts) fs::last_write_time(path, now, error);
  bytes.erase(0, kHeader);
  return bytes;
}

void DiskCache::Put(const std::string& key, std::string_view bytes) const {
  static std::atomic<uint64_t> number = 0;
  if (folder_.empty() || static_cast<int64_t>(bytes.size()) > max_bytes_ / 4) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const uint64_t mine = number++;
  const std::string path = PathOf(key), temporary = StrCat(path, ".", ::getpid(), ".", mine);
  {
    const File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.fd() < 0) return;
    if (!WriteAll(file.fd(), StrCat(kMagic, key, DigestOf(bytes))) || !WriteAll(file.fd(), bytes)) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, path, error);
  if (error) fs::remove(temporary, error);
  if (mine % 16 == 0) Shrink();
}

void DiskCache::Shrink() const {
  struct Entry {
    fs::file_time_type time;
    fs::path path;
    int64_t bytes;
  };
  std::vector<Entry> entries;
  std::error_code error;
  int64_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    const bool complete = path.extension() == ".reelcode";
    if (!complete && path.string().find(".reelcode.") == std::string::npos) continue;  // not ours
    std::error_code gone;
    const Entry entry{fs::last_write_time(path, gone), path,
                      static_cast<int64_t>(fs::file_size(path, gone))};
    if (gone) continue;
    if (complete) {
      entries.push_back(entry);
      total += entry.bytes;
    } else if (now - entry.time > kAbandoned) {
      fs::remove(path, gone);
    }
  }
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ / 4 * 3) return;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

}  // namespace reel::codegen
