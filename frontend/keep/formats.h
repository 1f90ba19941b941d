#ifndef REEL_FRONTEND_KEEP_FORMATS_H_
#define REEL_FRONTEND_KEEP_FORMATS_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/file/writer.h"
#include "reel/weights.h"

// The file formats of weights.

namespace reel::internal {

/// What a file holds, in its order.
struct WeightsFile {
  StateDict values;
  std::map<std::string, std::string> metadata;  // safetensors' __metadata__
  /// To be written with the entry's CRC-32 for each, in the metadata as crc32/NAME. Archives (.npz) always have them.
  bool checksums = false;
};

/// Hugging Face's safetensors: the length of a JSON header (u64), the header, the elements. Errors name the entry, not
/// the file.
absl::StatusOr<WeightsFile> ParseSafetensors(std::string_view bytes);
absl::Status WriteSafetensors(const WeightsFile& file, ir::FileWriter* out);

/// NumPy's .npz.
absl::StatusOr<WeightsFile> ParseNpz(std::string_view bytes);
absl::Status WriteNpz(const WeightsFile& file, ir::FileWriter* out);

/// A path for errors, all of it: files of one folder differ at the end.
std::string QuotedPath(const std::string& path);

/// By the ending of the path.
absl::StatusOr<WeightsFile> ReadWeightsFile(const std::string& path);
absl::Status WriteWeightsFile(const std::string& path, const WeightsFile& file);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_KEEP_FORMATS_H_
