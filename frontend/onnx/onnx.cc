#include "reel/onnx.h"

#include <fcntl.h>

#include <memory>

#include "frontend/onnx/import.h"
#include "frontend/values/status.h"
#include "ir/file/reader.h"
#include "ir/strings.h"

namespace reel {
namespace onnx {
namespace {

std::string ReadWhole(const std::string& path, const Budget& budget) {
  auto bytes = ir::ReadFile(path, budget);
  if (bytes.ok()) return *std::move(bytes);
  internal::Check(absl::Status(bytes.status().code(), StrCat("onnx: ", std::string(bytes.status().message()))));
  return {};
}

}  // namespace

ReadExternal ReadBeside(const std::string& path) {
  const std::string parent = path.substr(0, path.rfind('/') + 1);
  const std::string name = parent.empty() ? "." : parent;
  const auto folder = std::make_shared<ir::Descriptor>(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return [folder](std::string_view location, int64_t offset, int64_t length) {
    auto bytes = ir::ReadBelow(*folder, location, offset, length);
    if (bytes.ok()) return bytes;
    const std::string why(bytes.status().message());
    bytes = absl::Status(bytes.status().code(), StrCat("its data file in the model's folder: ", why));
    return bytes;
  };
}

}  // namespace onnx

Module ImportOnnx(const std::string& path, const OnnxOptions& options) {
  return onnx::Import(onnx::ReadWhole(path, options.budget), path, options, onnx::ReadBeside(path));
}

Module ImportOnnxBytes(std::string_view bytes, const std::string& name, const OnnxOptions& options) {
  return onnx::Import(bytes, name, options, nullptr);
}

}  // namespace reel
