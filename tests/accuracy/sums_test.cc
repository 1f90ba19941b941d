#include <gtest/gtest.h>
#include <reel/reel.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

// Errors of compiled sums and products of matrices against the bounds that their order of additions gives:
//   reduce_sum of n:   2 eps (log2 n + 64) sum |x|     64 interleaved partials per block of 4096, then a tree
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
  for (size_t n : {1, 63, 64, 65, 1000, 4096, 4097, 100000, 1 << 20}) {
    const std::vector<T> x = Draw<T>(n, n);
    long double exact = 0, magnitude = 0;
    for (T v : x) exact += v, magnitude += std::fabs(static_cast<long double>(v));
    const auto dim = static_cast<int64_t>(n);
    const T flat = ReduceSum(Tensor::FromData(x, {dim})).template item<T>();
    const long double bound =
        2 * this->kEps * (std::log2(static_cast<long double>(n)) + 64) * magnitude;
    EXPECT_LE(std::fabs(flat - exact), bound) << n;
    // The same order along another axis: the same bits.
    const Tensor columns = ReduceSum(BroadcastTo(Tensor::FromData(x, {dim, 1}), {dim, 3}), 0);
    for (T v : columns.template ToVector<T>()) EXPECT_EQ(v, flat) << n;
  }
}

TYPED_TEST(Sums, ContractIsWithinItsBound) {
  using T = TypeParam;
  constexpr int64_t kRows = 3, kColumns = 5;
  for (size_t k : {1, 255, 256, 257, 1000, 70000}) {
    const std::vector<T> a = Draw<T>(kRows * k, k), b = Draw<T>(k * kColumns, k + 1);
    const auto depth = static_cast<int64_t>(k);
    const auto c = MatMul(Tensor::FromData(a, {kRows, depth}), Tensor::FromData(b, {depth, kColumns}))
                       .template ToVector<T>();
    for (size_t i = 0; i < kRows; ++i) {
      for (size_t j = 0; j < kColumns; ++j) {
        long double exact = 0, magnitude = 0;
        for (size_t n = 0; n < k; ++n) {
          const long double term = static_cast<long double>(a[i * k + n]) * b[n * kColumns + j];
          exact += term, magnitude += std::fabs(term);
        }
        const long double bound =
            this->kEps * (256 + static_cast<long double>(k) / 256) * magnitude;
        EXPECT_LE(std::fabs(c[i * kColumns + j] - exact), bound) << k;
      }
    }
  }
}

}  // namespace
}  // namespace reel
