#include "codegen/cache/cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>
#include <vector>

#include "codegen/cache/folder.h"
#include "ir/key.h"
#include "ir/siphash.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr std::string_view kMagic = "reel code 2\n";  // of this layout of files
constexpr size_t kDigest = 32;                        // its digits
constexpr size_t kHeader = kMagic.size() + kDigest;   // then the key with its length, and the bytes
constexpr char kSuffix[] = ".reelcode";
constexpr ir::SipHash::Key kNames = {0x243f6a8885a308d3u, 0x13198a2e03707344u};

/// 128 bits in hexadecimal digits; with a secret for a key, a code that only who has it can make.
std::string DigestOf(const ir::SipHash::Key& key, std::string_view bytes, std::string_view more = "") {
  ir::SipHash hash(key);
  hash.Add(bytes);
  hash.Add(more);
  const auto [low, high] = hash.Sum();
  char text[kDigest + 1];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(low),
                static_cast<unsigned long long>(high));
  return text;
}

/// It finds a file; what the file is for is compared.
std::string NameOf(const std::string& key) { return DigestOf(kNames, key) + kSuffix; }

/// The key with its length in front, so that no other key with other bytes behind it is the same.
std::string Packed(std::string_view key) {
  std::string packed;
  ir::AppendKey(&packed, key);
  return packed;
}

/// What stands before the bytes: whose they are (of the user who has the secret), and what they are for.
std::string HeadOf(const Secret& secret, const std::string& key, std::string_view bytes) {
  const std::string packed = Packed(key);
  return StrCat(kMagic, DigestOf(secret, packed, bytes), packed);
}

}  // namespace

std::optional<std::string> DiskCache::Get(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const CacheFolder folder(folder_, /*make=*/false);
  if (!folder.ok()) return std::nullopt;
  const auto secret = folder.GetSecret(/*make=*/false);
  if (!secret) return std::nullopt;
  auto bytes = folder.Read(NameOf(key), max_bytes_);
  const size_t head = kHeader + Packed(key).size();
  if (!bytes || bytes->size() < head) return std::nullopt;
  const std::string_view all = *bytes;
  if (all.substr(0, head) != HeadOf(*secret, key, all.substr(head))) return std::nullopt;
  bytes->erase(0, head);
  return bytes;
}

void DiskCache::Put(const std::string& key, std::string_view bytes) const {
  static std::atomic<uint64_t> number = 0;
  if (folder_.empty() || static_cast<int64_t>(bytes.size()) > max_bytes_ / 4) return;
  const CacheFolder folder(folder_, /*make=*/true);
  if (!folder.ok()) return;
  const auto secret = folder.GetSecret(/*make=*/true);
  if (!secret || !folder.Write(NameOf(key), HeadOf(*secret, key, bytes), bytes)) return;
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
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ / 4 * 3) return;
    folder.Remove(entry.name);
    total -= entry.bytes;
  }
}

}  // namespace reel::codegen
