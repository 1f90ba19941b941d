#include <gtest/gtest.h>
#include <reel/reductions.h>
#include <reel/reel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

// Errors of compiled sums and products of matrices against the bounds that their order of additions gives:
//   reduce_sum of n:   2 eps (log2 n + 64) sum |x|     64 interleaved partials per block of 4096, then a tree
//              rows:   32 eps ceil(log64 n) sum |x|    groups of 64 in order, then their sums
//   recurrence:        half an ulp of y[t], and what a wider type loses
//   contract over K:   eps (256 + K / 256) sum |a b|   blocks of 256, added in order

namespace reel {
namespace {

template <typename T>
std::vector<T> Draw(size_t n, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<T> out(n);
  for (T& x : out) {  // both signs and 2^-20 .. 1: sums that cancel
    const double unit = std::ldexp(static_cast<double>(rng() >> 11), -52) - 1;
    x = static_cast<T>(std::ldexp(unit, -static_cast<int>(rng() % 20)));
  }
  return out;
}

template <typename T>
class Sums : public testing::Test {
 protected:
  static constexpr long double kEps = std::numeric_limits<T>::epsilon();
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Sums, Floats);

TYPED_TEST(Sums, ReduceSumIsWithinItsBound) {
  using T = TypeParam;
  for (size_t n : std::initializer_list<size_t>{1, 63, 64, 65, 1000, 4096, 4097, 100000, 1 << 20}) {
    const std::vector<T> x = Draw<T>(n, n);
    long double exact = 0, magnitude = 0;
    for (T v : x) exact += v, magnitude += std::fabs(static_cast<long double>(v));
    const auto dim = static_cast<int64_t>(n);
    const T flat = ReduceSum(Tensor::FromData(x, {dim})).template item<T>();
    const long double bound = 2 * this->kEps * (std::log2(static_cast<long double>(n)) + 64) * magnitude;
    EXPECT_LE(std::fabs(flat - exact), bound) << n;
  }
}

// The rule of sums over rows (ir/MEANING.md), by itself.
template <typename T>
T SumOfRows(std::vector<T> x) {
  do {
    std::vector<T> sums;
    for (size_t i = 0; i < x.size(); i += 64) {
      T sum = x[i];
      for (size_t j = i + 1; j < std::min(x.size(), i + 64); ++j) sum += x[j];
      sums.push_back(sum);
    }
    x = std::move(sums);
  } while (x.size() > 1);
  return x[0];
}

TYPED_TEST(Sums, OverRowsAreInGroups) {
  using T = TypeParam;
  for (size_t n : std::initializer_list<size_t>{1, 2, 63, 64, 65, 1000, 4096, 4097, 100000}) {
    const std::vector<T> x = Draw<T>(n, n);
    long double exact = 0, magnitude = 0;
    for (T v : x) exact += v, magnitude += std::fabs(static_cast<long double>(v));
    const T expected = SumOfRows(x);
    const long double levels = std::ceil(std::log2(static_cast<long double>(n)) / 6);
    EXPECT_LE(std::fabs(expected - exact), 32 * this->kEps * levels * magnitude) << n;
    const auto dim = static_cast<int64_t>(n);
    for (int64_t width : {2, 3, 16, 130}) {  // rows that are added with others beside them, and alone
      const Tensor rows = BroadcastTo(Tensor::FromData(x, {dim, 1}), {dim, width});
      const auto sum = [](const Tensor& t) { return ReduceSum(t, {0}); };
      for (const Tensor& got : {sum(rows), Compile(Trace(sum, {Spec(rows)}), {})("main", {rows}).tensors()[0]}) {
        for (T v : got.template ToVector<T>()) ASSERT_EQ(v, expected) << n << " x " << width;
      }
    }
  }
}

TYPED_TEST(Sums, ContractIsWithinItsBound) {
  using T = TypeParam;
  constexpr int64_t kRows = 3, kColumns = 5;
  for (size_t k : std::initializer_list<size_t>{1, 255, 256, 257, 1000, 70000}) {
    const std::vector<T> a = Draw<T>(kRows * k, k), b = Draw<T>(k * kColumns, k + 1);
    const auto depth = static_cast<int64_t>(k);
    const auto c =
        MatMul(Tensor::FromData(a, {kRows, depth}), Tensor::FromData(b, {depth, kColumns})).template ToVector<T>();
    for (size_t i = 0; i < kRows; ++i) {
      for (size_t j = 0; j < kColumns; ++j) {
        long double exact = 0, magnitude = 0;
        for (size_t n = 0; n < k; ++n) {
          const long double term = static_cast<long double>(a[i * k + n]) * b[n * kColumns + j];
          exact += term, magnitude += std::fabs(term);
        }
        const long double bound = this->kEps * (256 + static_cast<long double>(k) / 256) * magnitude;
        EXPECT_LE(std::fabs(c[i * kColumns + j] - exact), bound) << k;
      }
    }
  }
}

// The rule of recurrences (ir/MEANING.md), by itself: f32 carried in f64, f64 with the rests of its sums.
struct Carried {
  double sum = -0.0, low = 0;
  double Next(double a, double b, bool with_rests) {
    const double product = a * sum, next = product + b, b_part = next - product;
    low = a * low + ((product - (next - b_part)) + (b - b_part));
    sum = next;
    return with_rests && std::fabs(low) > 0 ? sum + low : sum;
  }
};

TYPED_TEST(Sums, RecurrencesAreCarriedWide) {
  using T = TypeParam;
  constexpr bool kWithRests = std::is_same_v<T, double>;
  // Rows, columns, and columns in tiles; t steps.
  for (const auto& [outer, t, inner] :
       {std::tuple{1, 5000, 1}, {3, 70, 1}, {1, 90, 7}, {2, 40, 1300}, {1, 3, 512}, {2, 5, 513}}) {
    const Shape shape{outer, t, inner};
    const auto n = static_cast<size_t>(shape.size());
    std::vector<T> a = Draw<T>(n, 3), b = Draw<T>(n, 4), expected(n);
    for (size_t i = 0; i < n; i += 3) a[i] = 1;  // long memory
    b[n / 2] = std::numeric_limits<T>::infinity();
    for (const bool reverse : {false, true}) {
      for (int64_t row = 0; row < outer * inner; ++row) {
        Carried h;
        for (int64_t step = 0; step < t; ++step) {
          const int64_t at = reverse ? t - 1 - step : step;
          const auto i = static_cast<size_t>((row / inner * t + at) * inner + row % inner);
          expected[i] = static_cast<T>(h.Next(step == 0 ? 1 : a[i], b[i], kWithRests));
        }
      }
      const auto run = [&](const Tensor& x, const Tensor& y) { return Recurrence(x, y, 1, reverse); };
      const std::vector<Tensor> in{Tensor::FromData(a, shape), Tensor::FromData(b, shape)};
      std::vector<Tensor> results{run(in[0], in[1])};
      for (const int level : {0, 2}) {
        const auto compiled = Compile(Trace(run, {Spec(in[0]), Spec(in[1])}), {.opt_level = level});
        results.push_back(compiled("main", in).tensors()[0]);
      }
      for (const Tensor& result : results) {
        const std::vector<T> got = result.template ToVector<T>();
        for (size_t i = 0; i < n; ++i)
          ASSERT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
              << shape.ToString() << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace reel
