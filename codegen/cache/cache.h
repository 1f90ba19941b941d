#ifndef REEL_CODEGEN_CACHE_CACHE_H_
#define REEL_CODEGEN_CACHE_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Results that are kept in files between processes. Never more than a saving of time: whatever is
// wrong with the folder or a file, an entry is found whole and as it was written, or not at all.

namespace reel::codegen {

class CacheFolder;

/// Entries in a folder that is ours alone (folder.h), each with a code that only the user's secret there makes.
class DiskCache {
 public:
  static constexpr int64_t kMaxBytes = int64_t{256} << 20;

  /// The folder is made when something is stored first; empty: nothing is kept.
  explicit DiskCache(std::string folder, int64_t max_bytes = kMaxBytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  /// What was stored under the key, any bytes: they name the file, and stand in it to be compared.
  std::optional<std::string> Get(const std::string& key) const;
  /// Stores the bytes, if the folder lets us: whole or not at all. Keeps the
  /// folder below its bound by removing what has not been used for longest.
  void Put(const std::string& key, std::string_view bytes) const;

 private:
  void Shrink(const CacheFolder& folder) const;

  const std::string folder_;
  const int64_t max_bytes_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_CACHE_CACHE_H_
