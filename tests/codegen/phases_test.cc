// The phases of planning: each may be left out, and says so in files; a limit counts over passes and phases.
#include "codegen/program/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "codegen/plan/text.h"
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

// A product, whose rows a softmax goes through: chunks of both in turn. The limit counts that behind the list.
TEST(Phases, TileFusionIsTheLastOne) {
  const std::string m = "f32[4096,128]", r = "f32[4096]";
  const std::string text =
      StrCat("func @f(%x: ", m, ", %w: f32[128,128]) -> (", m, ") {\n",
             "  %0 = contract %x, %w {a_batch=[], b_batch=[], a_contract=[1], b_contract=[0]} : ", m, "\n",
             "  %1 = reduce_max %0 {axes=[1]} : ", r, "\n  %2 = broadcast %1 {axes=[0], shape=[4096,128]} : ", m,
             "\n  %3 = sub %0, %2 : ", m, "\n  %4 = exp %3 : ", m, "\n  return %4\n}");
  const auto fuses = [&](const PhaseSwitches& switches) {
    PlanOptions options;
    options.phases = switches;
    const Program program = PlanFunctions(text, options);
    const std::vector<Step>& steps = program.entries[0].steps;
    return std::any_of(steps.begin(), steps.end(), [](const Step& s) { return s.control == Step::Control::kChain; });
  };
  const auto phases = static_cast<int64_t>(PlanPhases().size());
  EXPECT_TRUE(fuses({}));
  EXPECT_TRUE(fuses({.limit = phases + 1}));
  EXPECT_FALSE(fuses({.limit = phases}));
  EXPECT_FALSE(fuses({.disable = {std::string(kTileFusion)}}));
}

// Sixteen panels of columns, whose two blocks of rows are shared, too.
TEST(Phases, InnerChunksMayBeLeftOut) {
  const auto chunks = [](const PhaseSwitches& switches) {
    PlanOptions options;
    options.phases = switches;
    return PlanFunctions(R"(func @f(%x: f32[1024,1024], %w: f32[1024,1024]) -> (f32[1024,1024]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[1024,1024]
  return %0
})",
                         options)
        .kernels[0]
        .chunks();
  };
  EXPECT_EQ(chunks({}), 32);
  EXPECT_EQ(chunks({.disable = {std::string(kInnerChunks)}}), 16);
}

TEST(Phases, AreSeen) {
  std::vector<std::string> seen;
  PhaseSwitches switches;
  switches.after = [&](std::string_view phase, const ir::Function& f, const PlanGraph& plan) {
    seen.emplace_back(phase);
    const std::string text = Print(f, plan);
    EXPECT_TRUE(text.starts_with("plan @f {\n")) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::ssize(plan.kernels) + 2 + f.num_values() + 1) << text;
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
