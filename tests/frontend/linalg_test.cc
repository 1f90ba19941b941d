#include "reel/linalg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reel/reel.h"
#include "tests/frontend/composition.h"

// Values are NumPy 2.4's and SciPy 1.17's.

namespace reel {
namespace {

using testing::HasSubstr;

// Wave with 3 added on the other diagonal: well conditioned, and every pivot has to be looked for.
Tensor Square(const Shape& shape, double seed) {
  std::vector<double> values = Values(Wave(shape, seed));
  const auto n = static_cast<size_t>(shape.dim(shape.rank() - 1));
  for (size_t e = 0; e < values.size(); ++e) {
    if (e / n % n + e % n == n - 1) values[e] += 3;
  }
  return Tensor::FromData(values, shape);
}

Tensor Swap(const Tensor& x) {
  std::vector<int64_t> order;
  for (int i = 0; i < x.rank(); ++i) order.push_back(i);
  std::swap(order.end()[-1], order.end()[-2]);
  return Transpose(x, order);
}
Tensor Eye(const Tensor& like) { return Cast(Iota(like.shape(), -1) == Iota(like.shape(), -2), like.dtype()); }
Tensor Definite(const Tensor& x) { return MatMul(x, Swap(x)) + Eye(MatMul(x, Swap(x))); }
Tensor ExpOfSymmetric(const Tensor& x) {
  const EighResult f = Eigh(x);
  return MatMul(f.vectors * ExpandDims(Exp(f.values), -2), Swap(f.vectors));
}
Tensor SqrtOfSingularValues(const Tensor& x) {
  const SvdResult f = Svd(x);
  return MatMul(f.u * ExpandDims(Sqrt(f.s), -2), f.vt);
}

class Linalg : public testing::TestWithParam<CompositionCase> {};

TEST_P(Linalg, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Linalg,
    testing::ValuesIn(std::vector<CompositionCase>{
        {"Cholesky",
         [](const TensorVector& x) { return Cholesky(Definite(x[0])); },
         {Square({3, 3}, 0.4)},
         {2.78249777134, 0, 0, 3.090953721255, 3.935084544215, 0, 1.261252110561, -1.513893316607, 1.628649327414}},
        {"CholeskyOfABatch",
         [](const TensorVector& x) { return Cholesky(Definite(x[0])); },
         {Square({2, 3, 3}, 0.9)},
         {2.425040144087, 0, 0, 1.778519335641, 4.787017963452, 0, 1.750235389808, -0.2675894664249, 1.611670734964,
          4.856077536769, 0, 0, -1.439670784636, 1.722133458123, 0, -2.866712092014, 2.473605665595, 3.85609897175}},
        {"CholeskySolve",
         [](const TensorVector& x) { return CholeskySolve(Cholesky(Definite(x[0])), x[1]); },
         {Square({3, 3}, 0.4), Wave({3, 2}, 0.6)},
         {0.2711927995617, 0.7553423115366, -0.1467631808548, -0.3375035695031, 0.08316957029101, -0.4142973415495}},
        {"TriangularSolveLower",
         [](const TensorVector& x) { return TriangularSolve(x[0], x[1]); },
         {Square({3, 3}, 0.4), Wave({3}, 0.5)},
         {1.2311324006, 0.731191287541, -1.217367547975}},
        {"TriangularSolveUpperTransposed",
         [](const TensorVector& x) { return TriangularSolve(x[0], x[1], {.lower = false, .transpose = true}); },
         {Square({3, 3}, 0.4), Wave({3, 2}, 0.6)},
         {1.449963733212, 1.91492061662, -0.8756388851118, -0.9607593976378, 0.0501183356063, -0.9087988003952}},
        {"TriangularSolveUnit",
         [](const TensorVector& x) { return TriangularSolve(x[0], x[1], {.unit_diagonal = true}); },
         {Square({3, 3}, 0.4), Wave({3, 2}, 0.6)},
         {1.12928494679, 1.491410424353, 0.07990714742416, 1.00312930752, 0.5357823401622, -0.5554497329209}},
        {"Lu",
         [](const TensorVector& x) { return Lu(x[0]).lu; },
         {Square({4, 4}, 0.1)},
         {4.993659588558, -0.4146728412135, -1.886802963509, 0.9008811885508, 0.3628420104504, 3.756697440876,
          -1.28351862956, -0.4259488233874, 0.2316696819758, 0.4165523962534, 2.436396183759, -1.104422691387,
          0.0399840697494, 0.5228729756593, 0.01846695187307, 1.440182241733}},
        {"LuPermutation",
         [](const TensorVector& x) { return Lu(x[0]).permutation; },
         {Square({4, 4}, 0.1)},
         {3, 2, 1, 0},
         false},
        {"QrQ",
         [](const TensorVector& x) { return Qr(x[0]).q; },
         {Square({4, 4}, 0.1)},
         {-0.03670080247923, -0.4527320630819, -0.1329024414369, -0.8809220574007, -0.2126462686742, -0.2884350710577,
          0.9334463713362, 0.01626794523794, -0.3330474621559, -0.7623236112484, -0.3193382277276, 0.453833885906,
          -0.9178856156776, 0.3615267632898, -0.09506791893826, -0.1332159402854}},
        {"QrR",
         [](const TensorVector& x) { return Qr(x[0]).r; },
         {Square({4, 4}, 0.1)},
         {-5.440394209546, -1.204241333467, 2.101650296704, -0.6109654054747, 0, -4.204470576883, 0.7133936461291,
          0.1524902415486, 0, 0, 2.268265522429, -1.219612501823, 0, 0, 0, -1.26868830342}},
        {"QrOfTallQ",
         [](const TensorVector& x) { return Qr(x[0]).q; },
         {Wave({4, 2}, 0.2)},
         {-0.1708467990304, 0.8072234623401, 0.3805479232245, -0.4175942183966, -0.5649792896961, 0.0002352088148159,
          0.7118939890216, 0.4171394194825}},
        {"QrOfTallR",
         [](const TensorVector& x) { return Qr(x[0]).r; },
         {Wave({4, 2}, 0.2)},
         {-2.325701528182, -2.346110398985, 0, 1.848031918215}},
        {"QrOfWideQ",
         [](const TensorVector& x) { return Qr(x[0]).q; },
         {Wave({2, 4}, 0.7)},
         {-0.566136521619, -0.8243114938476, -0.8243114938476, 0.566136521619}},
        {"QrOfWideR",
         [](const TensorVector& x) { return Qr(x[0]).r; },
         {Wave({2, 4}, 0.7)},
         {-2.275838645405, -1.132270187149, 2.567612204743, 0.4706247950147, 0, -0.861211885453, 0.221924819725,
          0.8040243031148}},
        {"Solve",
         [](const TensorVector& x) { return Solve(x[0], x[1]); },
         {Square({3, 3}, 0.4), Wave({3}, 0.5)},
         {1.767912626035, 1.203152230294, -1.404735039071}},
        {"SolveBroadcasts",
         [](const TensorVector& x) { return Solve(x[0], x[1]); },
         {Square({2, 3, 3}, 0.9), Wave({3, 2}, 0.6)},
         {0.2347612387554, 1.23180408121, -0.2868126375424, -0.07995745504929, 0.9053942192175, -0.3048501371569,
          0.3656118382838, 0.2026045683201, -1.70480815243, -1.041444999625, -0.2973978680995, -0.002492407757566}},
        {"Inverse",
         [](const TensorVector& x) { return Inverse(x[0]); },
         {Square({2, 3, 3}, 0.9)},
         {0.9776354876127, -0.1461019528475, -0.6066532898189, 0.1153335482664, 0.1842118310585, -0.07690657916801,
          -0.5571151258137, 0.0333727352078, 0.8818486727648, 0.1088254444387, 0.0813531426785, 0.2035440798391,
          0.07358930039392, 0.9156471075194, -0.2236451479066, 0.2801381241961, 0.3588501491565, -0.03927652285463}},
        {"Det",
         [](const TensorVector& x) { return Det(x[0]); },
         {Square({2, 3, 3}, 0.9)},
         {9.494092447147, -21.33232237917}},
        {"DetOf4", [](const TensorVector& x) { return Det(x[0]); }, {Square({4, 4}, 0.1)}, {65.82494650295}},
        {"SlogDetSign", [](const TensorVector& x) { return SlogDet(x[0]).sign; }, {Square({2, 3, 3}, 0.9)}, {1, -1}},
        {"SlogDetLogAbs",
         [](const TensorVector& x) { return SlogDet(x[0]).log_abs; },
         {Square({2, 3, 3}, 0.9)},
         {2.25066975751, 3.060223405092}},
        {"LogDet",
         [](const TensorVector& x) { return LogDet(Definite(x[0])); },
         {Square({3, 3}, 0.4)},
         {5.762064815723}},
        {"LeastSquares",
         [](const TensorVector& x) { return LeastSquares(x[0], x[1]); },
         {Wave({4, 2}, 0.2), Wave({4, 2}, 0.8)},
         {0.8986981797356, -0.5693884339179, 0.5693884339179, 0.7519730500838}},
        {"LeastSquaresOfWide",
         [](const TensorVector& x) { return LeastSquares(x[0], x[1]); },
         {Wave({2, 4}, 0.7), Wave({2}, 0.8)},
         {0.2388431452251, 0.3004709505717, -0.3162712005789, -0.218971344774}},
        {"PseudoInverse",
         [](const TensorVector& x) { return PseudoInverse(x[0]); },
         {Wave({4, 2}, 0.2)},
         {-0.3671744522608, 0.06432278205541, 0.2428001533951, -0.5338002809761, 0.4368016885336, -0.2259669945528,
          0.0001272752989262, 0.2257208954949}},
        {"PseudoInverseOfWide",
         [](const TensorVector& x) { return PseudoInverse(x[0]); },
         {Wave({2, 4}, 0.7)},
         {-0.1141642656417, 0.3363865902817, 0.4948934898703, -0.3421702848438, -0.01336433722323, -0.2482130756544,
          -0.4914496473281, 0.4061320612643}},
        {"MatrixPower5",
         [](const TensorVector& x) { return MatrixPower(x[0], 5); },
         {Square({3, 3}, 0.4) / 2},
         {-4.377020905752, 17.80753305936, 7.381965722384, -12.33843435927, 31.99687012326, 6.05001901624,
          2.643463770296, 0.6401394593235, 4.785329339874}},
        {"MatrixPowerNegative",
         [](const TensorVector& x) { return MatrixPower(x[0], -2); },
         {Square({3, 3}, 0.4)},
         {2.695622603791, -1.421564505036, -2.218189973161, 1.314990144103, -0.6413248429489, -1.121095684122,
          -1.590437479964, 0.8527564181325, 1.481802652172}},
        {"MatrixPower0",
         [](const TensorVector& x) { return MatrixPower(x[0], 0); },
         {Square({3, 3}, 0.4)},
         {1, 0, 0, 0, 1, 0, 0, 0, 1},
         false},
        {"MatrixExp",
         [](const TensorVector& x) { return MatrixExp(x[0]); },
         {Square({2, 3, 3}, 0.9) / 3},
         {1.714843133235, 1.164596681648, 0.7033349542142, -0.5808088365212, 5.133424418781, -0.04154681488202,
          0.5643730692725, 0.6611436075919, 1.983539331633, 1.569817762856, -0.6792217092912, 1.323492020899,
          0.3699209258533, 1.422670122482, -0.03605605573345, 1.428107818675, -0.3002030668241, 1.367533034446}},
        {"MatrixExpScaled",
         [](const TensorVector& x) { return MatrixExp(x[0]); },
         {Square({3, 3}, 0.4) - 3},
         {1.549823153583, -1.57241889781, 0.07394684138864, -16.68758505947, 23.91619923565, -6.235101645279,
          11.81107738582, -18.17094394013, 5.399057833936}},
        {"Cross",
         [](const TensorVector& x) { return Cross(x[0], x[1]); },
         {Wave({2, 3}, 0.1), Wave({3}, 0.5)},
         {-1.544689866449, -0.3980495693721, -1.544689866449, -3.966354830717, -1.022085964721, -3.966354830717}},
        {"CrossOfColumns",
         [](const TensorVector& x) { return Cross(x[0], x[1], 0); },
         {Wave({3, 2}, 0.1), Wave({3, 2}, 0.6)},
         {0.4900517218989, 0.4900517218989, 0.9475622380046, 0.9475622380046, 0.4900517218989, 0.4900517218989}},
        {"MatrixNorm_fro",
         [](const TensorVector& x) { return MatrixNorm(x[0], "fro"); },
         {Wave({4, 2}, 0.2)},
         {3.785279854007}},
        {"MatrixNorm_nuc",
         [](const TensorVector& x) { return MatrixNorm(x[0], "nuc"); },
         {Wave({4, 2}, 0.2)},
         {4.787931169701}},
        {"MatrixNorm_2",
         [](const TensorVector& x) { return MatrixNorm(x[0], "2"); },
         {Wave({4, 2}, 0.2)},
         {3.5910873686}},
        {"MatrixNorm_minus_2",
         [](const TensorVector& x) { return MatrixNorm(x[0], "-2"); },
         {Wave({4, 2}, 0.2)},
         {1.196843801101}},
        {"MatrixNorm_1",
         [](const TensorVector& x) { return MatrixNorm(x[0], "1"); },
         {Wave({4, 2}, 0.2)},
         {5.782368449056}},
        {"MatrixNorm_minus_1",
         [](const TensorVector& x) { return MatrixNorm(x[0], "-1"); },
         {Wave({4, 2}, 0.2)},
         {4.252005683789}},
        {"MatrixNorm_inf",
         [](const TensorVector& x) { return MatrixNorm(x[0], "inf"); },
         {Wave({4, 2}, 0.2)},
         {2.639911657602}},
        {"MatrixNorm_minus_inf",
         [](const TensorVector& x) { return MatrixNorm(x[0], "-inf"); },
         {Wave({4, 2}, 0.2)},
         {2.289938836965}},
        {"EigvalsH",
         [](const TensorVector& x) { return EigvalsH(x[0] + Transpose(x[0])); },
         {Square({3, 3}, 0.4)},
         {-0.4077423094579, 5.830480233283, 9.272036323585}},
        {"EighOfExp",
         [](const TensorVector& x) { return ExpOfSymmetric(x[0] + Transpose(x[0])); },
         {Square({3, 3}, 0.4) / 4},
         {2.006784011539, 0.5387862750733, 1.645982277482, 0.5387862750733, 9.989659452364, 0.8084742844978,
          1.645982277482, 0.8084742844978, 3.357803561338}},
        {"SvdVals",
         [](const TensorVector& x) { return SvdVals(x[0]); },
         {Wave({2, 4}, 0.7)},
         {3.685137608269, 1.064307227084}},
        {"SvdOfSqrt",
         [](const TensorVector& x) { return SqrtOfSingularValues(x[0]); },
         {Wave({4, 2}, 0.2)},
         {-0.03811562920948, 1.179308925735, -0.3842580660342, -0.9387013663054, 0.7811156366614, 0.6357606428973,
          -1.126104305405, -0.2906031146271}}}),
    CaseName);

// --- residuals, in multiples of epsilon * n * the largest element ---

double LargestOf(const Tensor& x) { return x.size() == 0 ? 0 : ReduceMax(Abs(Cast(x, kFloat64))).item<double>(); }

void ExpectSmall(const Tensor& difference, const Tensor& scale, const char* what) {
  const double n = static_cast<double>(
      std::max(difference.shape().dim(difference.rank() - 1), difference.shape().dim(difference.rank() - 2)));
  const double epsilon = scale.dtype() == kFloat32 ? 0x1p-23 : 0x1p-52;
  EXPECT_LE(LargestOf(difference), 8 * epsilon * n * LargestOf(scale)) << what;
}
void ExpectOrthonormal(const Tensor& q, const char* what) {  // columns
  const Tensor product = MatMul(Swap(q), q), one = Eye(product);
  ExpectSmall(product - one, one, what);
}
Tensor Times(const Tensor& u, const Tensor& s) { return u * ExpandDims(s, -2); }

class Residuals : public testing::TestWithParam<std::tuple<DType, Shape>> {
 protected:
  Tensor matrix(double seed = 0.3) const {
    const auto& [dtype, shape] = GetParam();
    std::vector<double> x;
    for (int64_t i = 0; i < shape.size(); ++i) {  // sin of squares: no structure
      x.push_back(std::sin(static_cast<double>(i * i % 10007) + seed));
    }
    return Cast(Tensor::FromData(x, shape), dtype);
  }
  bool square() const {
    const Shape& s = std::get<1>(GetParam());
    return s.dim(s.rank() - 1) == s.dim(s.rank() - 2);
  }
};

TEST_P(Residuals, Qr) {
  const Tensor a = matrix();
  const QrResult f = Qr(a);
  ExpectSmall(MatMul(f.q, f.r) - a, a, "q r");
  ExpectOrthonormal(f.q, "q");
}

TEST_P(Residuals, Svd) {
  const Tensor a = matrix();
  const SvdResult f = Svd(a);
  ExpectSmall(MatMul(Times(f.u, f.s), f.vt) - a, ReduceMax(f.s), "u s vt");
  ExpectOrthonormal(f.u, "u");
  ExpectOrthonormal(Swap(f.vt), "v");
}

TEST_P(Residuals, OfSquareMatrices) {
  if (!square()) return;
  const Tensor a = matrix(), spd = Definite(a), symmetric = a + Swap(a);
  const Tensor l = Cholesky(spd);
  ExpectSmall(MatMul(l, Swap(l)) - spd, spd, "l l'");
  const EighResult e = Eigh(symmetric);
  ExpectSmall(MatMul(Times(e.vectors, e.values), Swap(e.vectors)) - symmetric, Abs(ReduceMax(Abs(e.values))), "v w v'");
  ExpectOrthonormal(e.vectors, "v");
  const Tensor b = matrix(0.8), x = Solve(spd, b);
  ExpectSmall(MatMul(spd, x) - b, ReduceMax(Abs(spd)) * ReduceMax(Abs(x)), "solve");
  const Tensor y = CholeskySolve(l, b);
  ExpectSmall(MatMul(spd, y) - b, ReduceMax(Abs(spd)) * ReduceMax(Abs(y)), "cholesky_solve");
}

INSTANTIATE_TEST_SUITE_P(All, Residuals,
                         testing::Combine(testing::Values(kFloat32, kFloat64),
                                          testing::Values(Shape{1, 1}, Shape{7, 7}, Shape{31, 31}, Shape{64, 64},
                                                          Shape{2, 65, 65}, Shape{100, 9}, Shape{9, 100},
                                                          Shape{80, 70})),
                         [](const auto& info) {
                           std::string name(Name(std::get<0>(info.param)));
                           for (int64_t d : std::get<1>(info.param).dims()) name += "_" + std::to_string(d);
                           return name;
                         });

// --- matrices that are hard ---

TEST(LinalgHard, RankDeficientSvdHasOrthonormalVectors) {
  for (const Tensor& a :
       {Wave({6, 4}), Zeros({5, 3}, kFloat64), Ones({4, 4}, kFloat64), Tensor({{1.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}})}) {
    const SvdResult f = Svd(a);
    ExpectOrthonormal(f.u, "u");
    ExpectOrthonormal(Swap(f.vt), "v");
    ExpectSmall(MatMul(Times(f.u, f.s), f.vt) - a, Ones({1, 1}, kFloat64) + ReduceMax(f.s), "a");
  }
  EXPECT_EQ(MatrixRank(Wave({6, 4})).item<int64_t>(), 2);
  EXPECT_EQ(MatrixRank(Zeros({3, 3})).item<int64_t>(), 0);
}

// Singular values far apart are right to a small multiple of their own size: one-sided Jacobi.
TEST(LinalgHard, GradedSingularValuesAreAccurate) {
  const Tensor d({1.0, 1e-6, 1e-12, 1e-18});
  const Tensor q = Qr(Square({4, 4}, 0.1)).q;
  const std::vector<double> s = Values(SvdVals(MatMul(q, Eye(q) * ExpandDims(d, -1))));
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(s[i], Values(d)[i], 1e-14 * Values(d)[i]);
}

// The Hilbert matrix of order 8 has condition 1.5e10.
TEST(LinalgHard, IllConditionedSolveHasASmallResidual) {
  const Tensor i = Iota({8, 8}, 0, kFloat64), j = Iota({8, 8}, 1, kFloat64);
  const Tensor a = 1.0 / (i + j + 1.0), b = ReduceSum(a, 1);
  const Tensor x = Solve(a, b);
  EXPECT_LE(LargestOf(MatMul(a, x) - b), 1e-15);
  EXPECT_LE(LargestOf(x - 1.0), 1e-4);
  EXPECT_NEAR(Det(a).item<double>() / 2.7370501131e-33, 1, 1e-6);
}

TEST(LinalgHard, NotPositiveDefiniteIsNaNInItsOwnMatrixOnly) {
  const Tensor l = Cholesky(Tensor({{{1.0, 2.0}, {2.0, 1.0}}, {{4.0, 2.0}, {2.0, 5.0}}}));
  const std::vector<double> got = Values(l);
  for (size_t i : std::initializer_list<size_t>{0, 2, 3}) EXPECT_TRUE(std::isnan(got[i])) << i;
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(std::vector<double>(got.begin() + 4, got.end()), (std::vector<double>{2, 0, 1, 2}));
}

TEST(LinalgHard, SingularMatrices) {
  const Tensor a({{1.0, 2.0}, {2.0, 4.0}});
  EXPECT_EQ(Det(a).item<double>(), 0);
  EXPECT_EQ(SlogDet(a).sign.item<double>(), 0);
  EXPECT_EQ(SlogDet(a).log_abs.item<double>(), -std::numeric_limits<double>::infinity());
  for (double x : Values(Solve(a, Tensor({1.0, 0.0})))) EXPECT_FALSE(std::isfinite(x));
  EXPECT_EQ(Det(Zeros({0, 0})).item<float>(), 1);
}

// A batch changes no bit of a matrix in it.
TEST(LinalgHard, ABatchIsItsMatrices) {
  const Tensor a = Square({3, 5, 5}, 0.2), whole = a + Swap(a);
  const auto row = [](const Tensor& x, int64_t i) { return Squeeze(DynamicSlice(x, i, 1), 0); };
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor one = row(whole, i);
    EXPECT_EQ(Values(row(Eigh(whole).vectors, i)), Values(Eigh(one).vectors));
    EXPECT_EQ(Values(row(Svd(whole).u, i)), Values(Svd(one).u));
    EXPECT_EQ(Values(row(Qr(whole).r, i)), Values(Qr(one).r));
    EXPECT_EQ(Values(row(Inverse(whole), i)), Values(Inverse(one)));
  }
}

// Signs and order do not depend on anything but the matrix.
TEST(LinalgHard, VectorsHaveTheStatedSigns) {
  const EighResult e = Eigh(Tensor({{2.0, 1.0}, {1.0, 2.0}}));
  const double h = std::sqrt(0.5);
  ExpectNear(e.values, {1, 3}, 1e-15, "w");
  ExpectNear(e.vectors, {h, h, -h, h}, 1e-15, "v");
}

// --- gradients where the general formula divides by zero ---

TEST(LinalgGradient, EqualEigenvalues) {
  const Tensor a = Eye(Zeros({3, 3}, kFloat64)) * 2.0;
  GradientTape tape;
  tape.Watch(a);
  const Tensor y = ReduceSum(Exp(EigvalsH(a)));
  const std::vector<double> g = Values(*tape.Gradient(y, a));
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(g[i], i % 4 == 0 ? std::exp(2.0) : 0, 1e-14);
}

TEST(LinalgGradient, EqualAndZeroSingularValues) {
  for (const Tensor& a : {Eye(Zeros({2, 2}, kFloat64)), Tensor({{2.0, 0.0}, {0.0, 0.0}})}) {
    GradientTape tape;
    tape.Watch(a);
    const SvdResult f = Svd(a);
    const Tensor y = ReduceSum(f.u * f.vt) + ReduceSum(f.s);
    for (double g : Values(*tape.Gradient(y, a))) EXPECT_TRUE(std::isfinite(g));
  }
}

// TensorFlow 2.21: the gradient of cholesky is symmetric, that of eigh in the lower triangle.
TEST(LinalgGradient, Triangles) {
  const Tensor a({{3.0, 0.5, -0.25}, {0.5, 2.0, 0.75}, {-0.25, 0.75, 2.5}});
  const Tensor seed({{0.54, -0.416, -0.99}, {-0.654, 0.284, 0.96}, {0.754, -0.146, -0.911}});
  GradientTape tape({.persistent = true});
  tape.Watch(a);
  const Tensor l = ReduceSum(Cholesky(a) * seed), w = ReduceSum(Eigh(a).vectors * seed);
  ExpectNear(*tape.Gradient(l, a),
             {0.20321737194174463, -0.19439653859567532, 0.17920051393519731, -0.19439653859567532, 0.07137674386011525,
              0.07551748087221916, 0.17920051393519731, 0.07551748087221916, -0.31049148884706107},
             1e-14, "cholesky");
  const std::vector<double> g = Values(*tape.Gradient(w, a));
  for (size_t i : std::initializer_list<size_t>{1, 2, 5}) EXPECT_EQ(g[i], 0);
  EXPECT_NE(g[3], 0);
}

// --- errors ---

std::string Message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(LinalgErrors, NameTheOpShapesAndARemedy) {
  const Tensor wide = Ones({2, 3}), square = Ones({3, 3}), vector = Ones({3});
  EXPECT_THAT(Message([&] { Cholesky(wide); }), HasSubstr("cholesky: needs square matrices, got f32[2,3]"));
  EXPECT_THAT(Message([&] { Inverse(wide); }), HasSubstr("inverse: needs square matrices, got f32[2,3]"));
  EXPECT_THAT(Message([&] { Svd(vector); }), HasSubstr("svd: needs matrices, rank 2 or more, got f32[3]"));
  EXPECT_THAT(Message([&] { Det(vector); }), HasSubstr("det: needs matrices"));
  EXPECT_THAT(Message([&] { Solve(square, Ones({2})); }),
              HasSubstr("solve: f32[2] is no right side for f32[3,3]; b needs a's dtype and 3 rows"));
  EXPECT_THAT(Message([&] { Solve(square, Ones({3}, kFloat64)); }), HasSubstr("solve: f64[3]"));
  EXPECT_THAT(Message([&] { Qr(Ones({2, 2}, kInt32)); }),
              HasSubstr("qr: operand must be f32 or f64, got i32[2,2]; cast it first"));
  EXPECT_THAT(Message([&] { MatrixExp(Ones({2, 2}, kInt64)); }), HasSubstr("matrix_exp: operand must be f32 or f64"));
  EXPECT_THAT(Message([&] { MatrixNorm(square, "max"); }), HasSubstr("there is no order 'max'"));
  EXPECT_THAT(Message([&] { Cross(Ones({2}), Ones({2})); }), HasSubstr("must have 3 elements"));
}

}  // namespace
}  // namespace reel
