// Reductions of many elements to one, whose blocks threads share (codegen/fusion/fusion.h), and maps that
// become one kernel with them: no bit depends on it.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using codegen::PlanFunctions;
using codegen::Program;
using Tensors = std::vector<Tensor>;
using Inputs = std::span<const Tensor>;

struct Case {
  std::function<Tensors(const Tensor&)> function;
  Shape shape;
};

// What all pairs of points [n, dimensions] have to do with each other, summed over either point and over dimensions.
Tensors OfPairs(const Tensor& x) {
  const Tensor d = ExpandDims(x, 1) - ExpandDims(x, 0);
  const Tensor w = Exp(-ReduceSum(d * d, {2}));
  const Tensor forces = d * ExpandDims(w, 2);
  return {ReduceSum(forces, {1}) * 2.0, ReduceSum(forces, {0}), ReduceProd(1.0 + 0.1 * forces, {2}), ReduceMax(d, {1}),
          d};
}

const std::map<std::string, Case>& Cases() {
  static const auto* cases = new std::map<std::string, Case>{
      {"sum", {[](const Tensor& x) { return Tensors{ReduceSum(x)}; }, {1 << 18}}},
      {"ragged_sum", {[](const Tensor& x) { return Tensors{ReduceSum(Exp(x)) * 2.0}; }, {200001}}},
      {"least", {[](const Tensor& x) { return Tensors{ReduceSum(x)}; }, {32 * 4096}}},
      {"one_less", {[](const Tensor& x) { return Tensors{ReduceSum(x)}; }, {32 * 4096 - 1}}},
      {"max_and_product",
       {[](const Tensor& x) { return Tensors{ReduceMax(x), ReduceMin(x), ReduceProd(1.0 + 1e-6 * x)}; }, {150000}}},
      {"rows_of_two_axes",
       {[](const Tensor& x) {
          const Tensor y = x * ReduceSum(x, {2}, {.keepdims = true});
          return Tensors{ReduceSum(y + y, {0}) * 3.0, y + y, ReduceMax(y, {0})};
        },
        {10007, 25, 10}}},
      {"rows_of_whole_blocks", {[](const Tensor& x) { return Tensors{ReduceSum(x * x, {0})}; }, {8192, 3, 1, 11}}},
      {"rows_of_three_axes",
       {[](const Tensor& x) {
          const Tensor scale = Reshape(Exp(Slice(x, {0, 0, 0, 0}, {1, 5, 1, 1})), {1, 5, 1, 1});
          return Tensors{ReduceSum(x * scale, {0}), ReduceProd(1.0 + 1e-4 * x * scale, {0})};
        },
        {1100, 5, 7, 9}}},
      // 1024 and 1000 columns: chunks of whole vectors, which have no tail, and others.
      {"whole_vectors_of_columns",
       {[](const Tensor& x) { return Tensors{ReduceSum(x, {0}) * 3.0, ReduceMax(Exp(x), {0})}; }, {130, 1024}}},
      {"columns_and_a_tail",
       {[](const Tensor& x) { return Tensors{ReduceSum(x, {0}) * 3.0, ReduceMax(Exp(x), {0})}; }, {70, 1000}}},
      {"between_ones", {[](const Tensor& x) { return Tensors{ReduceSum(x, {1})}; }, {1, 140000, 1}}},
      {"thousands_of_blocks", {[](const Tensor& x) { return Tensors{ReduceMean(Square(x))}; }, {5000 * 4096 + 7}}},
      // Short rows are reduced as many at a time as a register has lanes; 25 and 37 leave some.
      {"short_rows",
       {[](const Tensor& x) {
          const Tensor factors = Exp(Slice(x, {0, 0, 0}, {1, 25, 1}));
          return Tensors{Reshape(factors, {25}) * ReduceSum(x * x, {2}), ReduceMax(x, {2}), ReduceMin(-x, {2})};
        },
        {331, 25, 10}}},
      {"short_rows_of_64",
       {[](const Tensor& x) { return Tensors{ReduceSum(x, {1}) * 2.0, ReduceProd(x, {1})}; }, {1037, 64}}},
      {"short_rows_of_doubles",
       {[](const Tensor& x) {
          const Tensor wide = Cast(x, kFloat64);
          return Tensors{ReduceSum(wide * wide, {1}) * 2.0, ReduceMax(wide, {1})};
        },
        {3029, 25}}},
      // A short last axis is loaded and stored by turns; narrow rows are added up for several places at once.
      {"pairs_of_points", {OfPairs, {130, 3}}},
      {"pairs_of_points_in_a_plane", {OfPairs, {67, 2}}},
      {"pairs_of_quaternions", {OfPairs, {48, 4}}},
      {"pairs_of_doubles", {[](const Tensor& x) { return OfPairs(Cast(x, kFloat64)); }, {41, 3}}},
      {"pairs_with_gradient",
       {[](const Tensor& x) {
          GradientTape tape;
          tape.Watch(x);
          const Tensor y = ReduceSum(OfPairs(x)[0] * x);
          return Tensors{y, *tape.Gradient(y, x)};
        },
        {64, 3}}},
      {"rows_by_turns",
       {[](const Tensor& x) {
          const Tensor factors = Exp(Slice(x, {0, 0, 0}, {700, 70, 1}));
          const Tensor y = x * factors;
          return Tensors{ReduceSum(y, {0}) * 3.0, y + y, ReduceProd(1.0 + 1e-4 * y, {0})};
        },
        {700, 70, 3}}},
      {"narrow_rows",
       {[](const Tensor& x) {
          const Tensor y = x * Slice(x, {0, 0, 0}, {1, 1, 5});
          return Tensors{ReduceSum(y, {1}) * 2.0, ReduceMax(Exp(y), {1}), y};
        },
        {21, 130, 5}}},
      {"narrow_rows_of_two_registers",
       {[](const Tensor& x) { return Tensors{ReduceSum(x * x, {1}), ReduceProd(1.0 + 1e-3 * x, {1})}; }, {36, 70, 25}}},
      {"with_gradient",
       {[](const Tensor& x) {
          GradientTape tape;
          tape.Watch(x);
          const Tensor y = ReduceSum(Tanh(x) + Exp(-0.5 * x * x));
          return Tensors{y, *tape.Gradient(y, x)};
        },
        {300000}}},
      {"few_blocks_with_gradient",
       {[](const Tensor& x) {
          GradientTape tape;
          tape.Watch(x);
          const Tensor y = ReduceSum(Tanh(x) * Exp(x));
          return Tensors{y * 2.0, *tape.Gradient(y, x)};
        },
        {4 * 4096 - 1}}},
  };
  return *cases;
}

class SumBits : public testing::TestWithParam<std::string> {};

TEST_P(SumBits, DependOnNothing) {
  const Case& c = Cases().at(GetParam());
  const Tensor x = RandomNormal(c.shape, {.generator = Generator(3)});
  ExpectSameBits(Trace([&c](const Tensor& t) { return c.function(t); }, {Spec(x)}), {x}, c.function(x));
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, c] : Cases()) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, SumBits, testing::ValuesIn(Names()), [](const auto& p) { return p.param; });

// -0 is less than 0; NaN wins over everything, whatever its sign.
TEST(Sums, MaximaOfSpecialValues) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto of = [](float rest, float one) {
    std::vector<float> row(100, rest);
    row[37] = one;
    return row;
  };
  std::vector<float> all;
  for (const auto& row : {of(-0.0f, 0), of(0, -0.0f), of(-2, -inf), of(-inf, -3), of(inf, -1e-45f), of(-inf, nan),
                          of(inf, -nan), of(-inf, -inf), of(-1e-45f, -0.0f), of(-0.0f, -0.0f)}) {
    all.insert(all.end(), row.begin(), row.end());
  }
  for (const DType dtype : {kFloat32, kFloat64, kFloat16}) {
    const Tensor x = Cast(Tensor::FromData(all, {10, 100}), dtype);
    const auto f = [](const Tensor& t) {
      return Tensors{Cast(ReduceMax(t, {1}), kFloat32), Cast(ReduceMin(t, {1}), kFloat32)};
    };
    const auto run = Compile(Trace(f, {Spec(x)}), {})("main", {x}).tensors();
    const std::vector<float> most{0, 0, -2, -3, inf, nan, nan, -inf, -0.0f, -0.0f};
    const std::vector<float> least{-0.0f, -0.0f, -inf, -inf, -0.0f, nan, nan, -inf, -0.0f, -0.0f};
    for (size_t i = 0; i < 10; ++i) {
      const float a = run[0].ToVector<float>()[i], b = run[1].ToVector<float>()[i];
      const bool tiny = dtype != kFloat16 && (i == 4 || i == 8);  // denormals, which f16 has not
      const float low = tiny ? -1e-45f : least[i];
      EXPECT_TRUE(std::isnan(most[i]) ? std::isnan(a) : a == most[i] && std::signbit(a) == std::signbit(most[i])) << i;
      EXPECT_TRUE(std::isnan(low) ? std::isnan(b) : b == low && std::signbit(b) == std::signbit(low)) << i;
    }
  }
}

// A sum over rows of two axes, which a broadcast tells apart, walks memory row by row: chunks of groups of 64 rows, 157
// in all; what is stored beside it is written in the same pass.
TEST(Sums, RowsOfTwoAxesAreReadInOrder) {
  const Program p = PlanFunctions(R"(
func @f(%x: f32[10000,25,10], %y: f32[10000,25]) -> (f32[25,10], f32[10000,25,10]) {
  %0 = broadcast %y {axes=[0, 1], shape=[10000,25,10]} : f32[10000,25,10]
  %1 = mul %x, %0 : f32[10000,25,10]
  %2 = reduce_sum %1 {axes=[0]} : f32[25,10]
  return %2, %1
})");
  ASSERT_EQ(p.kernels.size(), 2u) << ToString(p);
  EXPECT_EQ(p.kernels[0].chunks(), 53) << ToString(p);
  EXPECT_EQ(p.arena_bytes, (4 * 157 * 250 + 63) / 64 * 64) << ToString(p);
}

// What exp and tanh are needed for twice is never stored; the second kernel sees 256 numbers.
TEST(Sums, AreMadeBesideTheGradient) {
  const Program p = PlanFunctions(R"(func @f(%x: f32[1048576]) -> (f32[], f32[1048576]) {
  %0 = exp %x : f32[1048576]
  %1 = tanh %x : f32[1048576]
  %2 = add %0, %1 : f32[1048576]
  %3 = reduce_sum %2 {axes=[0]} : f32[]
  %4 = mul %0, %1 : f32[1048576]
  return %3, %4
})");
  ASSERT_EQ(p.kernels.size(), 2u) << ToString(p);
  EXPECT_EQ(p.kernels[0].chunks(), 64) << ToString(p);
  EXPECT_EQ(p.arena_bytes, 4 * 256) << ToString(p);
}

// What counts is work: seven blocks of exp are shared, 31 of bare numbers are not, nor is what is one block.
TEST(Sums, FewBlocksOfAFunctionAreShared) {
  const auto kernels = [](const std::string& n, const std::string& op) {
    return PlanFunctions("func @f(%x: f32[" + n + "]) -> (f32[]) {\n  %0 = " + op + " %x : f32[" + n +
                         "]\n  %1 = reduce_sum %0 {axes=[0]} : f32[]\n  return %1\n}")
        .kernels.size();
  };
  EXPECT_EQ(kernels("28672", "exp"), 2u);
  EXPECT_EQ(kernels("8192", "exp"), 1u);
  EXPECT_EQ(kernels("4096", "digamma"), 1u);
  EXPECT_EQ(kernels("131071", "abs"), 1u);
  EXPECT_EQ(kernels("131072", "abs"), 2u);
}

}  // namespace
}  // namespace reel
