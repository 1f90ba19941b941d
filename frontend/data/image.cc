#include "frontend/data/image.h"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "ir/strings.h"

namespace reel::internal {
namespace {

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n", kJpegSignature = "\xff\xd8\xff";
// What deflate makes of a byte at best, at one bit for a pixel. JPEG's best is less.
constexpr int64_t kMaxPixelsPerByte = 1032 * 8;

absl::Status Damaged(std::string_view kind, std::string_view why) {
  return absl::DataLossError(StrCat("damaged ", kind, ": ", why));
}

absl::StatusOr<ImageSize> CheckedSize(ImageSize size, std::string_view file) {
  if (size.height > kMaxPixelsPerByte * static_cast<int64_t>(file.size()) / size.width) {
    return absl::DataLossError(StrCat("an image of ", size.height, "x", size.width,
                                      " pixels (height x width) does not fit in ", file.size(), " bytes of a file"));
  }
  return size;
}

/// Gray of RGB: 601's weights in 16 bits.
std::vector<std::byte> GrayOf(const std::vector<std::byte>& rgb) {
  std::vector<std::byte> out(rgb.size() / 3);
  for (size_t i = 0; i < out.size(); ++i) {
    const auto value = [&](size_t c) { return static_cast<uint32_t>(rgb[3 * i + c]); };
    out[i] = static_cast<std::byte>((value(0) * 19595 + value(1) * 38470 + value(2) * 7471 + 0x8000) >> 16);
  }
  return out;
}

std::vector<std::byte> RgbOf(const std::vector<std::byte>& gray) {
  std::vector<std::byte> out(gray.size() * 3);
  for (size_t i = 0; i < out.size(); ++i) out[i] = gray[i / 3];
  return out;
}

// --- PNG ---

class Png {
 public:
  explicit Png(std::string_view file) {
    image_.version = PNG_IMAGE_VERSION;
    ok_ = png_image_begin_read_from_memory(&image_, file.data(), file.size()) != 0;
  }
  ~Png() { png_image_free(&image_); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

  absl::Status status() const { return ok_ ? absl::OkStatus() : Damaged("PNG", image_.message); }
  ImageSize size() const { return {image_.height, image_.width, (image_.format & PNG_FORMAT_FLAG_COLOR) ? 3 : 1}; }

  /// All pixels, with as many channels as size() has.
  absl::StatusOr<std::vector<std::byte>> Read() {
    const auto channels = static_cast<size_t>(size().channels);
    // Transparency is read and dropped: libpng would blend colours with a background.
    const bool alpha = (image_.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    image_.format = (channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY) | (alpha ? PNG_FORMAT_FLAG_ALPHA : 0u);
    std::vector<std::byte> pixels(PNG_IMAGE_SIZE(image_));
    if (png_image_finish_read(&image_, nullptr, pixels.data(), 0, nullptr) == 0) return Damaged("PNG", image_.message);
    if (PNG_IMAGE_FAILED(image_)) return Damaged("PNG", image_.message);
    if (!alpha) return pixels;
    std::vector<std::byte> out(pixels.size() / (channels + 1) * channels);
    for (size_t i = 0; i < out.size(); ++i) out[i] = pixels[i / channels * (channels + 1) + i % channels];
    return out;
  }

 private:
  png_image image_{};
  bool ok_ = false;
};

// --- JPEG ---

struct TurboDestroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using Turbo = std::unique_ptr<void, TurboDestroy>;

const unsigned char* JpegBytes(std::string_view file) { return reinterpret_cast<const unsigned char*>(file.data()); }

absl::StatusOr<ImageSize> JpegSize(tjhandle turbo, std::string_view file) {
  int width = 0, height = 0, subsampling = 0, colors = 0;
  if (tjDecompressHeader3(turbo, JpegBytes(file), static_cast<unsigned long>(file.size()), &width, &height,
                          &subsampling, &colors) != 0)
    return Damaged("JPEG", tjGetErrorStr2(turbo));
  if (width < 1 || height < 1) return Damaged("JPEG", "it ends within its header");
  if (colors == TJCS_CMYK || colors == TJCS_YCCK)
    return absl::UnimplementedError("a JPEG in CMYK, which is not read; convert it to RGB");
  return ImageSize{height, width, colors == TJCS_GRAY ? 1 : 3};
}

absl::StatusOr<std::vector<std::byte>> ReadJpeg(tjhandle turbo, std::string_view file, const ImageSize& size) {
  std::vector<std::byte> pixels(static_cast<size_t>(size.height * size.width * size.channels));
  // A warning is damage, such as an end that comes too early.
  const int flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
  if (tjDecompress2(turbo, JpegBytes(file), static_cast<unsigned long>(file.size()),
                    reinterpret_cast<unsigned char*>(pixels.data()), static_cast<int>(size.width), 0,
                    static_cast<int>(size.height), size.channels == 1 ? TJPF_GRAY : TJPF_RGB, flags) != 0)
    return Damaged("JPEG", tjGetErrorStr2(turbo));
  return pixels;
}

absl::Status NoImage() { return absl::InvalidArgumentError("neither a PNG nor a JPEG"); }

absl::StatusOr<std::vector<std::byte>> DecodeAsItIs(std::string_view file, const ImageSize& size) {
  if (file.starts_with(kPngSignature)) {
    Png png(file);
    if (absl::Status s = png.status(); !s.ok()) return s;
    return png.Read();
  }
  if (!file.starts_with(kJpegSignature)) return NoImage();
  const Turbo turbo(tjInitDecompress());
  if (!turbo) return absl::ResourceExhaustedError("no memory to read a JPEG");
  return ReadJpeg(turbo.get(), file, size);
}

/// Where element i of n lies among m: between two neighbours, and how far from the first.
struct Neighbours {
  int64_t low, high;
  float part;
};
Neighbours PlaceOf(int64_t i, int64_t n, int64_t m) {
  const double at = std::clamp((static_cast<double>(i) + 0.5) * static_cast<double>(m) / static_cast<double>(n) - 0.5,
                               0.0, static_cast<double>(m - 1));
  const auto low = static_cast<int64_t>(at);
  return {low, std::min(low + 1, m - 1), static_cast<float>(at - static_cast<double>(low))};
}

}  // namespace

absl::StatusOr<ImageSize> ReadImageSize(std::string_view file) {
  if (file.starts_with(kPngSignature)) {
    const Png png(file);
    if (absl::Status s = png.status(); !s.ok()) return s;
    return CheckedSize(png.size(), file);
  }
  if (!file.starts_with(kJpegSignature)) return NoImage();
  const Turbo turbo(tjInitDecompress());
  if (!turbo) return absl::ResourceExhaustedError("no memory to read a JPEG");
  const auto size = JpegSize(turbo.get(), file);
  if (!size.ok()) return size;
  return CheckedSize(*size, file);
}

absl::StatusOr<std::vector<std::byte>> DecodeImage(std::string_view file, const ImageSize& size, int64_t channels) {
  auto pixels = DecodeAsItIs(file, size);
  if (!pixels.ok() || size.channels == channels) return pixels;
  return channels == 1 ? GrayOf(*pixels) : RgbOf(*pixels);
}

std::vector<float> ResizeImage(const std::vector<std::byte>& image, const ImageSize& from, int64_t height,
                               int64_t width, int64_t channels) {
  std::vector<float> out(static_cast<size_t>(height * width * channels));
  const auto pixel = [&](int64_t y, int64_t x, int64_t c) {
    return static_cast<float>(image[static_cast<size_t>((y * from.width + x) * channels + c)]);
  };
  const auto between = [](float a, float b, float part) { return a * (1 - part) + b * part; };
  size_t at = 0;
  for (int64_t y = 0; y < height; ++y) {
    const Neighbours v = PlaceOf(y, height, from.height);
    for (int64_t x = 0; x < width; ++x) {
      const Neighbours h = PlaceOf(x, width, from.width);
      for (int64_t c = 0; c < channels; ++c) {
        out[at++] = between(between(pixel(v.low, h.low, c), pixel(v.low, h.high, c), h.part),
                            between(pixel(v.high, h.low, c), pixel(v.high, h.high, c), h.part), v.part);
      }
    }
  }
  return out;
}

}  // namespace reel::internal
