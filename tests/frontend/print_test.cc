// Expected texts are what NumPy 2.4.6 prints.

#include <cmath>
#include <limits>
#include <sstream>

#include "gtest/gtest.h"
#include "reel/reel.h"

namespace reel {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::string Shown(const auto& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(Print, Variables) {
  EXPECT_EQ(Shown(Variable(Tensor({1.0f, 2.5f}), {.name = "w"})), "w: f32[2] = [1.  2.5]");
  EXPECT_EQ(Shown(Variable(Tensor(2))), "variable: i32[] = 2");
  EXPECT_EQ(Shown(Variable(Tensor({{1, 2}, {3, 4}}), {.name = "k"})), "k: i32[2,2] =\n[[1 2]\n [3 4]]");
  EXPECT_EQ(Shown(Variable()), "<null variable>");
}

TEST(Print, OfAVariableIsNoRead) {
  const Variable v(Tensor({1.0f}), {.name = "v"});
  GradientTape tape;
  EXPECT_EQ(v.str(), "v: f32[1] = [1.]");
  EXPECT_TRUE(tape.WatchedVariables().empty());
  const Function traced = Trace(
      [&](const Tensor& x) {
        EXPECT_EQ(v.str(), "v: f32[1] = [1.]");
        return x;
      },
      {Spec(kFloat32, {1})});
  EXPECT_TRUE(traced.variables().empty());
}

TEST(Print, Vector) {
  const Tensor x = Tensor({1.0f, 2.0f, 3.0f});
  EXPECT_EQ(x.str(), "[1. 2. 3.]");
}

TEST(Print, Fractions) {
  const Tensor x = Tensor({0.1f, 0.25f, -3.5f});
  EXPECT_EQ(x.str(), "[ 0.1   0.25 -3.5 ]");
}

TEST(Print, Matrix) {
  const Tensor x = Tensor({{1.0f, 2.5f}, {-3.0f, 4.0f}});
  EXPECT_EQ(x.str(),
            "[[ 1.   2.5]\n"
            " [-3.   4. ]]");
}

TEST(Print, RankThree) {
  const Tensor x = Tensor({{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}});
  EXPECT_EQ(x.str(),
            "[[[0 1]\n"
            "  [2 3]]\n"
            "\n"
            " [[4 5]\n"
            "  [6 7]]]");
}

TEST(Print, Integers) {
  const Tensor x = Tensor({{1, -20}, {300, 4}});
  EXPECT_EQ(x.str(),
            "[[  1 -20]\n"
            " [300   4]]");
}

TEST(Print, LongIntegers) {
  const Tensor x = Tensor({int64_t{1000000000000}, int64_t{-1}});
  EXPECT_EQ(x.str(), "[1000000000000            -1]");
}

TEST(Print, Bools) {
  const Tensor x = Tensor({true, false, true});
  EXPECT_EQ(x.str(), "[ True False  True]");
}

TEST(Print, ScientificSmall) {
  const Tensor x = Tensor({1.0e-05f, 1.0f, 2.0f});
  EXPECT_EQ(x.str(), "[1.e-05 1.e+00 2.e+00]");
}

TEST(Print, ScientificLarge) {
  const Tensor x = Tensor({1.2345679e+08f, 1.0f});
  EXPECT_EQ(x.str(), "[1.2345679e+08 1.0000000e+00]");
}

TEST(Print, ScientificRatio) {
  const Tensor x = Tensor({0.001f, 123.456f, -7.0f});
  EXPECT_EQ(x.str(), "[ 1.00000e-03  1.23456e+02 -7.00000e+00]");
}

TEST(Print, NotFinite) {
  const Tensor x = Tensor({1.5f, kNan, kInf, -kInf});
  EXPECT_EQ(x.str(), "[ 1.5  nan  inf -inf]");
}

TEST(Print, OnlyNan) {
  const Tensor x = Tensor({kNan, kNan});
  EXPECT_EQ(x.str(), "[nan nan]");
}

TEST(Print, NanScientific) {
  const Tensor x = Tensor({1.0e-10f, kNan, -kInf});
  EXPECT_EQ(x.str(), "[1.e-10    nan   -inf]");
}

TEST(Print, Doubles) {
  const Tensor x = Tensor({0.3333333333333333, 0.6666666666666666, 0.001});
  EXPECT_EQ(x.str(), "[0.33333333 0.66666667 0.001     ]");
}

TEST(Print, DoublesEightDigits) {
  const Tensor x = Tensor({3.141592653589793, 2.718281828459045, 100.0});
  EXPECT_EQ(x.str(), "[  3.14159265   2.71828183 100.        ]");
}

TEST(Print, DoublesScientific) {
  const Tensor x = Tensor({0.3333333333333333, 10000000000.0, -2.5e-07});
  EXPECT_EQ(x.str(), "[ 3.33333333e-01  1.00000000e+10 -2.50000000e-07]");
}

TEST(Print, LargeExponents) {
  const Tensor x = Tensor({1e+200, 1e-200, 1.0});
  EXPECT_EQ(x.str(), "[1.e+200 1.e-200 1.e+000]");
}

TEST(Print, Zeros) {
  const Tensor x = Zeros({2, 3});
  EXPECT_EQ(x.str(),
            "[[0. 0. 0.]\n"
            " [0. 0. 0.]]");
}

TEST(Print, NegativeZero) {
  const Tensor x = Tensor({-0.0f, 0.0f});
  EXPECT_EQ(x.str(), "[-0.  0.]");
}

TEST(Print, Row) {
  const Tensor x = Tensor({{0.001f, 0.002f}});
  EXPECT_EQ(x.str(), "[[0.001 0.002]]");
}

TEST(Print, FloatScalar) {
  const Tensor x = Tensor(0.1f);
  EXPECT_EQ(x.str(), "0.1");
}

TEST(Print, FloatScalarWhole) {
  const Tensor x = Tensor(3.0f);
  EXPECT_EQ(x.str(), "3.0");
}

TEST(Print, FloatScalarTiny) {
  const Tensor x = Tensor(1.5e-07f);
  EXPECT_EQ(x.str(), "1.5e-07");
}

TEST(Print, FloatScalarHuge) {
  const Tensor x = Tensor(1.0e+20f);
  EXPECT_EQ(x.str(), "1e+20");
}

TEST(Print, DoubleScalar) {
  const Tensor x = Tensor(0.3333333333333333);
  EXPECT_EQ(x.str(), "0.3333333333333333");
}

TEST(Print, IntegerScalar) {
  const Tensor x = Tensor(7);
  EXPECT_EQ(x.str(), "7");
}

TEST(Print, BoolScalar) {
  const Tensor x = Tensor(true);
  EXPECT_EQ(x.str(), "True");
}

TEST(Print, Empty) {
  const Tensor x = Zeros({0});
  EXPECT_EQ(x.str(), "[]");
}

TEST(Print, EmptyMatrix) {
  const Tensor x = Zeros({0, 3});
  EXPECT_EQ(x.str(), "[]");
}

TEST(Print, Wrapped) {
  const Tensor x = Arange(0, 40);
  EXPECT_EQ(x.str(),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39]");
}

TEST(Print, WrappedFloats) {
  const Tensor x = Arange(0, 30, kFloat32) / 7.f;
  EXPECT_EQ(x.str(),
            "[0.         0.14285715 0.2857143  0.42857143 0.5714286  0.71428573\n"
            " 0.85714287 1.         1.1428572  1.2857143  1.4285715  1.5714285\n"
            " 1.7142857  1.8571428  2.         2.142857   2.2857144  2.4285715\n"
            " 2.5714285  2.7142856  2.857143   3.         3.142857   3.2857144\n"
            " 3.4285715  3.5714285  3.7142856  3.857143   4.         4.142857  ]");
}

TEST(Print, Summarised) {
  const Tensor x = Arange(0, 2000);
  EXPECT_EQ(x.str(), "[   0    1    2 ... 1997 1998 1999]");
}

TEST(Print, SummarisedMatrix) {
  const Tensor x = Reshape(Arange(0, 2000, kFloat32), {40, 50});
  EXPECT_EQ(x.str(),
            "[[0.000e+00 1.000e+00 2.000e+00 ... 4.700e+01 4.800e+01 4.900e+01]\n"
            " [5.000e+01 5.100e+01 5.200e+01 ... 9.700e+01 9.800e+01 9.900e+01]\n"
            " [1.000e+02 1.010e+02 1.020e+02 ... 1.470e+02 1.480e+02 1.490e+02]\n"
            " ...\n"
            " [1.850e+03 1.851e+03 1.852e+03 ... 1.897e+03 1.898e+03 1.899e+03]\n"
            " [1.900e+03 1.901e+03 1.902e+03 ... 1.947e+03 1.948e+03 1.949e+03]\n"
            " [1.950e+03 1.951e+03 1.952e+03 ... 1.997e+03 1.998e+03 1.999e+03]]");
}

TEST(Print, SummarisedNarrow) {
  const Tensor x = Reshape(Arange(0, 3000), {1000, 3});
  EXPECT_EQ(x.str(),
            "[[   0    1    2]\n"
            " [   3    4    5]\n"
            " [   6    7    8]\n"
            " ...\n"
            " [2991 2992 2993]\n"
            " [2994 2995 2996]\n"
            " [2997 2998 2999]]");
}

TEST(Print, SummarisedCube) {
  const Tensor x = Reshape(Arange(0, 8000, kInt32), {20, 20, 20});
  EXPECT_EQ(x.str(),
            "[[[   0    1    2 ...   17   18   19]\n"
            "  [  20   21   22 ...   37   38   39]\n"
            "  [  40   41   42 ...   57   58   59]\n"
            "  ...\n"
            "  [ 340  341  342 ...  357  358  359]\n"
            "  [ 360  361  362 ...  377  378  379]\n"
            "  [ 380  381  382 ...  397  398  399]]\n"
            "\n"
            " [[ 400  401  402 ...  417  418  419]\n"
            "  [ 420  421  422 ...  437  438  439]\n"
            "  [ 440  441  442 ...  457  458  459]\n"
            "  ...\n"
            "  [ 740  741  742 ...  757  758  759]\n"
            "  [ 760  761  762 ...  777  778  779]\n"
            "  [ 780  781  782 ...  797  798  799]]\n"
            "\n"
            " [[ 800  801  802 ...  817  818  819]\n"
            "  [ 820  821  822 ...  837  838  839]\n"
            "  [ 840  841  842 ...  857  858  859]\n"
            "  ...\n"
            "  [1140 1141 1142 ... 1157 1158 1159]\n"
            "  [1160 1161 1162 ... 1177 1178 1179]\n"
            "  [1180 1181 1182 ... 1197 1198 1199]]\n"
            "\n"
            " ...\n"
            "\n"
            " [[6800 6801 6802 ... 6817 6818 6819]\n"
            "  [6820 6821 6822 ... 6837 6838 6839]\n"
            "  [6840 6841 6842 ... 6857 6858 6859]\n"
            "  ...\n"
            "  [7140 7141 7142 ... 7157 7158 7159]\n"
            "  [7160 7161 7162 ... 7177 7178 7179]\n"
            "  [7180 7181 7182 ... 7197 7198 7199]]\n"
            "\n"
            " [[7200 7201 7202 ... 7217 7218 7219]\n"
            "  [7220 7221 7222 ... 7237 7238 7239]\n"
            "  [7240 7241 7242 ... 7257 7258 7259]\n"
            "  ...\n"
            "  [7540 7541 7542 ... 7557 7558 7559]\n"
            "  [7560 7561 7562 ... 7577 7578 7579]\n"
            "  [7580 7581 7582 ... 7597 7598 7599]]\n"
            "\n"
            " [[7600 7601 7602 ... 7617 7618 7619]\n"
            "  [7620 7621 7622 ... 7637 7638 7639]\n"
            "  [7640 7641 7642 ... 7657 7658 7659]\n"
            "  ...\n"
            "  [7940 7941 7942 ... 7957 7958 7959]\n"
            "  [7960 7961 7962 ... 7977 7978 7979]\n"
            "  [7980 7981 7982 ... 7997 7998 7999]]]");
}

TEST(Print, NullAndSymbolic) {
  EXPECT_EQ(Tensor().str(), "<null tensor>");
  Trace(
      [](const Tensor& x) {
        EXPECT_EQ(x.str(), "<symbolic f32[2]>");
        return x;
      },
      {Spec(kFloat32, {2})});
}

// f16 and bf16: the fewest digits that identify a number among those of its dtype.
TEST(Print, Halves) {
  const auto halves = [](std::vector<double> values) {
    std::vector<Float16> list(values.begin(), values.end());
    return Tensor::FromData(list, {static_cast<int64_t>(list.size())}).str();
  };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(halves({1, 2.5, 0.1}), "[1.  2.5 0.1]");
  EXPECT_EQ(halves({1.0 / 3, 2.0 / 3}), "[0.3333 0.6665]");
  EXPECT_EQ(halves({65504, 1}), "[6.55e+04 1.00e+00]");
  EXPECT_EQ(halves({6e-8, 6.1e-5}), "[6.0e-08 6.1e-05]");
  EXPECT_EQ(halves({1000, 1}), "[1.e+03 1.e+00]");
  EXPECT_EQ(halves({std::nan(""), inf, -1}), "[nan inf -1.]");
  EXPECT_EQ(halves({-0.0, 0, 1}), "[-0.  0.  1.]");
  EXPECT_EQ(Tensor(Float16(0.1)).str(), "0.1");
  EXPECT_EQ(Tensor(Float16(999)).str(), "999.0");
  EXPECT_EQ(Tensor(Float16(1000)).str(), "1e+03");
  EXPECT_EQ(Tensor(Float16(65504)).str(), "6.55e+04");
  EXPECT_EQ(Tensor(Float16(6e-8)).str(), "6e-08");
  EXPECT_EQ(Tensor(Float16(1e-4)).str(), "0.0001");
  EXPECT_EQ(Tensor(BFloat16(0.1)).str(), "0.1");
  EXPECT_EQ(Tensor(BFloat16(-3.14159)).str(), "-3.14");
}

TEST(Print, SmallIntegers) {
  EXPECT_EQ(Tensor({uint8_t{1}, uint8_t{200}, uint8_t{255}}).str(), "[  1 200 255]");
  EXPECT_EQ(Tensor({int8_t{-128}, int8_t{5}}).str(), "[-128    5]");
  EXPECT_EQ(Tensor({~uint64_t{0}, uint64_t{0}}).str(), "[18446744073709551615                    0]");
  EXPECT_EQ(Tensor(~uint64_t{0}).str(), "18446744073709551615");
}

template <typename T>
void ExpectComplexTexts() {
  using Z = std::complex<T>;
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  EXPECT_EQ(Tensor({Z(1, 2), Z(-0.0f, -0.5f)}).str(), "[ 1.+2.j  -0.-0.5j]");
  EXPECT_EQ(Tensor({Z(T(1e10), 1), Z(1)}).str(), "[1.e+10+1.j 1.e+00+0.j]");
  EXPECT_EQ(Tensor({Z(nan, 1), Z(-inf, inf), Z(1)}).str(), "[ nan +1.j -inf+infj   1. +0.j]");
  EXPECT_EQ(Tensor({Z(0, -T(0)), Z(-T(0), 0)}).str(), "[ 0.-0.j -0.+0.j]");
  EXPECT_EQ(Tensor({Z(T(1e-5), T(1e5))}).str(), "[1.e-05+100000.j]");
  EXPECT_EQ(Tensor({{Z(1, 1), Z(2)}, {Z(3), Z(4, -1.5f)}}).str(), "[[1.+1.j  2.+0.j ]\n [3.+0.j  4.-1.5j]]");
  EXPECT_EQ(Tensor(Z(1, 2)).str(), "(1+2j)");
  EXPECT_EQ(Tensor(Z(0, 2)).str(), "2j");
  EXPECT_EQ(Tensor(Z(-0.5f, -0.25f)).str(), "(-0.5-0.25j)");
  EXPECT_EQ(Tensor(Z(T(1e16), T(-1e-5))).str(), "(1e+16-1e-05j)");
  EXPECT_EQ(Tensor(Z(nan, inf)).str(), "(nan+infj)");
  EXPECT_EQ(Tensor(Z(0, -inf)).str(), "-infj");
  EXPECT_EQ(Tensor(Z(-T(0), 1)).str(), "(-0+1j)");
  EXPECT_EQ(Tensor(Z(0)).str(), "0j");
}

TEST(Print, Complex) {
  ExpectComplexTexts<float>();
  ExpectComplexTexts<double>();
  EXPECT_EQ(Tensor(std::complex<float>(1.0f / 3, 0.1f)).str(), "(0.33333334+0.1j)");
  EXPECT_EQ(Tensor(std::complex<double>(1.0 / 3, 0.1)).str(), "(0.3333333333333333+0.1j)");
}

}  // namespace
}  // namespace reel
