#ifndef REEL_FRONTEND_TENSORFLOW_BUNDLE_H_
#define REEL_FRONTEND_TENSORFLOW_BUNDLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/file/writer.h"
#include "ir/literal.h"

namespace reel::tensorflow {

/// The name of the tensor that says which objects the others are of: a TrackableObjectGraph.
inline constexpr char kObjectGraphKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// Writes a checkpoint of TensorFlow: the bytes of tensors in PREFIX.data-00000-of-00001 as they are added, and a table
/// of their names, types, places and CRCs in PREFIX.index.
class BundleWriter {
 public:
  static absl::StatusOr<BundleWriter> Open(std::string prefix);

  /// Names are any text, not empty, each once.
  absl::Status Add(const std::string& name, const ir::Literal& literal);
  /// A scalar of DT_STRING.
  absl::Status AddString(const std::string& name, std::string_view text);
  /// Without it there are no files.
  absl::Status Commit();

 private:
  BundleWriter(std::string prefix, ir::FileWriter data);
  absl::Status AddEntry(const std::string& name, std::string entry);

  std::string prefix_;
  ir::FileWriter data_;
  int64_t size_ = 0;
  std::map<std::string, std::string> entries_;
};

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_BUNDLE_H_
