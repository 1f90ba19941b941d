#include "codegen/cache/cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "codegen/cache/folder.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr char kMagic[] = "reel code 2\n";                  // of this layout of files
constexpr size_t kHeader = sizeof kMagic - 1 + 32 + 32;     // magic, key, code of all that
constexpr char kSuffix[] = ".reelcode";

uint64_t Mix(uint64_t x, uint64_t factor) {
  x *= factor;
  return x ^ (x >> 32);
}

std::string NameOf(const std::string& key) { return key + kSuffix; }

/// Whose bytes they are: of the user who has the secret, of this key.
std::string HeaderOf(const Secret& secret, const std::string& key, std::string_view bytes) {
  return StrCat(kMagic, key, AuthenticationCode(secret, StrCat(kMagic, key, bytes)));
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
  const CacheFolder folder(folder_, /*make=*/false);
  if (!folder.ok()) return std::nullopt;
  const auto secret = folder.GetSecret(/*make=*/false);
  if (!secret) return std::nullopt;
  auto bytes = folder.Read(NameOf(key), max_bytes_);
  if (!bytes || bytes->size() < kHeader) return std::nullopt;
  const std::string_view all = *bytes;
  if (all.substr(0, kHeader) != HeaderOf(*secret, key, all.substr(kHeader))) return std::nullopt;
  bytes->erase(0, kHeader);
  return bytes;
}

void DiskCache::Put(const std::string& key, std::string_view bytes) const {
  static std::atomic<uint64_t> number = 0;
  if (folder_.empty() || static_cast<int64_t>(bytes.size()) > max_bytes_ / 4) return;
  const CacheFolder folder(folder_, /*make=*/true);
  if (!folder.ok()) return;
  const auto secret = folder.GetSecret(/*make=*/true);
  if (!secret || !folder.Write(NameOf(key), HeaderOf(*secret, key, bytes), bytes)) return;
  if (number++ % 16 == 0) Shrink(folder);
}

void DiskCache::Shrink(const CacheFolder& folder) const {
  struct Entry {
    std::pair<int64_t, int64_t> time;  // of its last use
    std::string name;
    int64_t bytes;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  folder.ForEach([&](const char* name, const struct stat& info) {
    if (!std::string_view(name).ends_with(kSuffix)) return;  // not ours
    entries.push_back({{info.st_mtim.tv_sec, info.st_mtim.tv_nsec}, name, info.st_size});
    total += info.st_size;
  });
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ / 4 * 3) return;
    folder.Remove(entry.name);
    total -= entry.bytes;
  }
}

}  // namespace reel::codegen
