// Large models: their weights are written from where they are, and what no file of the format holds is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frontend/onnx/export.h"
#include "frontend/onnx/writer.h"
#include "ir/builder.h"
#include "ir/strings.h"

namespace reel::onnx {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// x + w of n floats.
ir::Module AddsWeights(const ir::Literal& w) {
  ir::Module module;
  module.AddVariable({"w", w.type(), true, w});
  ir::Function f("main");
  const ir::Value x = f.AddParameter("x", w.type()), state = f.AddState("w", w.type());
  ir::Builder b(&f, &module);
  f.SetResults({b.Add(x, state), state});
  module.AddFunction(std::move(f));
  return module;
}

// More than 2 GiB of zeros that take no memory.
ir::Literal Vast() {
  const int64_t n = (int64_t{1} << 29) + 1;
  const auto size = static_cast<size_t>(n) * 4;
  void* const zeros = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(zeros, MAP_FAILED);
  return ir::Literal({kFloat32, {n}},
                     std::shared_ptr<const std::byte>(static_cast<const std::byte*>(zeros), [size](const std::byte* p) {
                       ::munmap(const_cast<std::byte*>(p), size);
                     }));
}

// VmRSS or VmHWM, its peak.
int64_t Resident(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(which + ":")) return std::stoll(line.substr(which.size() + 1)) * 1024;
  }
  return 0;
}

TEST(OnnxExportSize, WeightsAreNotCopied) {
  constexpr int64_t kBytes = 64 << 20;
  const ir::Module module =
      AddsWeights(ir::Literal::From<float>({kBytes / 4}, std::vector<float>(size_t{kBytes} / 4, 1.5f)));
  ASSERT_TRUE(Save(module, "/dev/null", {}).ok());
  if (!(std::ofstream("/proc/self/clear_refs") << 5 << std::flush)) GTEST_SKIP() << "the peak cannot be set back";
  const int64_t before = Resident("VmRSS");
  ASSERT_TRUE(Save(module, "/dev/null", {}).ok());
  EXPECT_LT(Resident("VmHWM") - before, kBytes / 8);
}

TEST(OnnxExportSize, MoreThanTwoGibibytesGoBeside) {
  const ir::Module module = AddsWeights(Vast());
  const fs::path path = fs::temp_directory_path() / StrCat("reel-export-size-", ::getpid(), ".onnx");
  const absl::Status status = Save(module, path.string(), {});
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than 2 GiB"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--external-data"));
  EXPECT_FALSE(fs::exists(path));

  const auto model = Export(module, {});
  ASSERT_TRUE(model.ok()) << model.status();
  std::string bytes;
  size_t beside = 0;
  ModelSinks to{.data_name = "w.data"};
  to.model = [&](std::string_view piece) { return bytes.append(piece), absl::OkStatus(); };
  to.data = [&](std::string_view piece) { return beside += piece.size(), absl::OkStatus(); };
  ASSERT_TRUE(WriteModel(*model, to).ok());
  EXPECT_EQ(beside, (size_t{1} << 31) + 4);
  EXPECT_LT(bytes.size(), 1000u);
  EXPECT_THAT(bytes, HasSubstr("2147483652"));
}

}  // namespace
}  // namespace reel::onnx
