#ifndef REEL_IR_FILE_FOLDER_WRITER_H_
#define REEL_IR_FILE_FOLDER_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/file/descriptor.h"

namespace reel::ir {

/// A folder that is written beside the one that a path names and takes its place whole: at any moment the path is the
/// old folder, nothing, or the new one. What writers left that died before Commit(), the next one there removes.
class FolderWriter {
 public:
  /// An existing folder is replaced if it is empty or has a file of the name `mark`: another one is somebody's, and an
  /// error. Links are followed and stay. The folder above must be there.
  static absl::StatusOr<FolderWriter> Open(const std::string& path, const std::string& mark);
  FolderWriter(FolderWriter&& other) noexcept = default;
  FolderWriter& operator=(FolderWriter&&) = delete;
  /// Without Commit() nothing has happened.
  ~FolderWriter();

  /// Where the files go, made by FileWriter, until Commit().
  std::string folder() const { return above_ + temporary_; }
  absl::Status Commit();

 private:
  explicit FolderWriter(std::string path) : path_(std::move(path)) {}
  absl::Status Fail(std::string_view what) const { return FileError(what, path_); }
  absl::Status FindTarget(const std::string& mark);

  std::string path_;  // as it was given
  std::string above_, name_;  // of the target: above_ is empty or ends in a slash
  std::string temporary_;  // a name in above_; empty: there is none
  Descriptor parent_, lock_;
};

}  // namespace reel::ir

#endif  // REEL_IR_FILE_FOLDER_WRITER_H_
