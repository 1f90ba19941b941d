// The search for schedules: bounded by its clock, it changes no bit, and what it finds can be used.
#include "codegen/tune/tune.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <optional>

#include "codegen/cost/estimate.h"
#include "codegen/cost/footprint.h"
#include "codegen/tune/ranks.h"
#include "codegen/tune/run.h"
#include "tests/codegen/program_util.h"

namespace reel::codegen {
namespace {

constexpr char kModule[] =
    "func @f(%x: f32[96,64], %y: f32[64,160]) -> (f32[96,160], f32[96]) {\n"
    "  %0 = contract %x, %y {a_batch=[], b_batch=[], a_contract=[1], b_contract=[0]} : f32[96,160]\n"
    "  %1 = tanh %0 : f32[96,160]\n"
    "  %2 = exp %1 : f32[96,160]\n"
    "  %3 = reduce_sum %2 {axes=[1]} : f32[96]\n"
    "  return %2, %3\n}";

std::atomic<int> ticks{0};
// A second passes each time that somebody looks.
double Clock() { return ++ticks; }

std::vector<std::byte> Outcome(const ir::Module& module, const CompilerOptions& options) {
  const auto code = reel_compiler()->Compile(module, options);
  EXPECT_TRUE(code.ok()) << code.status();
  const RandomArguments arguments((*code)->program().entries[0]);
  const auto runs = RunProgram(**code, 0, arguments.pointers(), 2);
  EXPECT_TRUE(runs.ok()) << runs.status();
  return runs->outcome;
}

TEST(Tune, TriesWhatTheClockAllows) {
  const ir::Module module = ParseFunctions(kModule);
  CompilerOptions options;
  options.clock = Clock;
  int64_t compiled = 0;
  for (const double seconds : {1.0, 400.0}) {
    const auto report = Tune(module, options, {.seconds = seconds});
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_GT(report->seconds_before, 0);
    EXPECT_LE(report->seconds_after, report->seconds_before);
    EXPECT_GT(report->compiled, compiled);
    compiled = report->compiled;
  }
}

TEST(Tune, WhatItFindsIsLegalAndChangesNoBit) {
  const ir::Module module = ParseFunctions(kModule);
  CompilerOptions options;
  std::vector<std::string> lines;
  const auto report = Tune(module, options, {.seconds = 1.5, .log = [&](const auto& line) { lines.push_back(line); }});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_FALSE(report->kernels.empty());
  for (const TunedKernel& k : report->kernels) {
    EXPECT_LE(std::abs(k.rank_correlation.value_or(0)), 1);
    EXPECT_GT(k.seconds_before, 0);
  }
  EXPECT_GE(report->regret, 1);
  const auto book = std::make_shared<ScheduleBook>(ScheduleBook::Parse(report->book.Print(), "book"));
  CompilerOptions tuned = options;
  tuned.schedules = book;
  EXPECT_EQ(Outcome(module, options), Outcome(module, tuned));
  EXPECT_EQ(book->refused(), 0);
  EXPECT_NE(ToString(*report).find("programs compiled"), std::string::npos);
}

TEST(Tune, NeedsTimeAndAnEntryPoint) {
  const ir::Module module = ParseFunctions(kModule);
  EXPECT_EQ(Tune(module, {}, {.seconds = 0}).status().code(), absl::StatusCode::kInvalidArgument);
  const auto unknown = Tune(module, {}, {.seconds = 1, .entry = "g"});
  EXPECT_NE(unknown.status().message().find("no entry point \"g\""), std::string::npos) << unknown.status();
}

// More work takes longer, and what leaves a cache does, too.
TEST(Estimates, GrowWithWorkAndTraffic) {
  const auto cycles = [](int64_t n, int64_t l2) {
    Target target = *FindTarget("x86-64-v4");
    target.machine.l2_bytes = l2;
    const std::string type = StrCat("f32[", n, ",", n, "]");
    const Program program = PlanFunctions(
        StrCat("func @f(%x: ", type, ") -> (", type, ") {\n  %0 = add %x, %x : ", type, "\n  return %0\n}"));
    return EstimateCycles(program.kernels[0], target, 1);
  };
  EXPECT_GT(cycles(128, 1 << 20), 3 * cycles(64, 1 << 20));
  EXPECT_GT(cycles(256, 64 << 10), 1.2 * cycles(256, 4 << 20));
}

using Tiles = std::map<std::string, int64_t>;

// Cycles of a product of so many rows, columns and depth with some of its choices given. With rows as neighbours, the
// first operand is transposed.
double ProductCycles(int64_t rows, int64_t columns, int64_t depth, const Tiles& choices, const char* cpu = "x86-64-v4",
                     bool neighbours = false) {
  const auto type = [](int64_t n, int64_t m) { return StrCat("f32[", n, ",", m, "]"); };
  PlanOptions options;
  options.decide = [&](std::string_view, const Choice& choice) {
    const auto it = choices.find(std::string(choice.name));
    return it == choices.end() ? choice.value : it->second;
  };
  const Program program = PlanFunctions(
      StrCat("func @f(%x: ", neighbours ? type(depth, rows) : type(rows, depth), ", %y: ", type(depth, columns),
             ") -> (", type(rows, columns), ") {\n  %0 = contract %x, %y {a_batch=[], b_batch=[], a_contract=[",
             neighbours ? 0 : 1, "], b_contract=[0]} : ", type(rows, columns), "\n  return %0\n}"),
      options);
  return EstimateCycles(program.kernels[0], *FindTarget(cpu), 1);
}

// As was measured: one row waits for its sums, few rows read more of the second operand for each product, and tiles of
// more sums than registers keep some on the stack.
TEST(Estimates, OrderTilesOfProducts) {
  const std::vector<Tiles> slower_and_slower = {
      {{"nr", 4}, {"mr", 6}}, {{"nr", 4}, {"mr", 3}}, {{"nr", 4}, {"mr", 2}}, {{"nr", 4}, {"mr", 1}}};
  for (size_t i = 1; i < slower_and_slower.size(); ++i) {
    EXPECT_GT(ProductCycles(256, 256, 256, slower_and_slower[i]),
              1.1 * ProductCycles(256, 256, 256, slower_and_slower[i - 1]))
        << i;
  }
  const double usual = ProductCycles(256, 256, 256, {{"nr", 4}, {"mr", 6}});
  EXPECT_GT(ProductCycles(256, 256, 256, {{"nr", 1}, {"mr", 6}}), 1.2 * usual);
  EXPECT_GT(ProductCycles(256, 256, 256, {{"nr", 4}, {"mr", 8}}), 1.1 * usual);
  EXPECT_GT(ProductCycles(256, 256, 256, {{"nr", 8}, {"mr", 6}}), 1.5 * usual);
  // The last panel of several is a loop of its own that threads share with the others, not one more for each.
  EXPECT_LT(ProductCycles(128, 500, 784, {{"mc", 128}}), 1.2 * ProductCycles(128, 500, 784, {{"mc", 64}}));
}

// As was measured: an element for all lanes takes half of what a vector takes of ports of half its width; where the
// last row is repeated past the end, elements of all rows are in registers at once.
TEST(Estimates, KnowElementsOfAllLanes) {
  const Tiles narrow = {{"nr", 1}, {"mr", 6}}, wide = {{"nr", 4}, {"mr", 6}};
  EXPECT_LT(ProductCycles(240, 256, 256, narrow, "zen4"), 1.15 * ProductCycles(240, 256, 256, wide, "zen4"));
  const Tiles tall = {{"nr", 2}, {"mr", 12}, {"pack", 0}, {"mc", 512}};
  const auto of_tile = [&](int64_t rows, bool neighbours) {
    return ProductCycles(rows, 128, 256, tall, "zen4", neighbours) / std::ceil(static_cast<double>(rows) / 12);
  };
  EXPECT_GT(of_tile(100, true), 1.3 * of_tile(96, true));
  EXPECT_LT(of_tile(100, false), 1.1 * of_tile(96, false));
}

// What is chosen by cost is estimated to take less, to spare; all else is as usual.
TEST(Estimates, DecideWhereTheyGain) {
  const auto type = [](int64_t n, int64_t m) { return StrCat("f32[", n, ",", m, "]"); };
  const std::string functions[] = {
      StrCat("func @f(%x: ", type(1000, 96),
             ") -> (f32[96]) {\n  %0 = reduce_sum %x {axes=[0]} : f32[96]\n  return %0\n}"),
      StrCat("func @f(%x: ", type(64, 40), ") -> (", type(40, 64),
             ") {\n  %0 = transpose %x {permutation=[1, 0]} : ", type(40, 64), "\n  return %0\n}"),
      SoftmaxText(64, 200)};
  int changed = 0;
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    Target target = *FindTarget(level), usual = target;
    usual.tuning.cost_gain = 100;  // nothing gains so much
    for (const std::string& f : functions) {
      const ir::Module module = ParseFunctions(f);
      const auto before = BuildProgram(module, usual, {}), after = BuildProgram(module, target, {});
      ASSERT_TRUE(before.ok() && after.ok()) << before.status() << after.status();
      ASSERT_EQ(before->kernels.size(), after->kernels.size());
      for (size_t k = 0; k < after->kernels.size(); ++k) {
        const Kernel &a = before->kernels[k], &b = after->kernels[k];
        if (a.schedule == b.schedule) continue;
        ++changed;
        for (int threads : {1, 2}) {
          EXPECT_LT(EstimateCycles(b, target, threads), 0.95 * EstimateCycles(a, target, threads)) << b.schedule;
        }
      }
    }
  }
  EXPECT_GT(changed, 0);
}

TEST(Footprints, AreOfWholeLinesAndOfWhatLoopsReach) {
  const auto access = [](std::vector<MemoryAccess::Loop> loops) {
    MemoryAccess a;
    a.loops = std::move(loops);
    return a;
  };
  const struct {
    std::vector<MemoryAccess::Loop> loops;
    double bytes, sets;
  } cases[] = {
      {{}, 4, 64.0 / 4096},
      {{{0, 1000, 1000, 0}}, 4, 64.0 / 4096},                        // the same element
      {{{0, 16, 16, 4}}, 64, 64.0 / 4096},                           // one line
      {{{0, 1000, 1000, 4}}, 4032, 4032.0 / 4096},                   // neighbours
      {{{0, 8, 8, 1024}}, 8 * 64, 4 * 64.0 / 4096},                  // a line each, in 4 places of a page
      {{{0, 8, 8, 1024}, {1, 64, 512, 4}}, 8 * 256, 1024.0 / 4096},  // a run each
      {{{0, 8, 8, -1024}, {1, 256, 2048, 4}}, 8192, 1},              // runs that meet, backwards
      {{{0, 10, 10, 0, true}, {1, 16, 160, 4}}, 640, 1},             // nobody knows where
  };
  for (const auto& c : cases) {
    const MemoryAccess a = access(c.loops);
    EXPECT_EQ(a.Bytes(0, 64), c.bytes);
    EXPECT_EQ(a.Sets(0, 64, 4096), c.sets);
  }
  MemoryAccess small = access({{0, 1000, 1000, 4}});
  small.most = 512;
  EXPECT_EQ(small.Bytes(0, 64), 512);
}

TEST(Footprints, WhatACacheHoldsComesOnce) {
  const Machine machine = {.l1_bytes = 32 << 10, .l2_bytes = 1 << 20, .l3_bytes = 16 << 20};
  const auto cycles = [&](double rows, bool near = false) {  // each read twice
    MemoryAccess a;
    a.near = near;
    a.loops = {{0, 2, 2, 0}, {1, rows, 2 * rows, 4096}, {2, 1024, 2048 * rows, 4}};
    return TrafficCycles({a}, machine)[0];
  };
  EXPECT_EQ(cycles(4).near, 0);  // 16 KiB
  EXPECT_EQ(cycles(16).near, 2 * 65536.0 / static_cast<double>(machine.l2_rate));
  EXPECT_EQ(cycles(16).far, 0);
  EXPECT_EQ(cycles(512).far, 2 * 2097152.0 / static_cast<double>(machine.l3_rate));
  EXPECT_EQ(cycles(512, true).far, 0);
  EXPECT_EQ(cycles(512, true).near, cycles(512).near);
}

// What memory has is not counted at the rate of L3 as well; stores and what is asked for wait for nobody's loop.
TEST(Footprints, LinesComeFromOnePlace) {
  const Machine machine = {.l1_bytes = 32 << 10, .l2_bytes = 1 << 20, .l3_bytes = 16 << 20};
  MemoryAccess a;
  a.loops = {{0, 8 << 20, 8 << 20, 4}};  // 32 MiB
  const double far = 32.0 * (1 << 20) / static_cast<double>(machine.memory_rate);
  EXPECT_EQ(TrafficCycles({a}, machine)[0].far, far);
  EXPECT_EQ(TrafficCycles({a}, machine)[0].any, 0);
  a.prefetched = true;
  EXPECT_EQ(TrafficCycles({a}, machine)[0].far, 0);
  EXPECT_EQ(TrafficCycles({a}, machine)[0].any, far);
}

// Quarters of lines of 64 rows that meet in two sets of L1, with room for 16: each line comes four times, and waits for
// others to leave. Whole lines come at the rate of L2.
TEST(Footprints, PartsOfLinesComeAgain) {
  const Machine machine = {.l1_bytes = 32 << 10, .l2_bytes = 1 << 20, .l3_bytes = 16 << 20};
  MemoryAccess a;
  a.loops = {{0, 64, 64, 16}, {1, 64, 64 * 64, 2048}, {2, 4, 4 * 64 * 64, 4}};
  a.most = 64 * 2048;
  EXPECT_EQ(TrafficCycles({a}, machine)[0].near, 4 * 64 * 1024.0 / 64 * 6);
  a.loops = {{0, 16, 16, 64}, {1, 64, 16 * 64, 2048}, {2, 16, 16 * 16 * 64, 4}};
  EXPECT_EQ(TrafficCycles({a}, machine)[0].near, 64 * 1024.0 / static_cast<double>(machine.l2_rate));
}

TEST(Ranks, WhatNoiseHidesHasNoOrder) {
  const struct {
    std::vector<double> estimated, measured;
    std::optional<double> correlation;
  } cases[] = {
      {{1, 2, 3}, {10, 20, 30}, 1.0},
      {{3, 2, 1}, {10, 20, 30}, -1.0},
      {{1, 2, 3}, {10, 30, 20}, 0.5},
      {{1, 1.01, 2}, {10.1, 10, 20}, 1.0},  // the first two are equal, in both
      {{1, 1.001, 1.002}, {10, 20, 30}, 0.0},
      {{1, 2, 3}, {10, 10.1, 10.2}, std::nullopt},
      {{}, {}, std::nullopt},
  };
  for (const auto& c : cases) {
    const auto got = RankCorrelation(c.estimated, c.measured, 0.03);
    ASSERT_EQ(got.has_value(), c.correlation.has_value());
    EXPECT_NEAR(got.value_or(0), c.correlation.value_or(0), 1e-12);
  }
  // Pairs that were measured to be equal may be estimated in any order.
  EXPECT_EQ(PairCorrelation({1, 2, 3}, {10, 20, 30}, 0.03), 1);
  EXPECT_EQ(PairCorrelation({2, 1, 3}, {10, 10.1, 20}, 0.03), 1);
  EXPECT_EQ(PairCorrelation({1, 3, 2}, {10, 20, 30}, 0.03), 1.0 / 3);
  EXPECT_EQ(PairCorrelation({1, 1, 1}, {10, 20, 30}, 0.03), 0);
  EXPECT_EQ(PairCorrelation({1, 2}, {10, 10.1}, 0.03), std::nullopt);
  EXPECT_EQ(MedianOf({}), 0);
  EXPECT_EQ(MedianOf({3, 1, 2}), 2);
}

TEST(RandomArguments, LieAtCacheLines) {
  const ir::Module module = ParseFunctions("func @f(%x: f32[3], %y: f32[5], %z: f32[0]) -> (f32[3]) {\n  return %x\n}");
  const auto code = reel_compiler()->Compile(module, {});
  ASSERT_TRUE(code.ok()) << code.status();
  const RandomArguments arguments((*code)->program().entries[0]);
  ASSERT_EQ(arguments.pointers().size(), 3u);
  for (const void* p : arguments.pointers()) EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
}

}  // namespace
}  // namespace reel::codegen
