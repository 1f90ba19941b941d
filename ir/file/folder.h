#ifndef REEL_IR_FILE_FOLDER_H_
#define REEL_IR_FILE_FOLDER_H_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"

// In place of std::filesystem, whose paths throw and, in libstdc++ 12, free what they have not where memory ends.

namespace reel::ir {

/// Makes the folder, with this mode (less the umask), and those above it that are missing. 0, or what errno says;
/// a folder that is there is no error.
int MakeFolders(const std::string& path, mode_t mode = 0777);

/// Removes a folder and all that is in it, follows no link and says nothing: for temporary ones.
void RemoveFolder(const std::string& path) noexcept;

/// A new folder that is removed with all it contains: in the folder that TMPDIR names, if it is one, else in /tmp.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Whether it could be made: Unavailable says why not.
  absl::Status status() const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int failure_ = 0;  // errno
};

/// The part of a path after its last slash, and the part before it ("" without a slash).
std::string_view FileName(std::string_view path);
std::string_view ParentOf(std::string_view path);

}  // namespace reel::ir

#endif  // REEL_IR_FILE_FOLDER_H_
