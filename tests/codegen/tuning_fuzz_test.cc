// Random graphs, planned by random thresholds for a machine with tiny caches, with random schedules, some phases left
// out: what a large shape reaches, a small one does, too. Whatever is chosen, the bits are those of level 0, and a book
// of the schedules gives the same kernels again. REEL_TUNING_SEEDS=1000:1200 runs these seeds instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <set>

#include "codegen/jit/jit.h"
#include "codegen/loop/key.h"
#include "codegen/plan/verify.h"
#include "codegen/program/phases.h"
#include "codegen/schedule/book.h"
#include "codegen/target/cpuid.h"
#include "codegen/target/file.h"
#include "ir/verifier.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/thread_pool.h"
#include "tests/codegen/damage.h"
#include "tests/codegen/random_groups.h"
#include "tests/codegen/tuning_fuzz.h"
#include "tests/ops/random_graph.h"

namespace reel::codegen {
namespace {

// What is not legal in a book is not done: loops/verify.h sees all kernels.
void ExpectPlansWithDamagedBook(const Graph& graph, const Target& target, const ScheduleBook& book, uint32_t seed) {
  Random random(seed + 3);
  std::string text = book.Print();
  for (int i = 0; i < 8; ++i) text = DamagedText(text, &random);
  const ScheduleBook read = ScheduleBook::Parse(text, "book");
  PlanOptions plan = RandomPlanOptions(graph, seed, /*fuse_tiles=*/true);
  plan.schedules = &read;
  const auto program = BuildProgram(graph.module, target, plan);
  EXPECT_TRUE(program.ok()) << "seed " << seed << ": " << program.status() << "\n" << text;
}

// What the schedules' lines say makes the same kernels; without tile fusion, which makes them depend on each other.
void ExpectSameFromBook(const Graph& graph, const Target& target, uint32_t seed) {
  const auto planned = Plan(graph, target, seed, /*fuse_tiles=*/false);
  ASSERT_TRUE(planned.ok()) << planned.status();
  const Program& program = *planned;
  ScheduleBook book;
  for (const Kernel& kernel : program.kernels) {
    if (kernel.schedule.empty()) continue;
    auto wish = ParseWish(kernel.schedule);
    ASSERT_TRUE(wish.ok()) << wish.status();
    // Kernels that differ in a large constant alone are one for a book, but were given choices of their own here.
    if (const Wish* known = book.Find(target.name, kernel.problem); known != nullptr && *known != *wish) return;
    book.Set(target.name, kernel.problem, *std::move(wish), kernel.name);
  }
  const ScheduleBook read = ScheduleBook::Parse(book.Print(), "book");
  ASSERT_EQ(read.Print(), book.Print()) << read.problem();
  PlanOptions plan = RandomPlanOptions(graph, seed, /*fuse_tiles=*/false);
  plan.schedules = &read;
  const auto again = BuildProgram(graph.module, target, plan);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(read.refused(), 0) << "seed " << seed;
  ExpectPlansWithDamagedBook(graph, target, book, seed);
  // Not the other way round: a kernel that became equal to another one was not seen.
  std::set<std::string> made;
  for (const Kernel& kernel : again->kernels) made.insert(KeyOf(kernel));
  for (const Kernel& kernel : program.kernels) {
    EXPECT_TRUE(made.contains(KeyOf(kernel))) << "seed " << seed << ": " << kernel.schedule << "\n" << book.Print();
  }
}

void Check(uint32_t seed) {
  const Graph graph = RandomModule(seed);
  ASSERT_TRUE(ir::Verify(graph.module).ok()) << "seed " << seed;
  const Target target = RandomTarget(seed);
  auto unfused = BuildProgram(graph.module, target, {.fuse = false, .vectorize = false});
  auto program = Plan(graph, target, seed);
  ASSERT_TRUE(unfused.ok()) << "seed " << seed << ": " << unfused.status();
  ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << program.status() << "\n" << PrintTarget(target);
  ExpectSameFromBook(graph, target, seed);
  const auto plain = Run(graph, *std::move(unfused), target, 0, false);
  const int level = seed / 2 % 2 == 0 ? 2 : 0;  // of LLVM: level 2 takes twice as long, and plans do not know it
  const auto tuned = Run(graph, *std::move(program), target, level, seed % 2 == 0);
  ASSERT_TRUE(plain.ok()) << "seed " << seed << ": " << plain.status();
  ASSERT_TRUE(tuned.ok()) << "seed " << seed << ": " << tuned.status() << "\n" << PrintTarget(target);
  ASSERT_EQ(plain->size(), tuned->size());
  for (size_t i = 0; i < plain->size(); ++i) {
    EXPECT_TRUE((*plain)[i] == (*tuned)[i]) << "seed " << seed << ", result " << i << "\n" << PrintTarget(target);
  }
}

// After each phase its plan is made wrong, and its text, in a copy.
void CheckDamaged(uint32_t seed) {
  const Graph graph = RandomModule(seed);
  Random random(seed + 4);
  PlanOptions options = RandomPlanOptions(graph, seed, /*fuse_tiles=*/true);
  options.phases.after = [&random, seed](std::string_view phase, const ir::Function& f, const PlanGraph& plan) {
    PlanGraph wrong = plan;
    if (PlanDamage(f, &wrong, &random).Run()) {
      EXPECT_FALSE(VerifyPlan(f, wrong).ok()) << "seed " << seed << ", " << phase << "\n" << Print(f, plan);
    }
    ParsePlan(DamagedText(Print(f, plan), &random)).status().IgnoreError();  // an error or a plan
  };
  const auto program = BuildProgram(graph.module, RandomTarget(seed), options);
  EXPECT_TRUE(program.ok()) << "seed " << seed << ": " << program.status();
}

// Seeds of the environment, or from 0 on, until some were found to fail.
template <typename CheckSeed>
void ForSeeds(uint32_t count, CheckSeed check) {
  GetPlanChecks() = {.strict = true, .after_phase = {}};
  uint32_t first = 0, last = count;
  if (const char* seeds = std::getenv("REEL_TUNING_SEEDS")) {
    ASSERT_EQ(std::sscanf(seeds, "%u:%u", &first, &last), 2);
  }
  int findings = 0;
  for (uint32_t seed = first; seed < last && findings < 10; ++seed) {
    const bool failed = testing::Test::HasFailure();
    check(seed);
    findings += !failed && testing::Test::HasFailure();
  }
  GetPlanChecks() = {};
}

TEST(TuningFuzz, NoThresholdChangesABit) { ForSeeds(140, Check); }

TEST(TuningFuzz, WrongPlansAreRefused) { ForSeeds(140, CheckDamaged); }

// A product that computes its operand has all its rows in one block, though the usual block has one row.
TEST(TuningFuzz, FoundBefore) {
  GetPlanChecks() = {.strict = true, .after_phase = {}};
  Check(400516);
  GetPlanChecks() = {};
}

}  // namespace
}  // namespace reel::codegen
