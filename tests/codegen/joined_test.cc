// Values joined side by side: each has a loop of its own (codegen/schedule/map.cc), and nobody asks which one an
// element is of. The same bits.

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "ir/strings.h"
#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using codegen::PlanFunctions;
using codegen::Program;
using Tensors = std::vector<Tensor>;

// Of so many extents along the axis, of values of this shape otherwise.
struct Case {
  std::string name;
  DType dtype;
  Shape shape;
  int axis;
  std::vector<int64_t> extents;
};

std::vector<int64_t> Extents(int count, int64_t step) {
  std::vector<int64_t> extents;
  for (int i = 0; i < count; ++i) extents.push_back(1 + (i * step) % 131);
  return extents;
}

Tensors Inputs(const Case& c) {
  Tensors inputs;
  Generator generator(7);
  for (const int64_t extent : c.extents) {
    Shape shape = c.shape;
    shape.set(c.axis, extent);
    inputs.push_back(Cast(RandomNormal(shape, {.stddev = 9, .generator = generator}), c.dtype));
  }
  return inputs;
}

std::vector<Spec> Specs(const Tensors& inputs) {
  std::vector<Spec> specs;
  for (const Tensor& x : inputs) specs.emplace_back(x);
  return specs;
}

class Joined : public testing::TestWithParam<Case> {};

TEST_P(Joined, NoBitDependsOnLoops) {
  const Case& c = GetParam();
  const Tensors in = Inputs(c);
  const auto f = [&c](std::span<const Tensor> in) {
    const Tensors parts(in.begin(), in.end());
    const Tensor all = Concat(parts, c.axis);
    Tensors others = parts;
    if (c.dtype != kBool) {
      for (Tensor& x : others) x = x * x;
    }
    return Tensors{all, Concat(others, c.axis), Flip(all, {c.axis})};
  };
  ExpectSameBits(Trace(f, Specs(in)), in, f(in));
}

// What is read beside them, by maps, sums and products, and the gradient.
TEST_P(Joined, NoBitOfReadersDependsOnLoops) {
  const Case& c = GetParam();
  if (!IsFloat(c.dtype)) return;
  const Tensors in = Inputs(c);
  const auto f = [&c](std::span<const Tensor> in) {
    const Tensors parts(in.begin(), in.end());
    GradientTape tape;
    for (const Tensor& x : parts) tape.Watch(x);
    const Tensor all = Concat(parts, c.axis);
    const Tensor sum = ReduceSum(Tanh(all) * all, {c.axis});
    Tensors out = {sum, Exp(-all) + 1, ReduceMax(all, {0})};
    const GradientList gradients = tape.Gradient(ReduceSum(sum), parts);
    for (size_t i = 0; i < parts.size(); ++i) out.push_back(gradients.Dense(i));
    return out;
  };
  ExpectSameBits(Trace(f, Specs(in)), in, f(in));
}

INSTANTIATE_TEST_SUITE_P(All, Joined,
                         testing::Values(Case{"gradients", kFloat32, {1}, 0, Extents(20, 977)},
                                         Case{"two", kFloat32, {1}, 0, {1000, 3001}},
                                         Case{"large", kFloat32, {1}, 0, {70000, 1, 99999, 64}},
                                         Case{"more_than_loops", kFloat32, {1}, 0, Extents(45, 61)},
                                         Case{"rows", kFloat32, {1, 37}, 0, {5, 64, 9, 33}},
                                         Case{"columns", kFloat32, {50, 1}, 1, {64, 10, 100, 30}},
                                         Case{"two_columns", kFloat32, {3, 1}, 1, {700, 65}},
                                         Case{"stack", kFloat32, {33, 1}, 1, {1, 1, 1, 1, 1, 1, 1}},
                                         Case{"middle", kFloat32, {9, 1, 17}, 1, {8, 1, 16, 5}},
                                         Case{"doubles", kFloat64, {4, 1, 3}, 1, {40, 80, 200, 11, 3}},
                                         Case{"halves", kFloat16, {1}, 0, {100, 7, 300, 64}},
                                         Case{"bfloats", kBFloat16, {6, 1}, 1, {100, 7, 300, 64}},
                                         Case{"bytes", kInt8, {1}, 0, {100, 7, 300, 64}},
                                         Case{"bools", kBool, {2, 1}, 1, {100, 7, 300, 64}},
                                         Case{"integers", kInt64, {1, 2}, 0, {100, 7, 300, 64}},
                                         Case{"nothing_in_one", kFloat32, {1}, 0, {100, 0, 300, 64}}),
                         [](const auto& p) { return p.param.name; });

// So many parts of 100 elements, one written behind the other over zeros, and what is returned of them.
std::string ChainText(int count, const std::string& rest, const std::string& result) {
  std::string text = "func @f(";
  for (int i = 0; i < count; ++i) StrAppend(&text, i ? ", " : "", "%x", i, ": f32[100]");
  const std::string type = StrCat("f32[", 100 * count, "]");
  StrAppend(&text, ") -> (", result, ") {\n  %0 = constant 0 : f32[]\n  %1 = broadcast %0 {axes=[], shape=[",
            100 * count, "]} : ", type, "\n");
  for (int i = 0; i < count; ++i) {
    StrAppend(&text, "  %", 2 * i + 2, " = constant ", 100 * i, " : i64[]\n  %", 2 * i + 3, " = dynamic_update %",
              2 * i + 1, ", %x", i, ", %", 2 * i + 2, " {axis=0} : ", type, "\n");
  }
  return text + rest + "}\n";
}

bool Asks(const Program& p) {
  const std::string text = ToString(p);
  return text.find(" if ") != text.npos || text.find("select") != text.npos;
}

TEST(JoinedPlans, PartsAskNothing) {
  const Program p = PlanFunctions(ChainText(20, "  return %41\n", "f32[2000]"));
  ASSERT_EQ(p.kernels.size(), 1u) << ToString(p);
  EXPECT_FALSE(Asks(p)) << ToString(p);
  EXPECT_EQ(p.arena_bytes, 0) << "nothing between the values and their place";
}

// Neighbours are joined, then they: that is one chain, and nothing is copied twice.
TEST(JoinedPlans, NeighboursBecomeOneChain) {
  const Program p = PlanFunctions(R"(
func @f(%a: f32[300], %b: f32[200], %c: f32[100], %d: f32[400]) -> (f32[1000]) {
  %0 = constant 0 : f32[]
  %1 = pad %a, %0 {high=[200], interior=[0], low=[0]} : f32[500]
  %2 = constant 300 : i64[]
  %3 = dynamic_update %1, %b, %2 {axis=0} : f32[500]
  %4 = pad %c, %0 {high=[400], interior=[0], low=[0]} : f32[500]
  %5 = constant 100 : i64[]
  %6 = dynamic_update %4, %d, %5 {axis=0} : f32[500]
  %7 = pad %3, %0 {high=[500], interior=[0], low=[0]} : f32[1000]
  %8 = constant 500 : i64[]
  %9 = dynamic_update %7, %6, %8 {axis=0} : f32[1000]
  return %9
})");
  ASSERT_EQ(p.kernels.size(), 1u) << ToString(p);
  EXPECT_FALSE(Asks(p)) << ToString(p);
}

// Many are stored, so that loops of readers are not one for each; two are read where they are.
TEST(JoinedPlans, ReadersOfManyReadMemory) {
  const std::string rest = "  %42 = tanh %41 : f32[2000]\n  %43 = reduce_sum %42 {axes=[0]} : f32[]\n  return %43\n";
  const Program many = PlanFunctions(ChainText(20, rest, "f32[]"));
  ASSERT_EQ(many.kernels.size(), 2u) << ToString(many);
  EXPECT_FALSE(Asks(many)) << ToString(many);
  const Program two = PlanFunctions(ChainText(2, "  %6 = tanh %5 : f32[200]\n  return %6\n", "f32[200]"));
  ASSERT_EQ(two.kernels.size(), 1u) << ToString(two);
  EXPECT_FALSE(Asks(two)) << ToString(two);
}

// A long chain is no long kernel: what does not fit is written beside the first ones, in place.
TEST(JoinedPlans, LongChainsGoOnInPlace) {
  const Program p = PlanFunctions(ChainText(100, "  return %201\n", "f32[10000]"));
  EXPECT_FALSE(Asks(p)) << ToString(p);
  for (const codegen::Step& step : p.entries[0].steps) EXPECT_GE(step.kernel, 0) << "a copy\n" << ToString(p);
}

}  // namespace
}  // namespace reel
