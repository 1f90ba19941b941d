// Statistics, running sums, movement, indexing, sorting and products: values printed by NumPy 2 and
// PyTorch 2.

#include <cmath>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Pointwise;

const double kInf = INFINITY, kNaN = NAN;
const auto kInvalid = ErrorCode::kInvalidArgument;

using TensorFunction = std::function<Tensor(const Tensor&)>;

/// The gradient of the sum of f(x).
std::vector<double> Slope(const TensorFunction& f, const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = f(x);
  return Values(*tape.Gradient(ReduceSum(y), x, kZerosIfUnconnected));
}

/// First and second gradients against stencils, and compiled against eager.
void CheckSlopes(const TensorFunction& f, const Tensor& x) {
  const Composition first = [&f](const TensorVector& v) { return f(v[0]); };
  ExpectGradients(first, {x}, 1e-7, "gradient");
  ExpectGradients([&](const TensorVector& v) { return JoinedGradients(first, v); }, {x}, 1e-6, "second gradient");
  ExpectCompiledBits(first, {x});
}

Tensor Counting(const std::vector<int64_t>& dims, DType dtype = kFloat64) {
  return Cast(Reshape(Arange(0, Shape(dims).size()), dims), dtype);
}

// --- statistics ---

TEST(Statistics, OverAxes) {
  const Tensor x({{1.0, 4.0, 2.0}, {8.0, 5.0, 7.0}});
  EXPECT_EQ(ReduceProd(x).item<double>(), 2240);
  EXPECT_THAT(Values(ReduceProd(x, 0)), ElementsAre(8, 20, 14));
  EXPECT_EQ(ReduceProd(x, {0, -1}, {.keepdims = true}).shape(), Shape({1, 1}));
  EXPECT_EQ(ReduceProd(Zeros({0})).item<float>(), 1);
  EXPECT_EQ(ReduceProd(Tensor(3.0)).item<double>(), 3);
  EXPECT_THAT(Values(ReduceVariance(x, 0)), ElementsAre(12.25, 0.25, 6.25));
  EXPECT_THAT(Values(ReduceVariance(x, 1, {.ddof = 1})), Pointwise(DoubleEq(), {7 / 3.0, 7 / 3.0}));
  EXPECT_EQ(ReduceStd(x).item<double>(), 2.5);
  EXPECT_EQ(ReduceStd(x, 1, {.keepdims = true}).shape(), Shape({2, 1}));
  EXPECT_NEAR(ReduceVariance(Add(x, 1e8)).item<double>(), 6.25, 1e-6);
  EXPECT_THAT(Values(Norm(x, 1)), Pointwise(DoubleEq(), {std::sqrt(21.0), std::sqrt(138.0)}));
  EXPECT_THAT(Values(Norm(Neg(x), 0, {.order = NormOrder::kOne})), ElementsAre(9, 9, 9));
  EXPECT_THAT(Values(Norm(Neg(x), 0, {.order = NormOrder::kInfinity})), ElementsAre(8, 5, 7));
  EXPECT_EQ(CountNonzero(Sub(x, 4)).item<int64_t>(), 5);
  EXPECT_THAT(Values(Median(x, 0)), ElementsAre(4.5, 4.5, 4.5));
  EXPECT_THAT(Values(Median(x)), ElementsAre(2, 7));
  EXPECT_TRUE(std::isnan(Median(Tensor({1.0, kNaN, 2.0})).item<double>()));
  ExpectError(kInvalid, "needs floats", [] { ReduceVariance(Tensor({1, 2})); });
  ExpectError(kInvalid, "is empty", [] { Median(Zeros({0})); });
}

// The sums of squares are beyond 65504.
TEST(Statistics, HalvesAreSummedInSingle) {
  const Tensor x = Wave({4096}, 0.3, 100);
  for (const DType dtype : {kFloat16, kBFloat16}) {
    const double rounding = dtype == kFloat16 ? 1e-3 : 8e-3;
    const Tensor half = Cast(x, dtype), same = Cast(half, kFloat64);
    ExpectNear(ReduceVariance(half), Values(ReduceVariance(same)), rounding, "variance");
    ExpectNear(ReduceStd(half), Values(ReduceStd(same)), rounding, "std");
    ExpectNear(Norm(half), Values(Norm(same)), rounding, "norm");
    EXPECT_EQ(Norm(half).dtype(), dtype);
  }
  // e^0 as often as f16 cannot count.
  const Tensor zeros = Zeros({100000}, kFloat16);
  EXPECT_NEAR(LogSumExp(zeros).item<double>(), std::log(1e5), 1e-2);
  EXPECT_NEAR(LogCumSumExp(zeros)[99999].item<double>(), std::log(1e5), 1e-2);
}

TEST(Statistics, GradientsAtZero) {
  EXPECT_THAT(Slope([](const Tensor& x) { return Norm(x); }, Tensor({0.0, 0.0})), ElementsAre(0, 0));
  EXPECT_THAT(Slope([](const Tensor& x) { return ReduceStd(x); }, Tensor({2.0, 2.0})), ElementsAre(0, 0));
  EXPECT_THAT(Slope([](const Tensor& x) { return ReduceProd(x); }, Tensor({2.0, 0.0, 3.0})), ElementsAre(0, 6, 0));
  EXPECT_THAT(Slope([](const Tensor& x) { return ReduceSum(CumProd(x)); }, Tensor({2.0, 0.0, 3.0})),
              ElementsAre(1, 8, 0));
}

TEST(Cumulative, AllDirections) {
  const Tensor x({1.0, 2.0, 3.0, 4.0});
  EXPECT_THAT(Values(CumSum(x)), ElementsAre(1, 3, 6, 10));
  EXPECT_THAT(Values(CumSum(x, 0, {.exclusive = true})), ElementsAre(0, 1, 3, 6));
  EXPECT_THAT(Values(CumSum(x, -1, {.reverse = true})), ElementsAre(10, 9, 7, 4));
  EXPECT_THAT(Values(CumSum(x, -1, {.exclusive = true, .reverse = true})), ElementsAre(9, 7, 4, 0));
  EXPECT_THAT(Values(CumProd(x)), ElementsAre(1, 2, 6, 24));
  EXPECT_THAT(Values(CumProd(x, 0, {.exclusive = true})), ElementsAre(1, 1, 2, 6));
  EXPECT_THAT(Values(CumProd(x, 0, {.reverse = true})), ElementsAre(24, 24, 12, 4));
  EXPECT_THAT(Values(CumSum(Counting({2, 3}), 0)), ElementsAre(0, 1, 2, 3, 5, 7));
  EXPECT_THAT(CumSum(Tensor({1, 2, 3})).ToVector<int>(), ElementsAre(1, 3, 6));
  const Tensor y({3.0, 1.0, 3.0, 5.0, 4.0});
  EXPECT_THAT(Values(CumMax(y)), ElementsAre(3, 3, 3, 5, 5));
  EXPECT_THAT(Values(CumMin(y)), ElementsAre(3, 1, 1, 1, 1));
  EXPECT_THAT(Values(CumMax(y, 0, {.reverse = true})), ElementsAre(5, 5, 5, 5, 4));
  EXPECT_THAT(Values(CumMax(y, 0, {.exclusive = true})), ElementsAre(-kInf, 3, 3, 3, 5));
  EXPECT_THAT(CumMin(Tensor({2, -7, 1}), 0, {.exclusive = true}).ToVector<int>(), ElementsAre(INT32_MAX, 2, -7));
  const auto with_nan = Values(CumMax(Tensor({1.0, kNaN, 9.0})));
  EXPECT_TRUE(with_nan[0] == 1 && std::isnan(with_nan[1]) && std::isnan(with_nan[2]));
  EXPECT_THAT(Values(LogCumSumExp(Tensor({0.5, -1.0, 2.0, 0.25}))),
              Pointwise(testing::DoubleNear(1e-15), {0.5, 0.7014132779827524, 2.241311296657157, 2.3692789984482534}));
  EXPECT_THAT(Values(LogCumSumExp(Tensor({-kInf, 1e4, -kInf}))), ElementsAre(-kInf, 1e4, 1e4));
  // Before the first number that is not -inf there is no maximum to rescale by.
  EXPECT_THAT(Values(LogCumSumExp(Tensor({-kInf, -1e4}))), ElementsAre(-kInf, -1e4));
  EXPECT_THAT(Values(LogCumSumExp(Tensor({-1e4, -kInf, -kInf}), 0, {.reverse = true})),
              ElementsAre(-1e4, -kInf, -kInf));
  EXPECT_THAT(Values(LogCumSumExp(Tensor({-kInf, kInf, 1.0}))), ElementsAre(-kInf, kInf, kInf));
  EXPECT_THAT(Values(Recurrence(Tensor({9.0, 2.0, 3.0}), 1.0)), ElementsAre(1, 3, 10));
  for (const auto f : {CumSum, CumProd, CumMax, CumMin, LogCumSumExp}) {
    EXPECT_EQ(f(Zeros({2, 0}), 1, {}).shape(), Shape({2, 0}));
    EXPECT_EQ(f(Full({1}, 7), 0, {}).item<float>(), 7);
    ExpectError(kInvalid, "axis 1 is out of range for rank 1", [&] { f(x, 1, {}); });
  }
  EXPECT_THAT(Values(CumProd(Tensor({-0.0, 3.0, -2.0, kInf}))), testing::ElementsAre(0, 0, 0, testing::IsNan()));
  EXPECT_TRUE(std::signbit(Values(CumProd(Tensor({-0.0, 3.0})))[1]));
}

TEST(Cumulative, Gradients) {
  EXPECT_THAT(Slope([](const Tensor& x) { return ReduceSum(CumMax(x)); }, Tensor({3.0, 1.0, 3.0, 5.0, 4.0})),
              ElementsAre(3, 0, 0, 2, 0));
  const Tensor x({0.3, -1.2, 2.1, -0.4, 0.9});
  for (const auto f : {CumSum, CumProd, CumMax, CumMin, LogCumSumExp}) {
    for (bool reverse : {false, true}) {
      CheckSlopes([&](const Tensor& t) { return Mul(f(t, 0, {.reverse = reverse}), t); }, x);
    }
  }
  EXPECT_THAT(Slope([](const Tensor& t) { return Slice(LogCumSumExp(t), {1}, {2}); }, Tensor({-kInf, 1.0})),
              ElementsAre(0, 1));
  EXPECT_THAT(Slope([](const Tensor& t) { return Slice(LogCumSumExp(t), {1}, {2}); }, Tensor({-kInf, -1e4})),
              ElementsAre(0, 1));
}

// --- shapes ---

TEST(Shaping, Movement) {
  const Tensor x = Counting({2, 3});
  EXPECT_THAT(Values(Flip(x)), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(Values(Flip(x, -1)), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(Values(Roll(x, 1)), ElementsAre(5, 0, 1, 2, 3, 4));
  EXPECT_THAT(Values(Roll(x, {1, -1}, {0, 1})), ElementsAre(4, 5, 3, 1, 2, 0));
  EXPECT_THAT(Values(Tile(Tensor({{1, 2}, {3, 4}}), {2, 1, 2})),
              ElementsAre(1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4));
  EXPECT_EQ(Tile(x, {0, 2}).shape(), Shape({0, 6}));
  EXPECT_THAT(Values(Repeat(Tensor({{1, 2}, {3, 4}}), 2, 1)), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_EQ(MoveAxis(Zeros({2, 3, 4}), 0, -1).shape(), Shape({3, 4, 2}));
  EXPECT_EQ(SwapAxes(Zeros({2, 3, 4}), 0, 2).shape(), Shape({4, 3, 2}));
  EXPECT_EQ(Ravel(Zeros({2, 3, 4}), 1).shape(), Shape({2, 12}));
  EXPECT_EQ(Ravel(Tensor(1.f)).shape(), Shape({1}));
  const auto parts = Split(Counting({5}), {2, 0, 3});
  EXPECT_THAT(Values(parts[2]), ElementsAre(2, 3, 4));
  EXPECT_EQ(parts[1].size(), 0);
  EXPECT_THAT(Values(Split(x, 3, 1)[1]), ElementsAre(1, 4));
  EXPECT_THAT(Values(Unstack(x, 1)[2]), ElementsAre(2, 5));
  std::vector<Tensor> many;
  for (int i = 0; i < 9; ++i) many.push_back(Full({2, i % 3}, i, kFloat64));
  EXPECT_THAT(Values(Concat(many, 1)), ElementsAre(1, 2, 2, 4, 5, 5, 7, 8, 8, 1, 2, 2, 4, 5, 5, 7, 8, 8));
  ExpectError(kInvalid, "does not divide into 2 parts", [&] { Split(x, 2, 1); });
  ExpectError(kInvalid, "extents add up to 4", [&] { Split(x, {2, 2}, 1); });
  ExpectError(kInvalid, "axis 2 is out of range", [&] { Flip(x, 2); });
  ExpectError(kInvalid, "are negative", [&] { Tile(x, {-1}); });
  ExpectError(kInvalid, "ravel: axis 1 is after axis 0", [&] { Ravel(x, 1, 0); });
}

// One axis more than there can be is an error, as is an extent that is no number.
TEST(Shaping, TooManyAxesOrElements) {
  const Tensor x = Ones(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1, 2}));
  ExpectError(kInvalid, "tile: f32[1,1,1,1,1,1,1,1,1,2] has 10 axes", [&] { Tile(x, {2}); });
  ExpectError(kInvalid, "repeat: f32[1,1,1,1,1,1,1,1,1,2] has", [&] { Repeat(x, 2, 0); });
  ExpectError(kInvalid, "meshgrid: 11 vectors", [] { Meshgrid(std::vector<Tensor>(11, Ones({1}))); });
  EXPECT_EQ(Meshgrid(std::vector<Tensor>(10, Ones({1})))[9].rank(), 10);
  constexpr int64_t kMany = int64_t{1} << 62;
  ExpectError(kInvalid, "too large", [&] { Tile(Ones({4, 0}), {kMany, 1}); });
  ExpectError(kInvalid, "too large", [&] { Repeat(Ones({4, 0}), kMany, 0); });
}

TEST(Shaping, PadModes) {
  const Tensor x({1, 2, 3});
  const auto pad = [&](PadMode mode) { return Values(Pad(x, {4}, {5}, mode)); };
  EXPECT_THAT(pad(PadMode::kEdge), ElementsAre(1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3));
  EXPECT_THAT(pad(PadMode::kReflect), ElementsAre(1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2));
  EXPECT_THAT(pad(PadMode::kSymmetric), ElementsAre(3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2));
  EXPECT_THAT(pad(PadMode::kWrap), ElementsAre(3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2));
  EXPECT_THAT(Values(Pad(Tensor({7}), {1}, {2}, PadMode::kReflect)), ElementsAre(7, 7, 7, 7));
  CheckSlopes([](const Tensor& t) { return Square(Pad(t, {2}, {1}, PadMode::kReflect)); }, Tensor({0.3, -1.0, 2.0}));
  ExpectError(kInvalid, "padding -1 and 2 of axis 0 is negative", [&] { Pad(x, {-1}, {2}, PadMode::kEdge); });
  ExpectError(kInvalid, "has no elements to repeat", [] { Pad(Zeros({0}), {1}, {0}, PadMode::kEdge); });
}

TEST(Shaping, Matrices) {
  EXPECT_THAT(Values(Eye(2, 3, 1)), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(Values(Diag(Tensor({1, 2}), 1)), ElementsAre(0, 1, 0, 0, 0, 2, 0, 0, 0));
  EXPECT_THAT(Values(Diag(Tensor({1, 2}), -1)), ElementsAre(0, 0, 0, 1, 0, 0, 0, 2, 0));
  const Tensor x = Counting({3, 4});
  EXPECT_THAT(Values(DiagPart(x, 1)), ElementsAre(1, 6, 11));
  EXPECT_THAT(Values(DiagPart(x, -1)), ElementsAre(4, 9));
  EXPECT_THAT(Values(DiagPart(x, 4)), IsEmpty());
  EXPECT_EQ(Trace(x).item<double>(), 15);
  EXPECT_THAT(Values(Tril(x, 1)), ElementsAre(0, 1, 0, 0, 4, 5, 6, 0, 8, 9, 10, 11));
  EXPECT_THAT(Values(Triu(x, 1)), ElementsAre(0, 1, 2, 3, 0, 0, 6, 7, 0, 0, 0, 11));
  EXPECT_THAT(Values(TriangularMask(2, 3)), ElementsAre(1, 0, 0, 1, 1, 0));
  EXPECT_THAT(Values(Linspace(1, 2, 5)), ElementsAre(1, 1.25, 1.5, 1.75, 2));
  EXPECT_THAT(Values(Linspace(1, 2, 4, kFloat64, false)), ElementsAre(1, 1.25, 1.5, 1.75));
  EXPECT_THAT(Values(Linspace(3, 9, 1)), ElementsAre(3));
  EXPECT_THAT(Values(Linspace(-2, 1, 5, kInt32)), ElementsAre(-2, -2, -1, 0, 1));
  for (const DType dtype : {kBool, kUInt8, kFloat16, kComplex64}) {
    const Tensor ones = Ones({2, 2}, dtype);
    for (const Tensor& y : {Tril(ones), Triu(ones), Diag(ones)}) EXPECT_EQ(y.dtype(), dtype);
  }
  EXPECT_THAT(Values(Triu(Tensor({{true, true}, {true, true}}))), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(Values(Triu(Tensor({{1, 2}, {3, 4}}), INT64_MIN)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values(Tril(Tensor({{1, 2}, {3, 4}}), INT64_MAX)), ElementsAre(1, 2, 3, 4));
  const auto grid = Meshgrid({Tensor({1, 2}), Tensor({3, 4, 5})});
  EXPECT_THAT(Values(grid[0]), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(Values(grid[1]), ElementsAre(3, 4, 5, 3, 4, 5));
  EXPECT_THAT(Values(Meshgrid({Tensor({1, 2}), Tensor({3, 4, 5})}, true)[0]), ElementsAre(1, 2, 1, 2, 1, 2));
  CheckSlopes([](const Tensor& t) { return Square(DiagPart(Tril(t), -1)); }, Counting({3, 3}));
  CheckSlopes([](const Tensor& t) { return Square(Diag(t, 1)); }, Tensor({0.5, -1.5}));
}

// --- products ---

TEST(Products, DotOuterTensorDot) {
  EXPECT_EQ(Dot(Tensor({1.0, 2.0}), Tensor({3.0, 4.0})).item<double>(), 11);
  EXPECT_THAT(Values(Dot(Counting({2, 2}), Counting({2, 2, 2}))), ElementsAre(2, 3, 6, 7, 6, 11, 26, 31));
  EXPECT_THAT(Values(Dot(Tensor({1.0, 2.0}), 3)), ElementsAre(3, 6));
  EXPECT_THAT(Values(Outer(Tensor({1.0, 2.0}), Tensor({3.0, 4.0}))), ElementsAre(3, 4, 6, 8));
  EXPECT_THAT(Values(TensorDot(Counting({2, 3, 2}), Counting({3, 2, 2}))), ElementsAre(110, 125, 290, 341));
  EXPECT_THAT(Values(TensorDot(Counting({2, 3}), Counting({2, 3}), {1}, {-1})), ElementsAre(5, 14, 14, 50));
  EXPECT_THAT(Values(MatMul(Counting({3, 2}), Counting({4, 3}), {.transpose_a = true, .transpose_b = true})),
              ElementsAre(10, 28, 46, 64, 13, 40, 67, 94));
}

TEST(Products, Einsum) {
  const Tensor a = Counting({2, 3}), b = Counting({3, 4}), c = Counting({4, 2}), d = Counting({3, 3});
  const std::vector<double> ab{20, 23, 26, 29, 56, 68, 80, 92};
  const auto sum = [](const char* equation, const std::vector<Tensor>& operands) {
    return Values(Einsum(equation, operands));
  };
  EXPECT_THAT(sum("ij,jk", {a, b}), ElementsAreArray(ab));
  EXPECT_THAT(sum("ij, jk -> ik", {a, b}), ElementsAreArray(ab));
  EXPECT_THAT(sum("ij,jk,kl->il", {a, b, c}), ElementsAre(324, 422, 1008, 1304));
  EXPECT_THAT(sum("ii", {d}), ElementsAre(12));
  EXPECT_THAT(sum("ii->i", {d}), ElementsAre(0, 4, 8));
  EXPECT_THAT(sum("ij->ji", {a}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(sum("ij,ij->", {a, a}), ElementsAre(55));
  EXPECT_THAT(sum("ij,kj->ik", {a, d}), ElementsAre(5, 14, 23, 14, 50, 86));
  EXPECT_THAT(sum("i,j->ij", {a[0], a[1]}), ElementsAre(0, 0, 0, 3, 4, 5, 6, 8, 10));
  EXPECT_THAT(sum("ij->j", {a}), ElementsAre(3, 5, 7));
  EXPECT_THAT(sum("ij,ij->ij", {a, a}), ElementsAre(0, 1, 4, 9, 16, 25));
  EXPECT_THAT(sum("...j,jk->...k", {Counting({2, 2, 3}), b}),
              ElementsAre(20, 23, 26, 29, 56, 68, 80, 92, 92, 113, 134, 155, 128, 158, 188, 218));
  EXPECT_THAT(sum("...,...", {a, a[0]}), ElementsAre(0, 1, 4, 0, 4, 10));
  EXPECT_THAT(sum("iij,j->i", {Counting({2, 2, 3}), a[0]}), ElementsAre(5, 32));
  EXPECT_THAT(sum("ij,jk->k", {a, b}), ElementsAre(76, 91, 106, 121));
  EXPECT_THAT(sum("ij,j->i", {a, Tensor({2.0})}), ElementsAre(6, 24));
  EXPECT_THAT(sum("bij,bjk->bik", {Counting({2, 2, 3}), Counting({2, 3, 2})}),
              ElementsAre(10, 13, 28, 40, 172, 193, 244, 274));
  EXPECT_THAT(sum("iii->i", {Counting({2, 2, 2})}), ElementsAre(0, 7));
  EXPECT_EQ(Einsum(",->", {Tensor(2.0), Tensor(3.0)}).item<double>(), 6);
  EXPECT_EQ(Einsum("ij,jk->ik", {Zeros({2, 0}), Zeros({0, 3})}).shape(), Shape({2, 3}));
  CheckSlopes([](const Tensor& x) { return Einsum("ii,ij,kj->k", {x, x, x}); }, Sub(Counting({3, 3}), 4.2));
  ExpectError(kInvalid, "a label has extents", [&] { Einsum("ij,jk", {a, c}); });
  ExpectError(kInvalid, "names 2 operands, got 1", [&] { Einsum("ij,jk", {a}); });
  ExpectError(kInvalid, "operand 0 has rank 2, \"i\" names 1 axes", [&] { Einsum("i", {a}); });
  ExpectError(kInvalid, "'k' is in no operand", [&] { Einsum("ij->k", {a}); });
  ExpectError(kInvalid, "names 'i' twice", [&] { Einsum("ij->ii", {a}); });
  ExpectError(kInvalid, "'1' is neither", [&] { Einsum("i1", {a}); });
}

// --- indexing ---

TEST(Indexing, Scatters) {
  const Tensor x({1.0, 2.0, 3.0, 4.0}), i({3, 1, 3}), u({7.0, 8.0, 0.5});
  EXPECT_THAT(Values(ScatterSet(x, i, u)), ElementsAre(1, 8, 3, 0.5));
  EXPECT_THAT(Values(ScatterMax(x, i, u)), ElementsAre(1, 8, 3, 7));
  EXPECT_THAT(Values(ScatterMin(x, i, u)), ElementsAre(1, 2, 3, 0.5));
  EXPECT_THAT(Values(ScatterMul(x, i, u)), ElementsAre(1, 16, 3, 14));
  for (const auto f : {ScatterSet, ScatterMax, ScatterMin, ScatterMul}) {
    ExpectError(ErrorCode::kOutOfRange, "index 4 is out of range for axis 0 of f64[4]",
                [&] { f(x, Tensor({4}), Tensor({1.0}), 0); });
  }
}

TEST(Indexing, NdAndAlongAxis) {
  const Tensor x = Counting({2, 3});
  EXPECT_THAT(Values(GatherNd(x, Tensor({{1, 2}, {0, 0}}))), ElementsAre(5, 0));
  EXPECT_THAT(Values(GatherNd(x, Tensor({{1}, {1}}))), ElementsAre(3, 4, 5, 3, 4, 5));
  EXPECT_THAT(Values(TensorScatter(x, Tensor({{1, 2}, {0, 0}}), Tensor({-1.0, -2.0}))),
              ElementsAre(-2, 1, 2, 3, 4, -1));
  EXPECT_THAT(Values(TensorScatter(x, Tensor({{1}, {1}}), Ones({2, 3}, kFloat64), ScatterMode::kAdd)),
              ElementsAre(0, 1, 2, 5, 6, 7));
  EXPECT_THAT(Values(ScatterNd(Tensor({{1}, {3}, {1}}), Tensor({1.0, 2.0, 4.0}), {5})), ElementsAre(0, 5, 0, 2, 0));
  EXPECT_THAT(Values(TakeAlongAxis(x, Tensor({{2, 0}, {1, 1}}), 1)), ElementsAre(2, 0, 4, 4));
  EXPECT_THAT(Values(TakeAlongAxis(x, Tensor({{1, 0, 1}}), 0)), ElementsAre(3, 1, 5));
  EXPECT_THAT(Values(PutAlongAxis(x, Tensor({{2}, {0}}), 9, -1)), ElementsAre(0, 1, 9, 9, 4, 5));
  EXPECT_THAT(Values(PutAlongAxis(x, Tensor({{2, 2}}), 1, 1, ScatterMode::kAdd)), ElementsAre(0, 1, 4, 3, 4, 7));
  EXPECT_THAT(Values(OneHot(Tensor({1, 0}), 3, 5, -1, 0)), ElementsAre(-1, 5, 5, -1, -1, -1));
  ExpectError(ErrorCode::kOutOfRange, "index 3 is out of range for axis 1", [&] { GatherNd(x, Tensor({{0, 3}})); });
  ExpectError(ErrorCode::kOutOfRange, "index -1 is out of range", [&] { TakeAlongAxis(x, Tensor({{-1}}), 1); });
  ExpectError(kInvalid, "must have the rank of", [&] { TakeAlongAxis(x, Tensor({1}), 1); });
  ExpectError(ErrorCode::kUnimplemented, "nonzero: the shape of the result depends on values", [&] { Nonzero(x); });
  ExpectError(ErrorCode::kUnimplemented, "use Sort", [&] { Unique(x); });
  CheckSlopes([](const Tensor& t) { return Square(TakeAlongAxis(t, Tensor({{1, 1}, {0, 2}}), 1)); }, Counting({2, 3}));
  CheckSlopes(
      [](const Tensor& t) { return Square(PutAlongAxis(t, Tensor({{1, 1}, {0, 2}}), Slice(t, {0, 1}, {2, 3}), 1)); },
      Counting({2, 3}));
}

TEST(Sorting, StableWithNaNLast) {
  const Tensor x({3.0, 1.0, kNaN, 1.0, -kInf, 2.0});
  EXPECT_THAT(Values(Argsort(x)), ElementsAre(4, 1, 3, 5, 0, 2));
  EXPECT_THAT(Values(Argsort(x, 0, true)), ElementsAre(2, 0, 5, 1, 3, 4));
  EXPECT_THAT(Values(Argsort(Tensor({0.0, -0.0, -1.0}))), ElementsAre(2, 0, 1));
  EXPECT_THAT(Values(Sort(Tensor({{3, 1}, {2, 4}}), 0)), ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(Values(Sort(Tensor({true, false, true}))), ElementsAre(0, 1, 1));
  const TopKResult top = TopK(Tensor({{3, 1, 3}, {2, 4, 5}}), 2);
  EXPECT_THAT(Values(top.values), ElementsAre(3, 3, 5, 4));
  EXPECT_THAT(Values(top.indices), ElementsAre(0, 2, 2, 1));
  EXPECT_THAT(Values(TopK(Tensor({3, 1, 2}), 1, 0, false).values), ElementsAre(1));
  EXPECT_THAT(Slope([](const Tensor& t) { return Mul(Sort(t), Tensor({1.0, 10.0, 100.0})); }, Tensor({3.0, 1.0, 2.0})),
              ElementsAre(100, 1, 10));
  CheckSlopes([](const Tensor& t) { return Square(Sort(t, 0, true)); }, Tensor({0.3, -1.2, 2.1, -0.4}));
  ExpectError(kInvalid, "k 4 must be in [0, 3]", [] { TopK(Tensor({3, 1, 2}), 4); });
  ExpectError(kInvalid, "axis -1 is out of range for rank 0", [] { Sort(Tensor(1.0)); });
}

TEST(Searching, SortedVectorsAndSegments) {
  const Tensor sorted({1.0, 2.0, 2.0, 3.0, 5.0}), v({0.0, 2.0, 2.5, 5.0, 9.0, kNaN});
  EXPECT_THAT(Values(SearchSorted(sorted, v)), ElementsAre(0, 1, 3, 4, 5, 5));
  EXPECT_THAT(Values(SearchSorted(sorted, v, Side::kRight)), ElementsAre(0, 3, 3, 5, 5, 5));
  EXPECT_THAT(Values(SearchSorted(Zeros({0}, kFloat64), v)), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(Values(IsIn(Tensor({1, 4, 7}), Tensor({7, 1, 2}))), ElementsAre(1, 0, 1));
  EXPECT_THAT(Values(IsIn(Tensor({1, 4}), Zeros({0}, kInt32))), ElementsAre(0, 0));
  EXPECT_THAT(Values(Bincount(Tensor({1, 0, 1, 7}), 3)), ElementsAre(1, 2, 0));
  EXPECT_THAT(Values(Bincount(Tensor({1, 0, 1}), 2, Tensor({0.5, 1.0, 2.0}))), ElementsAre(1, 2.5));
  const Tensor rows({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}), s({0, 2, 0});
  EXPECT_THAT(Values(SegmentSum(rows, s, 3)), ElementsAre(6, 8, 0, 0, 3, 4));
  EXPECT_THAT(Values(SegmentMean(rows, s, 3)), ElementsAre(3, 4, 0, 0, 3, 4));
  EXPECT_THAT(Values(SegmentProd(rows, s, 3)), ElementsAre(5, 12, 1, 1, 3, 4));
  EXPECT_THAT(Values(SegmentMax(rows, s, 3)), ElementsAre(5, 6, -kInf, -kInf, 3, 4));
  EXPECT_THAT(Values(SegmentMin(rows, s, 3)), ElementsAre(1, 2, kInf, kInf, 3, 4));
}

}  // namespace
}  // namespace reel
