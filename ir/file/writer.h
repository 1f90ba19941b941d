#ifndef REEL_IR_FILE_WRITER_H_
#define REEL_IR_FILE_WRITER_H_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/file/descriptor.h"

namespace reel::ir {

struct WriteOptions {
  /// Survives a loss of power once Commit() has returned. What can be made again (dumps, caches) does without.
  bool durable = true;
  /// Of a new file, less the umask. An existing one keeps its own.
  mode_t mode = 0666;
};

/// The one way in which Reel writes files. What a path names is replaced when Commit() has all bytes on disk: at
/// any moment it is the old file or the new one. Links are followed and stay; mode and owner of an existing file
/// stay. What is no regular file (a device, a pipe, /dev/stdout) is opened and written as bytes come.
class FileWriter {
 public:
  static absl::StatusOr<FileWriter> Open(const std::string& path, const WriteOptions& options = {});
  /// Of a file in an open folder, where no link is followed.
  static absl::StatusOr<FileWriter> OpenIn(Descriptor folder, const std::string& name,
                                           const WriteOptions& options = {});
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  /// Without Commit() nothing has happened.
  ~FileWriter();

  absl::Status Append(std::string_view bytes);
  /// All that can fail for want of space. Nothing may be appended afterwards.
  absl::Status Finish();
  /// Finish(), then the file appears under its name.
  absl::Status Commit();

 private:
  FileWriter(std::string path, const WriteOptions& options) : path_(std::move(path)), options_(options) {}
  absl::Status OpenName(const std::string& name);
  absl::Status OpenStream(int named, int folder, const std::string& name);
  absl::Status OpenTemporary();
  absl::Status KeepModeAndOwner();
  absl::Status Fail(std::string_view what);

  std::string path_;  // as it was given
  WriteOptions options_;
  Descriptor folder_, file_;
  Descriptor lock_;        // of the temporary, until it has its name
  std::string temporary_;  // empty: a stream, or renamed
  std::string name_;
  bool exists_ = false;
  mode_t old_mode_ = 0;
  uid_t old_user_ = 0;
  gid_t old_group_ = 0;
  absl::Status status_;  // the first failure
};

absl::Status WriteFile(const std::string& path, std::string_view bytes, const WriteOptions& options = {});

}  // namespace reel::ir

#endif  // REEL_IR_FILE_WRITER_H_
