// Sorts and selections of all kinds of rows, beside std::stable_sort (codegen/lower/sort.cc). No bit depends on level,
// threads or vector width.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "reel/reel.h"
#include "tests/codegen/bits_util.h"

namespace reel {
namespace {

using Numbers = std::vector<double>;

// Samples of every piece are its smallest words, so that quicksort never comes to an end (codegen/lower/sort_words.cc).
Numbers Adversary(size_t n) {
  constexpr size_t kSample = 16;
  std::vector<size_t> place(n);
  std::iota(place.begin(), place.end(), size_t{0});
  Numbers value(n, static_cast<double>(n));
  double next = 0;
  for (size_t begin = 0; begin + 128 < n; begin += kSample / 2) {
    const size_t step = (n - begin) / kSample;
    for (size_t i = 0; i < kSample; ++i) value[place[begin + i * step]] = next++;
    const double pivot = value[place[begin + kSample / 2 * step]];
    size_t middle = begin;
    for (size_t i = begin; i < n; ++i) {
      std::swap(place[i], place[middle]);
      middle += value[place[middle]] < pivot;
    }
    for (size_t i = middle; i < n; ++i) value[place[i]] = static_cast<double>(n);
    next = pivot;
  }
  return value;
}

Numbers Special(std::mt19937& rng) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const Numbers all{0.0, -0.0, kNan, -kNan, kInf, -kInf, 1, -1, 1e-45, -1e-45};
  Numbers x(777);
  for (double& v : x) v = all[rng() % all.size()];
  return x;
}

// Rows of n numbers.
Numbers Make(const std::string& kind, size_t n, std::mt19937& rng) {
  Numbers x(n);
  if (kind == "adversary") return Adversary(n);
  if (kind == "special") return Special(rng);
  for (size_t i = 0; i < n; ++i)
    x[i] = kind == "ties" ? static_cast<double>(rng() % 5) : std::normal_distribution<double>()(rng) * 100;
  if (kind == "ascending") std::sort(x.begin(), x.end());
  if (kind == "descending") std::sort(x.rbegin(), x.rend());
  return x;
}

// Positions that sort the row from `begin` on: NaN is the largest, -0 equals 0.
std::vector<int64_t> OrderOf(const Numbers& x, size_t begin, size_t n, bool descending) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto less = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const double a = x[begin + static_cast<size_t>(i)], b = x[begin + static_cast<size_t>(j)];
    return descending ? less(b, a) : less(a, b);
  });
  return order;
}

struct Case {
  std::string kind;
  DType dtype;
  size_t rows, n;
};

class Sorts : public testing::TestWithParam<Case> {};

TEST_P(Sorts, AsStableSort) {
  const Case& c = GetParam();
  std::mt19937 rng(7);
  Numbers x;
  for (size_t r = 0; r < c.rows; ++r) {
    const Numbers row = Make(c.kind, c.n, rng);
    x.insert(x.end(), row.begin(), row.end());
  }
  const auto rows = static_cast<int64_t>(c.rows), n = static_cast<int64_t>(x.size()) / rows;
  const Tensor in = Cast(Tensor::FromData(x, {rows, n}), c.dtype);
  const auto rounded = Cast(in, kFloat64).ToVector<double>();
  std::vector<int64_t> counts{n, std::max<int64_t>(n / 4, 1), 1, std::min<int64_t>(n, 3)};
  // One operand each: what reads the same order would share it.
  const auto f = [=](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
    std::vector<Tensor> parts;
    for (const bool descending : {false, true}) {
      size_t i = 0;
      for (const Tensor& x : {a, b, c, d})
        parts.push_back(Slice(Argsort(x, 1, descending), {0, 0}, {rows, counts[i++]}));
    }
    return parts;
  };
  std::vector<Tensor> expected;
  for (const bool descending : {false, true}) {
    for (const int64_t count : counts) {
      std::vector<int64_t> all;
      for (int64_t r = 0; r < rows; ++r) {
        const auto order = OrderOf(rounded, static_cast<size_t>(r * n), static_cast<size_t>(n), descending);
        all.insert(all.end(), order.begin(), order.begin() + count);
      }
      expected.push_back(Tensor::FromData(all, {rows, count}));
    }
  }
  ExpectSameBits(Trace(f, {Spec(in), Spec(in), Spec(in), Spec(in)}), {in, in, in, in}, expected);
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const DType dtype : {kFloat32, kFloat64, kInt8, kInt64}) {
    for (const char* kind : {"random", "ties", "ascending", "descending"}) {
      for (const size_t n : {size_t{1}, size_t{17}, size_t{64}, size_t{65}, size_t{1000}})
        cases.push_back({kind, dtype, 3, n});
    }
  }
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16}) cases.push_back({"special", dtype, 2, 777});
  for (const DType dtype : {kFloat32, kInt64}) {
    cases.push_back({"adversary", dtype, 1, 9000});
    cases.push_back({"random", dtype, 1, 100000});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Sorts, testing::ValuesIn(Cases()), [](const auto& p) {
  return p.param.kind + "_" + std::string(Name(p.param.dtype)) + "_" + std::to_string(p.param.n);
});

// Along another axis, of rows that are not neighbours, and where the whole order is read, too.
TEST(Selection, OtherAxesAndReaders) {
  const Tensor x = RandomNormal({7, 60, 5}, {.generator = Generator(3)});
  const auto f = [](const Tensor& x) {
    const TopKResult top = TopK(x, 4, 1, true);
    const Tensor order = Argsort(x, 0), few = Slice(order, {0, 0, 0}, {1, 60, 5});
    const Tensor reversed = Slice(Argsort(Transpose(x, {2, 1, 0}), 1), {0, 0, 0}, {5, 3, 7});
    return std::vector<Tensor>{top.values, top.indices, few, order, reversed};
  };
  ExpectSameBits(Trace(f, {Spec(x)}), {x}, f(x));
}

}  // namespace
}  // namespace reel
