#ifndef REEL_FRONTEND_SUMMARY_EVENT_FILE_H_
#define REEL_FRONTEND_SUMMARY_EVENT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/file/descriptor.h"

namespace reel::summary {

/// Appends a record in the framing of TFRecord files: length, masked CRC of the length, bytes, their masked CRC.
void AppendRecord(std::string* out, std::string_view bytes);

/// A file that records are appended to, whole ones only, so that it can be read at any moment. Unlike what ir/file
/// writes, it grows where it is: a log of a run that may be killed.
class EventFile {
 public:
  /// A new file in the folder, which is made if it is not there; `seconds` are those of its name.
  static absl::StatusOr<EventFile> Create(const std::string& folder, int64_t seconds);
  EventFile(EventFile&& other) noexcept = default;
  EventFile& operator=(EventFile&& other) noexcept = default;

  /// Holds the record until the next Flush().
  void Append(std::string_view bytes) { AppendRecord(&pending_, bytes); }
  size_t pending_bytes() const { return pending_.size(); }
  /// Writes what is held. What could not be written stays held, and no part of it stays in the file. In a process that
  /// was forked since, it does nothing: the records are the parent's.
  absl::Status Flush();
  const std::string& path() const { return path_; }

 private:
  EventFile(std::string path, ir::Descriptor file);

  std::string path_, pending_;
  ir::Descriptor file_;
  int64_t size_ = 0;
  int process_;
};

}  // namespace reel::summary

#endif  // REEL_FRONTEND_SUMMARY_EVENT_FILE_H_
