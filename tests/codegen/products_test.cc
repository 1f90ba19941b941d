// Products whose second operand is packed panel by panel, for up to 512 rows at once: no bit depends on it.

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

// A panel is packed once for every 512 rows, and panels are what threads share.
TEST(Products, PanelsArePackedForManyRows) {
  const Program p = PlanFunctions(R"(func @f(%x: f32[1024,1024], %w: f32[1024,1024]) -> (f32[1024,1024]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[1024,1024]
  return %0
})");
  ASSERT_EQ(p.kernels.size(), 1u);
  const std::string text = ToString(p);
  EXPECT_NE(text.find("for mb in 0..2 {"), std::string::npos) << text;
  EXPECT_GE(p.kernels[0].chunks(), 8) << text;
}

}  // namespace
}  // namespace reel
