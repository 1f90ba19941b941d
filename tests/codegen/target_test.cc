// Targets as values and as files: what is read is what was written, and what is no target is told with line and column.
#include "codegen/target/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "codegen/target/cores.h"
#include "codegen/target/cpuid.h"
#include "codegen/target/file.h"
#include "ir/strings.h"
#include "runtime/environment.h"
#include "tests/paths.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace reel::codegen {
namespace {

bool Same(const Target& a, const Target& b) {
  return a.name == b.name && a.level == b.level && a.vector_bits == b.vector_bits && a.machine == b.machine &&
         a.tuning == b.tuning;
}

TEST(TargetFile, GivesBackEveryValue) {
  Target target = *FindTarget("x86-64-v3");
  target.name = "mine";
  for (const auto& row : MachineTable()) target.machine.*row.field = row.value == row.least ? row.most : row.least;
  for (const auto& row : TuningTable()) target.tuning.*row.field = row.value == row.least ? row.most : row.least;
  const auto again = ParseTarget(PrintTarget(target), "t");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(Same(*again, target)) << PrintTarget(*again);
}

TEST(TargetFile, MayHaveCommentsAndBlanks) {
  const auto target = ParseTarget("# mine\n\nreel target 1\n level=x86-64-v4 # all of it\n\tl2_bytes =  4096\r\n", "t");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->name, "x86-64-v4");
  EXPECT_EQ(target->machine.l2_bytes, 4096);
}

TEST(TargetFile, ErrorsSayWhere) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "t:1:1: expected \"reel target 1\""},
      {"reel target 2\n", "t:1:1: expected \"reel target 1\""},
      {"reel target 1\n", "expected \"level = x86-64-v3\""},
      {"reel target 1\nlevel x86-64-v3\n", "t:2:1: expected NAME = VALUE"},
      {"reel target 1\nlevel = pdp11\n", "t:2:9: unknown level \"pdp11\""},
      {"reel target 1\nlevel = other.target\n", "t:2:9: unknown level \"other.target\""},
      {"reel target 1\nlevel = x86-64-v3\n  l3 = 5\n", "t:3:3: no threshold is called \"l3\""},
      {"reel target 1\nlevel = x86-64-v3\nl2_bytes = 5\n", "t:3:12: l2_bytes is a whole number from 4096"},
      {"reel target 1\nlevel = x86-64-v3\nl2_bytes = many\n", "t:3:12: l2_bytes is a whole number"},
      {"reel target 1\nlevel = x86-64-v3\nl2_bytes = 99999999999999999999\n", "t:3:12: "},
      {"reel target 1\nlevel = x86-64-v3\nshared_steps = 0\n", "t:3:16: shared_steps is a whole number from 1"},
      {"reel target 1\nname = a b\n", "t:2:8: a name has"},
      {"reel target 1\nname = a\nname = b\n", "t:3:1: \"name\" is given twice"},
      {std::string("reel target 1\nlevel = x86-64-v3\n\0\x01 = 1\n", 38), "t:3:"},
      {std::string(70000, '#'), "at most 65536 bytes"},
  };
  for (const auto& [text, message] : cases) {
    const auto target = ParseTarget(text, "t");
    ASSERT_FALSE(target.ok()) << text;
    EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(target.status().message().find(message), std::string::npos) << target.status();
  }
}

TEST(Targets, ClassesAreLevelsWithCachesOfTheirOwn) {
  for (std::string_view name : ClassNames()) {
    const auto target = FindTarget(name);
    ASSERT_TRUE(target.ok()) << name;
    EXPECT_EQ(target->name, name);
    EXPECT_TRUE(FindTarget(target->level).ok());
    EXPECT_EQ(FindTarget(target->level)->features, target->features);
    for (const auto& row : MachineTable()) {
      const int64_t value = target->machine.*row.field;
      EXPECT_TRUE(value >= row.least && value <= row.most) << name << " " << row.name;
    }
  }
}

// "native" is a level that this CPU has; of BF16 that alone where no tiles make pairs slow. Named, it is what it says.
TEST(Targets, PortsOfHalfARegisterTakeItTwice) {
  const Machine narrow = FindTarget("zen4")->machine, wide = FindTarget("sapphire-rapids")->machine;
  EXPECT_EQ(2 * narrow.fma_ports, wide.fma_ports);
  EXPECT_EQ(2 * narrow.load_ports, wide.load_ports);
  EXPECT_EQ(narrow.store_cycles, 2 * wide.store_cycles);
  EXPECT_EQ(narrow.element_loads, wide.element_loads);
}

TEST(Targets, NativeLeavesOutASlowLevel) {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool tiles = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 22 & 1) != 0;
  const auto native = FindTarget("native");
  ASSERT_TRUE(native.ok()) << native.status();
  if (runtime::GetEnvironment().cpu.empty()) {
    EXPECT_TRUE(HostSupports(native->level)) << native->level;
    EXPECT_EQ(native->has_bf16, HostSupports("x86-64-v4-bf16") && !tiles) << native->level;
  }
#endif
  EXPECT_TRUE(FindTarget("x86-64-v4-bf16")->has_bf16);
}

TEST(Targets, SeveralOfAnObjectAscend) {
  const auto targets = FindTargets("v4,x86-64-v2,haswell", "windows");
  ASSERT_TRUE(targets.ok()) << targets.status();
  ASSERT_EQ(targets->size(), 3u);
  EXPECT_EQ((*targets)[0].level, "x86-64-v2");
  EXPECT_EQ((*targets)[1].name, "haswell");
  EXPECT_EQ((*targets)[2].level, "x86-64-v4");
  EXPECT_EQ((*targets)[2].platform.os, "windows");
  EXPECT_EQ(FindTargets("v3")->at(0).name, "x86-64-v3");
  EXPECT_EQ(FindTargets("aarch64")->size(), 1u);
  for (const auto& [names, error] : std::vector<std::pair<std::string, std::string>>{
           {"v3,x86-64-v3", "x86-64-v3 and x86-64-v3 are both x86-64-v3"},
           {"haswell,zen3", "are both x86-64-v3: an object cannot choose"},
           {"v2,aarch64", "aarch64 has no instruction for that; name one level"},
           {"v2,", "unknown CPU \"\""},
           {"v2,v9", "unknown CPU \"v9\""}}) {
    EXPECT_THAT(FindTargets(names).status().message(), testing::HasSubstr(error)) << names;
  }
}

TEST(Targets, ThresholdsAreWithinTheirBounds) {
  for (const auto& row : TuningTable()) {
    EXPECT_LE(row.least, row.value) << row.name;
    EXPECT_LE(row.value, row.most) << row.name;
    EXPECT_FALSE(row.text.empty()) << row.name;
  }
}

// As many cores as it serves change nothing; more have more to share, within the bounds.
TEST(Targets, TuningFollowsCores) {
  const Tuning usual;
  for (const int cores : {1, 2, 8}) EXPECT_EQ(ForCores(usual, cores), usual) << cores;
  for (const int cores : {9, 16, 64, 1024}) {
    const Tuning tuning = ForCores(usual, cores);
    for (const auto& row : TuningTable()) {
      EXPECT_LE(row.least, tuning.*row.field) << row.name << ", " << cores;
      EXPECT_LE(tuning.*row.field, row.most) << row.name << ", " << cores;
    }
    EXPECT_GE(tuning.max_chunks, std::min(2 * cores, 1024));
    EXPECT_EQ(tuning.fused_lanes, std::min(cores, 64));
    EXPECT_LE(tuning.matmul_run_bytes, usual.matmul_run_bytes);
  }
}

// Numbers that a plan goes by stand in tuning.def. What is left bounds time, memory or depth, or is a format.
TEST(Targets, NoThresholdStandsElsewhere) {
  const std::set<std::string> bounds = {"kMaxLookAround",
                                        "kMaxSquare",
                                        "kShuffleBytes",
                                        "kMaxUnrolled",
                                        "kUnread",
                                        "kNoStack",
                                        "kListed",
                                        "kMinRow",
                                        "kMaxResults",
                                        "kMaxNamed",
                                        "kFar",
                                        "kFew",
                                        "kLoop",
                                        "kSums",
                                        "kLanes",
                                        "kMinSum",
                                        "kGroups",
                                        "kCounted",
                                        "kMaxUnwatched",
                                        "kOperationsPerSecond",
                                        "kMaxIndexDepth",
                                        "kMaxKernelKinds",
                                        "kMaxValues",
                                        "kMaxDepth",
                                        "kMaxItems",
                                        "kLong",
                                        "kVisitsOfSchedule",
                                        "kLibraryBytes",
                                        "kBytesKept",
                                        "kBytesInWork",
                                        "kCopiesOfData",
                                        "kHeaderBytes",
                                        "kMaxValues",
                                        "kMaxTogether",
                                        "kMaxChunks",
                                        "kMaxTableBytes",
                                        "kMaxTileRows",
                                        "kMaxUnrolledEpilogue",
                                        "kMaxLine",
                                        "kMaxBytes",
                                        "kMaxWord",
                                        "kKernelDigits",
                                        "kMaxComment",
                                        "kMaxVariants",
                                        "kMaxRows",
                                        "kTriedChunks",
                                        "kMaxLinks",
                                        "kMaxPaths",
                                        "kMaxWaiting",
                                        "kMostOrdered",
                                        "kLeastLanes",
                                        "kMaxViews",
                                        "kMaxTaps",
                                        "kMaxTurns",
                                        "kSampled"};
  const std::regex constant(R"(constexpr\s+(?:u?int\d*_t|int|size_t|double)\s+(k\w+)\s*=)");
  for (const char* folder : {"plan", "fusion", "schedule", "program"}) {
    for (const auto& file : std::filesystem::directory_iterator(StrCat(SourceDir(), "/codegen/", folder))) {
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, constant)) continue;
        EXPECT_TRUE(bounds.contains(match[1]))
            << file.path().filename() << ": " << line << "\nmake it a row of codegen/target/tuning.def";
      }
    }
  }
}

}  // namespace
}  // namespace reel::codegen
