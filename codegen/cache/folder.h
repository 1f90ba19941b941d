#ifndef REEL_CODEGEN_CACHE_FOLDER_H_
#define REEL_CODEGEN_CACHE_FOLDER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ir/file/descriptor.h"
#include "ir/siphash.h"

struct stat;

namespace reel::codegen {

using Secret = ir::SipHash::Key;

/// A folder whose files nobody but us can have made: ours, no link, writable by nobody else. All names are looked
/// up in the open folder and no link is followed.
class CacheFolder {
 public:
  /// Not ok() if there is no such folder, or one that is not trusted, which is said once. Makes it if asked to.
  CacheFolder(const std::string& path, bool make);
  bool ok() const { return folder_.ok(); }

  /// A file of ours; one that is there and is not is removed: it would stay in the way.
  std::optional<std::string> Read(const std::string& name, int64_t max_bytes) const;
  /// Removes what stands under the name unless it is a regular file of ours, then writes it (ir/file/writer.h).
  bool Write(const std::string& name, std::string_view head, std::string_view body) const;
  void Remove(const std::string& name) const;
  /// Calls with every regular file.
  void ForEach(const std::function<void(const char* name, const struct stat& info)>& use) const;
  /// The random bytes of the user in this folder, made when they are first wanted and `make`.
  std::optional<Secret> GetSecret(bool make) const;

 private:
  std::optional<Secret> ReadSecret() const;

  ir::Descriptor folder_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_CACHE_FOLDER_H_
