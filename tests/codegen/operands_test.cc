// Second operands of products that are computed where they are multiplied, with the sums over their rows
// (codegen/fusion/fusion.h): the gradients of weights and of a bias. No bit depends on it.

#include <gtest/gtest.h>

#include "codegen/program/plan.h"
#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using codegen::PlanFunctions;
using codegen::Program;
using Tensors = std::vector<Tensor>;

// Rows of [outer, inner] elements, each inner row with a factor of its own, times so many columns.
struct Case {
  std::string name;
  DType dtype;
  int64_t rows, outer, inner, columns;
};

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"in_one_tile", kFloat64, 1000, 25, 10, 10},       {"one_row_of_a_tile", kFloat32, 700, 9, 32, 1},
      {"blocks_of_rows", kFloat64, 2600, 25, 10, 10},    {"whole_quotients", kFloat64, 520, 25, 64, 70},
      {"in_several_tiles", kFloat32, 1030, 31, 17, 100}, {"short_inner_rows", kFloat32, 5003, 9, 5, 12},
      {"long_inner_rows", kFloat32, 513, 2, 333, 3},     {"too_many_columns", kFloat32, 600, 3, 100, 150},
  };
  return *cases;
}

class OperandBits : public testing::TestWithParam<Case> {};

TEST_P(OperandBits, DependOnNothing) {
  const Case& c = GetParam();
  const NormalOptions normal{.dtype = c.dtype, .generator = Generator(11)};
  const Tensor x = RandomNormal({c.rows, c.columns}, normal), y = RandomNormal({c.rows, c.outer, c.inner}, normal),
               s = RandomNormal({c.rows, c.outer}, normal), m = RandomNormal({c.outer, c.inner}, normal);
  const auto f = [&c](const Tensor& x, const Tensor& y, const Tensor& s, const Tensor& m) {
    const Tensor g = Reshape(-Exp(s), {c.rows, c.outer, 1}) * (y - m), twice = g + g;
    const Tensor product = MatMul(x, Reshape(twice, {c.rows, c.outer * c.inner}), {.transpose_a = true});
    return Tensors{ReduceSum(-twice, {0}) * 3.0, product, Relu(product) + 1.0};
  };
  const Function traced = Trace(f, {Spec(x), Spec(y), Spec(s), Spec(m)});
  ExpectSameBits(traced, {x, y, s, m}, f(x, y, s, m));
  ExpectSameBitsWithoutFma(traced, {x, y, s, m});
}

INSTANTIATE_TEST_SUITE_P(All, OperandBits, testing::ValuesIn(Cases()), [](const auto& p) { return p.param.name; });

std::string Gradients(int64_t columns, bool read) {
  const std::string n = std::to_string(columns);
  return "func @f(%x: f64[1000," + n + R"(], %y: f64[1000,25,10], %s: f64[1000,25]) -> (f64[25,10], f64[)" + n +
         ",250]" + (read ? ", f64[1000,25,10]" : "") + R"() {
  %0 = broadcast %s {axes=[0,1], shape=[1000,25,10]} : f64[1000,25,10]
  %1 = mul %0, %y : f64[1000,25,10]
  %2 = add %1, %1 : f64[1000,25,10]
  %3 = neg %2 : f64[1000,25,10]
  %4 = reduce_sum %3 {axes=[0]} : f64[25,10]
  %5 = reshape %2 {shape=[1000,250]} : f64[1000,250]
  %6 = contract %x, %5 {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f64[)" +
         n + R"(,250]
  return %4, %6)" +
         (read ? ", %2" : "") + "\n}";
}

// Ten columns are one tile: each row is multiplied as it is made. Of forty a block is copied first.
TEST(Operands, AreComputedWhereTheyAreMultiplied) {
  const Program few = PlanFunctions(Gradients(10, false));
  ASSERT_EQ(few.kernels.size(), 2u) << ToString(few);
  EXPECT_NE(ToString(few.kernels[0]).find("local row: f64[16]"), std::string::npos) << ToString(few);
  const std::string text = PlanText(few);
  EXPECT_NE(text.find(", second operand computed, with sums over its rows\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("before it begins"), std::string::npos) << text;
  const Program many = PlanFunctions(Gradients(40, false));
  ASSERT_EQ(many.kernels.size(), 2u) << ToString(many);
  EXPECT_NE(ToString(many.kernels[0]).find("local pack"), std::string::npos) << ToString(many);
}

// A factor of each inner row that takes some operations is stored: each of its elements would compute it again.
TEST(Operands, FactorsOfInnerRowsAreStored) {
  const Program program =
      PlanFunctions(R"(func @f(%x: f64[1000,10], %y: f64[1000,25,10], %s: f64[1000,25]) -> (f64[25,10], f64[10,250]) {
  %0 = abs %s : f64[1000,25]
  %1 = mul %0, %s : f64[1000,25]
  %2 = neg %1 : f64[1000,25]
  %3 = add %2, %s : f64[1000,25]
  %4 = broadcast %3 {axes=[0,1], shape=[1000,25,10]} : f64[1000,25,10]
  %5 = mul %4, %y : f64[1000,25,10]
  %6 = reduce_sum %5 {axes=[0]} : f64[25,10]
  %7 = reshape %5 {shape=[1000,250]} : f64[1000,250]
  %8 = contract %x, %7 {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f64[10,250]
  return %6, %8
})");
  ASSERT_EQ(program.kernels.size(), 3u) << ToString(program);
  EXPECT_EQ(ToString(program.kernels[1]).find("neg"), std::string::npos) << ToString(program);
}

// Two products that read it, or one without rows, take in nothing of it.
TEST(Operands, OfTwoProductsOrNoneAreStored) {
  const Tensor g = RandomNormal({16384, 10}), z = RandomNormal({16384, 4});
  for (const int64_t rows : {20, 0}) {
    const Tensor x = RandomNormal({16384, rows});
    const auto f = [](const Tensor& x, const Tensor& z, const Tensor& g) {
      const Tensor y = -g;
      return Tensors{ReduceSum(y, {0}), MatMul(x, y, {.transpose_a = true}), MatMul(z, y, {.transpose_a = true})};
    };
    ExpectSameBits(Trace(f, {Spec(x), Spec(z), Spec(g)}), {x, z, g}, f(x, z, g));
    const auto one = [](const Tensor& x, const Tensor& g) {
      const Tensor y = -g;
      return Tensors{ReduceSum(y, {0}), MatMul(x, y, {.transpose_a = true})};
    };
    ExpectSameBits(Trace(one, {Spec(x), Spec(g)}), {x, g}, one(x, g));
  }
}

// What others read is stored anyway, and read by the product.
TEST(Operands, ThatOthersReadAreStored) {
  const Program p = PlanFunctions(Gradients(10, true));
  EXPECT_EQ(p.kernels.size(), 3u) << ToString(p);
}

}  // namespace
}  // namespace reel
