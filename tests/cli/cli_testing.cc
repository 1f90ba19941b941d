#include "cli_testing.h"
#include "tests/paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"

namespace reel::cli {

ProcessResult Reel(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), BinaryDir() + "/bin/reel");
  return RunProcess(arguments);
}

void ExpectFailure(const ProcessResult& result, int status, const std::string& message) {
  EXPECT_EQ(status, result.status) << result.err;
  EXPECT_EQ("", result.out);
  EXPECT_TRUE(result.err.starts_with("reel: ")) << result.err;
  EXPECT_LE(result.err.size(), 4096u);
  EXPECT_NE(std::string::npos, result.err.find(message)) << result.err;
  for (const char c : result.err) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << result.err;
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void Write(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.good()) << path;
}

std::vector<std::string> List(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace reel::cli
