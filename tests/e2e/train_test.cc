#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "frontend/cli/cli.h"
#include "ir/file/folder.h"
#include "tests/paths.h"

namespace reel::cli {
namespace {

// A short main job in a folder of its own: what `reel train --json` says.
class Train : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  void SetUp() override {
    const ProcessResult result = RunProcess({BinaryDir() + "/bin/reel", "train", "--model", GetParam().first,
                                             "--demo-data", SourceDir() + "/tests/data", "--output-dir", root_.path(),
                                             "--steps", "40", "--eager-steps", "5", "--json"});
    ASSERT_EQ(kOk, result.status) << result.err;
    EXPECT_EQ("", result.err);  // no progress bar: stderr is not a terminal
    report_ = Json::parse(result.out);
  }
  std::string folder() const { return root_.path() + "/" + GetParam().second; }

  const ir::TemporaryFolder root_;
  Json report_;
};

TEST_P(Train, EnginesGiveTheSameBits) {
  EXPECT_TRUE(report_["ok"].get<bool>());
  EXPECT_GE(report_["checks"].size(), 5u);
  for (const Json& check : report_["checks"]) EXPECT_TRUE(check["ok"].get<bool>()) << check["what"];
  EXPECT_EQ(40u, report_["losses"].size());
  const Json& rows = report_["engines"];
  ASSERT_EQ(4u, rows.size());
  EXPECT_EQ(rows[0]["loss"], rows[1]["loss"]);
  EXPECT_EQ(rows[1]["loss"], rows[2]["loss"]);
  EXPECT_EQ(rows[1]["accuracy"], rows[2]["accuracy"]);
}

TEST_P(Train, WritesEveryFile) {
  const std::string name = GetParam().second;
  for (const std::string& file : {name + ".reel", name + ".reel.txt", name + ".dot", name + ".o", name + ".h",
                                  std::string("main.c"), std::string("loss.svg"), name}) {
    EXPECT_TRUE(std::filesystem::exists(folder() + "/" + file)) << file;
  }
  const ProcessResult verify = RunProcess(
      {BinaryDir() + "/bin/reel", "verify", folder() + "/" + name + ".reel", folder() + "/" + name + ".reel.txt"});
  EXPECT_EQ(kOk, verify.status) << verify.err;
}

TEST_P(Train, MainCIsC99AndCpp) {
  const std::string name = GetParam().second;
  const std::vector<std::vector<std::string>> kCompilers = {
      {"cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c"},
      {"c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-x", "c++", "main.c", "-x", "none"}};
  for (std::vector<std::string> command : kCompilers) {
    command.insert(command.end(), {name + ".o", "-o", "again"});
    const ProcessResult cc = RunProcess(command, folder());
    ASSERT_EQ(0, cc.status) << cc.err;
    const ProcessResult run = RunProcess({"./again", name + ".data", "again.variables"}, folder());
    EXPECT_EQ(0, run.status) << run.err;
    EXPECT_EQ(ReadFile(folder() + "/" + name + ".variables", {}), ReadFile(folder() + "/again.variables", {}));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Train,
                         testing::Values(std::pair("mnist", "mnist"), std::pair("conv", "mnist_conv"),
                                         std::pair("char", "shakespeare")),
                         [](const auto& param) { return std::string(param.param.second); });

}  // namespace
}  // namespace reel::cli
