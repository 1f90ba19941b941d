// The search for schedules: bounded by its clock, it changes no bit, and what it finds can be used.
#include "codegen/tune/tune.h"

#include <gtest/gtest.h>

#include <atomic>

#include "codegen/tune/estimate.h"
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
    EXPECT_GE(k.rank_correlation, -1);
    EXPECT_LE(k.rank_correlation, 1);
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

}  // namespace
}  // namespace reel::codegen
