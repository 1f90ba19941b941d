#ifndef REEL_TESTS_ONNX_RUNTIME_FOLDER_H_
#define REEL_TESTS_ONNX_RUNTIME_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/literal.h"
#include "ir/strings.h"
#include "tests/onnx/bytes.h"
#include "tests/onnx/python.h"

namespace reel::onnx {

/// Models and their inputs, which run_exports.py runs in ONNX Runtime all at once; goes with the test.
class RuntimeFolder {
 public:
  explicit RuntimeFolder(std::string_view name)
      : path_(std::filesystem::temp_directory_path() / StrCat("reel-onnx-", ::getpid(), "-", name)) {
    std::filesystem::create_directories(path_);
  }
  ~RuntimeFolder() { std::filesystem::remove_all(path_); }

  void Add(const Model& model, const std::vector<ir::Literal>& inputs) {
    const std::string name = StrCat(list_.size());
    Write(name + ".onnx", BytesOf(model));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto raw = inputs[i].bytes();
      Write(StrCat(name, ".in", i), std::string(reinterpret_cast<const char*>(raw.data()), raw.size()));
    }
    list_.push_back({{"name", name}, {"inputs", inputs.size()}});
  }
  size_t size() const { return list_.size(); }

  bool Run(const std::string& python) {
    Write("list.json", list_.dump());
    return RunExports(python, path_.string());
  }

  /// Why model n did not run, or "".
  std::string Error(size_t n) const { return Read(StrCat(n, ".err")); }
  ir::Literal Result(size_t n, size_t k, const Type& type) const {
    const std::string raw = Read(StrCat(n, ".out", k));
    EXPECT_EQ(raw.size(), static_cast<size_t>(type.bytes()));
    const auto* bytes = reinterpret_cast<const std::byte*>(raw.data());
    std::vector<std::byte> all(bytes, bytes + raw.size());
    all.resize(static_cast<size_t>(type.bytes()));
    return ir::Literal(type, std::move(all));
  }

 private:
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  const std::filesystem::path path_;
  nlohmann::json list_ = nlohmann::json::array();
};

}  // namespace reel::onnx

#endif  // REEL_TESTS_ONNX_RUNTIME_FOLDER_H_
