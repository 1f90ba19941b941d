// Losses against values that PyTorch printed, their edges and mistakes.

#include <limits>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

const Tensor kA = Wave({2, 3}, 0.3), kB = Wave({2, 3}, 1.1), kC = Wave({2, 3}, 2);
const Tensor kLabels({2, 0});
const Tensor kBits({{0.0, 1.0, 1.0}, {1.0, 0.0, 1.0}}), kSigns = 2 * kBits - 1;
const Tensor kOneHot = Cast(OneHot(kLabels, 3), kFloat64);

#define LOSS(name, inputs, call, ...)                                                         \
  CompositionCase {                                                                           \
    name, [](const TensorVector& x) { return call; }, inputs, std::vector<double> __VA_ARGS__ \
  }
#define IN(...) \
  TensorVector { __VA_ARGS__ }

class Losses : public testing::TestWithParam<CompositionCase> {};

TEST_P(Losses, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Classification, Losses,
    testing::Values(
        LOSS("Sparse", IN(kA, kLabels), SoftmaxCrossEntropy(x[0], x[1]), {3.384336438298}),
        LOSS("SparseRows", IN(kA, kLabels), SoftmaxCrossEntropy(x[0], x[1], {.reduction = kNone}),
             {3.17780889734, 3.590863979256}),
        LOSS("SparseSmooth", IN(kA, kLabels),
             SoftmaxCrossEntropy(x[0], x[1], {.reduction = kSum, .label_smoothing = 0.1}), {6.4270792017}),
        LOSS("Dense", IN(kA, Wave({2, 3}, 0.7)), SoftmaxCrossEntropy(x[0], Softmax(x[1]), {.reduction = kNone}),
             {0.9520060781988, 0.7802212748766}),
        LOSS("DenseSmooth", IN(kA, Wave({2, 3}, 0.7)),
             SoftmaxCrossEntropy(x[0], Softmax(x[1]), {.reduction = kNone, .label_smoothing = 0.2}),
             {1.09523465332, 0.9610944546685}),
        LOSS("NegativeLogLikelihood", IN(kA, kLabels), NegativeLogLikelihood(LogSoftmax(x[0]), x[1]), {3.384336438298}),
        LOSS("CategoricalHinge", IN(kA, kOneHot), CategoricalHinge(x[0], x[1], {.reduction = kNone}),
             {3.878267135468, 4.003467055364}),
        LOSS("KlDivergence", IN(kA, Wave({2, 3}, 0.7)),
             KlDivergence(Softmax(x[0]), Softmax(x[1]), {.reduction = kNone}), {0.1587607960334, 0.1242130723686}),
        LOSS("KlDivergenceOfLogs", IN(kA, Wave({2, 3}, 0.7)),
             KlDivergence(LogSoftmax(x[0]), Softmax(x[1]), {.reduction = kNone, .log_prediction = true}),
             {0.1587607960334, 0.1242130723686}),
        LOSS("CosineLoss", IN(kA, kB), CosineLoss(x[0], x[1], {.reduction = kNone}),
             {0.2719926899859, 0.4404259456645}),
        LOSS("CosineSimilarity", IN(kA, kB), CosineSimilarity(x[0], x[1], 0),
             {0.4423552860555, 0.8411061606874, 0.5308037415041}),
        LOSS("Triplet", IN(kA, kB, kC), TripletLoss(x[0], x[1], x[2], {.reduction = kNone, .margin = 1.5}),
             {0.2149973223307, 0})),
    CaseName);

INSTANTIATE_TEST_SUITE_P(
    Elements, Losses,
    testing::Values(
        LOSS("Sigmoid", IN(kA, kBits), SigmoidCrossEntropy(x[0], x[1], {.reduction = kNone}),
             {1.031712327548, 0.1503608625525, 1.357232431625, 1.738789700753, 1.66715763818, 0.270346434858}),
        LOSS("SigmoidSmooth", IN(kA, kBits), SigmoidCrossEntropy(x[0], x[1], {.label_smoothing = 0.1}),
             {1.022051978327}),
        LOSS("Binary", IN(kA, kBits), BinaryCrossEntropy(Sigmoid(x[0]), x[1], {.reduction = kNone}),
             {1.031712327548, 0.1503608625525, 1.357232431625, 1.738789700753, 1.66715763818, 0.270346434858}),
        LOSS("Hinge", IN(kA, kSigns), Hinge(x[0], x[1], {.reduction = kNone}),
             {1.591040413323, 0, 2.059672281817, 2.545528975112, 2.457938080252, 0}),
        LOSS("SquaredHinge", IN(kA, kSigns), SquaredHinge(x[0], x[1], {.reduction = kNone}),
             {2.531409596826, 0, 4.242249908485, 6.479717763135, 6.041459606352, 0}),
        LOSS("MeanSquaredError", IN(kA, kB), MeanSquaredError(x[0], x[1]), {1.3400616035}),
        LOSS("MeanAbsoluteError", IN(kA, kB), MeanAbsoluteError(x[0], x[1], {.reduction = kNone}),
             {1.1913743068, 1.14861855334, 0.8953879535132, 1.379350169477, 0.5399446034278, 1.518487948229}),
        LOSS("Huber", IN(kA, kB), Huber(x[0], x[1], {.reduction = kNone, .delta = 0.8}),
             {0.6330994454402, 0.5988948426716, 0.3963103628106, 0.7834801355816, 0.1457700873854, 0.8947903585836}),
        LOSS("LogCosh", IN(kA, kB), LogCosh(x[0], x[1], {.reduction = kNone}),
             {0.5865095244069, 0.551268916741, 0.3565320209086, 0.747649935762, 0.1391932326224, 0.8722050462288}),
        LOSS("Poisson", IN(kB, kBits), PoissonLoss(Exp(x[0]), x[1], {.reduction = kNone}),
             {5.944192664255, 1.284214706058, 2.096616185098, 1.013073596724, 7.373427680851, 1.054291109722}),
        LOSS("PoissonOfLogs", IN(kA, kBits), PoissonLoss(x[0], x[1], {.reduction = kNone, .log_prediction = true}),
             {1.80586628569, 4.344597321985, 1.406241650622, 1.758728039503, 4.297090132492, 2.051624689143}),
        LOSS("Gaussian", IN(kA, kB), GaussianLoss(x[0], Exp(x[1]), x[1], {.reduction = kNone}),
             {1.010598909013, 0.672551002706, 1.854281574499, 1.040194687517, 1.018710992224, 1.459518850872})),
    CaseName);

// The gradient of f by x.
std::vector<double> GradientOf(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  return Values(*tape.Gradient(f(x), x));
}

TEST(LossEdges, ExtremeScoresStayExact) {
  const Tensor x({1e4f, -1e4f, 20.f}), ones = OnesLike(x);
  EXPECT_THAT(Values(SigmoidCrossEntropy(x, ones, {.reduction = kNone})),
              ElementsAre(0, 1e4, testing::DoubleNear(std::log1p(std::exp(-20.0)), 1e-15)));
  const auto sum = [](const Tensor& t) { return SigmoidCrossEntropy(t, 1, {.reduction = kSum}); };
  EXPECT_THAT(GradientOf(sum, Tensor({0.0, 1e4, -1e4})), ElementsAre(-0.5, 0, -1));
  EXPECT_THAT(Values(LogCosh(Tensor({1e4, -1e4, 0.0}), 0, {.reduction = kNone})),
              ElementsAre(1e4 - std::log(2.0), 1e4 - std::log(2.0), 0));
}

TEST(LossEdges, ProbabilitiesOfZeroAndOne) {
  const Tensor p({0.0, 1.0, 0.0, 1.0}), t({0.0, 1.0, 1.0, 0.0});
  EXPECT_THAT(Values(BinaryCrossEntropy(p, t, {.reduction = kNone})), ElementsAre(0, 0, 100, 100));
  const auto sum = [&](const Tensor& x) { return BinaryCrossEntropy(x, t, {.reduction = kSum}); };
  EXPECT_THAT(GradientOf(sum, p), ElementsAre(1, -1, 0, 0));
}

TEST(LossEdges, ImpossibleClasses) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x({{0.0, -infinity}}), t({{1.0, 0.0}});
  const auto dense = [&](const Tensor& z) { return SoftmaxCrossEntropy(z, t); };
  EXPECT_EQ(dense(x).item<double>(), 0);
  EXPECT_THAT(GradientOf(dense, x), ElementsAre(0, 0));
  EXPECT_EQ(SoftmaxCrossEntropy(x, Tensor({1})).item<double>(), infinity);
}

TEST(LossEdges, TargetsOfZeroCountNothing) {
  const Tensor zero({0.0, 0.5}), p({0.0, 0.5});
  EXPECT_EQ(KlDivergence(p, zero).item<double>(), 0);
  EXPECT_EQ(PoissonLoss(Tensor(0.0), 0.0).item<double>(), 0);
  for (const double g : GradientOf([&](const Tensor& q) { return KlDivergence(q, zero); }, p))
    EXPECT_TRUE(std::isfinite(g));
}

TEST(LossEdges, DistancesOfEqualPoints) {
  const Tensor x({{0.0, 0.0}});
  for (const double g : GradientOf([&](const Tensor& a) { return TripletLoss(a, x, x); }, x))
    EXPECT_TRUE(std::isfinite(g));
  EXPECT_THAT(GradientOf([&](const Tensor& a) { return CosineLoss(a, x); }, x), ElementsAre(0, 0));
  EXPECT_THAT(GradientOf([&](const Tensor& a) { return MeanAbsoluteError(a, x); }, x), ElementsAre(0, 0));
  EXPECT_EQ(GradientOf([](const Tensor& a) { return Hinge(a, 1); }, Tensor(1.0))[0], -1);
}

TEST(LossEdges, ScalarsAndEmptyBatches) {
  EXPECT_EQ(MeanSquaredError(Tensor(3.f), 1).item<float>(), 4);
  EXPECT_EQ(Huber(Zeros({0}), Zeros({0}), {.reduction = kSum}).item<float>(), 0);
  EXPECT_EQ(SoftmaxCrossEntropy(Zeros({0, 3}), Zeros({0}, kInt32), {.reduction = kNone}).shape(), Shape({0}));
}

// d^2 / 2 for small d, which |d| + ... - log 2 would lose; no overflow of 2 d for large ones.
TEST(LossEdges, LogCoshOfSmallAndLargeDistances) {
  for (const double d : {1e-6, 1e-3, -1e-3, 0.5}) {
    const double want = std::log1p(2 * std::pow(std::sinh(d / 2), 2));
    EXPECT_NEAR(LogCosh(Tensor(static_cast<float>(d)), 0).item<double>() / want, 1, 1e-5) << d;
  }
  EXPECT_EQ(LogCosh(Full({}, 4e4, kFloat16), 0).item<double>(), 4e4);
  const auto sum = [](const Tensor& x) { return LogCosh(x, 0, {.reduction = kSum}); };
  const std::vector<double> g = GradientOf(sum, Tensor({0.0, 1e-8, -1.0, 1.0, -1e300}));
  const double t = std::tanh(1.0);
  EXPECT_THAT(g, testing::Pointwise(testing::DoubleNear(1e-14), {0.0, 1e-8, -t, t, -1.0}));
}

// In f16 the squares overflow, and the square of epsilon is 0.
TEST(LossEdges, DistancesOfHalves) {
  const Tensor x = Full({1, 4}, 300, kFloat16), zero = Zeros({1, 4}, kFloat16);
  EXPECT_EQ(CosineSimilarity(x, x).item<double>(), 1);
  EXPECT_EQ(CosineSimilarity(zero, zero).item<double>(), 0);
  EXPECT_EQ(TripletLoss(x, zero, x, {.margin = 0}).item<double>(), 600);
  const auto loss = [&](const Tensor& t) { return TripletLoss(t, zero, t) + CosineLoss(t, zero); };
  for (const double g : GradientOf(loss, zero)) EXPECT_TRUE(std::isfinite(g));
}

// A sum of 70,000 ones is infinite in f16.
TEST(LossEdges, SoftmaxOfManyHalves) {
  constexpr int64_t kMany = 70000;
  const Tensor x = Full({1, kMany}, 3, kFloat16), label = Zeros({1}, kInt32);
  const double far = std::log(static_cast<double>(kMany));
  EXPECT_NEAR(Values(Softmax(x))[0], 1.0 / kMany, 6e-8);  // half a unit of a denormal
  EXPECT_NEAR(Values(LogSoftmax(x))[0], -far, 4e-3);
  const auto loss = [&](const Tensor& t) { return SoftmaxCrossEntropy(t, label); };
  EXPECT_EQ(loss(x).dtype(), kFloat16);
  EXPECT_NEAR(loss(x).item<double>(), far, 4e-3);
  const std::vector<double> g = GradientOf(loss, x);
  EXPECT_NEAR(g[0], -1, 1e-3);
  EXPECT_NEAR(g[1], 1.0 / kMany, 6e-8);
}

TEST(LossErrors, NameBothShapes) {
  ExpectError(ErrorCode::kInvalidArgument, "the prediction f32[3,1] and the target f32[3] must have one shape",
              [] { MeanSquaredError(Zeros({3, 1}), Zeros({3})); });
  ExpectError(ErrorCode::kInvalidArgument, "kl_divergence: the prediction is a scalar",
              [] { KlDivergence(Tensor(1.f), 1.f); });
  ExpectError(ErrorCode::kInvalidArgument, "hinge: needs floats", [] { Hinge(Tensor({1, 2}), Tensor({1, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "label_smoothing 2 is not in [0, 1]",
              [] { SigmoidCrossEntropy(Zeros({1}), Zeros({1}), {.label_smoothing = 2}); });
  ExpectError(ErrorCode::kInvalidArgument, "huber: delta 0 must be positive",
              [] { Huber(Zeros({1}), Zeros({1}), {.delta = 0}); });
  ExpectError(ErrorCode::kOutOfRange, "negative_log_likelihood: label 3 is not one of 3 classes",
              [] { NegativeLogLikelihood(Zeros({1, 3}), Tensor({3})); });
}

}  // namespace
}  // namespace reel
