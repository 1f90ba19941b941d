#include <gtest/gtest.h>
#include <reel/reel.h>
#include <reel/special.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

// Functions of all 65,536 f16 and bf16 numbers, and of f32 numbers over all exponents, against 80-bit floats. Halves
// are computed in f32 or f64 and rounded once: at most kOnce ULP, whatever the function promises in f32.

namespace reel {
namespace {

using Real = long double;
constexpr double kOnce = 0.51;

struct Row {
  const char* name;
  Tensor (*f)(const Operand& x);
  Real (*exact)(Real x);
  double f32;  ///< ULP allowed in f32
};

Real Sigma(Real x) { return 1 / (1 + std::exp(-x)); }
Real Phi(Real x) { return std::erfc(-x / std::numbers::sqrt2_v<Real>) / 2; }
Real LogPhi(Real x) {
  if (x > 0) return std::log1p(-Phi(-x));
  if (x > -30) return std::log(Phi(x));
  const Real r = 1 / (x * x);
  return -x * x / 2 - std::log(-x * std::sqrt(2 * std::numbers::pi_v<Real>)) +
         std::log1p(-r * (1 - r * (3 - r * (15 - 105 * r))));
}

Real Density(Real x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi_v<Real>); }

Tensor GeluSlope(const Operand& x) {
  const Tensor t = x.tensor();
  GradientTape tape;
  tape.Watch(t);
  return *tape.Gradient(Gelu(t), t);
}

const Row kRows[] = {
    {"exp", Exp, std::exp, 1},
    {"exp2", Exp2, std::exp2, 1},
    {"expm1", Expm1, std::expm1, 1},
    {"log", Log, std::log, 1},
    {"log2", Log2, std::log2, 1},
    {"log10", Log10, std::log10, 1},
    {"log1p", Log1p, std::log1p, 1},
    {"cbrt", Cbrt, std::cbrt, 1},
    {"tanh", Tanh, std::tanh, 1.8},
    {"sigmoid", Sigmoid, Sigma, 1.5},
    {"erf", Erf, std::erf, 1},
    {"erfc", Erfc, std::erfc, 1},
    {"lgamma", Lgamma, std::lgamma, 1},
    {"sin", Sin, std::sin, 1},
    {"cos", Cos, std::cos, 1},
    {"asin", Asin, std::asin, 1},
    {"acos", Acos, std::acos, 1},
    {"atan", Atan, std::atan, 1},
    {"sinh", Sinh, std::sinh, 1},
    {"cosh", Cosh, std::cosh, 1},
    {"asinh", Asinh, std::asinh, 1},
    {"acosh", Acosh, std::acosh, 1},
    {"atanh", Atanh, std::atanh, 1},
    {"ndtr", Ndtr, Phi, 1},
    {"log_ndtr", LogNdtr, LogPhi, 1},
    {"gelu", Gelu, [](Real x) { return x * Phi(x); }, 1},
    {"gelu'", GeluSlope, [](Real x) { return Phi(x) + x * Density(x); }, 1},
};

struct Format {
  DType dtype;
  int digits, min_exponent, max_exponent;  ///< as std::numeric_limits
};
constexpr Format kF16{kFloat16, 11, -13, 16}, kBf16{kBFloat16, 8, -125, 128}, kF32{kFloat32, 24, -125, 128};

double Ulps(Real got, Real exact, const Format& format) {
  if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) && std::isnan(exact) ? 0 : INFINITY;
  const Real top = std::ldexp(Real{1}, format.max_exponent);
  got = std::clamp(got, -top, top);
  exact = std::clamp(exact, -top, top);
  const int exponent =
      exact == 0 ? format.min_exponent : std::clamp(std::ilogb(exact) + 1, format.min_exponent, format.max_exponent);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(Real{1}, exponent - format.digits));
}

std::vector<double> AllOf(const Format& format) {
  std::vector<double> out;
  if (format.dtype == kFloat32) {
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 40009)
      out.push_back(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    for (double x = -15; x < 15; x += 0x1.01p-9) out.push_back(static_cast<double>(static_cast<float>(x)));
    return out;
  }
  std::vector<int16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<int16_t>(i);
  return Cast(Bitcast(Tensor::FromData(bits, {65536}), format.dtype), kFloat64).ToVector<double>();
}

double Worst(const Row& row, const Format& format, const std::vector<double>& x, double* at) {
  const auto n = static_cast<int64_t>(x.size());
  const std::vector<double> y = Cast(row.f(Cast(Tensor::FromData(x, {n}), format.dtype)), kFloat64).ToVector<double>();
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = Ulps(y[i], row.exact(x[i]), format);
    if (error > worst) worst = error, *at = x[i];
  }
  return worst;
}

TEST(Halves, AreRoundedOnce) {
  std::printf("%-9s %9s %9s %9s\n", "ULP", "f16", "bf16", "f32");
  const std::vector<double> f16 = AllOf(kF16), bf16 = AllOf(kBf16), f32 = AllOf(kF32);
  for (const Row& row : kRows) {
    double at[3] = {};
    const double error[3] = {Worst(row, kF16, f16, &at[0]), Worst(row, kBf16, bf16, &at[1]),
                             Worst(row, kF32, f32, &at[2])};
    std::printf("%-9s %9.4f %9.4f %9.4f\n", row.name, error[0], error[1], error[2]);
    EXPECT_LE(error[0], kOnce) << row.name << " of f16 " << at[0];
    EXPECT_LE(error[1], kOnce) << row.name << " of bf16 " << at[1];
    EXPECT_LE(error[2], row.f32) << row.name << " of f32 " << at[2];
  }
}

}  // namespace
}  // namespace reel
