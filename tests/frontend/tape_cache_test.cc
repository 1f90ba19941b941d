// Compiled gradients of tapes: the bits of op by op, what is compiled and when, and that nothing hangs.
#include "frontend/tape_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "runtime/allocator.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using internal::TapeCache;
using testing::HasSubstr;
using Strings = std::vector<std::string>;
using Compiled = absl::StatusOr<std::unique_ptr<codegen::CompiledModule>>;

TapeCache& Cache() { return TapeCache::Get(); }

/// A cache that knows nothing; the real compiler again afterwards.
class TapeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    Cache().Clear();
    before_ = Cache().stats();
  }
  void TearDown() override {
    Cache().set_enabled(true);
    Cache().set_compile(nullptr);
    Cache().Clear();
  }
  int64_t hits() const { return Cache().stats().hits - before_.hits; }
  int64_t compiled() const { return Cache().stats().compiled - before_.compiled; }
  int64_t failed() const { return Cache().stats().failed - before_.failed; }
  int64_t evicted() const { return Cache().stats().evicted - before_.evicted; }

 private:
  internal::TapeCacheStats before_;
};

/// Type and bytes, to compare with ==.
std::string Bits(const Tensor& t) {
  const auto* first = static_cast<const char*>(t.raw_data());
  return t.type().ToString() + std::string(first, static_cast<size_t>(t.type().bytes()));
}

Strings Bits(const GradientList& list) {
  Strings out;
  for (const GradientEntry& entry : list) {
    if (!entry.gradient)
      out.push_back("none");
    else if (entry.gradient->sparse())
      out.push_back("rows " + Bits(entry.gradient->slices().indices()) + Bits(entry.gradient->slices().values()));
    else
      out.push_back(Bits(entry.gradient->Dense()));
  }
  return out;
}

/// Numbers between -1 and 1.
Tensor Data(const Shape& shape, double salt, DType dtype = kFloat32) {
  std::vector<double> values(static_cast<size_t>(shape.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.7 * static_cast<double>(i) + salt);
  return Cast(Tensor::FromData(values, shape), dtype);
}

Tensor Labels(int64_t rows, int64_t classes) {
  std::vector<int64_t> values(static_cast<size_t>(rows));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * i) % classes;
  return Tensor::FromData(values, {rows});
}

// --- the same bits before and after the switch ---

using Step = std::function<Strings(int i)>;

struct Case {
  std::string name;
  std::function<Step()> make;  ///< a step with what all its calls share
  int hits = 3;                ///< of 6 calls
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// A training step; its bits are those of loss, gradients and variables.
template <typename Optimizer, typename Model>
Step Training(Model model, const Tensor& x, const Tensor& labels) {
  const auto optimizer = std::make_shared<Optimizer>();
  return [=](int) {
    GradientTape tape;
    const Tensor loss = SoftmaxCrossEntropy(model(x), labels);
    const GradientList gradients = tape.Gradient(loss, model.variables());
    Strings out = Bits(gradients);
    optimizer->Apply(gradients);
    out.push_back(Bits(loss));
    for (const Variable& v : model.variables()) out.push_back(Bits(v.value()));
    return out;
  };
}

/// One source x, watched.
Step Of(const Tensor& x, const std::function<Tensor(const Tensor& x, int i)>& f) {
  return [=](int i) {
    GradientTape tape;
    tape.Watch(x);
    return Bits(tape.Gradient(f(x, i), {x}));
  };
}

Step Mlp() {
  SetSeed(1);
  return Training<Adam>(Sequential{Dense(20, 32, Relu), Dense(32, 16, Tanh), Dense(16, 10)}, Data({8, 20}, 1),
                        Labels(8, 10));
}

Step Cnn() {
  SetSeed(2);
  const Sequential net{Convolution2D(4, {3, 3}, Relu), MaxPooling2D({2, 2}), Convolution2D(6, {3, 3}, Gelu), Flatten(),
                       LayerNorm(), Dense(5)};
  const Tensor x = Data({3, 14, 14, 2}, 2);
  net(x);
  return Training<Sgd>(net, x, Labels(3, 5));
}

Step RnnLoop() {
  const Variable w(Data({12, 12}, 3)), u(Data({5, 12}, 4)), h0(Data({2, 12}, 5));
  return [=](int i) {
    GradientTape tape;
    Tensor h = h0.value();
    for (int t = 0; t < 10; ++t) h = Tanh(MatMul(h, w) + MatMul(Data({2, 5}, t + i), u));
    return Bits(tape.Gradient(ReduceSum(Square(h)), {w, u, h0}));
  };
}

Step Embeddings() {
  const Variable table(Data({30, 4}, 6)), other(Data({30, 4}, 7));
  return [=](int i) {
    GradientTape tape;
    const Tensor at = Tensor::FromData(std::vector<int64_t>{i, 3, i, 29}, {2, 2});
    const Tensor rows = Gather(table, at) * Gather(table, Tensor(int64_t{i})) + Gather(other, at);
    return Bits(tape.Gradient(ReduceSum(Square(rows)), {table, other}));
  };
}

/// Targets, seeds, unconnected sources, intermediate sources, a target that is a source, a seed that was recorded.
Step Requests() {
  const Variable v(Data({3}, 8)), far(Data({2}, 9));
  const Tensor x = Data({3}, 10);
  return [=](int i) {
    Strings out;
    for (const auto unconnected : {UnconnectedGradients::kNone, UnconnectedGradients::kZero}) {
      GradientTape tape({.persistent = true});
      tape.Watch(x);
      const Tensor a = Sin(x) * v, b = Exp(a), c = b * b;
      tape.Stop();
      const Tensor seed = Data({3}, i);
      const GradientList lists[] = {
          tape.Gradient({c, b}, {x, v, far, a}, {.unconnected_gradients = unconnected}),
          tape.Gradient({c, b}, {x, v}, {{seed, std::nullopt}, unconnected}),
          tape.Gradient(c, {c, x}, {{seed}, unconnected}),
          tape.Gradient(c, {x}, {{b}, unconnected}),
          tape.Gradient(b, {x, x, a}, {{b}, unconnected}),
      };
      for (const GradientList& list : lists) {
        for (std::string& bits : Bits(list)) out.push_back(std::move(bits));
      }
    }
    return out;
  };
}

Step OfDType(DType dtype) {
  return Of(Data({4, 6}, 11, dtype), [](const Tensor& x, int) {
    return ReduceSum(Tanh(x) * Exp(Neg(x)) / (Square(x) + 1) + Maximum(x, 0.25) - Sqrt(Abs(x) + 2));
  });
}

Step ComplexNumbers() {
  const Tensor re = Data({6}, 12), im = Data({6}, 13);
  return [=](int) {
    const Tensor z = Complex(re, im);
    GradientTape tape;
    tape.Watch(z);
    return Bits(tape.Gradient(ReduceSum(Abs(Exp(z) * z)), {z}));
  };
}

Step SecondOrder() {
  const Tensor x = Data({5}, 14);
  return [=](int) {
    GradientTape outer;
    outer.Watch(x);
    Tensor first;
    {
      GradientTape inner;
      inner.Watch(x);
      first = *inner.Gradient(ReduceSum(x * x * Sin(x)), x);
    }
    Strings out = {Bits(first)};
    out.push_back(Bits(*outer.Gradient(first, x)));
    return out;
  };
}

Step Custom() {
  const auto f = CustomGradient([](const Tensor& x) {
    return std::pair(x * x, [=](const Tensor& dy) { return dy * Cos(x); });
  });
  return Of(Data({5}, 15), [=](const Tensor& x, int) { return Sin(f(x)); });
}

Tensor Chain(Tensor x, const Tensor& y, int n) {
  for (int i = 0; i < n; ++i) x = x * y + y;
  return x;
}

Tensor PositiveDefinite(const Tensor& a) { return MatMul(a, Transpose(a)) + 4 * Eye(4); }

const Case kCases[] = {
    {"mlp_adam", Mlp},
    {"cnn", Cnn},
    {"rnn_loop", RnnLoop},
    {"embedding", Embeddings},
    {"requests", Requests, 30},
    {"chain1000", [] { return Of(Data({64}, 1), [](const Tensor& x, int) { return Chain(x, x, 500); }); }},
    {"numbers_that_change",
     [] {
       return Of(Data({7}, 2), [](const Tensor& x, int i) { return Exp(x * (0.1 * i)) * (i + 1) + Pow(x, i) / (i + 2); });
     }},
    {"a_shape_in_turns",
     [] { return [](int i) { return Of(Data({1 + i % 2, 9}, 3), [](const Tensor& x, int) { return Sin(x) * x; })(i); }; },
     0},  // two of each in the first four calls, the third ones are compiled
    {"f16", [] { return OfDType(kFloat16); }},
    {"bf16", [] { return OfDType(kBFloat16); }},
    {"f64", [] { return OfDType(kFloat64); }},
    {"c64", ComplexNumbers},
    {"softmax", [] { return Of(Data({6, 9}, 4), [](const Tensor& x, int) { return Log(Softmax(x) + 1) * x; }); }},
    {"linalg", [] { return Of(Data({4, 4}, 5, kFloat64), [](const Tensor& x, int) {
       return ReduceSum(Cholesky(PositiveDefinite(x))) + Det(x); }); }},
    {"sorted", [] { return Of(Data({40}, 6), [](const Tensor& x, int) { return CumSum(Sort(x)) * x; }); }},
    {"empty", [] { return Of(Data({0, 3}, 7), [](const Tensor& x, int) { return ReduceSum(Exp(x)); }); }},
    {"second_order", SecondOrder},  // the outer gradient alone is compiled
    {"custom", Custom, 0},
    {"itself", [] { return Of(Data({3}, 8), [](const Tensor& x, int) { return x; }); }},
};

class SameBits : public TapeCacheTest, public testing::WithParamInterface<Case> {};

TEST_P(SameBits, BeforeAndAfter) {
  constexpr int kSteps = 6;
  Cache().set_enabled(false);
  std::vector<Strings> expected;
  const Step plain = GetParam().make();
  for (int i = 0; i < kSteps; ++i) expected.push_back(plain(i));
  EXPECT_EQ(hits(), 0);
  Cache().set_enabled(true);
  const Step step = GetParam().make();
  for (int i = 0; i < kSteps; ++i) {
    EXPECT_EQ(step(i), expected[static_cast<size_t>(i)]) << "step " << i;
    WaitForCompiler();
  }
  EXPECT_EQ(hits(), GetParam().hits);
  EXPECT_EQ(failed(), 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, SameBits, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

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

TEST_F(TapeCacheTest, StructuresDiffer) {
  const Tensor a = Data({4}, 1), b = Data({4}, 2);
  const auto request = [&](int kind) {
    GradientTape tape;
    tape.Watch({a, b});
    const Tensor p = kind == 0 ? a * b : kind == 1 ? a * a : a + b;
    const Tensor y = kind == 3 ? ReduceSum(Reshape(p, {2, 2}), {{0}}) : kind == 4 ? ReduceSum(Reshape(p, {2, 2}), {{1}}) : p;
    return Bits(kind == 5 ? tape.Gradient(y, {b, a}) : tape.Gradient(y, {a}));
  };
  for (int i = 0; i < 4; ++i) {
    for (int kind = 0; kind < 6; ++kind) request(kind);
    WaitForCompiler();
  }
  EXPECT_EQ(compiled(), 6);
  EXPECT_EQ(hits(), 6);
}

TEST_F(TapeCacheTest, OffByTheSwitch) {
  Cache().set_enabled(false);
  Square3(4);
  Square3(4);
  EXPECT_EQ(compiled(), 0);
  EXPECT_EQ(hits(), 0);
}

TEST_F(TapeCacheTest, TheLongestUnusedOf64Goes) {
  const std::source_location sites[] = {
      std::source_location::current(),
      std::source_location::current(),
      std::source_location::current(),
      std::source_location::current(),
      std::source_location::current(),
  };
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
  for (int i = 0; i < 3; ++i) {
    GradientTape tape;
    tape.Watch(x);
    if (Bits(*tape.Gradient(x * x, x)) != Bits(x + x)) std::abort();
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
    std::exit(y.size() == 7 && Cache().stats().hits >= 3 ? 0 : 1);  // runs what exit runs
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

// --- what a tape keeps ---

int64_t LiveBytes() { return runtime::Allocator::Default().stats().live_bytes; }

class KeptBytes : public testing::Test {
 protected:
  static constexpr int64_t kN = int64_t{1} << 20;
  static constexpr int64_t kFloats = 4 * kN, kSlack = 1 << 16;

  /// Bytes that the tape keeps of y = f(x) when nobody else holds what went in and came out; frees them by Gradient.
  void Expect(const std::function<Tensor(const Tensor& h)>& f, int64_t bytes, bool persistent = false) {
    const Tensor x = Tensor(2.f);
    const int64_t before = LiveBytes();
    {
      GradientTape tape({.persistent = persistent});
      tape.Watch(x);
      Tensor loss;
      {
        const Tensor h = BroadcastTo(x, {kN});
        loss = ReduceSum(f(h));
      }
      EXPECT_NEAR(static_cast<double>(LiveBytes() - before), static_cast<double>(bytes), kSlack);
      if (persistent) tape.Stop();  // else it would record the gradient
      tape.Gradient(loss, x);
      EXPECT_NEAR(static_cast<double>(LiveBytes() - before), persistent ? static_cast<double>(bytes) : 0, kSlack);
    }
    EXPECT_NEAR(static_cast<double>(LiveBytes() - before), 0, kSlack);
  }
};

TEST_F(KeptBytes, ReluKeepsItsMaskAndNoInput) {
  Expect([](const Tensor& h) { return Relu(h); }, kN);
}
TEST_F(KeptBytes, SumsKeepNothing) {
  Expect([](const Tensor& h) { return h + h; }, 0);
  Expect([](const Tensor& h) { return h - 1; }, 0);
  Expect([](const Tensor& h) { return Reshape(h, {2, kN / 2}); }, 0);
}
TEST_F(KeptBytes, ProductsKeepTheOtherFactor) {
  Expect([](const Tensor& h) { return h * h; }, kFloats);
  Expect([](const Tensor& h) { return Exp(h) * 2.f; }, 2 * kFloats);  // e^h, and 2 in its shape
}
TEST_F(KeptBytes, ExpKeepsItsResult) {
  Expect([](const Tensor& h) { return Exp(h); }, kFloats);
}
TEST_F(KeptBytes, APersistentTapeKeepsThem) {
  Expect([](const Tensor& h) { return Exp(h); }, kFloats, true);
}
TEST_F(KeptBytes, FreedByACompiledGradientToo) {
  for (int i = 0; i < 5; ++i) {
    Expect([](const Tensor& h) { return Sin(h) + h; }, kFloats);
    WaitForCompiler();
  }
}

}  // namespace
}  // namespace reel
