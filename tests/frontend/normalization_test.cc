// Normalisation against values that PyTorch printed; running statistics; edges and mistakes.

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

const Tensor kX = Wave({2, 3, 4}, 0.3), kScale = Wave({4}, 0.7, 1, 1), kOffset = Wave({4}, 1.9, 1);
const Tensor kChannelsFirst = Wave({2, 4, 2}, 0.3);

#define NORM(name, inputs, call, ...)                                                         \
  CompositionCase {                                                                           \
    name, [](const TensorVector& x) { return call; }, inputs, std::vector<double> __VA_ARGS__ \
  }
#define IN(...) \
  TensorVector { __VA_ARGS__ }

class Normalization : public testing::TestWithParam<CompositionCase> {};

TEST_P(Normalization, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Normalization,
    testing::Values(
        NORM("Layer", IN(kX, kScale, kOffset), LayerNormalize(x[0], x[1], x[2]),
             {1.732815470343,   1.896351600135,  -0.9695706701876, 0.05801345078546, 2.699062500103,   0.9811635827753,
              -1.077476227771,  0.353744693848,  3.091594544902,   -0.3223159882019, -1.106366509164,  0.7275737251583,
              2.908534147756,   -1.529457827955, -1.063777503502,  1.047450346534,   2.311726841736,   -2.435398803692,
              -0.9735286613954, 1.265386843791,  1.388376163508,   -2.934202705286,  -0.8483827612844, 1.356737562451}),
        NORM("LayerOfTwoAxes", IN(kX, Wave({3, 4}, 0.7, 1, 1), Wave({3, 4}, 1.9, 1)),
             LayerNormalize(x[0], x[1], x[2], {.axes = {1, 2}, .epsilon = 0.01}),
             {1.61750180324,     1.750502324966,  -0.9781814106767, 0.036229088815,   2.686789519911,
              0.1907116878701,   -0.455654944752, 0.37404162028,    2.989794189623,   -0.9024177077001,
              -0.08005302854283, 1.280136948214,  2.935570461208,   -1.527029760956,  -1.064438949576,
              1.054231486019,    2.313880671356,  -2.290441788454,  -0.4531990324316, 2.144781058756,
              0.6916785365924,   -2.036206500779, 0.04144689933676, 2.889881400212}),
        NORM("Rms", IN(kX, kScale), RmsNormalize(x[0], x[1]),
             {0.7259419288633,  2.276125655586,   -0.143848916411,    -0.6181290271086, 1.798918206335,
              1.470863236178,   -0.2399303285437, -0.2878595880057,   2.272476517373,   0.2567067921151,
              -0.2583343338868, 0.1140992185176,  2.129870881683,     -0.897706590654,  -0.2103081950107,
              0.4465324676099,  1.540309850132,   -1.793559693019,    -0.1201100453469, 0.6643247502904,
              0.5875738378011,  -2.331600005741,  0.0002264663057494, 0.7448958018684}),
        NORM("Group", IN(kChannelsFirst, kScale, kOffset), GroupNormalize(x[0], 2, x[1], x[2], {.axis = 1}),
             {1.732815470343, 3.241554812848, -1.708439691946, -2.316934975656, -0.638547929489, -0.6778528438298,
              -0.06545541252004, 0.353744693848, 3.091594544902, 1.064262865648, -2.969680875156, -0.2216265083124,
              -0.6153966197463, -0.9501580672913, -0.02509579045212, 1.047450346534}),
        NORM("GroupChannelsLast", IN(kX, kScale, kOffset), GroupNormalize(x[0], 2, x[1], x[2]),
             {-0.6543643793728, 1.217134617142,  -0.8156078210647, 0.3676589780328, 1.626212529578,   -0.5220145758997,
              -0.9810296376691, 0.9451262204431, 2.904951471674,   -3.080304199487, -1.037805643892,  1.652942712174,
              3.196949423208,   -1.244451683038, -1.10506912828,   0.9775414573645, 2.611398718698,   -2.159053551933,
              -1.010706411451,  1.211383728219,  1.617513806498,   -2.5981849977,   -0.8830623380563, 1.261147899483}),
        NORM("Instance", IN(kChannelsFirst, kScale, kOffset), InstanceNormalize(x[0], x[1], x[2], {.axis = 1}),
             {-0.6978957773196, 2.590495952694, 1.23280080101, -2.1178416876, -0.6505883241444, -1.013946560303,
              0.1215986223644, 1.192374575073, 2.590506768601, -0.6979065932257, -2.117977285588, 1.232936398998,
              -0.6505450454699, -1.013989838978, 0.1215900043442, 1.192383193093}),
        NORM("Batch", IN(kX, Wave({4}, 0.2, 1), Wave({4}, 0.4, 0.3, 1), kScale, kOffset),
             BatchNormalize(x[0], x[1], x[2], x[3], x[4]),
             {1.556766399701,   0.860016289177,  -0.9563858405395, 0.2268895688928, 2.90551977422,    -0.1087323184564,
              -1.097109768892,  0.7268194048512, 3.661777305598,   -1.533762166781, -1.145408976311,  1.339596297828,
              3.628000730756,   -3.042848306761, -1.088667467391,  1.905159847666,  2.813012660576,   -4.241809864077,
              -0.9417064090639, 2.275782016414,  1.42969206966,    -4.817472062011, -0.7429127674067, 2.354654433331}),
        NORM("L2", IN(kX), L2Normalize(x[0]),
             {0.2207560887599,  0.6792528529039,  -0.3957920694223,   -0.5772615948422, 0.5470439610373,
              0.4389423973658,  -0.6601545834642, -0.2688278304392,   0.6910511635189,  0.07660772852893,
              -0.7107921316018, 0.106555576962,   0.6476853344276,    -0.2678980967458, -0.5786509448317,
              0.4170100734667,  0.4684021488394,  -0.5352430647987,   -0.3304759048211, 0.6204030664658,
              0.1786788899566,  -0.6958077642716, 0.0006231090723084, 0.695647195925}),
        NORM("L2OfAll", IN(kX), L2Normalize(x[0], Axes()),
             {0.08527894274158, 0.2623980406396,  -0.1528960284423,   -0.2229984177107, 0.2103602651595,
              0.168790893742,   -0.2538558198513, -0.1033750442766,   0.2804944304565,  0.0310947181868,
              -0.2885071969366, 0.04325040959301, 0.2773620426324,    -0.1147235538325, -0.2477990460777,
              0.1785786393901,  0.2017812971093,  -0.2305754577588,   -0.1423645406055, 0.2672612322386,
              0.07349426398036, -0.286199894791,  0.0002562974431949, 0.2861338497621})),
    CaseName);

TEST(BatchNormLayer, KeepsRunningStatistics) {
  const BatchNorm norm({.decay = 0.75}, {.dtype = kFloat64});
  const Tensor x = Reshape(kX, {6, 4});
  {
    const TrainingScope training;
    ExpectNear(norm(x), {-1.245784609598, 1.447656928255,   0.2882701691296, -1.577265245373,  0.2692858432283,
                         0.9813432224506, -0.7524474325262, -0.943707684474, 1.118798780259,   0.295395450018,
                         -1.109642089438, -0.1671398428189, 1.080857158382,  -0.4310133879061, -0.6900127643535,
                         0.5495948615252, 0.1653715196717,  -1.008141656792, 0.39683125677,    1.019281726277,
                         -1.388528691944, -1.285240556026,  1.867000860418,  1.119236184863},
               1e-12, "training");
  }
  const std::vector<Variable> v = norm.variables();
  ASSERT_EQ(v.size(), 4u);
  EXPECT_EQ(norm.trainable_variables().size(), 2u);
  EXPECT_TRUE(v[2].name().ends_with("/running_mean"));
  ExpectNear(v[2].value(), {0.3259643197653, -0.04886564526727, -0.3133721810595, 0.1296182056571}, 1e-12, "mean");
  ExpectNear(v[3].value(), {0.8482150405768, 1.330672698067, 0.8856105498246, 1.263723453347}, 1e-12, "variance");
  ExpectNear(norm(x),
             {0.2878160556567,  1.618878179007,   -0.7930300744892, -1.490133676265, 1.229081877878,  1.056475833446,
              -1.536562601109,  -0.7526308746783, 1.756857659968,   0.2291816078068, -1.791757521735, 0.1513453292049,
              1.73328571858,    -0.6469110937361, -1.4919566422,    0.9856718136025, 1.164523163119,  -1.342962460167,
              -0.7154694570293, 1.532418313055,   0.199133627862,   -1.677160380884, 0.3348816835887, 1.648771897619},
             1e-12, "inference");
}

TEST(BatchNormLayer, CompiledStepsRecordTheSame) {
  const BatchNorm norm;
  const Tensor x = Cast(Reshape(kX, {6, 4}), kFloat32);
  norm(x);
  const auto train = [&](const Tensor& t) {
    const TrainingScope training;
    GradientTape tape;
    const Tensor loss = ReduceMean(Square(norm(t) - 1));
    Sgd({.learning_rate = 0.5}).Apply(tape.Gradient(loss, norm.variables()));
    return loss;
  };
  const Function step = Trace(train, {Spec(x)});
  const Executable run = Compile(step);
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> loss(1);
    run.Run("main", std::vector<Tensor>{x}, loss);
    EXPECT_TRUE(SameBits(loss[0], train(x))) << i;
  }
  for (const Variable& v : norm.variables()) EXPECT_TRUE(SameBits(run.variable(v.name()), v.value())) << v.name();
  EXPECT_FALSE(Training());
}

TEST(NormalizationLayers, BuildAtTheFirstCall) {
  const Tensor x = Ones({2, 3, 4});
  const LayerNorm layer;
  EXPECT_TRUE(layer.variables().empty());
  EXPECT_THAT(Values(ReduceMax(Abs(layer(x)))), ElementsAre(0));  // a constant row is 0
  EXPECT_EQ(layer.variables().size(), 2u);
  EXPECT_EQ(LayerNorm(1e-5, {.use_bias = false})(x).shape(), x.shape());
  const RmsNorm rms;
  EXPECT_NEAR(rms(x)[0][0][0].item<double>(), 1, 1e-6);
  EXPECT_EQ(rms.variables()[0].shape(), Shape({4}));
  EXPECT_EQ(GroupNorm(2)(x).shape(), x.shape());
  EXPECT_EQ(InstanceNorm({.axis = 1})(x).shape(), x.shape());
}

TEST(NormalizationEdges, HalvesAreComputedInSingle) {
  const Tensor x = Wave({2, 64}, 0.3, 100);  // the sum of squares overflows f16
  for (const DType dtype : {kFloat16, kBFloat16}) {
    const double rounding = dtype == kFloat16 ? 1e-3 : 8e-3;
    const Tensor half = Cast(x, dtype), same = Cast(half, kFloat64);
    ExpectNear(LayerNormalize(half), Values(LayerNormalize(same)), rounding, "layer");
    ExpectNear(RmsNormalize(half), Values(RmsNormalize(same)), rounding, "rms");
    ExpectNear(L2Normalize(half), Values(L2Normalize(same)), rounding, "l2");
    EXPECT_EQ(LayerNormalize(half).dtype(), dtype);
  }
}

// A mean that f16 would round by more than the spread around it.
TEST(NormalizationEdges, BatchStatisticsOfHalvesStaySingle) {
  const Tensor half = Cast(Tensor({{2048.0}, {2050.0}, {2050.0}, {2050.0}}), kFloat16);
  const TrainingScope training;
  const Tensor y = BatchNorm()(half);
  ExpectNear(y, Values(BatchNorm({}, {.dtype = kFloat64})(Cast(half, kFloat64))), 2e-3, "batch");
  EXPECT_EQ(y.dtype(), kFloat16);
}

TEST(NormalizationEdges, ZeroAndEmpty) {
  const Tensor zero = Zeros({1, 3});
  GradientTape tape({.persistent = true});
  tape.Watch(zero);
  const Tensor unit = L2Normalize(zero), layer = LayerNormalize(zero), rms = RmsNormalize(zero);
  for (const Tensor& y : {unit, layer, rms}) {
    EXPECT_THAT(Values(y), ElementsAre(0, 0, 0));
    for (const double g : Values(*tape.Gradient(y, zero))) EXPECT_TRUE(std::isfinite(g));
  }
  EXPECT_EQ(LayerNormalize(Zeros({0, 3})).shape(), Shape({0, 3}));
  EXPECT_EQ(LayerNormalize(Tensor(3.f), {}, {}, {.axes = Axes()}).item<float>(), 0);
  const auto [mean, variance] = Moments(Tensor({1.0, 3.0}));
  EXPECT_EQ(mean.item<double>(), 2);
  EXPECT_EQ(variance.item<double>(), 1);
}

TEST(NormalizationErrors, NameTheShapes) {
  ExpectError(ErrorCode::kInvalidArgument,
              "layer_normalize: scale must have the shape [3] for an input f32[2,3], got f32[2]",
              [] { LayerNormalize(Zeros({2, 3}), Zeros({2})); });
  ExpectError(ErrorCode::kInvalidArgument, "does not divide into 2 groups of channels",
              [] { GroupNormalize(Zeros({2, 3}), 2); });
  ExpectError(ErrorCode::kInvalidArgument, "rms_normalize: needs floats, got i32[2]",
              [] { RmsNormalize(Tensor({1, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "batch_norm: no values", [] {
    const TrainingScope training;
    BatchNorm()(Zeros({0, 3}));
  });
}

}  // namespace
}  // namespace reel
