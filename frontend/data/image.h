#ifndef REEL_FRONTEND_DATA_IMAGE_H_
#define REEL_FRONTEND_DATA_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

// Images in files: PNG by libpng, JPEG by TurboJPEG. Which it is, the first bytes say.

namespace reel::internal {

struct ImageSize {
  int64_t height = 0, width = 0;
  int64_t channels = 0;  ///< 1 or 3: what the file has, without transparency
};

/// The header alone. An image that the file is too small for is an error.
absl::StatusOr<ImageSize> ReadImageSize(std::string_view file);

/// [height, width, channels] bytes, with 1 or 3 channels: gray of a coloured image is (299 R + 587 G + 114 B) / 1000.
/// Transparency is left out. A file that ends early is an error.
absl::StatusOr<std::vector<std::byte>> DecodeImage(std::string_view file, const ImageSize& size, int64_t channels);

/// Bilinear, of bytes [height, width, channels] to floats 0 to 255; places as reel::Resize has them.
std::vector<float> ResizeImage(const std::vector<std::byte>& image, const ImageSize& from, int64_t height,
                               int64_t width, int64_t channels);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_DATA_IMAGE_H_
