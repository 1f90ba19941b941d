// Vector math: sampled error bounds, special values, equal bits at every width. The full sweep is
// the program accuracy_sweep.
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
constexpr double kBound = 1.0;

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
  std::vector<T> centres = {T{0},          Limits::infinity(), Limits::quiet_NaN(),
                            Limits::min(), Limits::max(),      Limits::denorm_min(),
                            T(88.722839),  T(103.972084),      T(87.336548),
                            T(709.782713), T(745.133219),      T(708.396418),
                            T(1),          T(3.9192059),       T(5.9215872),
                            T(9.010913),   T(19.06154),        T(0.70710678)};
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
  for (int i = 0; i < 20000; ++i) {
    all.push_back(std::bit_cast<double>(random()));
    all.push_back(range(random));
    all.push_back(small(random));
  }
  PadToBlock(all);
  return all;
}

template <typename T>
std::vector<T> Evaluate(const MathFunction& function, const std::vector<T>& in,
                        JitOptions options) {
  std::vector<T> out(in.size());
  MathJit(function, sizeof(T) == 4, options).Run(in.data(), out.data(), in.size());
  return out;
}

double Error(const MathFunction& function, float in, float out) {
  return UlpError(out, function.in_double(static_cast<double>(in)));
}

double Error(const MathFunction& function, double in, double out) {
  return UlpError(out, function.in_long_double(in));
}

template <typename T>
void ExpectWithinBound(const MathFunction& function, const std::vector<T>& in, bool has_fma) {
  const unsigned bytes = has_fma ? HostVectorBytes() : 16;
  const std::vector<T> out = Evaluate(function, in, {bytes / unsigned{sizeof(T)}, has_fma});
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const double error = Error(function, in[i], out[i]);
    if (error > worst) {
      worst = error;
      where = i;
    }
  }
  EXPECT_LE(worst, kBound) << function.name << "(" << in[where] << ") = " << out[where];
}

template <typename T>
bool SameBits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<BitsOf<T>>(a) == std::bit_cast<BitsOf<T>>(b);
}

template <typename T>
void ExpectSameAtEveryWidth(const MathFunction& function, const std::vector<T>& in, bool has_fma) {
  const std::vector<T> scalar = Evaluate(function, in, {1, has_fma});
  for (const unsigned width : {2u, 4u, 8u, 16u}) {
    const std::vector<T> vector = Evaluate(function, in, {width, has_fma});
    size_t differing = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      if (!SameBits(scalar[i], vector[i]) && ++differing == 1) {
        ADD_FAILURE() << function.name << "(" << in[i] << "): width 1 gives " << scalar[i]
                      << ", width " << width << " gives " << vector[i];
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

TEST_P(MathTest, SampledFloatsWithinOneUlp) {
  ExpectWithinBound(function(), SampledFloats(), has_fma());
}

TEST_P(MathTest, SpecialFloatsWithinOneUlp) {
  ExpectWithinBound(function(), SpecialInputs<float>(), has_fma());
}

TEST_P(MathTest, SampledDoublesWithinOneUlp) {
  ExpectWithinBound(function(), SampledDoubles(function()), has_fma());
}

TEST_P(MathTest, SpecialDoublesWithinOneUlp) {
  ExpectWithinBound(function(), SpecialInputs<double>(), has_fma());
}

TEST_P(MathTest, SameBitsAtEveryWidth) {
  std::vector<float> floats = SpecialInputs<float>();
  std::mt19937 random(3);
  for (int i = 0; i < 1 << 16; ++i) {
    floats.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  }
  PadToBlock(floats);
  ExpectSameAtEveryWidth(function(), floats, has_fma());
  std::vector<double> doubles = SampledDoubles(function());
  ExpectSameAtEveryWidth(function(), doubles, has_fma());
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const MathFunction& function : MathFunctions()) {
    cases.push_back({&function, true});
    cases.push_back({&function, false});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, MathTest, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<Case>& info) {
                           return std::string(info.param.function->name) +
                                  (info.param.has_fma ? "_fma" : "_no_fma");
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
  const Exact table[] = {
      {"exp", 0.0, 1.0},      {"exp", -0.0, 1.0},      {"exp", inf, inf},     {"exp", -inf, 0.0},
      {"exp", nan, nan},      {"exp", 1e4, inf},       {"exp", -1e4, 0.0},    {"log", 0.0, -inf},
      {"log", -0.0, -inf},    {"log", 1.0, 0.0},       {"log", inf, inf},     {"log", -inf, nan},
      {"log", -1.0, nan},     {"log", nan, nan},       {"tanh", 0.0, 0.0},    {"tanh", -0.0, -0.0},
      {"tanh", inf, 1.0},     {"tanh", -inf, -1.0},    {"tanh", nan, nan},    {"tanh", 30.0, 1.0},
      {"sigmoid", 0.0, 0.5},  {"sigmoid", -0.0, 0.5},  {"sigmoid", inf, 1.0},
      {"sigmoid", -inf, 0.0},
      {"sigmoid", nan, nan},  {"sigmoid", 100.0, 1.0}, {"erf", 0.0, 0.0},     {"erf", -0.0, -0.0},
      {"erf", inf, 1.0},      {"erf", -inf, -1.0},     {"erf", nan, nan},     {"erf", -9.0, -1.0},
      {"sin", 0.0, 0.0},      {"sin", -0.0, -0.0},     {"sin", inf, nan},     {"sin", -inf, nan},
      {"sin", nan, nan},      {"cos", 0.0, 1.0},       {"cos", -0.0, 1.0},    {"cos", inf, nan},
      {"cos", -inf, nan},     {"cos", nan, nan},       {"tanh", 0x1p-126, 0x1p-126},
      {"sin", 0x1p-149, 0x1p-149}};
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
    PadToBlock(floats);
    PadToBlock(doubles);
    for (const bool has_fma : {false, true}) {
      if (has_fma && !HostHasFma()) continue;
      const std::vector<float> f32 = Evaluate(function, floats, {4, has_fma});
      const std::vector<double> f64 = Evaluate(function, doubles, {2, has_fma});
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(SameBits(f32[i], static_cast<float>(expected[i])))
            << function.name << "(" << floats[i] << "f) = " << f32[i];
        EXPECT_TRUE(SameBits(f64[i], expected[i]))
            << function.name << "(" << doubles[i] << ") = " << f64[i];
      }
    }
  }
}

// Maximum, minimum and conversion through the same compiled loop: one operand is fixed per kernel.
llvm::Value* MaximumWithNegativeZero(llvm::IRBuilderBase& b, llvm::Value* x,
                                     const codegen::math::MathOptions&) {
  return codegen::math::EmitMaximum(b, x, llvm::ConstantFP::get(x->getType(), -0.0));
}

llvm::Value* MinimumWithZero(llvm::IRBuilderBase& b, llvm::Value* x,
                             const codegen::math::MathOptions&) {
  return codegen::math::EmitMinimum(b, x, llvm::ConstantFP::get(x->getType(), 0.0));
}

llvm::Value* ThroughInt32(llvm::IRBuilderBase& b, llvm::Value* x,
                          const codegen::math::MathOptions&) {
  llvm::Value* i = codegen::math::EmitFloatToIntSaturate(b, x, b.getInt32Ty());
  return b.CreateSIToFP(i, x->getType());
}

TEST(MathSpecialValueTest, MaximumMinimumConvert) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> in = {0.0f, -0.0f, nan, inf, -inf, 1.5f, -1.5f, 3e9f, -3e9f, 0.75f};
  const std::vector<float> maximum = {0.0f, -0.0f, nan,  inf,   -0.0f,
                                      1.5f, -0.0f, 3e9f, -0.0f, 0.75f};
  const std::vector<float> minimum = {0.0f, -0.0f, nan, 0.0f, -inf, 0.0f, -1.5f, 0.0f, -3e9f, 0.0f};
  const std::vector<float> through = {0.0f, 0.0f, 0.0f, 2147483648.0f, -2147483648.0f,
                                      1.0f, -1.0f, 2147483648.0f, -2147483648.0f, 0.0f};
  const size_t count = in.size();
  PadToBlock(in);
  const auto expect = [&](auto emit, const std::vector<float>& expected) {
    const MathFunction function{"f", emit, nullptr, nullptr, 0, 1};
    for (const bool has_fma : {false, true}) {
      if (has_fma && !HostHasFma()) continue;
      for (const unsigned width : {1u, 4u, 8u, 16u}) {
        const std::vector<float> out = Evaluate(function, in, {width, has_fma});
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
