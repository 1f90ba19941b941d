// Sums over the rows of products, which the products' kernels make beside them (codegen/fusion/fusion.h),
// and what convolutions ask for early: no bit depends on either.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using codegen::PlanFunctions;
using codegen::Program;
using Tensors = std::vector<Tensor>;

struct Case {
  std::string name;
  std::function<Tensors(const Tensor&, const Tensor&)> function;
  Shape x, w;
  DType dtype = kFloat32;
};

// A product whose result is stored, and sums of it and of maps of it, one of which is stored, too.
Tensors Statistics(const Tensor& y, const std::vector<int64_t>& axes) {
  const Tensor z = Relu(y) + 1.0;
  return {y, ReduceSum(y, axes), ReduceSum(z, axes), ReduceMax(y * y * y, axes), z * 2.0};
}

const std::vector<Case>& Cases() {
  const auto product = [](const Tensor& x, const Tensor& w) { return Statistics(MatMul(x, w), {0}); };
  const auto image = [](const Tensor& x, const Tensor& w) {
    return Statistics(Conv2D(x, w, {.padding = kSame}), {0, 1, 2});
  };
  static const auto* cases = new std::vector<Case>{
      {"rows", product, {16384, 40}, {40, 70}},
      {"deep_rows", product, {4160, 300}, {300, 130}},
      {"doubles", product, {8192, 260}, {260, 35}, kFloat64},
      {"ragged_rows", product, {16390, 40}, {40, 70}},
      {"last_block_of_one_group", product, {16384 + 64, 257}, {257, 40}},
      {"only_sums",
       [](const Tensor& x, const Tensor& w) {
         const Tensor y = MatMul(x, w);
         return Tensors{ReduceSum(y, {0}) * 0.5, ReduceMin(Tanh(y), {0})};
       },
       {12800, 30},
       {30, 96}},
      {"batch",
       [](const Tensor& x, const Tensor& w) { return Statistics(MatMul(x, w), {0, 1}); },
       {3, 4096, 270},
       {3, 270, 50}},
      {"integers", product, {8192, 300}, {300, 65}, kInt32},
      {"image", image, {12, 32, 24, 8}, {3, 3, 8, 96}},
      {"narrow_image", image, {40, 64, 6, 5}, {3, 3, 5, 48}},
      {"image_of_ragged_groups", image, {40, 14, 14, 16}, {3, 3, 16, 128}},
      {"far_images", image, {6, 56, 56, 64}, {3, 3, 64, 40}},
  };
  return *cases;
}

class JoinedSumBits : public testing::TestWithParam<Case> {};

TEST_P(JoinedSumBits, DependOnNothing) {
  const Case& c = GetParam();
  const auto operand = [&](const Shape& shape, int seed) {
    const Tensor x = RandomNormal(shape, {.generator = Generator(seed)});
    return c.dtype == kInt32 ? Cast(x * 100.0, c.dtype) : Cast(x, c.dtype);
  };
  const Tensor x = operand(c.x, 3), w = operand(c.w, 4);
  const auto f = [&c](const Tensor& a, const Tensor& b) { return c.function(a, b); };
  const Function traced = Trace(f, {Spec(x), Spec(w)});
  ExpectSameBits(traced, {x, w}, f(x, w));
  if (c.x.rank() == 2) ExpectSameBitsWithoutFma(traced, {x, w});  // images take long at level 0
}
INSTANTIATE_TEST_SUITE_P(All, JoinedSumBits, testing::ValuesIn(Cases()), [](const auto& p) { return p.param.name; });

// What only the sums read is never stored: those of 4096 groups of 64 rows are.
TEST(JoinedSums, NeedNoMemory) {
  const auto plan = [](int side) {
    const auto image = [](int n) { return "f32[1024," + std::to_string(n) + "," + std::to_string(n); };
    const std::string y = image(side) + ",64]";
    return PlanFunctions("func @f(%x: " + image(side + 2) + ",8], %w: f32[3,3,8,64]) -> (f32[64], f32[64]) {\n" +
                         "  %0 = window %x {axes=[1, 2], dilations=[1, 1], sizes=[3, 3], strides=[1, 1]} : " +
                         image(side) + ",8,3,3]\n  %1 = contract %0, %w {a_batch=[], a_contract=[4, 5, 3], " +
                         "b_batch=[], b_contract=[0, 1, 2]} : " + y + "\n  %2 = reduce_sum %1 {axes=[0, 1, 2]} : " +
                         "f32[64]\n  %3 = reduce_max %1 {axes=[0, 1, 2]} : f32[64]\n  return %2, %3\n}");
  };
  const Program whole = plan(16), ragged = plan(15);
  EXPECT_EQ(whole.arena_bytes, 2 * 4096 * 64 * 4) << ToString(whole);
  EXPECT_GT(ragged.arena_bytes, 1024 * 15 * 15 * 64 * 4) << ToString(ragged);
}

std::string SumOfProduct(int64_t rows, int64_t depth, int64_t columns) {
  const std::string m = std::to_string(rows), k = std::to_string(depth), n = std::to_string(columns);
  return "func @f(%x: f32[" + m + "," + k + "], %w: f32[" + k + "," + n + "]) -> (f32[" + n + "]) {\n  %0 = contract " +
         "%x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[" + m + "," + n + "]\n" +
         "  %1 = reduce_sum %0 {axes=[0]} : f32[" + n + "]\n  return %1\n}";
}

// Blocks of 64 rows are no whole tiles of six: the last tile repeats the last row and reads nothing past it.
TEST(JoinedSums, ReadNothingPastTheEnd) {
  const std::string text = ToString(PlanFunctions(SumOfProduct(3840, 300, 768)));
  EXPECT_NE(text.find("contract_reduce_sum"), std::string::npos) << text;
  EXPECT_NE(text.find("x["), std::string::npos);
  for (size_t at = text.find("fma= x["); at != std::string::npos; at = text.find("fma= x[", at + 1)) {
    EXPECT_NE(text.substr(at, text.find(']', at) - at).find("min("), std::string::npos) << text;
  }
}

// Blocks grow no larger than a stack has room for.
TEST(JoinedSums, KeepBlocksSmall) {
  const Tensor x = RandomNormal({1, 578, 9, 32}), w = RandomNormal({3, 3, 32, 1024});
  const auto f = [](const Tensor& a, const Tensor& b) {
    const Tensor y = Conv2D(a, b);
    return Tensors{y, ReduceSum(y, {0, 1, 2})};
  };
  const Executable run = Compile(Trace(f, {Spec(x), Spec(w)}));
  EXPECT_EQ(run("main", {x, w})[1].shape(), Shape({1024}));
}

// A convolution asks for the rows that the next block reads of images that L2 does not hold.
TEST(Windows, AreWantedEarly) {
  const auto asks = [](int images) {
    const std::string n = std::to_string(images);
    const Program p = PlanFunctions("func @f(%x: f32[" + n + ",58,58,64], %w: f32[3,3,64,64]) -> (f32[" + n +
                                    ",56,56,64]) {\n  %0 = window %x {axes=[1, 2], dilations=[1, 1], sizes=[3, 3], " +
                                    "strides=[1, 1]} : f32[" + n + ",56,56,64,3,3]\n  %1 = contract %0, %w " +
                                    "{a_batch=[], a_contract=[4, 5, 3], b_batch=[], b_contract=[0, 1, 2]} : f32[" + n +
                                    ",56,56,64]\n  return %1\n}");
    return ToString(p).find("prefetch x[") != std::string::npos;
  };
  EXPECT_FALSE(asks(1));
  EXPECT_TRUE(asks(8));
}

}  // namespace
}  // namespace reel
