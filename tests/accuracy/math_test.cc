// Vector math: sampled error bounds, special values, equal bits at every width. The full sweep is
// the program accuracy_sweep.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/accuracy/math_jit.h"

namespace reel::testing {
namespace {

constexpr size_t kBlock = 64;  // inputs come in multiples of this, so every width divides them

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <typename T>
void PadToBlock(std::vector<T>& x) {
  while (x.size() % kBlock != 0) x.push_back(T{1});
}

// Zeros, infinities, NaNs, denormals, bounds of the exponential, multiples of pi/2, powers of two;
// each with its neighbours and both signs.
template <typename T>
std::vector<T> SpecialInputs() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> centres = {
      T{0},         Limits::infinity(), Limits::quiet_NaN(), Limits::min(), Limits::max(), Limits::denorm_min(),
      T(88.722839), T(103.972084),      T(87.336548),        T(709.782713), T(745.133219), T(708.396418),
      T(1),         T(3.9192059),       T(5.9215872),        T(9.010913),   T(19.06154),   T(0.70710678)};
  for (int i = 1; i < 400; ++i) centres.push_back(static_cast<T>(i * 1.5707963267948966));
  for (int i = Limits::min_exponent - Limits::digits; i < Limits::max_exponent; ++i) {
    centres.push_back(std::ldexp(T{1}, i));
  }
  std::vector<T> all;
  for (const T centre : centres) {
    const auto bits = std::bit_cast<BitsOf<T>>(centre);
    for (BitsOf<T> i = 0; i < 33; ++i) {
      const T x = std::bit_cast<T>(static_cast<BitsOf<T>>(bits + i - (bits < 16 ? bits : 16)));
      all.push_back(x);
      all.push_back(-x);
    }
  }
  // The double and the float nearest to multiples of pi/2 (Muller, Elementary Functions, 11.2).
  for (const double x : {0x1.6ac5b262ca1ffp+849, 0x1.f37c8ap+95}) all.push_back(static_cast<T>(x));
  // A NaN with payload and sign must not turn into a number through the exponent tricks.
  all.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(~BitsOf<T>{0})));
  all.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(~BitsOf<T>{0} >> 1)));
  PadToBlock(all);
  return all;
}

std::vector<float> SampledFloats() {
  std::vector<float> all;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4099) {
    all.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  PadToBlock(all);
  return all;
}

std::vector<double> SampledDoubles(const MathFunction& function) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> range(4 * function.timing_lo, 4 * function.timing_hi);
  std::uniform_real_distribution<double> small(-1.5, 1.5);
  std::vector<double> all;
  for (int i = 0; i < 10000; ++i) {
    all.push_back(std::bit_cast<double>(random()));
    all.push_back(range(random));
    all.push_back(small(random));
  }
  PadToBlock(all);
  return all;
}

// Operands x and y; functions of one do not read y.
template <typename T>
struct Inputs {
  std::vector<T> x, y;
};

// Second operands: samples like x in another order, and what MathFunction::second makes of x.
template <typename T>
Inputs<T> WithSecond(const MathFunction& function, std::vector<T> x) {
  Inputs<T> in{x, x};
  if (function.operands == 1) return in;
  std::mt19937_64 random(5);
  std::shuffle(in.y.begin(), in.y.end(), random);
  if (!function.second) return in;
  std::uniform_real_distribution<double> unit(-1, 1);
  for (size_t i = 0; i < x.size(); i += 2) {
    in.y[i] = static_cast<T>(function.second(static_cast<double>(x[i]), unit(random)));
  }
  return in;
}

// Special values; of two operands all pairs of the most special ones.
template <typename T>
Inputs<T> Specials(const MathFunction& function) {
  if (function.operands == 1) return WithSecond(function, SpecialInputs<T>());
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const T x : {T{0},
                    T{1},
                    Limits::infinity(),
                    Limits::quiet_NaN(),
                    Limits::min(),
                    Limits::max(),
                    Limits::denorm_min(),
                    3 * Limits::denorm_min(),
                    T(0.5),
                    T(2),
                    T(3),
                    T(2.5),
                    T(1) + Limits::epsilon(),
                    T(1) - Limits::epsilon() / 2,
                    T(1e-30),
                    T(1e30),
                    1 / Limits::epsilon() - 1,
                    2 / Limits::epsilon() - 1,
                    2 / Limits::epsilon(),
                    T(0x1p31),
                    T(100),
                    T(-0.0)}) {
    values.push_back(x);
    values.push_back(-x);
  }
  Inputs<T> in;
  for (const T x : values) {
    for (const T y : values) {
      in.x.push_back(x);
      in.y.push_back(y);
    }
  }
  PadToBlock(in.x);
  PadToBlock(in.y);
  return in;
}

template <typename T>
std::vector<T> Evaluate(const MathFunction& function, const Inputs<T>& in, JitOptions options) {
  std::vector<T> out(in.x.size());
  MathJit(function, sizeof(T) == 4, options).Run(in.x.data(), in.y.data(), out.data(), in.x.size());
  return out;
}

double Error(const MathFunction& function, float x, float y, float out) {
  return UlpError(out, function.in_double(static_cast<double>(x), static_cast<double>(y)));
}

double Error(const MathFunction& function, double x, double y, double out) {
  return UlpError(out, function.exact(x, y));
}

template <typename T>
void ExpectWithinBound(const MathFunction& function, const Inputs<T>& in, bool has_fma) {
  const unsigned bytes = has_fma ? HostVectorBytes() : 16;
  const std::vector<T> out = Evaluate(function, in, {bytes / unsigned{sizeof(T)}, has_fma, has_fma && HostHasScale()});
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < in.x.size(); ++i) {
    const double error = Error(function, in.x[i], in.y[i], out[i]);
    if (error > worst) {
      worst = error;
      where = i;
    }
  }
  EXPECT_LE(worst, function.ulps) << function.name << "(" << in.x[where] << ", " << in.y[where] << ") = " << out[where];
}

template <typename T>
bool SameBits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<BitsOf<T>>(a) == std::bit_cast<BitsOf<T>>(b);
}

template <typename T>
void ExpectSameAtEveryWidth(const MathFunction& function, const Inputs<T>& in, bool has_fma) {
  const std::vector<T> scalar = Evaluate(function, in, {1, has_fma});
  std::vector<JitOptions> others;
  for (const unsigned width : {2u, 4u, 8u, 16u}) others.push_back({width, has_fma});
  if (has_fma && HostHasScale()) {
    for (const unsigned width : {1u, 2u, 4u, 8u, 16u, 32u}) others.push_back({width, true, true});
  }
  for (const JitOptions& options : others) {
    const std::vector<T> vector = Evaluate(function, in, options);
    size_t differing = 0;
    for (size_t i = 0; i < in.x.size(); ++i) {
      if (!SameBits(scalar[i], vector[i]) && ++differing == 1) {
        ADD_FAILURE() << function.name << "(" << in.x[i] << ", " << in.y[i] << "): width 1 gives " << scalar[i]
                      << ", width " << options.width << (options.has_scale ? " by vscalef" : "") << " gives "
                      << vector[i];
      }
    }
  }
}

struct Case {
  const MathFunction* function;
  bool has_fma;
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.function->name; }

class MathTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (GetParam().has_fma && !HostHasFma()) GTEST_SKIP() << "this machine has no FMA";
  }
  const MathFunction& function() const { return *GetParam().function; }
  bool has_fma() const { return GetParam().has_fma; }
};

TEST_P(MathTest, SampledFloatsWithinBound) {
  ExpectWithinBound(function(), WithSecond(function(), SampledFloats()), has_fma());
}

TEST_P(MathTest, SpecialFloatsWithinBound) { ExpectWithinBound(function(), Specials<float>(function()), has_fma()); }

TEST_P(MathTest, SampledDoublesWithinBound) {
  ExpectWithinBound(function(), WithSecond(function(), SampledDoubles(function())), has_fma());
}

TEST_P(MathTest, SpecialDoublesWithinBound) { ExpectWithinBound(function(), Specials<double>(function()), has_fma()); }

TEST_P(MathTest, SameBitsAtEveryWidth) {
  std::vector<float> floats = SpecialInputs<float>();
  std::mt19937 random(3);
  for (int i = 0; i < 1 << 16; ++i) {
    floats.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  }
  PadToBlock(floats);
  ExpectSameAtEveryWidth(function(), WithSecond(function(), floats), has_fma());
  const std::vector<double> doubles = SampledDoubles(function());
  ExpectSameAtEveryWidth(function(), WithSecond(function(), doubles), has_fma());
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const MathFunction& function : MathFunctions()) {
    cases.push_back({&function, true});
    cases.push_back({&function, false});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, MathTest, ::testing::ValuesIn(Cases()), [](const ::testing::TestParamInfo<Case>& info) {
  return std::string(info.param.function->name) + (info.param.has_fma ? "_fma" : "_no_fma");
});

// Exact results: compared with bits, so -0 and +0 differ.
struct Exact {
  const char* function;
  double in;
  double out;
};

TEST(MathSpecialValueTest, ExactResults) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Exact table[] = {{"exp", 0.0, 1.0},
                         {"exp", -0.0, 1.0},
                         {"exp", inf, inf},
                         {"exp", -inf, 0.0},
                         {"exp", nan, nan},
                         {"exp", 1e4, inf},
                         {"exp", -1e4, 0.0},
                         {"log", 0.0, -inf},
                         {"log", -0.0, -inf},
                         {"log", 1.0, 0.0},
                         {"log", inf, inf},
                         {"log", -inf, nan},
                         {"log", -1.0, nan},
                         {"log", nan, nan},
                         {"tanh", 0.0, 0.0},
                         {"tanh", -0.0, -0.0},
                         {"tanh", inf, 1.0},
                         {"tanh", -inf, -1.0},
                         {"tanh", nan, nan},
                         {"tanh", 30.0, 1.0},
                         {"sigmoid", 0.0, 0.5},
                         {"sigmoid", -0.0, 0.5},
                         {"sigmoid", inf, 1.0},
                         {"sigmoid", -inf, 0.0},
                         {"sigmoid", nan, nan},
                         {"sigmoid", 100.0, 1.0},
                         {"erf", 0.0, 0.0},
                         {"erf", -0.0, -0.0},
                         {"erf", inf, 1.0},
                         {"erf", -inf, -1.0},
                         {"erf", nan, nan},
                         {"erf", -9.0, -1.0},
                         {"sin", 0.0, 0.0},
                         {"sin", -0.0, -0.0},
                         {"sin", inf, nan},
                         {"sin", -inf, nan},
                         {"sin", nan, nan},
                         {"cos", 0.0, 1.0},
                         {"cos", -0.0, 1.0},
                         {"cos", inf, nan},
                         {"cos", -inf, nan},
                         {"cos", nan, nan},
                         {"tanh", 0x1p-126, 0x1p-126},
                         {"sin", 0x1p-149, 0x1p-149},
                         {"exp2", 0.0, 1.0},
                         {"exp2", 7.0, 128.0},
                         {"exp2", -149.0, 0x1p-149},
                         {"exp2", inf, inf},
                         {"exp2", -inf, 0.0},
                         {"exp2", nan, nan},
                         {"exp2", 1e5, inf},
                         {"expm1", 0.0, 0.0},
                         {"expm1", -0.0, -0.0},
                         {"expm1", inf, inf},
                         {"expm1", -inf, -1.0},
                         {"expm1", nan, nan},
                         {"expm1", 0x1p-149, 0x1p-149},
                         {"log2", 0.0, -inf},
                         {"log2", 1.0, 0.0},
                         {"log2", 0x1p-149, -149.0},
                         {"log2", 0x1p100, 100.0},
                         {"log2", inf, inf},
                         {"log2", -1.0, nan},
                         {"log2", nan, nan},
                         {"log1p", 0.0, 0.0},
                         {"log1p", -0.0, -0.0},
                         {"log1p", -1.0, -inf},
                         {"log1p", inf, inf},
                         {"log1p", -1.5, nan},
                         {"log1p", nan, nan},
                         {"log1p", 0x1p-149, 0x1p-149},
                         {"rsqrt", 0.0, inf},
                         {"rsqrt", -0.0, -inf},
                         {"rsqrt", inf, 0.0},
                         {"rsqrt", 4.0, 0.5},
                         {"rsqrt", -1.0, nan},
                         {"rsqrt", nan, nan},
                         {"rsqrt", 0x1p-148, 0x1p74},
                         {"cbrt", 0.0, 0.0},
                         {"cbrt", -0.0, -0.0},
                         {"cbrt", -inf, -inf},
                         {"cbrt", inf, inf},
                         {"cbrt", nan, nan},
                         {"cbrt", -27.0, -3.0},
                         {"cbrt", 0x1p-147, 0x1p-49},
                         {"asin", 0.0, 0.0},
                         {"asin", -0.0, -0.0},
                         {"asin", 2.0, nan},
                         {"asin", nan, nan},
                         {"acos", 1.0, 0.0},
                         {"acos", -1.5, nan},
                         {"acos", inf, nan},
                         {"acos", nan, nan},
                         {"atan", 0.0, 0.0},
                         {"atan", -0.0, -0.0},
                         {"atan", nan, nan},
                         {"sinh", 0.0, 0.0},
                         {"sinh", -0.0, -0.0},
                         {"sinh", -inf, -inf},
                         {"sinh", inf, inf},
                         {"sinh", nan, nan},
                         {"sinh", 0x1p-149, 0x1p-149},
                         {"cosh", 0.0, 1.0},
                         {"cosh", -inf, inf},
                         {"cosh", inf, inf},
                         {"cosh", nan, nan},
                         {"asinh", 0.0, 0.0},
                         {"asinh", -0.0, -0.0},
                         {"asinh", -inf, -inf},
                         {"asinh", inf, inf},
                         {"asinh", nan, nan},
                         {"acosh", 1.0, 0.0},
                         {"acosh", 0.5, nan},
                         {"acosh", -inf, nan},
                         {"acosh", inf, inf},
                         {"acosh", nan, nan},
                         {"atanh", 0.0, 0.0},
                         {"atanh", -0.0, -0.0},
                         {"atanh", 1.0, inf},
                         {"atanh", -1.0, -inf},
                         {"atanh", 1.5, nan},
                         {"atanh", nan, nan}};
  for (const MathFunction& function : MathFunctions()) {
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<double> expected;
    for (const Exact& row : table) {
      if (std::string(row.function) != function.name) continue;
      doubles.push_back(row.in);
      floats.push_back(static_cast<float>(row.in));
      expected.push_back(row.out);
    }
    if (expected.empty()) continue;
    PadToBlock(floats);
    PadToBlock(doubles);
    for (const bool has_fma : {false, true}) {
      if (has_fma && !HostHasFma()) continue;
      const auto f32 = Evaluate(function, Inputs<float>{floats, floats}, {4, has_fma});
      const auto f64 = Evaluate(function, Inputs<double>{doubles, doubles}, {2, has_fma});
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(SameBits(f32[i], static_cast<float>(expected[i])))
            << function.name << "(" << floats[i] << "f) = " << f32[i];
        EXPECT_TRUE(SameBits(f64[i], expected[i])) << function.name << "(" << doubles[i] << ") = " << f64[i];
      }
    }
  }
}

// f(x, y), f(x, -y), f(-x, y) and f(-x, -y) of functions of two operands, bit for bit.
struct ExactPair {
  const char* function;
  double x, y;
  double out[4];
};

TEST(MathSpecialValueTest, ExactResultsOfTwo) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ExactPair table[] = {{"pow", 0, 3, {0, inf, -0.0, -inf}},
                             {"pow", 0, 2, {0, inf, 0, inf}},
                             {"pow", 0, 2.5, {0, inf, 0, inf}},
                             {"pow", 0, inf, {0, inf, 0, inf}},
                             {"pow", 1, inf, {1, 1, 1, 1}},
                             {"pow", 1, nan, {1, 1, nan, nan}},
                             {"pow", nan, 0, {1, 1, 1, 1}},
                             {"pow", inf, 0, {1, 1, 1, 1}},
                             {"pow", 4, 0.5, {2, 0.5, nan, nan}},
                             {"pow", 2, 3, {8, 0.125, -8, -0.125}},
                             {"pow", 0.5, inf, {0, inf, 0, inf}},
                             {"pow", 2, inf, {inf, 0, inf, 0}},
                             {"pow", inf, 3, {inf, 0, -inf, -0.0}},
                             {"pow", inf, 0.5, {inf, 0, inf, 0}},
                             {"pow", 2, nan, {nan, nan, nan, nan}},
                             {"pow", nan, 1, {nan, nan, nan, nan}},
                             {"pow", 10, 2, {100, 0.01, 100, 0.01}},
                             {"atan2", 0, 0, {0, M_PI, -0.0, -M_PI}},
                             {"atan2", 0, 1, {0, M_PI, -0.0, -M_PI}},
                             {"atan2", 1, 0, {M_PI_2, M_PI_2, -M_PI_2, -M_PI_2}},
                             {"atan2", 1, inf, {0, M_PI, -0.0, -M_PI}},
                             {"atan2", inf, 1, {M_PI_2, M_PI_2, -M_PI_2, -M_PI_2}},
                             {"atan2", inf, inf, {M_PI_4, 3 * M_PI_4, -M_PI_4, -3 * M_PI_4}},
                             {"atan2", nan, 1, {nan, nan, nan, nan}},
                             {"atan2", inf, nan, {nan, nan, nan, nan}},
                             {"rem", 7, 3, {1, 1, -1, -1}},
                             {"rem", 6, 3, {0, 0, -0.0, -0.0}},
                             {"rem", 0, 3, {0, 0, -0.0, -0.0}},
                             {"rem", 5, inf, {5, 5, -5, -5}},
                             {"rem", 5, 0, {nan, nan, nan, nan}},
                             {"rem", inf, 5, {nan, nan, nan, nan}},
                             {"rem", 0x1p100, 3, {1, 1, -1, -1}},
                             {"rem", 0x1p-149, 0x1p-148, {0x1p-149, 0x1p-149, -0x1p-149, -0x1p-149}},
                             {"rem", 1, 0x1.8p-148, {0x1p-148, 0x1p-148, -0x1p-148, -0x1p-148}}};
  for (const ExactPair& row : table) {
    const auto of_name = [&](const MathFunction& f) { return std::string(f.name) == row.function; };
    const auto functions = MathFunctions();
    const MathFunction& function = *std::find_if(functions.begin(), functions.end(), of_name);
    Inputs<double> in{{row.x, row.x, -row.x, -row.x}, {row.y, -row.y, row.y, -row.y}};
    PadToBlock(in.x);
    PadToBlock(in.y);
    const Inputs<float> narrow{{in.x.begin(), in.x.end()}, {in.y.begin(), in.y.end()}};
    for (const bool has_fma : {false, true}) {
      if (has_fma && !HostHasFma()) continue;
      const std::vector<double> f64 = Evaluate(function, in, {4, has_fma});
      const std::vector<float> f32 = Evaluate(function, narrow, {4, has_fma});
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(SameBits(f64[i], row.out[i]))
            << row.function << "(" << in.x[i] << ", " << in.y[i] << ") = " << f64[i];
        EXPECT_TRUE(SameBits(f32[i], static_cast<float>(row.out[i])))
            << row.function << "(" << in.x[i] << "f, " << in.y[i] << "f) = " << f32[i];
      }
    }
  }
}

TEST(MathSpecialValueTest, NextAfter) {
  const float inf = std::numeric_limits<float>::infinity(), least = 0x1p-149f;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Inputs<float> in{{0, -0.0f, 1, 1, -1, 0x1.fffffep127f, inf, least, 2, 0, nan, 1},
                   {1, -1, 2, 0, 0, inf, 0, -1, 2, -0.0f, 1, nan}};
  const std::vector<float> expected = {
      least, -least, 0x1.000002p0f, 0x1.fffffep-1f, -0x1.fffffep-1f, inf, 0x1.fffffep127f, 0, 2, -0.0f, nan, nan};
  PadToBlock(in.x);
  PadToBlock(in.y);
  const MathFunction function{"next_after",
                              2,
                              [](llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y,
                                 const codegen::math::MathOptions&) { return codegen::math::EmitNextAfter(b, x, y); },
                              nullptr,
                              nullptr,
                              0,
                              1};
  for (const unsigned width : {1u, 16u}) {
    const std::vector<float> out = Evaluate(function, in, {width, false});
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(SameBits(out[i], expected[i])) << in.x[i] << " towards " << in.y[i] << " -> " << out[i];
    }
  }
}

// Maximum, minimum and conversion through the same compiled loop: one operand is fixed per kernel.
llvm::Value* MaximumWithNegativeZero(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value*,
                                     const codegen::math::MathOptions&) {
  return codegen::math::EmitMaximum(b, x, llvm::ConstantFP::get(x->getType(), -0.0));
}

llvm::Value* MinimumWithZero(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value*, const codegen::math::MathOptions&) {
  return codegen::math::EmitMinimum(b, x, llvm::ConstantFP::get(x->getType(), 0.0));
}

llvm::Value* ThroughInt32(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value*, const codegen::math::MathOptions&) {
  llvm::Value* i = codegen::math::EmitFloatToIntSaturate(b, x, b.getInt32Ty());
  return b.CreateSIToFP(i, x->getType());
}

TEST(MathSpecialValueTest, MaximumMinimumConvert) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> in = {0.0f, -0.0f, nan, inf, -inf, 1.5f, -1.5f, 3e9f, -3e9f, 0.75f};
  const std::vector<float> maximum = {0.0f, -0.0f, nan, inf, -0.0f, 1.5f, -0.0f, 3e9f, -0.0f, 0.75f};
  const std::vector<float> minimum = {0.0f, -0.0f, nan, 0.0f, -inf, 0.0f, -1.5f, 0.0f, -3e9f, 0.0f};
  const std::vector<float> through = {0.0f, 0.0f,  0.0f,          2147483648.0f,  -2147483648.0f,
                                      1.0f, -1.0f, 2147483648.0f, -2147483648.0f, 0.0f};
  const size_t count = in.size();
  PadToBlock(in);
  const auto expect = [&](auto emit, const std::vector<float>& expected) {
    const MathFunction function{"f", 1, emit, nullptr, nullptr, 0, 1};
    for (const bool has_fma : {false, true}) {
      if (has_fma && !HostHasFma()) continue;
      for (const unsigned width : {1u, 4u, 8u, 16u}) {
        const auto out = Evaluate(function, Inputs<float>{in, in}, {width, has_fma});
        for (size_t i = 0; i < count; ++i) {
          EXPECT_TRUE(SameBits(out[i], expected[i])) << in[i] << " -> " << out[i];
        }
      }
    }
  };
  expect(MaximumWithNegativeZero, maximum);
  expect(MinimumWithZero, minimum);
  expect(ThroughInt32, through);
}

}  // namespace
}  // namespace reel::testing
