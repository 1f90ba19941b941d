#include "reel/onnx.h"

#include <filesystem>
#include <fstream>

#include "frontend/core.h"
#include "frontend/onnx/import.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel {
namespace onnx {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> ReadInside(const fs::path& folder, std::string_view location,
                                       int64_t offset, int64_t length) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path path = error ? fs::path() : fs::canonical(folder / location, error);
  if (error || location.empty() || !path.string().starts_with(root.string() + "/")) {
    return absl::PermissionDeniedError(
        StrCat("its data file ", ir::Quoted(location), " is not in the model's folder"));
  }
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  if (error || offset > size || length > size - offset) {
    return absl::DataLossError(StrCat("its data file ", ir::Quoted(location), " is too short"));
  }
  std::string data(static_cast<size_t>(length), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(offset).read(data.data(), length))
    return absl::DataLossError(StrCat("its data file ", ir::Quoted(location), " cannot be read"));
  return data;
}

std::string ReadWhole(const std::string& path, const Budget& budget) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer), file.gcount() > 0) {
    bytes.append(buffer, static_cast<size_t>(file.gcount()));
    if (static_cast<int64_t>(bytes.size()) > budget.max_bytes) {
      internal::ThrowError(ErrorCode::kResourceExhausted,
                           StrCat("onnx: ", ir::Quoted(path), " is larger than the budget of ",
                                  budget.max_bytes, " bytes (max_bytes)"));
    }
  }
  if (!file.eof())
    internal::ThrowError(ErrorCode::kNotFound, StrCat("onnx: cannot read ", ir::Quoted(path)));
  return bytes;
}

}  // namespace

ReadExternal ReadBeside(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return [folder = folder.empty() ? fs::path(".") : folder](std::string_view location,
                                                            int64_t offset, int64_t length) {
    return ReadInside(folder, location, offset, length);
  };
}

}  // namespace onnx

Module ImportOnnx(const std::string& path, const OnnxOptions& options) {
  return onnx::Import(onnx::ReadWhole(path, options.budget), path, options, onnx::ReadBeside(path));
}

Module ImportOnnxBytes(std::string_view bytes, const std::string& name,
                       const OnnxOptions& options) {
  return onnx::Import(bytes, name, options, nullptr);
}

}  // namespace reel
