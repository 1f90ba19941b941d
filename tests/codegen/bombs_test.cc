// Compiling a bomb ends soon after its time is up, wherever that happens. The clock is ours: it goes on by a second
// whenever somebody looks. What lies between two looks of a thread is measured in allocations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <string>

#include "codegen/compiler.h"
#include "ir/text/parser.h"
#include "tests/codegen/bombs.h"
#include "tests/frontend/failing_allocator.h"

namespace reel::codegen {
namespace {

std::atomic<int64_t> looks;

/// The longest way from one look of a thread to its next, and to its end.
std::atomic<int64_t> longest;     // in allocations
std::atomic<int64_t> longest_us;  // in time of the thread: printed, not tested

int64_t AllocationsHere() {
#ifdef REEL_NO_FAILING_ALLOCATOR
  return 0;
#else
  return failing::allocations_here;
#endif
}

int64_t MicrosecondsHere() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void Raise(std::atomic<int64_t>* most, int64_t x) {
  int64_t before = *most;
  while (x > before && !most->compare_exchange_weak(before, x)) {
  }
}

/// Where this thread looked last.
struct Way {
  Way() { Begin(); }
  ~Way() { Look(); }
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  void Begin() {
    allocations = AllocationsHere();
    us = MicrosecondsHere();
  }
  void Look() {
    Raise(&longest, AllocationsHere() - allocations);
    Raise(&longest_us, MicrosecondsHere() - us);
    Begin();
  }

  int64_t allocations, us;
};
Way& Here() {
  thread_local Way way;
  return way;
}

double LookAtClock() {
  Here().Look();
  return static_cast<double>(looks++);
}

/// What compiling says when as many looks are allowed. Afterwards `looks` are those that were taken.
absl::Status Compile(const ir::Module& module, int opt_level, bool object, double allowed) {
  CompilerOptions options;
  options.opt_level = opt_level;
  options.clock = LookAtClock;
  options.start = 0;
  options.budget.max_seconds = allowed;
  looks = longest = longest_us = 0;
  Here().Begin();
  const absl::Status status = object ? reel_compiler()->CompileToObject(module, "bomb", options).status()
                                     : reel_compiler()->Compile(module, options).status();
  Here().Look();
  return status;
}

/// Looks after the one that found the time up: of others that are at work, and of those that had not begun.
constexpr int64_t kLooksAfter = 64;
class BombsTest : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(BombsTest, EndWhereverTimeIsUp) {
  const auto [opt_level, object] = GetParam();
  for (const NamedBomb& bomb : Bombs()) {
    const auto module = ir::ParseModule(StrCat("reel 1\nmodule \"bomb\"\n", bomb.text(bomb.n)));
    ASSERT_TRUE(module.ok()) << bomb.name << ": " << module.status();
    const absl::Status whole = Compile(*module, opt_level, object, 1e18);
    EXPECT_TRUE(whole.ok()) << bomb.name << ": " << whole;
    const int64_t all = looks;
    std::printf("%-26s %6d: %7ld looks; at most %7ld allocations, %6.1f ms between two\n", bomb.name, bomb.n,
                static_cast<long>(all), static_cast<long>(longest), static_cast<double>(longest_us) * 1e-3);
    EXPECT_LE(longest, bomb.most_allocations) << bomb.name;
    for (const double part : {0.0, 0.3, 0.6, 0.95}) {
      const auto allowed = static_cast<int64_t>(part * static_cast<double>(all - kLooksAfter));
      if (allowed < 0) continue;
      const absl::Status status = Compile(*module, opt_level, object, static_cast<double>(allowed));
      EXPECT_TRUE(absl::IsResourceExhausted(status)) << bomb.name << " after " << allowed << ": " << status;
      EXPECT_THAT(status.message(), testing::HasSubstr("max_seconds")) << bomb.name;
      EXPECT_LE(looks, allowed + kLooksAfter) << bomb.name << " after " << allowed << " of " << all;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, BombsTest,
                         testing::Values(std::tuple(2, false), std::tuple(2, true), std::tuple(0, false)),
                         [](const auto& info) {
                           return StrCat("Level", std::get<0>(info.param), std::get<1>(info.param) ? "Object" : "");
                         });

TEST(Bombs, AreCalledOff) {
  const auto module = ir::ParseModule(StrCat("reel 1\nmodule \"bomb\"\n", BombChain(300, "f32[64]")));
  ASSERT_TRUE(module.ok());
  volatile int32_t stop = 1;
  CompilerOptions options;
  options.stop = &stop;
  EXPECT_TRUE(absl::IsCancelled(reel_compiler()->Compile(*module, options).status()));
  EXPECT_TRUE(absl::IsCancelled(reel_compiler()->CompileToObject(*module, "bomb", options).status()));
  stop = 0;
  EXPECT_TRUE(reel_compiler()->Compile(*module, options).ok());
}

}  // namespace
}  // namespace reel::codegen
