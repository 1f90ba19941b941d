// Cost of compiling long programs: linear in the number of ops, on a stack of ordinary size, and no
// bit of the result depends on how the program was cut into kernels.

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "codegen/compiler.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"

namespace reel::codegen {
namespace {

constexpr int kLong = 100000, kShort = 2000;

/// n ops in a chain: multiply by a, add b, or tanh, in an order that never repeats, so that no two
/// kernels are the same.
ir::Module Chain(int n, const Shape& shape) {
  ir::Module module("chain");
  ir::Function f("main");
  const Type type{kFloat32, shape};
  const ir::Value x = f.AddParameter("x", type), a = f.AddParameter("a", type), b = f.AddParameter("b", type);
  ir::Builder builder(&f);
  std::minstd_rand random(1);
  ir::Value y = x;
  for (int i = 0; i < n; ++i) {
    const auto choice = random() % 3;
    y = choice == 0 ? builder.Mul(y, a) : choice == 1 ? builder.Add(y, b) : builder.Tanh(y);
  }
  f.SetResults({y});
  module.AddFunction(std::move(f));
  return module;
}

std::vector<ir::Literal> Inputs(const Shape& shape) {
  std::vector<ir::Literal> inputs;
  for (float start : {0.25f, 0.75f, 0.125f}) {
    std::vector<float> values;
    for (int64_t i = 0; i < shape.size(); ++i) {
      values.push_back(start + 0.001f * static_cast<float>(i));
    }
    inputs.push_back(ir::Literal::From<float>(shape, values));
  }
  return inputs;
}

std::unique_ptr<CompiledModule> Compile(const ir::Module& module, int opt_level) {
  CompilerOptions options;
  options.opt_level = opt_level;
  const auto start = std::chrono::steady_clock::now();
  auto code = reel_compiler()->Compile(module, options);
  EXPECT_TRUE(code.ok()) << code.status();
  if (!code.ok()) return nullptr;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const CompiledModule::Times times = (*code)->times();
  std::printf("%zu ops, level %d: %.2f s (plan %.2f, emit %.2f, codegen %.2f), %zu kernels\n",
              module.FindFunction("main")->nodes().size(), opt_level, seconds.count(), times.plan, times.emit,
              times.codegen, (*code)->program().kernels.size());
  return *std::move(code);
}

std::vector<float> Run(const CompiledModule& code, const Shape& shape) {
  const auto bytes = static_cast<size_t>(code.program().instance_bytes);
  const auto instance = runtime::Buffer::Allocate(bytes);
  auto* header = new (instance.data()) reel_instance{};
  header->magic = REEL_INSTANCE_MAGIC;
  const std::vector<ir::Literal> inputs = Inputs(shape);
  std::vector<const void*> in;
  for (const ir::Literal& l : inputs) in.push_back(l.bytes().data());
  std::vector<float> result(static_cast<size_t>(shape.size()));
  void* out[] = {result.data()};
  EXPECT_EQ(code.entry(0)(instance.data(), in.data(), out), REEL_OK);
  return result;
}

std::vector<float> CompileAndRun(int n, const Shape& shape, int opt_level) {
  const auto code = Compile(Chain(n, shape), opt_level);
  return code ? Run(*code, shape) : std::vector<float>();
}

/// Each tanh shrinks differences, so errors do not add up along the chain.
void ExpectNearReference(const std::vector<float>& got, int n, const Shape& shape) {
  const ir::Module module = Chain(n, shape);
  const auto want = ir::EvaluateLiterals(module, *module.FindFunction("main"), Inputs(shape), {.round_each_op = true});
  ASSERT_TRUE(want.ok()) << want.status();
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], (*want)[0].data<float>()[i], 1e-5) << "element " << i;
  }
}

/// Runs on a thread with a stack of this size.
void OnStack(size_t bytes, std::function<void()> body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<std::function<void()>*>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

struct Counts {
  size_t kernels = 0, steps = 0;
  int64_t arena = 0;
};

Counts Count(int n, const Shape& shape, bool fuse) {
  const auto program = BuildProgram(Chain(n, shape), *FindTarget("x86-64-v3"), {fuse, fuse});
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return {};
  std::printf("%d ops, fused %d: %zu kernels, %zu steps, arena of %lld bytes\n", n, fuse, program->kernels.size(),
              program->entries[0].steps.size(), static_cast<long long>(program->arena_bytes));
  return {program->kernels.size(), program->entries[0].steps.size(), program->arena_bytes};
}

class ScaleTest : public testing::TestWithParam<Shape> {};

TEST_P(ScaleTest, LevelsAgreeToTheBit) {
  const std::vector<float> fused = CompileAndRun(kShort, GetParam(), 2);
  EXPECT_EQ(fused, CompileAndRun(kShort, GetParam(), 0));
  ExpectNearReference(fused, kShort, GetParam());
}

TEST_P(ScaleTest, PlanGrowsLinearly) {
  for (bool fuse : {true, false}) {
    const Counts small = Count(kShort, GetParam(), fuse);
    const Counts large = Count(4 * kShort, GetParam(), fuse);
    EXPECT_LE(large.kernels, 4 * small.kernels + 4);
    EXPECT_LE(large.steps, 4 * small.steps + 4);
    EXPECT_LE(large.arena, 4 * small.arena + 4096);
  }
}

TEST_P(ScaleTest, AHundredThousandOps) {
  OnStack(8 << 20, [] {
    const std::vector<float> got = CompileAndRun(kLong, GetParam(), 2);
    ExpectNearReference(got, kLong, GetParam());
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, ScaleTest, testing::Values(Shape({64}), Shape({})),
                         [](const auto& info) { return "Rank" + std::to_string(info.param.rank()); });

}  // namespace
}  // namespace reel::codegen
