// Casts between dtypes: what is saturated, truncated, rounded, on every CPU level. The expected bits of bf16 and the
// integers are from exact arithmetic, those of f16 from NumPy 2.4.6.

#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"
#include "reel/reel.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
constexpr const char* kCpus[] = {"native", "x86-64-v3", "x86-64-v2"};

const std::vector<double> kValues{1.5,         -1.5,
                                  300.7,       -300.7,
                                  65519.0,     65520.0,
                                  1e10,        -1e10,
                                  1e20,        -1e20,
                                  kNan,        kInf,
                                  -kInf,       -0.0,
                                  0x1p-25,     1.0000001 * 0x1p-25,
                                  1 + 0x1p-11, 1 + 3 * 0x1p-11,
                                  1 + 0x1p-8,  1 + 0x1p-8 + 0x1p-40,
                                  3.4e38};

// The cast compiled for a CPU level.
Tensor CastOn(const char* cpu, const Tensor& x, DType dtype) {
  const auto cast = [&](const Tensor& t) { return Cast(t, dtype); };
  return Compile(Trace(cast, {Spec(x)}), {.cpu = cpu})("main", x);
}

template <typename T>
void ExpectCasts(const std::vector<T>& want) {
  const auto n = static_cast<int64_t>(kValues.size());
  const Tensor x = Tensor::FromData(kValues, {n});
  for (const char* cpu : kCpus) {
    EXPECT_EQ(CastOn(cpu, x, DTypeOf<T>::value).template ToVector<T>(), want) << Name(DTypeOf<T>::value) << cpu;
  }
  EXPECT_EQ(Cast(x, DTypeOf<T>::value).template ToVector<T>(), want) << "eager";
}

TEST(Casts, FloatsToIntegersTruncateAndSaturate) {
  constexpr auto kMin32 = INT32_MIN;
  constexpr auto kMin64 = INT64_MIN, kMax64 = INT64_MAX;
  ExpectCasts<int8_t>({1, -1, 127, -128, 127, 127, 127, -128, 127, -128, 0, 127, -128, 0, 0, 0, 1, 1, 1, 1, 127});
  ExpectCasts<int16_t>(
      {1, -1, 300, -300, 32767, 32767, 32767, -32768, 32767, -32768, 0, 32767, -32768, 0, 0, 0, 1, 1, 1, 1, 32767});
  ExpectCasts<int32_t>({1,         -1,     300, -300, 65519, 65520, INT32_MAX, kMin32, INT32_MAX, kMin32,   0,
                        INT32_MAX, kMin32, 0,   0,    0,     1,     1,         1,      1,         INT32_MAX});
  ExpectCasts<int64_t>({1, -1, 300, -300, 65519, 65520, 10000000000, -10000000000, kMax64, kMin64, 0, kMax64, kMin64,
                        0, 0,  0,   1,    1,     1,     1,           kMax64});
  ExpectCasts<uint8_t>({1, 0, 255, 0, 255, 255, 255, 0, 255, 0, 0, 255, 0, 0, 0, 0, 1, 1, 1, 1, 255});
  ExpectCasts<uint16_t>({1, 0, 300, 0, 65519, 65520, 65535, 0, 65535, 0, 0, 65535, 0, 0, 0, 0, 1, 1, 1, 1, 65535});
  ExpectCasts<uint32_t>(
      {1, 0, 300, 0, 65519, 65520, UINT32_MAX, 0, UINT32_MAX, 0, 0, UINT32_MAX, 0, 0, 0, 0, 1, 1, 1, 1, UINT32_MAX});
  ExpectCasts<uint64_t>(
      {1, 0, 300, 0, 65519, 65520, 10000000000, 0, UINT64_MAX, 0, 0, UINT64_MAX, 0, 0, 0, 0, 1, 1, 1, 1, UINT64_MAX});
}

std::vector<uint16_t> BitsOf(const Tensor& x) {
  std::vector<uint16_t> bits(static_cast<size_t>(x.size()));
  std::memcpy(bits.data(), x.raw_data(), bits.size() * 2);
  return bits;
}

TEST(Casts, DoublesToHalvesRoundOnce) {
  const std::vector<uint16_t> f16{0x3e00, 0xbe00, 0x5cb3, 0xdcb3, 0x7bff, 0x7c00, 0x7c00,
                                  0xfc00, 0x7c00, 0xfc00, 0x7e00, 0x7c00, 0xfc00, 0x8000,
                                  0x0000, 0x0001, 0x3c00, 0x3c02, 0x3c04, 0x3c04, 0x7c00};
  const std::vector<uint16_t> bf16{0x3fc0, 0xbfc0, 0x4396, 0xc396, 0x4780, 0x4780, 0x5015,
                                   0xd015, 0x60ad, 0xe0ad, 0x7fc0, 0x7f80, 0xff80, 0x8000,
                                   0x3300, 0x3300, 0x3f80, 0x3f80, 0x3f80, 0x3f81, 0x7f80};
  const Tensor x = Tensor::FromData(kValues, {static_cast<int64_t>(kValues.size())});
  for (const char* cpu : kCpus) {
    EXPECT_EQ(BitsOf(CastOn(cpu, x, kFloat16)), f16) << cpu;
    EXPECT_EQ(BitsOf(CastOn(cpu, x, kBFloat16)), bf16) << cpu;
  }
}

// All 65536 numbers widen to what they are and come back; the midpoints between neighbours go to the even one.
template <typename T>
void ExpectAllHalves() {
  std::vector<T> all(1 << 16);
  for (size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<uint16_t>(i);
  const Tensor x = Tensor::FromData(all, {1 << 16});
  std::vector<float> wide, middle;
  for (const T& h : all) wide.push_back(h);
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t next = std::isfinite(wide[i]) && std::isfinite(wide[i + 1]) ? i + 1 : i;
    middle.push_back(static_cast<float>((double{wide[i]} + double{wide[next]}) / 2));
  }
  const Tensor between = Tensor::FromData(middle, {1 << 16});
  for (const char* cpu : kCpus) {
    const Tensor f = CastOn(cpu, x, kFloat32);
    const auto back = BitsOf(CastOn(cpu, f, DTypeOf<T>::value));
    const auto rounded = BitsOf(CastOn(cpu, between, DTypeOf<T>::value));
    for (size_t i = 0; i < all.size(); ++i) {
      if (std::isnan(wide[i])) {
        T again;
        again.bits = back[i];
        ASSERT_TRUE(std::isnan(f.data<float>()[i]) && std::isnan(float{again})) << cpu << " " << i;
        continue;
      }
      ASSERT_EQ(f.data<float>()[i], wide[i]) << cpu << " " << i;
      ASSERT_EQ(back[i], i) << cpu;
      ASSERT_EQ(rounded[i], T(double{middle[i]}).bits) << cpu << " " << i;
    }
  }
}

TEST(Casts, EveryFloat16) { ExpectAllHalves<Float16>(); }
TEST(Casts, EveryBFloat16) { ExpectAllHalves<BFloat16>(); }

// Large integers round once as well: 2^60 + 2^52 is a tie of bf16, one more is not.
TEST(Casts, LargeIntegersToHalvesRoundOnce) {
  const int64_t tie = (int64_t{1} << 60) + (int64_t{1} << 52);
  for (const char* cpu : kCpus) {
    EXPECT_EQ(BitsOf(CastOn(cpu, Tensor({tie, tie + 1, -tie - 1}), kBFloat16)),
              (std::vector<uint16_t>{0x5D80, 0x5D81, 0xDD81}))
        << cpu;
    EXPECT_EQ(BitsOf(CastOn(cpu, Tensor({static_cast<uint64_t>(tie) * 8 + 1, UINT64_MAX}), kBFloat16)),
              (std::vector<uint16_t>{0x5F01, 0x5F80}))
        << cpu;
    EXPECT_EQ(CastOn(cpu, Tensor({UINT64_MAX, uint64_t{1} << 63}), kFloat32).ToVector<float>(),
              (std::vector<float>{0x1p64f, 0x1p63f}));
  }
}

// Sums of halves are taken in f32 and rounded once: 4096 ones are 4096, not 2048.
TEST(Halves, SumsAndProductsAccumulateInF32) {
  const Tensor ones = Ones({4096}, kFloat16), big = Full({4096}, 300, kFloat16);
  EXPECT_EQ(ReduceSum(ones).item<double>(), 4096);
  EXPECT_EQ(MatMul(ones, ones).item<double>(), 4096);
  EXPECT_EQ(ReduceMean(big).item<double>(), 300);  // the sum is beyond 65504
  EXPECT_EQ(MatMul(big, big).item<double>(), kInf);
  EXPECT_EQ(Add(Tensor(BFloat16(256.0)), Tensor(BFloat16(1.0))).str(), "256.0");
  GradientTape tape;
  tape.Watch(ones);
  const Tensor g = *tape.Gradient(ReduceSum(Square(ones)), ones);
  EXPECT_EQ(g.dtype(), kFloat16);
  EXPECT_EQ(g[7].item<float>(), 2);
}

}  // namespace
}  // namespace reel
