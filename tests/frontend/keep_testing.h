#ifndef REEL_TESTS_FRONTEND_KEEP_TESTING_H_
#define REEL_TESTS_FRONTEND_KEEP_TESTING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "reel/reel.h"

// Files and comparisons for the tests of what is kept.

namespace reel {

/// A folder that goes away.
class Folder {
 public:
  Folder() {
    std::string path = std::filesystem::temp_directory_path() / "reel-keep-XXXXXX";
    path_ = ::mkdtemp(path.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}
inline void Write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
/// A safetensors file of a header and elements.
inline std::string File(const std::string& header, const std::string& data = "") {
  const uint64_t n = header.size();
  return std::string(reinterpret_cast<const char*>(&n), 8) + header + data;
}

template <typename F>
std::string ErrorOf(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline bool Same(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() &&
         (a.size() == 0 || std::memcmp(a.raw_data(), b.raw_data(), static_cast<size_t>(a.type().bytes())) == 0);
}
inline bool Same(const StateDict& a, const StateDict& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first || !Same(a[i].second, b[i].second)) return false;
  }
  return true;
}
inline std::vector<std::string> NamesOf(const StateDict& values) {
  std::vector<std::string> out;
  for (const auto& [name, value] : values) out.push_back(name);
  return out;
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_KEEP_TESTING_H_
