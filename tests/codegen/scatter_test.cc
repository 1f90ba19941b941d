// Updates of many rows by the same indices go line by line (codegen/schedule/scatter.cc). No bit depends on it.

#include <gtest/gtest.h>

#include "reel/reel.h"
#include "tests/codegen/bits_util.h"

namespace reel {
namespace {

// So many rows of [first, second] updates each to rows of so many elements.
struct Case {
  std::string name;
  DType dtype;
  int64_t rows, first, second, elements;
};

class ScatterBits : public testing::TestWithParam<Case> {};

TEST_P(ScatterBits, DependOnNothing) {
  const Case& c = GetParam();
  std::vector<int32_t> at;  // most of them meet
  for (int64_t i = 0; i < c.first * c.second; ++i)
    at.push_back(static_cast<int32_t>(i * i % 7 == 1 ? i % c.elements : 1));
  const Tensor indices = Tensor::FromData(at, {c.first, c.second});
  const NormalOptions normal{.dtype = c.dtype, .generator = Generator(5)};
  const Tensor x = RandomNormal({c.rows, c.elements}, normal), y = RandomNormal({c.rows, c.first, c.second}, normal);
  const auto f = [](const Tensor& x, const Tensor& y, const Tensor& at) {
    return std::vector<Tensor>{ScatterAdd(x, at, y, 1), ScatterMul(Exp(x), at, y, 1), ScatterSet(x * 2.0, at, y, 1)};
  };
  ExpectSameBits(Trace(f, {Spec(x), Spec(y), Spec(indices)}), {x, y, indices}, f(x, y, indices));
}

INSTANTIATE_TEST_SUITE_P(All, ScatterBits,
                         testing::Values(Case{"whole_lines", kFloat64, 25, 10, 64, 100},
                                         Case{"part_of_a_line_left", kFloat64, 25, 10, 10, 46},
                                         Case{"less_than_a_line", kFloat64, 9, 3, 5, 12},
                                         Case{"floats", kFloat32, 70, 1, 37, 20},
                                         Case{"one_row", kFloat32, 1, 4, 33, 50}),
                         [](const auto& p) { return p.param.name; });

// The constant has no other use: it is copied to where the updates go.
TEST(Scatter, IntoAConstant) {
  const Tensor y = Tensor::FromData(std::vector<float>{0.5f, 0.25f, 4}, {3});
  const Tensor at = Tensor::FromData(std::vector<int32_t>{1, 0, 1}, {3});
  const auto f = [](const Tensor& y, const Tensor& at) {
    return std::vector<Tensor>{ScatterAdd(Tensor::FromData(std::vector<float>{1.5f, 1.75f}, {2}), at, y, 0)};
  };
  ExpectSameBits(Trace(f, {Spec(y), Spec(at)}), {y, at}, f(y, at));
}

}  // namespace
}  // namespace reel
