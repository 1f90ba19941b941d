// Updates of many rows by the same indices go line by line (codegen/schedule/scatter.cc). No bit depends on it.

#include <gtest/gtest.h>

#include "ir/strings.h"
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

// Numbers are added one by one, by way of a register where indices repeat, and written nowhere if those are out of
// range. The indices are computed or given, sorted or not.
TEST(Scatter, Numbers) {
  const int64_t n = 3000, places = 400;
  for (const DType dtype : {kFloat32, kFloat64, kInt32}) {
    for (const bool sorted : {false, true}) {
      SCOPED_TRACE(StrCat(Name(dtype), sorted ? " sorted" : ""));
      std::vector<int64_t> at;
      for (int64_t i = 0; i < n; ++i) at.push_back(sorted ? i / 9 : (i / 3) * 7919 % (places + 20) - 10);
      const Tensor indices = Tensor::FromData(at, {n});
      const Tensor x = Cast(RandomNormal({places}, {.stddev = 50, .generator = Generator(3)}), dtype),
                   y = Cast(RandomNormal({n}, {.stddev = 50, .generator = Generator(4)}), dtype);
      const auto f = [](const Tensor& x, const Tensor& y, const Tensor& at) {
        const Tensor computed = Cast(Floor(Sqrt(Cast(at * at, kFloat64)) * 0.5), kInt64);
        return std::vector<Tensor>{ScatterAdd(x, at, y, 0), ScatterAdd(x * 2, computed, y * y + y, 0),
                                   ScatterMax(x, at, y, 0)};
      };
      const Function traced = Trace(f, {Spec(x), Spec(y), Spec(indices)});
      std::vector<double> wanted = Cast(x, kFloat64).ToVector<double>();
      const std::vector<double> values = Cast(y, kFloat64).ToVector<double>();
      for (int64_t i = 0; i < n; ++i) {
        const int64_t to = at[static_cast<size_t>(i)];
        if (to < 0 || to >= places) continue;
        double& sum = wanted[static_cast<size_t>(to)];
        sum += values[static_cast<size_t>(i)];
        if (dtype == kFloat32) sum = static_cast<float>(sum);
      }
      for (const int level : {0, 2}) {
        const auto results =
            Compile(traced, {.opt_level = level, .check_bounds = false})("main", {x, y, indices}).tensors();
        EXPECT_EQ(Cast(results[0], kFloat64).ToVector<double>(), wanted) << "level " << level;
      }
      if (sorted) ExpectSameBits(traced, {x, y, indices}, f(x, y, indices));
    }
  }
}

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
