// Fourier transforms against the defining sum in long double, and what NumPy 2.4.6 prints.

#include <cmath>
#include <complex>
#include <numbers>

#include "gtest/gtest.h"
#include "reel/reel.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using Z = std::complex<double>;
using List = std::vector<Z>;

const List kZ{{1, 0.5}, {2.5, -1}, {-3, 2}, {0.5, 0}, {4, 1.5}, {-1.5, -2}};
const Tensor& Z6() {
  static const Tensor z = Tensor::FromData(kZ, {6});
  return z;
}

void ExpectNear(const Tensor& got, const List& want, double tolerance = 1e-14) {
  const Tensor wide = Cast(got, kComplex128);
  const auto values = wide.data<Z>();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_LE(std::abs(values[i] - want[i]), tolerance * (1 + std::abs(want[i])))
        << "[" << i << "] is " << values[i] << ", want " << want[i];
  }
}

// Random parts in [-1, 1).
List Noise(int64_t n) {
  uint64_t state = static_cast<uint64_t>(n) + 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1;
  };
  List out;
  for (int64_t i = 0; i < n; ++i) {
    const double re = next();
    out.emplace_back(re, next());
  }
  return out;
}

List Defined(const List& x, int sign) {
  const auto n = static_cast<int64_t>(x.size());
  List out;
  for (int64_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / n;
      const Z z = x[static_cast<size_t>(j)];
      sum += std::complex<long double>(z.real(), z.imag()) * std::polar(1.0L, static_cast<long double>(sign) * angle);
    }
    out.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
  }
  return out;
}

// Powers of two, products of small primes, primes of both sides of the largest radix.
TEST(Fft, IsTheDefiningSum) {
  for (int64_t n :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 30, 31, 32, 37, 60, 64, 97, 100, 128, 202, 961, 1000, 1009}) {
    SCOPED_TRACE(n);
    const List x = Noise(n), want = Defined(x, -1);
    double largest = 0;
    for (Z z : want) largest = std::max(largest, std::abs(z));
    for (DType dtype : {kComplex128, kComplex64}) {
      const double epsilon = dtype == kComplex128 ? 0x1p-52 : 0x1p-23;
      const double bound = 8 * epsilon * (std::log2(static_cast<double>(n)) + 1) * largest;
      const Tensor t = Cast(Tensor::FromData(x, {n}), dtype);
      const Tensor y = Cast(Fft(t), kComplex128), back = Cast(Ifft(Fft(t)), kComplex128);
      for (size_t k = 0; k < want.size(); ++k) {
        ASSERT_LE(std::abs(y.data<Z>()[k] - want[k]), bound) << Name(dtype) << " " << k;
        ASSERT_LE(std::abs(back.data<Z>()[k] - x[k]), 2 * bound) << Name(dtype) << " back " << k;
      }
    }
  }
}

// Long enough for twiddle factors that are products; a pure tone has one line.
TEST(Fft, LongTransformOfATone) {
  const int64_t n = 1 << 16, line = 12345;
  List x;
  for (int64_t j = 0; j < n; ++j) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j * line % n) / static_cast<double>(n);
    x.emplace_back(std::cos(angle), std::sin(angle));
  }
  const Tensor y = Fft(Tensor::FromData(x, {n}));
  for (int64_t k = 0; k < n; ++k) {
    const double want = k == line ? static_cast<double>(n) : 0;
    ASSERT_LE(std::abs(y.data<Z>()[static_cast<size_t>(k)] - want), 1e-9) << k;
  }
}

TEST(Fft, OptionsAreNumPys) {
  ExpectNear(Fft(Z6()), {{3.5, 1},
                         {1.799038105676658, -0.151923788646684},
                         {0.9330127018922193, -9.276279441628825},
                         {0.5, 7},
                         {0.0669872981077807, 9.776279441628825},
                         {-0.799038105676658, -5.348076211353315}});
  ExpectNear(Fft(Z6(), {.norm = FftNorm::kOrtho}), {{1.4288690166235207, 0.4082482904638631},
                                                    {0.7344542311218423, -0.06202262699580199},
                                                    {0.38090084052856843, -3.787025223910046},
                                                    {0.20412414523193154, 2.857738033247041},
                                                    {0.02734744993529464, 3.9911493691419775},
                                                    {-0.3262059406579792, -2.1833429705554446}});
  ExpectNear(Fft(Z6(), {.norm = FftNorm::kForward}), {{0.5833333333333333, 0.16666666666666666},
                                                      {0.29983968427944296, -0.025320631441113996},
                                                      {0.15550211698203653, -1.5460465736048041},
                                                      {0.08333333333333333, 1.1666666666666665},
                                                      {0.011164549684630116, 1.6293799069381374},
                                                      {-0.13317301761277633, -0.8913460352255524}});
  ExpectNear(Ifft(Z6()), {{0.5833333333333333, 0.16666666666666666},
                          {-0.13317301761277633, -0.8913460352255527},
                          {0.011164549684630116, 1.6293799069381374},
                          {0.08333333333333333, 1.1666666666666665},
                          {0.15550211698203653, -1.5460465736048041},
                          {0.29983968427944296, -0.025320631441113923}});
  ExpectNear(Fft(Z6(), {.n = 4}), {{1, 1.5}, {3, -3.5}, {-5, 3.5}, {5, 0.5}});
  ExpectNear(Fft(Z6(), {.n = 8}), {{3.5, 1},
                                   {2.1819805153394642, -0.47487373415291634},
                                   {5, -0.5},
                                   {-6.767766952966369, -7.889087296526012},
                                   {0.5, 7},
                                   {-4.181980515339465, 4.474873734152917},
                                   {11, 0.5},
                                   {-3.232233047033631, -0.1109127034739883}});
  ExpectNear(Reshape(Fft(Reshape(Z6(), {3, 2}), {.axis = 0}), {6}), {{2, 4},
                                                                     {1.5, -3},
                                                                     {0.9330127018922193, 4.81217782649107},
                                                                     {4.732050807568877, -1.7320508075688772},
                                                                     {0.0669872981077807, -7.31217782649107},
                                                                     {1.2679491924311228, 1.7320508075688772}});
}

TEST(Fft, OfRealNumbers) {
  const Tensor x = Real(Z6());
  ExpectNear(Rfft(x), {{3.5, 0}, {0.5, 2.598076211353316}, {0.5, -9.526279441628825}, {0.5, 0}});
  ExpectNear(Rfft(x, {.n = 5}),
             {{5, 0}, {5.031152949374527, 3.4838331574663863}, {-5.031152949374526, -2.4470199285943277}});
  ExpectNear(Irfft(Z6()), {0.75, -0.6482181261222562, 0.9966447471054929, 1.0490254436624213, -0.5819153572106073,
                           -0.15, -1.9305458225392031, 0.7690085450874735, 0.515816432644318, 0.23018413737236135});
  ExpectNear(Irfft(Z6(), {.n = 5}),
             {0.0, 1.3900317923089673, 0.016121926328227686, -1.9757967015779965, 1.5696429829408016});
  ExpectNear(Irfft(Z6(), {.n = 9, .norm = FftNorm::kOrtho}),
             {3.0, -2.6363080131155727, 5.221549973261094, 0.36602540378443865, -0.3986434522912825, -4.538386108580695,
              -1.3660254037844386, 3.5349514654068557, -0.18316386468039997});
  EXPECT_EQ(Irfft(Z6()).dtype(), kFloat64);
  ExpectNear(Irfft(Rfft(x)), {1, 2.5, -3, 0.5, 4, -1.5});
}

// Halves of even lengths, whole odd ones, one or several digits; the axis is the middle one, and the last.
TEST(Fft, RealSumsAreTheFirstOfAll) {
  for (int64_t n : {1, 2, 3, 4, 5, 6, 8, 9, 16, 34, 37, 64, 66, 74, 96, 100, 128, 202, 243}) {
    const Tensor noise = Real(Tensor::FromData(Noise(3 * n), {n, 3}));
    for (bool last : {true, false}) {
      SCOPED_TRACE(n);
      SCOPED_TRACE(last);
      const Tensor x = last ? Transpose(noise) : noise;
      const FftOptions along{.n = n, .axis = last ? 1 : 0};
      const Tensor y = Rfft(x, along), all = Fft(x, along);
      const Tensor first = last ? Slice(all, {0, 0}, {3, n / 2 + 1}) : Slice(all, {0, 0}, {n / 2 + 1, 3});
      EXPECT_LE(ReduceMax(Abs(Sub(y, first))).item<double>(), 1e-13 * static_cast<double>(n));
      EXPECT_LE(ReduceMax(Abs(Sub(Irfft(y, along), x))).item<double>(), 1e-14 * static_cast<double>(n));
      // What is imaginary at the ends does not count.
      const Tensor sum = Real(Rfft(OnesLike(x), along)), ends = Complex(ZerosLike(sum), sum);
      EXPECT_LE(ReduceMax(Abs(Irfft(ends, along))).item<double>(), 1e-13);
    }
  }
}

TEST(Fft, GradientsOfRealTransforms) {
  for (int64_t n : {1, 2, 7, 8, 66}) {
    SCOPED_TRACE(n);
    const Tensor x = Real(Tensor::FromData(Noise(2 * n), {2, n}));
    const Tensor weights = Real(Tensor::FromData(Noise(n / 2 + 1), {n / 2 + 1}));
    const auto spectrum = [&](const Tensor& t) {
      const Tensor y = Rfft(t);
      return Add(Mul(Exp(Mul(Real(y), 0.1)), weights), Square(Imag(y)));
    };
    CheckGradients(spectrum, {x}, {.order = 2});
    const auto back = [&](const Tensor& t) { return Square(Irfft(Complex(Sin(t), Mul(weights, t)), {.n = n})); };
    CheckGradients(back, {Slice(x, {0, 0}, {2, n / 2 + 1})}, {.order = 2});
  }
}

TEST(Fft, AlongTwoAxes) {
  ExpectNear(Reshape(Fft2(Reshape(Z6(), {2, 3})), {6}), {{3.5, 1},
                                                         {0.9330127018922192, -9.276279441628825},
                                                         {0.06698729810778081, 9.776279441628825},
                                                         {-2.5, 2},
                                                         {-3.629165124598851, -0.25},
                                                         {7.629165124598851, -0.25}});
  ExpectNear(Reshape(Ifft2(Fft2(Reshape(Z6(), {3, 2}))), {6}), kZ);
}

// F is symmetric, so its transpose for Re(conj(u) v) is the conjugate: n times the inverse.
TEST(Fft, GradientIsTheConjugateTransform) {
  GradientTape tape({.persistent = true});
  tape.Watch(Z6());
  const Tensor seed = Tensor::FromData(Noise(6), {6});
  const Tensor g = *tape.Gradient(Fft(Z6()), Z6(), {.output_gradients = {seed}});
  ExpectNear(g, Defined(seed.ToVector<Z>(), 1));
  // Parseval: the gradient of |F z|^2 is 2 n z.
  const Tensor energy = ReduceSum(Square(Abs(Fft(Z6()))));
  ExpectNear(*tape.Gradient(energy, Z6()), Mul(Z6(), 12.0).ToVector<Z>(), 1e-13);
}

TEST(Fft, EmptyBatchesAndErrors) {
  EXPECT_EQ(Fft(Zeros({0, 8}, kComplex64)).shape(), (Shape{0, 8}));
  EXPECT_EQ(Rfft(Zeros({2, 8})).type(), (Type{kComplex64, {2, 5}}));
  EXPECT_EQ(Rfft(Zeros({0, 8})).type(), (Type{kComplex64, {0, 5}}));
  EXPECT_EQ(Irfft(Zeros({0, 5}, kComplex64)).type(), (Type{kFloat32, {0, 8}}));
  ExpectError(ErrorCode::kInvalidArgument, "fft: the length 0", [] { Fft(Zeros({2, 0})); });
  ExpectError(ErrorCode::kInvalidArgument, "rfft: takes real numbers", [] { Rfft(Z6()); });
  ExpectError(ErrorCode::kInvalidArgument, "fft2: needs two axes", [] { Fft2(Z6()); });
  ExpectError(ErrorCode::kInvalidArgument, "fft: axis 1 is out of range", [] { Fft(Z6(), {.axis = 1}); });
}

}  // namespace
}  // namespace reel
