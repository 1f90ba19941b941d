// How products are laid out: second operands packed panel by panel for up to 512 rows at once, batches or rows as
// lanes, sums stored from registers, results stored as a transpose has them. No bit depends on it.

#include <gtest/gtest.h>

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
  Shape x, w;
  bool transposed;
};

// 300 x 1024 floats are more than L2 holds on most machines; 1031 columns are no whole number of panels.
const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"two_blocks_of_rows", {700, 300}, {300, 1024}, false},
      {"whole_panels_and_one", {520, 513}, {513, 1088}, false},
      {"a_narrow_last_panel", {300, 300}, {300, 1031}, false},
      {"transposed", {530, 700}, {1024, 700}, true},
      {"one_block_of_k", {257, 200}, {200, 117}, false},
      {"one_block_of_k_transposed", {131, 256}, {64, 256}, true},
      {"few_rows_of_one_block", {5, 33}, {33, 19}, false},
      {"copied_for_a_large_block", {390, 100}, {100, 512}, false},
      {"tall_tiles", {128, 300}, {300, 512}, false},
      {"tall_tiles_transposed", {120, 270}, {512, 270}, true},
      {"tall_tiles_and_a_narrow_panel", {15, 70}, {70, 77}, false},
  };
  return *cases;
}

class ProductBits : public testing::TestWithParam<Case> {};

TEST_P(ProductBits, DependOnNothing) {
  const Case& c = GetParam();
  Generator generator(5);
  const Tensor x = RandomNormal(c.x, {.generator = generator}), w = RandomNormal(c.w, {.generator = generator});
  const auto f = [&c](const Tensor& a, const Tensor& b) {
    const Tensor y = MatMul(a, b, {.transpose_b = c.transposed});
    return Tensors{y, Relu(y) + 1.0};
  };
  ExpectSameBits(Trace(f, {Spec(x), Spec(w)}), {x, w}, f(x, w));
}

INSTANTIATE_TEST_SUITE_P(All, ProductBits, testing::ValuesIn(Cases()), [](const auto& p) { return p.param.name; });

// Gradients of weights: x lies transposed, its rows side by side. Where these are many for few columns, they are lanes.
struct TallCase {
  std::string name;
  std::vector<int64_t> batch;
  int64_t k, m, n;
  DType dtype = kFloat32;
};

const std::vector<TallCase>& TallCases() {
  static const auto* cases = new std::vector<TallCase>{
      {"few_columns", {}, 1000, 250, 10, kFloat64},
      {"one_column", {}, 1000, 70, 1},
      {"lanes_by_the_panel", {}, 1030, 260, 60, kFloat64},
      {"packed_panels", {}, 2100, 1100, 67},
      {"batch", {2, 3}, 520, 90, 9},
      {"batch_of_small_ones", {90}, 64, 60, 64},
      {"as_many_columns", {}, 777, 300, 90},
      {"as_many_columns_in_doubles", {}, 777, 500, 170, kFloat64},
      {"short", {}, 511, 250, 10},
      {"many_blocks", {}, 20000, 10, 37},
      {"many_blocks_of_a_transpose", {}, 10001, 250, 10, kFloat64},
      {"many_blocks_of_one_column", {}, 70000, 5, 1},
      {"many_blocks_of_integers", {}, 9000, 40, 33, kInt32},
  };
  return *cases;
}

class TallProductBits : public testing::TestWithParam<TallCase> {};

TEST_P(TallProductBits, DependOnNothing) {
  const TallCase& c = GetParam();
  Generator generator(6);
  const auto operand = [&](int64_t columns) {
    std::vector<int64_t> dims = c.batch;
    dims.insert(dims.end(), {c.k, columns});
    if (IsFloat(c.dtype)) return RandomNormal(Shape(dims), {.dtype = c.dtype, .generator = generator});
    return Cast(100.0 * RandomNormal(Shape(dims), {.generator = generator}), c.dtype);
  };
  const Tensor x = operand(c.m), w = operand(c.n);
  const auto f = [](const Tensor& a, const Tensor& b) {
    const Tensor y = MatMul(a, b, {.transpose_a = true});
    return Tensors{y, Relu(y) + OnesLike(y), ReduceSum(y, -1)};
  };
  ExpectSameBits(Trace(f, {Spec(x), Spec(w)}), {x, w}, f(x, w));
}

INSTANTIATE_TEST_SUITE_P(All, TallProductBits, testing::ValuesIn(TallCases()),
                         [](const auto& p) { return p.param.name; });

// The 250 rows of x are lanes, in panels that threads share.
TEST(Products, ManyRowsSideBySideBecomeLanes) {
  const Program p = PlanFunctions(R"(func @f(%x: f64[1000,250], %w: f64[1000,10]) -> (f64[250,10]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f64[250,10]
  return %0
})");
  const std::string text = ToString(p);
  EXPECT_NE(text.find("unroll i in 0..5 {"), std::string::npos) << text;
  EXPECT_GE(p.kernels[0].chunks(), 8) << text;
}

// Updates beside gradients by weights: the epilogue has long rows of some arrays.
struct UpdateCase {
  std::string name;
  int64_t k, m, n;
  DType dtype = kFloat32;
};

const std::vector<UpdateCase>& UpdateCases() {
  static const auto* cases = new std::vector<UpdateCase>{
      {"whole_panels", 64, 784, 768},      {"rest", 100, 1000, 530},
      {"ragged_blocks", 33, 1001, 512},    {"blocks_of_k", 300, 1999, 200},
      {"doubles", 40, 997, 270, kFloat64}, {"short_rows", 64, 3000, 128},
  };
  return *cases;
}

class UpdateBits : public testing::TestWithParam<UpdateCase> {};

TEST_P(UpdateBits, DependOnNothing) {
  const UpdateCase& c = GetParam();
  Generator generator(7);
  const auto normal = [&](int64_t rows, int64_t columns) {
    return RandomNormal(Shape({rows, columns}), {.dtype = c.dtype, .generator = generator});
  };
  const std::vector<Tensor> in{normal(c.k, c.m), normal(c.k, c.n), normal(c.m, c.n), normal(c.m, c.n)};
  const auto f = [](std::span<const Tensor> t) {
    const Tensor g = MatMul(t[0], t[1], {.transpose_a = true});
    const Tensor m = 0.9 * t[2] + 0.1 * g, v = 0.99 * Square(t[3]) + 0.01 * Square(g);
    return Tensors{m, v, t[2] - 0.01 * m / (Sqrt(v) + 1e-8)};
  };
  const Function traced = Trace(f, {Spec(in[0]), Spec(in[1]), Spec(in[2]), Spec(in[3])});
  ExpectSameBits(traced, in, f(in));
  ExpectSameBitsWithoutFma(traced, in);
}

INSTANTIATE_TEST_SUITE_P(All, UpdateBits, testing::ValuesIn(UpdateCases()), [](const auto& p) { return p.param.name; });

// Adam's arrays are walked row by row, 32 rows of 1024 after all their panels; a short epilogue is panel by panel.
TEST(Products, LongEpiloguesWalkWholeRows) {
  const auto text = [](bool update) {
    const std::string rest = update ? R"(
  %1 = mul %m, %m : f32[3136,1024]
  %2 = mul %0, %0 : f32[3136,1024]
  %3 = add %1, %2 : f32[3136,1024]
  %4 = sqrt %3 : f32[3136,1024]
  %5 = add %0, %m : f32[3136,1024]
  %6 = div %5, %4 : f32[3136,1024]
  %7 = sub %m, %6 : f32[3136,1024]
  %8 = mul %7, %5 : f32[3136,1024]
  %9 = add %8, %0 : f32[3136,1024]
  return %3, %9
})"
                                    : R"(
  %1 = add %0, %m : f32[3136,1024]
  return %1, %1
})";
    return ToString(PlanFunctions(R"(
func @f(%x: f32[64,3136], %w: f32[64,1024], %m: f32[3136,1024]) -> (f32[3136,1024], f32[3136,1024]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f32[3136,1024])" +
                                  rest));
  };
  EXPECT_NE(text(true).find("vector j in 0..1024 by"), std::string::npos) << text(true);
  EXPECT_EQ(text(false).find("vector j in 0..1024 by"), std::string::npos) << text(false);
}

// Of 40 blocks of k each has its sums, which threads share and a second kernel adds in order, if these are few beside
// what is read.
TEST(Products, BlocksOfADeepProductAreAddedLast) {
  const auto plan = [](int columns) {
    const std::string n = std::to_string(columns);
    return PlanFunctions("func @f(%x: f32[10000,64], %w: f32[10000," + n + "]) -> (f32[64," + n + R"(]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f32[64,)" +
                         n + R"(]
  return %0
})");
  };
  const Program few = plan(48), many = plan(100);
  ASSERT_EQ(few.kernels.size(), 2u) << ToString(few);
  EXPECT_EQ(few.kernels[0].chunks(), 40) << ToString(few);
  EXPECT_EQ(few.arena_bytes, 40 * 64 * 48 * 4) << ToString(few);
  EXPECT_EQ(many.kernels.size(), 1u) << ToString(many);
}

// Each k reads another line of an x whose rows are neighbours: it is asked for two lines before, or a matrix before
// where these are small, as the second operand is then. Not if all of x is near.
TEST(Products, LinesOfRowsSideBySideAreAskedForAhead) {
  const auto text = [](const std::string& batch, int k, int m) {
    const std::string rank = batch.empty() ? "0" : "1", dims = std::to_string(k) + "," + std::to_string(m) + "]";
    const std::string x = "f32[" + batch + dims, w = "f32[" + batch + std::to_string(k) + ",128]";
    const std::string y = "f32[" + batch + std::to_string(m) + ",128]", all = batch.empty() ? "[]" : "[0]";
    return ToString(PlanFunctions("func @f(%x: " + x + ", %w: " + w + ") -> (" + y + ") {\n  %0 = contract %x, %w " +
                                  "{a_batch=" + all + ", a_contract=[" + rank + "], b_batch=" + all + ", b_contract=[" +
                                  rank + "]} : " + y + "\n  return %0\n}"));
  };
  EXPECT_NE(text("", 768, 512).find("prefetch x["), std::string::npos) << text("", 768, 512);
  EXPECT_NE(text("48,", 64, 64).find("prefetch x["), std::string::npos) << text("48,", 64, 64);
  EXPECT_NE(text("24,", 64, 64).find("prefetch w["), std::string::npos) << text("24,", 64, 64);
  EXPECT_EQ(text("", 100, 512).find("prefetch"), std::string::npos) << text("", 100, 512);
}

// A second operand far beyond L2 is asked for a block of k ahead, between the k of each tile.
TEST(Products, BlocksOfFarOperandsAreAskedForAhead) {
  const auto text = [](int n, bool transposed) {
    const std::string columns = std::to_string(n), w = transposed ? columns + ",1088]" : "1088," + columns + "]";
    return ToString(PlanFunctions("func @f(%x: f32[64,1088], %w: f32[" + w + ") -> (f32[64," + columns + "]) {\n" +
                                  "  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[" +
                                  (transposed ? "1" : "0") + "]} : f32[64," + columns + "]\n  return %0\n}"));
  };
  EXPECT_NE(text(2048, false).find("prefetch w["), std::string::npos) << text(2048, false);
  EXPECT_NE(text(2048, true).find("prefetch w["), std::string::npos) << text(2048, true);
  EXPECT_EQ(text(256, false).find("prefetch"), std::string::npos) << text(256, false);
}

// Bits of such a product: of a last block of k that is no whole one.
TEST(Products, OfFarOperandsFollowTheRule) {
  Generator generator(31);
  const Tensor x = RandomNormal({24, 810}, {.generator = generator}),
               w = RandomNormal({810, 1400}, {.generator = generator});
  const auto f = [](const Tensor& a, const Tensor& b) { return Tensors{MatMul(a, b)}; };
  ExpectSameBits(Trace(f, {Spec(x), Spec(w)}), {x, w}, f(x, w));
}

// The first axis of a batch of vectors is no depth.
TEST(Products, OfBatchesOfVectorsHaveTheirOwnDepth) {
  Generator generator(9);
  for (const auto& [batch, depth] : std::vector<std::pair<int64_t, int64_t>>{{1793, 300}, {3000, 300}, {2000, 5000}}) {
    const Tensor x = RandomNormal({batch, depth}, {.generator = generator});
    const Tensor y = RandomNormal({batch, depth}, {.generator = generator});
    const auto f = [](const Tensor& a, const Tensor& b) { return Tensors{Einsum("bk,bk->b", {a, b})}; };
    ExpectSameBits(Trace(f, {Spec(x), Spec(y)}), {x, y}, f(x, y));
    EXPECT_NEAR(f(x, y).at(0).ToVector<float>()[7], ReduceSum(Gather(x, 7) * Gather(y, 7)).item<float>(), 1e-2);
  }
}

// A panel is packed once for every 512 rows, and panels are what threads share.
TEST(Products, PanelsArePackedForManyRows) {
  const Program p = PlanFunctions(R"(func @f(%x: f32[1024,1024], %w: f32[1024,1024]) -> (f32[1024,1024]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[1024,1024]
  return %0
})");
  ASSERT_EQ(p.kernels.size(), 1u);
  const std::string text = ToString(p);
  EXPECT_EQ(p.kernels[0].chunks(), 16 * 2) << "panels by blocks of rows\n" << text;
}

// Tiles of 6 rows would compute 132 of 128; w is copied for 516 rows if these take several blocks of k.
TEST(Products, TilesAndCopiesFollowTheRows) {
  const auto text = [](int rows, int depth) {
    const std::string m = std::to_string(rows), k = std::to_string(depth);
    return ToString(PlanFunctions("func @f(%x: f32[" + m + "," + k + "], %w: f32[" + k + ",512]) -> (f32[" + m +
                                  R"(,512]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[)" +
                                  m + R"(,512]
  return %0
})"));
  };
  const std::string few = text(128, 300), shallow = text(516, 200), many = text(516, 300);
  EXPECT_NE(few.find("unroll i in 0..8 {"), std::string::npos) << few;
  EXPECT_EQ(few.find("local pack"), std::string::npos) << few;
  EXPECT_EQ(shallow.find("local pack"), std::string::npos) << shallow;
  EXPECT_NE(many.find("unroll i in 0..6 {"), std::string::npos) << many;
  EXPECT_NE(many.find("local pack"), std::string::npos) << many;
}

// Two chunks are worth their while: 6 and 5 tiles of 6 rows, not 8 and 3.
TEST(Products, SmallOnesHaveABlockForEachChunk) {
  for (const std::string rows : {"64", "65"}) {
    const Program p = PlanFunctions("func @f(%x: f32[" + rows + ",64], %w: f32[64,64]) -> (f32[" + rows + R"(,64]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[)" +
                                    rows + R"(,64]
  return %0
})");
    EXPECT_EQ(p.kernels[0].chunks(), 2) << ToString(p);
    EXPECT_NE(ToString(p).find("for m in 0..min(6, "), std::string::npos) << ToString(p);
  }
}

// Few blocks of rows: threads share their panels, too, the last of which may be fewer or narrower.
TEST(Products, ChunksAreSplitAlongPanels) {
  int split = 0;
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{384, 512}, {384, 832}, {390, 1024}, {577, 700}}) {
    Generator generator(9);
    const Tensor x = RandomNormal({rows, 256}, {.generator = generator}),
                 w = RandomNormal({256, columns}, {.generator = generator});
    const auto f = [](const Tensor& a, const Tensor& b) { return Tensors{Relu(MatMul(a, b))}; };
    const Function traced = Trace(f, {Spec(x), Spec(w)});
    ExpectSameBits(traced, {x, w}, f(x, w));
    const Program p =
        *codegen::BuildProgram(*ir::ParseModule(traced.ToText(), "t"), *codegen::FindTarget("x86-64-v4"), {});
    split += p.kernels[0].chunks() > p.kernels[0].body[0].extent.value();
  }
  EXPECT_GE(split, 3);
}

// Sums of one block of k are stored from registers, those of several blocks from a table.
TEST(Products, OneBlockOfKNeedsNoTable) {
  for (const int depth : {256, 257}) {
    const std::string k = std::to_string(depth);
    const Program p = PlanFunctions("func @f(%x: f32[100," + k + "], %w: f32[" + k + R"(,70]) -> (f32[100,70]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[100,70]
  %1 = neg %0 : f32[100,70]
  return %1
})");
    EXPECT_EQ(ToString(p).find("local total") == std::string::npos, depth == 256) << ToString(p);
  }
}

// Depthwise convolutions and their gradients are products with a batch per channel.
class DepthwiseBits : public testing::TestWithParam<int64_t> {};

TEST_P(DepthwiseBits, DependOnNothing) {
  const int64_t channels = GetParam();
  Generator generator(7);
  const Tensor x = RandomNormal({3, 11, 9, channels}, {.generator = generator});
  const Tensor w = RandomNormal({3, 5, 1, channels}, {.generator = generator});
  const auto f = [channels](const Tensor& a, const Tensor& b) {
    GradientTape tape;
    tape.Watch(a);
    tape.Watch(b);
    const Tensor y = Conv(a, b, {.strides = {2, 1}, .padding = Padding::kSame, .groups = channels});
    const auto gradients = tape.Gradient(ReduceSum(Sin(y)), std::vector<Tensor>{a, b});
    return Tensors{y, *gradients[0].gradient, *gradients[1].gradient};
  };
  ExpectSameBits(Trace(f, {Spec(x), Spec(w)}), {x, w}, f(x, w));
}

// Images that lie channel by channel: places are lanes.
TEST_P(DepthwiseBits, DependOnNothingChannelsFirst) {
  const int64_t channels = GetParam();
  Generator generator(8);
  const Tensor x = RandomNormal({3, channels, 11, 19}, {.generator = generator});
  const Tensor w = RandomNormal({channels, 1, 3, 5}, {.generator = generator});
  for (const std::vector<int64_t>& strides : {std::vector<int64_t>{1, 1}, {2, 1}, {1, 2}}) {
    const auto f = [&strides](const Tensor& a, const Tensor& b) {
      GradientTape tape;
      tape.Watch(a);
      tape.Watch(b);
      const Tensor y = DepthwiseConv2D(a, b, {.strides = strides, .padding = kSame, .format = kChannelsFirst});
      const auto gradients = tape.Gradient(ReduceSum(Sin(y)), std::vector<Tensor>{a, b});
      return Tensors{y, *gradients[0].gradient, *gradients[1].gradient};
    };
    ExpectSameBits(Trace(f, {Spec(x), Spec(w)}), {x, w}, f(x, w));
  }
}

// The padded image is stored as it lies, not its windows.
TEST(Products, DepthwiseWindowsAreNotStored) {
  const Function f = Trace(
      [](const Tensor& x, const Tensor& w) {
        return std::vector<Tensor>{DepthwiseConv2D(x, w, {.padding = kSame, .format = kChannelsFirst})};
      },
      {Spec(kFloat32, Shape{2, 6, 20, 32}), Spec(kFloat32, Shape{6, 1, 3, 3})});
  const std::string plan = Compile(f, {.cpu = "x86-64-v4"}).Plan();
  EXPECT_NE(plan.find("f32[2,6,22,34] stored"), std::string::npos) << plan;
  EXPECT_NE(plan.find("1 rows x 32 lanes"), std::string::npos) << plan;
}

INSTANTIATE_TEST_SUITE_P(Channels, DepthwiseBits, testing::Values(1, 2, 16, 37, 64, 130));

// The same without a transpose: lanes of the result are not neighbours. Many rows, and none.
TEST(Products, BatchesOfNeighboursDependOnNothing) {
  Generator generator(9);
  const Tensor x = RandomNormal({7, 300, 40}, {.generator = generator});
  const Tensor w = RandomNormal({300, 40}, {.generator = generator});
  const auto f = [](const Tensor& a, const Tensor& b) {
    return Tensors{Einsum("mkc,kc->cm", {a, b}), Einsum("kc,kc->c", {b, b})};
  };
  ExpectSameBits(Trace(f, {Spec(x), Spec(w)}), {x, w}, f(x, w));
}

// Channels are lanes, and the transpose of the result is no kernel.
TEST(Products, ABatchOfNeighboursIsLanes) {
  const Program p = PlanFunctions(R"(func @f(%x: f32[20,20,64], %w: f32[9,64]) -> (f32[18,18,64]) {
  %0 = window %x {axes=[0,1], dilations=[1,1], sizes=[3,3], strides=[1,1]} : f32[18,18,64,3,3]
  %1 = reshape %w {shape=[3,3,64]} : f32[3,3,64]
  %2 = contract %0, %1 {a_batch=[2], a_contract=[3,4], b_batch=[2], b_contract=[0,1]} : f32[64,18,18]
  %3 = transpose %2 {permutation=[1,2,0]} : f32[18,18,64]
  %4 = neg %3 : f32[18,18,64]
  return %4
})");
  ASSERT_EQ(p.kernels.size(), 2u) << ToString(p);
  EXPECT_NE(ToString(p.kernels[0]).find("vector j in 0..64 by 64 {"), std::string::npos) << ToString(p);
  EXPECT_NE(ToString(p.kernels[1]).find("in 0..20736 by 64"), std::string::npos) << ToString(p);
}

// What a map makes of a product in another shape joins the product and is stored in its place; not if something reads
// the product itself.
TEST(Products, AreStoredAsRowsOfAnotherShapeReadThem) {
  const auto plan = [](const std::string& results, const std::string& last) {
    return ToString(PlanFunctions("func @f(%x: f32[100,8], %w: f32[8,60], %c: f32[6,10]) -> (f32[100,6], " + results +
                                  R"() {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[100,60]
  %1 = reshape %0 {shape=[100,6,10]} : f32[100,6,10]
  %2 = broadcast %c {axes=[1,2], shape=[100,6,10]} : f32[100,6,10]
  %3 = sub %1, %2 : f32[100,6,10]
  %4 = mul %3, %3 : f32[100,6,10]
  %5 = reduce_sum %4 {axes=[2]} : f32[100,6]
  %6 = exp )" + last + "\n  return %5, %6\n}"));
  };
  const std::string joined = plan("f32[100,6,10]", "%3 : f32[100,6,10]"),
                    apart = plan("f32[100,60]", "%0 : f32[100,60]");
  EXPECT_NE(joined.find("contract_sub"), std::string::npos) << joined;
  EXPECT_EQ(apart.find("contract_sub"), std::string::npos) << apart;
  const std::string merged =
      ToString(PlanFunctions(R"(func @f(%x: f32[4,25,8], %w: f32[8,60], %c: f32[60]) -> (f32[4,25,60], f32[100]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[2], b_batch=[], b_contract=[0]} : f32[4,25,60]
  %1 = reshape %0 {shape=[100,60]} : f32[100,60]
  %2 = broadcast %c {axes=[1], shape=[100,60]} : f32[100,60]
  %3 = sub %1, %2 : f32[100,60]
  %4 = mul %3, %3 : f32[100,60]
  %5 = reduce_sum %4 {axes=[1]} : f32[100]
  return %0, %5
})"));
  EXPECT_EQ(merged.find("contract_sub"), std::string::npos) << merged;
}

// What such a map repeats for the rows is computed where it is read, or stored once: a number, a map of a factor.
TEST(Products, FactorsOfRowsOfAnotherShapeAreNotRepeated) {
  for (const std::string repeated : {"%0 = constant 3 : f32[]\n  %1 = broadcast %0 {axes=[]",
                                     "%0 = neg %c : f32[6,10]\n  %1 = broadcast %0 {axes=[1,2]",
                                     "%0 = neg %r : f32[100]\n  %1 = broadcast %0 {axes=[0]"}) {
    const char* head = "func @f(%x: f32[100,8], %w: f32[8,60], %c: f32[6,10], %r: f32[100]) -> (f32[100,6]) {\n  ";
    const Program p = PlanFunctions(head + repeated + R"(, shape=[100,6,10]} : f32[100,6,10]
  %2 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[100,60]
  %3 = reshape %2 {shape=[100,6,10]} : f32[100,6,10]
  %4 = mul %3, %1 : f32[100,6,10]
  %5 = exp %4 : f32[100,6,10]
  %6 = reduce_sum %5 {axes=[2]} : f32[100,6]
  return %6
})");
    EXPECT_LT(p.instance_bytes, 40000) << ToString(p);  // the product takes 24000
  }
}

TEST(Products, AsRowsOfAnotherShapeDependOnNothing) {
  const NormalOptions normal{.dtype = kFloat64, .generator = Generator(3)};
  const Tensor x = RandomNormal({130, 9}, normal), w = RandomNormal({9, 70}, normal), c = RandomNormal({7, 10}, normal);
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor& c) {
    const Tensor product = Reshape(MatMul(x, w), {130, 7, 10}), y = product - c,
                 z = c / Reshape(MatMul(x, w * 2.0), {130, 7, 10});
    return Tensors{ReduceSum(Square(y), {2}), Exp(y), ReduceSum(z, {1}), ReduceMax(z, {2})};
  };
  ExpectSameBits(Trace(f, {Spec(x), Spec(w), Spec(c)}), {x, w, c}, f(x, w, c));
}

}  // namespace
}  // namespace reel
