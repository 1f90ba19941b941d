#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "frontend/data/image.h"
#include "frontend/data/node.h"
#include "frontend/values/status.h"
#include "ir/file/descriptor.h"
#include "ir/file/reader.h"
#include "ir/names.h"
#include "ir/strings.h"

// Folders of images, one for each class.

namespace reel {
namespace internal {
namespace {

constexpr std::string_view kImageEndings[] = {".png", ".jpg", ".jpeg"};
constexpr std::string_view kOtherImages[] = {".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm"};
constexpr int64_t kMaxPixels = int64_t{1} << 28;

/// Names in a folder, sorted, without hidden ones.
std::vector<std::string> NamesIn(const std::string& folder) {
  Check(ir::CheckPath(folder));
  DIR* const dir = ::opendir(folder.c_str());
  if (!dir) Throw(ir::FileError("cannot list", folder));
  std::vector<std::string> out;
  while (const dirent* const entry = ::readdir(dir)) {
    if (entry->d_name[0] != '.') out.emplace_back(entry->d_name);
  }
  ::closedir(dir);
  std::sort(out.begin(), out.end());
  return out;
}

bool IsDirectory(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool EndsWithOneOf(const std::string& name, std::span<const std::string_view> endings) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return lower.ends_with(e); });
}

struct ImageFile {
  std::string path;
  int64_t label;
};

class ImageNode : public DatasetNode {
 public:
  ImageNode(std::string text, std::vector<ImageFile> files, ImageFolderOptions options, SourceInfoPtr info)
      : DatasetNode(static_cast<int64_t>(files.size()), std::move(info)),
        text_(std::move(text)),
        files_(std::move(files)),
        options_(std::move(options)),
        image_{options_.dtype, {options_.height, options_.width, options_.channels}} {}

  Example Fetch(int64_t, std::span<const int64_t> indices, bool batched, FetchMemory*) const override {
    NewRows images(image_, indices.size(), batched), labels({kInt64, Shape()}, indices.size(), batched);
    for (size_t i = 0; i < indices.size(); ++i) {
      const ImageFile& file = files_[static_cast<size_t>(indices[i])];
      if (absl::Status s = Load(file.path, images.row(i)); !s.ok())
        throw FetchError{absl::Status(s.code(), StrCat(ir::QuotedPath(file.path), ": ", s.message()))};
      std::memcpy(labels.row(i), &file.label, sizeof file.label);
    }
    return {images.Done(), labels.Done()};
  }
  std::vector<Spec> Specs() const override { return {Spec(image_.dtype, image_.shape), Spec(kInt64, Shape())}; }
  std::string Text() const override { return text_; }
  std::string Identity() const override { return StrCat("images ", size(), " of ", image_.ToString()); }

 private:
  absl::Status Load(const std::string& path, std::byte* out) const {
    const auto file = ir::ReadFile(path, options_.budget);
    if (!file.ok()) return file.status();
    const auto size = ReadImageSize(*file);
    if (!size.ok()) return size.status();
    const bool same = size->height == options_.height && size->width == options_.width;
    if (!same && !options_.resize) {
      return absl::InvalidArgumentError(StrCat("the image is ", size->height, "x", size->width,
                                               " (height x width), expected ", options_.height, "x", options_.width,
                                               "; resize it, or set resize"));
    }
    if (size->height > kMaxPixels / size->width)
      return absl::ResourceExhaustedError(StrCat("the image has more than ", kMaxPixels, " pixels"));
    const auto pixels = DecodeImage(*file, *size, options_.channels);
    if (!pixels.ok()) return pixels.status();
    if (same)
      Store(*pixels, out);
    else
      Store(ResizeImage(*pixels, *size, options_.height, options_.width, options_.channels), out);
    return absl::OkStatus();
  }

  void Store(const std::vector<std::byte>& pixels, std::byte* out) const {
    if (options_.dtype == kFloat32)
      ToUnitFloats(pixels.data(), pixels.size(), reinterpret_cast<float*>(out));
    else
      std::memcpy(out, pixels.data(), pixels.size());
  }
  void Store(const std::vector<float>& pixels, std::byte* out) const {
    for (size_t i = 0; i < pixels.size(); ++i) {
      if (options_.dtype == kFloat32)
        reinterpret_cast<float*>(out)[i] = pixels[i] / 255.0f;
      else
        out[i] = static_cast<std::byte>(std::lround(pixels[i]));
    }
  }

  const std::string text_;
  const std::vector<ImageFile> files_;
  const ImageFolderOptions options_;
  const Type image_;
};

void CheckImageOptions(const ImageFolderOptions& o) {
  if (o.dtype != kFloat32 && o.dtype != kUInt8)
    ThrowInvalid(StrCat("image_folder: images are kFloat32 or kUInt8, not ", Name(o.dtype)));
  if (o.channels != 0 && o.channels != 1 && o.channels != 3)
    ThrowInvalid(StrCat("image_folder: ", o.channels, " channels; expected 1 (gray) or 3 (RGB)"));
  if (o.height < 0 || o.width < 0 || (o.height == 0) != (o.width == 0))
    ThrowInvalid(StrCat("image_folder: size ", o.height, "x", o.width, "; give both height and width, or neither"));
  if (o.height > 0 && o.height > kMaxPixels / o.width)
    ThrowInvalid(StrCat("image_folder: images of ", o.height, "x", o.width, " have more than ", kMaxPixels, " pixels"));
}

/// The images of a class, in the order of their names.
void AddFiles(const std::string& folder, int64_t label, std::vector<ImageFile>* out) {
  const size_t before = out->size();
  for (const std::string& name : NamesIn(folder)) {
    if (EndsWithOneOf(name, kOtherImages))
      ThrowInvalid(StrCat(ir::QuotedPath(StrCat(folder, "/", name)), ": expected .png, .jpg or .jpeg; convert it"));
    if (EndsWithOneOf(name, kImageEndings)) out->push_back({StrCat(folder, "/", name), label});
  }
  if (out->size() == before)
    ThrowInvalid(StrCat(ir::QuotedPath(folder), ": the class has no image (.png, .jpg, .jpeg)"));
}

/// What the options leave open, as the first image has it.
void CompleteOptions(const std::string& path, ImageFolderOptions* options) {
  const std::string file = Take(ir::ReadFile(path, options->budget));
  const auto size = ReadImageSize(file);
  if (!size.ok())
    Throw(absl::Status(size.status().code(), StrCat(ir::QuotedPath(path), ": ", size.status().message())));
  if (options->channels == 0) options->channels = size->channels;
  if (options->height == 0) {
    options->height = size->height;
    options->width = size->width;
  }
  CheckImageOptions(*options);
}

}  // namespace
}  // namespace internal

Dataset Dataset::FromImageFolder(const std::string& path, const ImageFolderOptions& options) {
  internal::CheckImageOptions(options);
  internal::SourceInfo::Label label;
  label.names = options.class_names;
  const std::vector<std::string> names = internal::NamesIn(path);
  for (const std::string& name : names) {
    if (options.class_names.empty() && internal::IsDirectory(StrCat(path, "/", name))) label.names.push_back(name);
  }
  if (label.names.empty()) {
    internal::ThrowInvalid(StrCat(ir::QuotedPath(path), ": there are no folders in it, expected one for each class",
                                  names.empty() ? "; it is empty" : ""));
  }
  std::vector<internal::ImageFile> files;
  for (const std::string& name : label.names) internal::AddFiles(StrCat(path, "/", name), label.classes++, &files);
  ImageFolderOptions complete = options;
  if (options.height == 0 || options.channels == 0) internal::CompleteOptions(files.front().path, &complete);
  internal::SourceInfo info;
  info.labels.push_back(std::move(label));
  return Dataset(std::make_shared<internal::ImageNode>(internal::SourceText("image_folder", path), std::move(files),
                                                       std::move(complete),
                                                       std::make_shared<internal::SourceInfo>(std::move(info))));
}

}  // namespace reel
