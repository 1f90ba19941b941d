#include <gtest/gtest.h>
#include <reel/reductions.h>
#include <reel/reel.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

// Sums, products, norms and what is made of them on data where they are hard: never less accurate than the better of
// PyTorch and JAX in that dtype, whose errors peers.py recorded in peers.inc, or within the roundings that no order of
// operations saves.

namespace reel {
namespace {

using Real = long double;
using Reals = std::vector<Real>;

struct Row {
  DType dtype;
  std::string op, data;
  int64_t n;
  double torch, jax;
};
const std::vector<Row> kRows = {
#include "tests/accuracy/peers.inc"
};

// splitmix64 in [0, 1)
double Unit(uint64_t i) {
  uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return std::ldexp(static_cast<double>((z ^ (z >> 31)) >> 11), -53);
}

double Element(const Row& row, int64_t i) {
  const auto at = static_cast<uint64_t>(i);
  const double u = Unit(at);
  if (row.data == "long") return u / 4;
  if (row.data == "signed") return u * 2 - 1;
  if (row.data == "scales") return std::ldexp(u * 2 - 1, -static_cast<int>(i % 12));
  if (row.data == "cancelling")
    return (i < row.n / 2 ? u : -Unit(at - static_cast<uint64_t>(row.n / 2))) / 4 + (i == 0 ? 0x1p-9 : 0);
  if (row.data == "offset") return (IsHalf(row.dtype) ? 1000 : 1e6) + (u * 8 - 4);
  if (row.data == "near one") return 1 + (u - 0.5) * 0x1p-6;
  return u * 20 - 10;  // spread
}

Reals ValuesOf(const Tensor& x) {
  const std::vector<double> values = Cast(x, kFloat64).ToVector<double>();
  return {values.begin(), values.end()};
}

Tensor Computed(const std::string& op, const Tensor& x) {
  if (op == "sum") return ReduceSum(x);
  if (op == "cumsum") return CumSum(x, 0);
  if (op == "prod") return ReduceProd(x);
  if (op == "cumprod") return CumProd(x, 0);
  if (op == "norm") return Norm(x);
  if (op == "variance") return ReduceVariance(x);
  return op == "softmax" ? Softmax(x, 0) : LogSumExp(x);
}

Reals Exact(const std::string& op, const Reals& x) {
  Real sum = 0, product = 1, squares = 0, powers = 0;
  const Real top = *std::max_element(x.begin(), x.end());
  Reals sums, products, exponentials;
  for (Real v : x) {
    sums.push_back(sum += v);
    products.push_back(product *= v);
    squares += v * v;
    exponentials.push_back(std::exp(v - top));
    powers += exponentials.back();
  }
  if (op == "sum") return {sum};
  if (op == "cumsum") return sums;
  if (op == "prod") return {product};
  if (op == "cumprod") return products;
  if (op == "norm") return {std::sqrt(squares)};
  if (op == "logsumexp") return {std::log(powers) + top};
  if (op == "softmax") {
    for (Real& v : exponentials) v /= powers;
    return exponentials;
  }
  const Real count = static_cast<Real>(x.size()), mean = sum / count;
  squares = 0;
  for (Real v : x) squares += (v - mean) * (v - mean);
  return {squares / count};
}

// The largest error, relative to the result, or for sums to the sum of all sizes.
double Error(const std::string& op, const Reals& x, const Reals& y) {
  const Reals exact = Exact(op, x);
  Real worst = 0, sizes = 0;
  size_t next = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    for (; next < x.size() && (next <= i || y.size() == 1); ++next) sizes += std::fabs(x[next]);
    const Real scale = op == "sum" || op == "cumsum" ? sizes : std::fabs(exact[i]);
    const Real error = std::fabs(y[i] - exact[i]) / scale;
    if (!(error <= worst)) worst = error;
  }
  return static_cast<double>(std::isnan(worst) ? std::numeric_limits<Real>::infinity() : worst);
}

double UnitRoundoff(DType dtype) {
  return dtype == kFloat64 ? 0x1p-53 : dtype == kFloat32 ? 0x1p-24 : dtype == kFloat16 ? 0x1p-11 : 0x1p-8;
}

// In units of roundoff: a sum's own and its result's; softmax: of the exponential, of the sum and of the quotient. The
// product of n f64 rounds n times in any order, which walk at random; narrower ones are taken in f64.
double Unavoidable(const Row& row) {
  if (row.op == "softmax") return 3;
  return row.op.ends_with("prod") && row.dtype == kFloat64 ? std::sqrt(static_cast<double>(row.n)) : 2;
}

TEST(Peers, NeverLessAccurateThanTheBetter) {
  std::printf("%-5s %-10s %-11s %7s  %9s %9s %9s\n", "dtype", "op", "data", "n", "reel", "torch", "jax");
  for (const Row& row : kRows) {
    std::vector<double> elements;
    for (int64_t i = 0; i < row.n; ++i) elements.push_back(Element(row, i));
    const Tensor x = Cast(Tensor::FromData(elements, {row.n}), row.dtype);
    const double error = Error(row.op, ValuesOf(x), ValuesOf(Computed(row.op, x)));
    // 1 %: where all of them round the same differences, chance decides the last digits.
    const double best = 1.01 * std::min(row.torch, row.jax);
    const double allowed = std::max(best, Unavoidable(row) * UnitRoundoff(row.dtype));
    std::printf("%-5s %-10s %-11s %7lld  %9.3g %9.3g %9.3g%s\n", std::string(Name(row.dtype)).c_str(), row.op.c_str(),
                row.data.c_str(), static_cast<long long>(row.n), error, row.torch, row.jax,
                error <= allowed ? "" : "  <-");
    EXPECT_LE(error, allowed) << row.op << " of " << row.data << " data";
  }
}

}  // namespace
}  // namespace reel
