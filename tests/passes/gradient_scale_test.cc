// Cost: linear in the number of ops, no stack, no time lost.

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <ctime>

#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Op;

// x -> sin -> mul by x -> ... with n ops, and side branches that only ys see.
ir::Function Chain(int n) {
  ir::Function f("f");
  const Value x = f.AddParameter("x", F64({2}));
  Builder b(&f);
  Value y = x;
  for (int i = 0; i < n; ++i) y = i % 2 ? b.Mul(y, x) : b.Sin(y);
  f.SetResults({y});
  return f;
}

size_t NodesAdded(int n) {
  ir::Function f = Chain(n);
  const size_t before = f.nodes().size();
  EXPECT_TRUE(Gradients(&f, nullptr, {f.results()[0]}, {{0}}).ok());
  return f.nodes().size() - before;
}

TEST(GradientScale, NodesGrowLinearly) {
  const size_t small = NodesAdded(1000), large = NodesAdded(4000);
  EXPECT_LE(large, 4 * small);
  EXPECT_LE(small, 3000u);
}

TEST(GradientScale, SecondOrderGrowsLinearly) {
  const auto added = [](int n) {
    ir::Function f = Chain(n);
    const auto first = Gradients(&f, nullptr, {f.results()[0]}, {{0}});
    EXPECT_TRUE(first.ok());
    EXPECT_TRUE(Gradients(&f, nullptr, {(*first)[0]}, {{0}}).ok());
    return f.nodes().size();
  };
  EXPECT_LE(added(4000), 4 * added(1000) + 100);
}

TEST(GradientScale, AMillionOpsOnASmallStack) {
  const auto run = [](void*) -> void* {
    ir::Function f = Chain(1000000);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(Gradients(&f, nullptr, {f.results()[0]}, {{0}}).ok());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    testing::Test::RecordProperty("milliseconds", static_cast<int>(seconds.count() * 1000));
    EXPECT_LT(seconds.count(), 30);
    return nullptr;
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, run, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// A call of many operands: whether one occurs twice is not asked of each.
TEST(GradientScale, ACallOfManyOperands) {
  constexpr size_t kOperands = 100000;
  ir::Module m;
  const std::vector<Type> types(kOperands, F64());
  Define(&m, "first", types, [](Builder& b, const Values& p) { return Values{b.Sin(p[0])}; });
  ir::Function& f = Define(&m, "f", types, [](Builder& b, const Values& p) { return Values{b.Call("first", p)[0]}; });
  const std::clock_t start = std::clock();
  EXPECT_TRUE(Gradients(&f, &m, {f.results()[0]}, {{0}}).ok());
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

}  // namespace
}  // namespace reel::passes
