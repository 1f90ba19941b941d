// The phases of planning: each may be left out, and says so in files; a limit counts over passes and phases.
#include "codegen/program/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "codegen/group/print.h"
#include "ir/file/folder.h"
#include "tests/codegen/program_util.h"

namespace reel::codegen {
namespace {

std::vector<std::string> KernelsWith(const PhaseSwitches& switches) {
  PlanOptions options;
  options.phases = switches;
  std::vector<std::string> names;
  for (const Kernel& kernel : PlanFunctions(SoftmaxText(64, 64), options).kernels) names.push_back(kernel.name);
  return names;
}

TEST(Phases, HaveNamesAndReasons) {
  for (const PlanPhase& phase : PlanPhases()) {
    EXPECT_TRUE(phase.name.starts_with("plan.")) << phase.name;
    EXPECT_FALSE(phase.why.empty()) << phase.name;
  }
}

TEST(Phases, MayBeLeftOut) {
  EXPECT_EQ(KernelsWith({}).size(), 1u);
  EXPECT_GT(KernelsWith({.disable = {"plan.row_fusion"}}).size(), 1u);
  EXPECT_GT(KernelsWith({.limit = 1}).size(), 1u);
  EXPECT_EQ(KernelsWith({.limit = 2}).size(), 1u);
  EXPECT_EQ(KernelsWith({.disable = {"plan.maps"}}).size(), 1u);  // there must be a plan
}

TEST(Phases, AreSeen) {
  std::vector<std::string> seen;
  PhaseSwitches switches;
  switches.after = [&](std::string_view phase, const ir::Function& f, const Grouping& grouping) {
    seen.emplace_back(phase);
    const std::string text = Print(f, grouping);
    EXPECT_TRUE(text.starts_with(StrCat("plan of @f: ", grouping.groups.size(), " kernels\n#0 "))) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::ssize(grouping.groups) + 1) << text;
  };
  const ir::TemporaryFolder folder;
  switches.dump_to = folder.path();
  KernelsWith(switches);
  ASSERT_EQ(seen.size(), PlanPhases().size());
  size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = file.path().filename().string();
    files += name.find("_after_plan.") != std::string::npos && name.ends_with(".plan.txt");
  }
  EXPECT_EQ(files, seen.size());
}

}  // namespace
}  // namespace reel::codegen
