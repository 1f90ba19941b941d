// Compiled gradients of tapes: what is compiled and when, who may not notice, and that nothing hangs.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "frontend/eager/kernel_library.h"
#include "runtime/allocator.h"
#include "tests/equal_hashes.h"
#include "tests/frontend/tape_cache_testing.h"

namespace reel {
namespace {

using testing::HasSubstr;
using Strings = std::vector<std::string>;
using Compiled = absl::StatusOr<std::unique_ptr<codegen::CompiledModule>>;

// --- what is compiled ---

/// Three requests of a structure and what they leave to the background.
Tensor Square3(int64_t n, std::source_location location = std::source_location::current()) {
  const Tensor x = Data({n}, 1);
  Tensor g;
  for (int i = 0; i < 3; ++i) {
    GradientTape tape;
    tape.Watch(x);
    g = *tape.Gradient(x * x, x, {}, location);
  }
  WaitForCompiler();
  return g;
}

TEST_F(TapeCacheTest, TheThirdRequestCompiles) {
  const Tensor x = Data({4}, 1);
  for (int i = 0; i < 5; ++i) {
    GradientTape tape;
    tape.Watch(x);
    tape.Gradient(x * x, x);
    WaitForCompiler();
    EXPECT_EQ(compiled(), i < 2 ? 0 : 1) << i;
    EXPECT_EQ(hits(), i < 3 ? 0 : i - 2) << i;
  }
}

TEST_F(TapeCacheTest, ValuesAndNumbersAreInputs) {
  for (int i = 0; i < 6; ++i) {
    const Tensor x = Data({4}, i);
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = x * x * (0.5f * static_cast<float>(i));
    EXPECT_EQ(Bits(*tape.Gradient(y, x)), Bits(x * (0.5f * static_cast<float>(i)) + x * (0.5f * static_cast<float>(i))))
        << i;
    WaitForCompiler();
  }
  EXPECT_EQ(compiled(), 1);
  EXPECT_EQ(hits(), 3);
}

// Numbers repeated without memory are scalars to the program, seeds too.
TEST_F(TapeCacheTest, LongNumbersAreInputs) {
  const auto gradient = [](int i) {
    const Tensor x = Data({internal::kRepeatsFrom + 9}, i);
    GradientTape tape;
    tape.Watch(x);
    const Tensor half = Full(x.shape(), 0.5 * i), y = Tanh(x * half) * 3.f + x / (2.f + static_cast<float>(i));
    const Tensor g = *tape.Gradient(y, x, {.output_gradients = {Full(x.shape(), 0.25 + i)}});
    EXPECT_TRUE(half.internal_data()->is_number());
    WaitForCompiler();
    return Bits(g);
  };
  std::vector<std::string> got, want;
  for (int i = 0; i < 6; ++i) got.push_back(gradient(i));
  EXPECT_EQ(compiled(), 1);
  EXPECT_EQ(hits(), 3);
  Cache().set_enabled(false);
  for (int i = 0; i < 6; ++i) want.push_back(gradient(i));
  EXPECT_EQ(got, want);
}

TEST_F(TapeCacheTest, StructuresDiffer) {
  const Tensor a = Data({4}, 1), b = Data({4}, 2);
  const auto request = [&](int kind) {
    GradientTape tape;
    tape.Watch({a, b});
    const Tensor p = kind == 0 ? a * b : kind == 1 ? a * a : a + b;
    const Tensor y = kind == 3   ? ReduceSum(Reshape(p, {2, 2}), Axes({0}))
                     : kind == 4 ? ReduceSum(Reshape(p, {2, 2}), Axes({1}))
                                 : p;
    kind == 5 ? tape.Gradient(y, {b, a}) : tape.Gradient(y, {a});
  };
  for (int i = 0; i < 4; ++i) {
    for (int kind = 0; kind < 6; ++kind) request(kind);
    WaitForCompiler();
  }
  EXPECT_EQ(compiled(), 6);
  EXPECT_EQ(hits(), 6);
}

// The first structure to be compiled keeps the place of its hash; no other one runs its program.
TEST_F(TapeCacheTest, StructuresOfOneHashStayApart) {
  const EqualHashes equal;
  const Tensor x = Data({4}, 1);
  for (int i = 0; i < 5; ++i) {
    for (const bool square : {true, false}) {
      GradientTape tape;
      tape.Watch(x);
      const Tensor g = *tape.Gradient(square ? x * x : x + x, x);
      EXPECT_EQ(Bits(g), Bits(square ? x + x : OnesLike(x) + OnesLike(x))) << i;
    }
    WaitForCompiler();
  }
  EXPECT_EQ(compiled(), 1);
  EXPECT_GT(hits(), 0);
}

TEST_F(TapeCacheTest, OffByTheSwitch) {
  Cache().set_enabled(false);
  Square3(4);
  Square3(4);
  EXPECT_EQ(compiled(), 0);
  EXPECT_EQ(hits(), 0);
}

TEST_F(TapeCacheTest, TheLongestUnusedOf64Goes) {
  // clang-format off: a line each
  const std::source_location sites[] = {
      std::source_location::current(),
      std::source_location::current(),
      std::source_location::current(),
      std::source_location::current(),
      std::source_location::current(),
  };
  // clang-format on
  for (int64_t n = 1; n <= 64; ++n) Square3(n, sites[n / 14]);
  EXPECT_EQ(compiled(), 64);
  EXPECT_EQ(Cache().stats().programs, 64);
  Square3(1, sites[0]);  // used: 2 is the longest unused now
  EXPECT_EQ(hits(), 3);
  Square3(65, sites[4]);
  EXPECT_EQ(evicted(), 1);
  EXPECT_EQ(Cache().stats().programs, 64);
  Square3(1, sites[0]);
  EXPECT_EQ(hits(), 6);
  EXPECT_EQ(Bits(Square3(2, sites[0])), Bits(Data({2}, 1) + Data({2}, 1)));  // compiled again
  EXPECT_EQ(hits(), 6);
  EXPECT_EQ(compiled(), 66);
}

TEST_F(TapeCacheTest, ASiteWithMoreThan16StructuresStaysOpByOp) {
  const auto here = std::source_location::current();
  Square3(1, here);
  testing::internal::CaptureStderr();
  for (int64_t n = 2; n <= 16; ++n) Square3(n, here);
  Square3(1, here);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(hits(), 3);
  testing::internal::CaptureStderr();
  Square3(17, here);
  Square3(18, here);
  EXPECT_EQ(Bits(Square3(1, here)), Bits(Data({1}, 1) + Data({1}, 1)));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("tape_cache_test.cc:" + std::to_string(here.line())));
  EXPECT_THAT(said, HasSubstr("more than 16 structures"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_EQ(hits(), 3);
  Square3(1);  // elsewhere it is compiled
  EXPECT_EQ(hits(), 6);
}

// --- who looks ---

TEST_F(TapeCacheTest, WhatIsRecordedStaysOpByOp) {
  const Tensor x = Data({3}, 1);
  for (int i = 0; i < 5; ++i) {
    Recording recording;
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = x * x * x, g = *tape.Gradient(y, x);
    const Function f = recording.Lift({{"x", x}}, {{"g", g}});
    EXPECT_EQ(Bits(Compile(f)("main", x)), Bits(g));
    WaitForCompiler();
  }
  EXPECT_EQ(hits(), 0);
}

TEST_F(TapeCacheTest, AnOuterTapeSeesTheGradient) {
  const Tensor x = 3.f;
  for (int i = 0; i < 6; ++i) {
    GradientTape outer;
    outer.Watch(x);
    GradientTape inner;
    inner.Watch(x);
    const Tensor g = *inner.Gradient(x * x * x, x);
    EXPECT_EQ(ValueOf(outer.Gradient(g, x)), 18);
    WaitForCompiler();
  }
  EXPECT_EQ(compiled(), 1);  // of the outer tape
}

TEST_F(TapeCacheTest, AnAccumulatorSeesTheGradient) {
  const Tensor x = 3.f;
  for (int i = 0; i < 5; ++i) {
    ForwardAccumulator forward({x}, {Tensor(1.f)});
    GradientTape tape;
    tape.Watch(x);
    const Tensor g = *tape.Gradient(x * x * x, x);
    EXPECT_EQ(ValueOf(forward.Jvp(g)), 18);
    WaitForCompiler();
  }
  EXPECT_EQ(hits(), 0);
}

TEST_F(TapeCacheTest, ASeedThatIsTheGradientStaysItself) {
  const Tensor x = Data({3}, 1), seed = Data({3}, 2);
  for (int i = 0; i < 5; ++i) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = x * x;
    const GradientList g = tape.Gradient(y, {y, x}, {.output_gradients = {seed}});
    EXPECT_EQ(g.Dense(0).id(), seed.id());
    EXPECT_NE(g.Dense(1).id(), seed.id());
    WaitForCompiler();
  }
  EXPECT_EQ(hits(), 2);
}

// --- what goes wrong ---

TEST_F(TapeCacheTest, WhatCannotBeCompiledStaysOpByOpAndIsSaidOnce) {
  std::atomic<int> calls{0};
  Cache().set_compile([&](const ir::Module&) -> Compiled {
    if (calls++ == 0) throw std::runtime_error("a broken compiler");
    return absl::InternalError("again");
  });
  testing::internal::CaptureStderr();
  for (int64_t n = 2; n <= 3; ++n) {
    Square3(n);
    EXPECT_EQ(Bits(Square3(n)), Bits(Data({n}, 1) + Data({n}, 1)));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("a broken compiler"));
  EXPECT_THAT(said, HasSubstr("tape_cache_test.cc:"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_EQ(calls, 2);  // never again
  EXPECT_EQ(failed(), 2);
  EXPECT_EQ(hits(), 0);
}

TEST_F(TapeCacheTest, ErrorsAreTheSame) {
  const Tensor x = Data({3}, 1);
  for (int i = 0; i < 5; ++i) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = x * x;
    ExpectError(ErrorCode::kInvalidArgument, "must have the same type",
                [&] { tape.Gradient(y, x, {.output_gradients = {Data({2}, 1)}}); });
    EXPECT_TRUE(tape.Gradient(y, x));
    ExpectError(ErrorCode::kFailedPrecondition, "non-persistent", [&] { tape.Gradient(y, x); });
    WaitForCompiler();
  }
  EXPECT_EQ(hits(), 2);
}

TEST_F(TapeCacheTest, WithoutMemoryTheErrorIsThatOfTheOps) {
  const Tensor x = Data({1 << 20}, 1);
  const auto gradient = [&] {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = Exp(x);
    auto& allocator = runtime::Allocator::Default();
    allocator.ReleaseCache();
    allocator.SetLimit(static_cast<size_t>(allocator.stats().live_bytes) + (1 << 20));
    struct Unlimited {
      ~Unlimited() { runtime::Allocator::Default().SetLimit(0); }
    } unlimited;
    return tape.Gradient(y, x);
  };
  for (int i = 0; i < 3; ++i) {
    GradientTape tape;
    tape.Watch(x);
    tape.Gradient(Exp(x), x);
  }
  WaitForCompiler();
  ASSERT_EQ(compiled(), 1);
  ExpectError(ErrorCode::kResourceExhausted, "no memory for f32[1048576]", gradient);
}

// --- threads, processes ---

TEST_F(TapeCacheTest, Threads) {
  const auto run = [](Strings* out) {
    const Tensor x = Data({33}, 1);
    for (int i = 0; i < 200; ++i) {
      GradientTape tape;
      tape.Watch(x);
      const Tensor y = i % 2 ? Exp(x) * x : Sin(x) / (x + 3);
      out->push_back(Bits(*tape.Gradient(y, x)));
    }
  };
  Strings a, b;
  std::thread other(run, &a);
  run(&b);
  other.join();
  WaitForCompiler();
  EXPECT_EQ(a, b);
  for (size_t i = 2; i < a.size(); ++i) EXPECT_EQ(a[i], a[i - 2]);
  EXPECT_EQ(compiled(), 2);
}

/// A compiler that takes long and gives up when it is told to.
Compiled CompileSlowly(const ir::Module&) {
  for (int i = 0; i < 1000 && !Cache().cancelled(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return absl::ResourceExhaustedError("no time");
}

/// Three requests without waiting.
void Ask(int64_t n) {
  const Tensor x = Data({n}, 1);
  const std::string want = Bits(x + x);  // before the tape, which would have it, too
  for (int i = 0; i < 3; ++i) {
    GradientTape tape;
    tape.Watch(x);
    if (Bits(*tape.Gradient(x * x, x)) != want) std::abort();
  }
}

int ExitCodeOf(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(TapeCacheTest, AForkedChildComputesAndCompilesItself) {
  Square3(5);
  std::atomic<int> calls{0};
  Cache().set_compile([&](const ir::Module& module) -> Compiled {
    if (calls++ == 0) return CompileSlowly(module);
    return absl::InternalError("done");
  });
  Ask(6);  // compiles now
  while (calls == 0) std::this_thread::yield();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    Ask(5);  // compiled before
    Ask(6);
    Ask(7);
    WaitForCompiler();
    const Function f = Trace([](const Tensor& x) { return x * x + 5; }, {Spec(kFloat32, {7})});
    const Tensor y = Compile(f)("main", Data({7}, 1));
    std::exit(y.size() == 7 && hits() == 3 ? 0 : 1);  // runs what exit runs
  }
  EXPECT_EQ(ExitCodeOf(child), 0);
  WaitForCompiler();  // what the fork interrupted was done again
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(failed(), 1);
}

TEST_F(TapeCacheTest, ForksWhileItCompiles) {
  for (int64_t n = 10; n < 16; ++n) {
    Ask(n);
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * (n - 10)));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(60);
      Ask(n);
      ::_exit(0);
    }
    EXPECT_EQ(ExitCodeOf(child), 0);
  }
  WaitForCompiler();
  EXPECT_EQ(compiled(), 6);
}

using TapeCacheDeathTest = TapeCacheTest;

TEST_F(TapeCacheDeathTest, ExitJoinsTheThread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int ms : {0, 1, 5, 20, 60}) {
    EXPECT_EXIT(
        {
          ::alarm(60);
          Ask(100);
          std::this_thread::sleep_for(std::chrono::milliseconds(ms));
          std::exit(7);
        },
        testing::ExitedWithCode(7), "")
        << ms;
  }
  EXPECT_EXIT(
      {
        ::alarm(60);
        Cache().set_compile(CompileSlowly);
        Ask(100);
        Ask(101);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::exit(7);
      },
      testing::ExitedWithCode(7), "^$");  // nothing is said of what was cancelled
}

}  // namespace
}  // namespace reel
