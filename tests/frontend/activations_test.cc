// Activations against values that PyTorch printed, their derivatives, kinks and extremes.

#include <limits>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

const TensorVector kX = {Wave({5}, 0.3, 4)};

template <typename F>
CompositionCase Of(const char* name, F f, std::vector<double> want) {
  return {name, [f](const TensorVector& x) { return f(x[0]); }, kX, std::move(want)};
}
#define ACTIVATION(name, call, ...) Of(name, [](const Tensor& x) { return call; }, std::vector<double> __VA_ARGS__)

class Activations : public testing::TestWithParam<CompositionCase> {};

TEST_P(Activations, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Activations,
    testing::Values(
        ACTIVATION("Relu", Relu(x), {1.182080826645, 3.637189707303, 0, 0, 2.915876160504}),
        ACTIVATION("Relu6", Relu6(x + 3.5), {4.682080826645, 6, 1.380655436366, 0.408942049776, 6}),
        ACTIVATION("LeakyRelu", LeakyRelu(x),
                   {1.182080826645, 3.637189707303, -0.4238689127268, -0.6182115900448, 2.915876160504}),
        ACTIVATION("Elu", Elu(x), {1.182080826645, 3.637189707303, -0.8798896726059, -0.954546158943, 2.915876160504}),
        ACTIVATION("EluAlpha", Elu(x, 1.5),
                   {1.182080826645, 3.637189707303, -1.319834508909, -1.431819238414, 2.915876160504}),
        ACTIVATION("Selu", Selu(x), {1.24201349169, 3.821598816662, -1.546933453427, -1.678186972846, 3.063713960847}),
        ACTIVATION("Celu", Celu(x, 0.7),
                   {1.182080826645, 3.637189707303, -0.6660989751959, -0.691540557583, 2.915876160504}),
        ACTIVATION("Gelu", Gelu(x),
                   {1.041901625541, 3.636688449951, -0.03609387707181, -0.003082475707901, 2.910704981623}),
        ACTIVATION("GeluTanh", GeluTanh(x),
                   {1.041692241776, 3.636835764531, -0.0358932424694, -0.00270577668259, 2.911144739467}),
        ACTIVATION("Silu", Silu(x),
                   {0.9046721499207, 3.543892400365, -0.2272590147358, -0.1343918318053, 2.766075049986}),
        ACTIVATION("Swish", Swish(x, 1.5),
                   {1.01049635524, 3.621719445063, -0.08469544435859, -0.02966707076053, 2.879584533172}),
        ACTIVATION("Softplus", Softplus(x),
                   {1.449539790745, 3.663175361116, 0.1134271870574, 0.04445108879906, 2.968617138872}),
        ACTIVATION("LogSigmoid", LogSigmoid(x),
                   {-0.2674589640998, -0.02598565381366, -2.232771750691, -3.135509039023, -0.05274097836803}),
        ACTIVATION("Softsign", Softsign(x),
                   {0.5417218336787, 0.7843521479345, -0.6794198333656, -0.7555644500354, 0.7446293092498}),
        ACTIVATION("Mish", Mish(x),
                   {1.058673760039, 3.632406528685, -0.239365634043, -0.1373104661214, 2.900524821776}),
        ACTIVATION("HardSigmoid", HardSigmoid(x), {0.6970134711076, 1, 0.146775906061, 0, 0.9859793600839}),
        ACTIVATION("HardSwish", HardSwish(x), {0.8239262601098, 3.637189707303, -0.3110687185828, -0, 2.874993710817}),
        ACTIVATION("HardTanh", HardTanh(x), {1, 1, -1, -1, 1}),
        ACTIVATION("TanhShrink", TanhShrink(x),
                   {0.3539742101298, 2.638574887469, -1.147787217445, -2.09518153402, 1.921724872691}),
        ACTIVATION("HardShrink", HardShrink(x),
                   {1.182080826645, 3.637189707303, -2.119344563634, -3.091057950224, 2.915876160504}),
        ACTIVATION("SoftShrink", SoftShrink(x),
                   {0.6820808266454, 3.137189707303, -1.619344563634, -2.591057950224, 2.415876160504}),
        ACTIVATION("Softmax", Softmax(x),
                   {0.05446453103337, 0.634386610122, 0.002005963096472, 0.000759124795773, 0.3083837709524}),
        ACTIVATION("LogSoftmax", LogSoftmax(x),
                   {-2.910205595907, -0.4550967152493, -6.211630986186, -7.183344372776, -1.176410262049}),
        CompositionCase{"Glu",
                        [](const TensorVector& x) { return Glu(x[0]); },
                        {Wave({2, 4}, 0.3)},
                        {0.152117304707, 0.3195870592752, 0.2141223563859, 0.3839084194437}},
        CompositionCase{"GluOfRows",
                        [](const TensorVector& x) { return Glu(x[0], 0); },
                        {Wave({2, 3}, 0.3)},
                        {0.1038652821586, 1.475275255879, -0.8086518969195}},
        CompositionCase{"PRelu",
                        [](const TensorVector& x) { return LeakyRelu(x[0], x[1]); },
                        {Wave({3, 2}, 0.3), Wave({2}, 1, 0.3)},
                        {}}),
    CaseName);

// d f(x) / dx at one point.
double Derivative(const Composition& f, double at, DType dtype = kFloat64) {
  const Tensor x = Full({1}, at, dtype);
  GradientTape tape;
  tape.Watch(x);
  return Values(*tape.Gradient(f({x}), x))[0];
}

struct Kink {
  const char* name;
  Tensor (*function)(const Tensor&);
  double at, derivative;
};

TEST(ActivationKinks, AreTensorFlows) {
  const Kink kinks[] = {
      {"relu", [](const Tensor& x) { return Relu(x); }, 0, 0},
      {"relu6", [](const Tensor& x) { return Relu6(x); }, 0, 0},
      {"relu6", [](const Tensor& x) { return Relu6(x); }, 6, 0},
      {"leaky_relu", [](const Tensor& x) { return LeakyRelu(x); }, 0, 0.2},
      {"elu", [](const Tensor& x) { return Elu(x, 0.5); }, 0, 1},
      {"selu", [](const Tensor& x) { return Selu(x); }, 0, 1.0507009873554805},
      {"softplus", [](const Tensor& x) { return Softplus(x); }, 0, 0.5},
      {"log_sigmoid", [](const Tensor& x) { return LogSigmoid(x); }, 0, 0.5},
      {"softsign", [](const Tensor& x) { return Softsign(x); }, 0, 1},
      {"hard_sigmoid", [](const Tensor& x) { return HardSigmoid(x); }, 3, 0},
      {"hard_sigmoid", [](const Tensor& x) { return HardSigmoid(x); }, -3, 0},
      {"hard_swish", [](const Tensor& x) { return HardSwish(x); }, 3, 1},
      {"hard_swish", [](const Tensor& x) { return HardSwish(x); }, -3, 0},
      {"hard_tanh", [](const Tensor& x) { return HardTanh(x); }, 1, 1},
      {"hard_tanh", [](const Tensor& x) { return HardTanh(x); }, -1, 1},
      {"hard_shrink", [](const Tensor& x) { return HardShrink(x); }, 0.5, 0},
      {"soft_shrink", [](const Tensor& x) { return SoftShrink(x); }, -0.5, 0},
  };
  for (const Kink& k : kinks) {
    EXPECT_EQ(Derivative([&](const TensorVector& x) { return k.function(x[0]); }, k.at), k.derivative)
        << k.name << " at " << k.at;
  }
}

// Derivatives of softplus to second order where |x| has its kink.
TEST(ActivationKinks, SoftplusIsSmoothAtZero) {
  const Composition first = [](const TensorVector& x) {
    return FirstGradients([](const TensorVector& y) { return Softplus(y[0]); }, x)[0];
  };
  EXPECT_NEAR(Derivative(first, 0) / Values(Wave({1}, 0.3))[0], 0.25, 1e-15);
}

TEST(ActivationExtremes, FiniteWithFiniteGradients) {
  Tensor (*const functions[])(const Tensor&) = {
      [](const Tensor& x) { return Relu(x); },       [](const Tensor& x) { return Relu6(x); },
      [](const Tensor& x) { return LeakyRelu(x); },  [](const Tensor& x) { return Elu(x); },
      [](const Tensor& x) { return Selu(x); },       [](const Tensor& x) { return Celu(x, 0.1); },
      [](const Tensor& x) { return Gelu(x); },       [](const Tensor& x) { return GeluTanh(x); },
      [](const Tensor& x) { return Silu(x); },       [](const Tensor& x) { return Softplus(x); },
      [](const Tensor& x) { return LogSigmoid(x); }, [](const Tensor& x) { return Softsign(x); },
      [](const Tensor& x) { return Mish(x); },       [](const Tensor& x) { return HardSigmoid(x); },
      [](const Tensor& x) { return HardSwish(x); },  [](const Tensor& x) { return HardTanh(x); },
      [](const Tensor& x) { return TanhShrink(x); }, [](const Tensor& x) { return Softmax(x); },
      [](const Tensor& x) { return LogSoftmax(x); }, [](const Tensor& x) { return SoftShrink(x); },
  };
  for (const auto f : functions) {
    for (const DType dtype : {kFloat16, kFloat32, kFloat64}) {
      const double far = dtype == kFloat16 ? 3e4 : 1e30;
      for (const double at : {far, -far, 1e4, -1e4, 300.0, -300.0, 0.0, -0.0}) {
        const Tensor x = Full({1}, at, dtype);
        EXPECT_TRUE(std::isfinite(Values(f(x))[0])) << (&f - functions) << " at " << at;
        EXPECT_TRUE(std::isfinite(Derivative([&](const TensorVector& t) { return f(t[0]); }, at, dtype)))
            << (&f - functions) << " at " << at;
      }
      const Tensor nan = Full({1}, std::nan(""), dtype);
      EXPECT_TRUE(std::isnan(Values(f(nan))[0])) << (&f - functions);
      EXPECT_EQ(f(Zeros({0}, dtype)).shape(), Shape({0}));
    }
  }
}

TEST(ActivationValues, ExactAtTheEnds) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x({-infinity, -1e4, 1e4, infinity});
  EXPECT_THAT(Values(Softplus(x)), ElementsAre(0, 0, 1e4, infinity));
  EXPECT_THAT(Values(LogSigmoid(x)), ElementsAre(-infinity, -1e4, 0, 0));
  EXPECT_THAT(Values(Elu(x)), ElementsAre(-1, -1, 1e4, infinity));
  EXPECT_THAT(Values(HardSigmoid(x)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(Values(GeluTanh(x)), ElementsAre(0, 0, 1e4, infinity));
  EXPECT_EQ(Gelu(Tensor(0.f)).rank(), 0);
  // No cancellation where the result is small.
  EXPECT_NEAR(Softplus(Tensor(-30.f)).item<double>() / std::exp(-30.0), 1, 1e-6);
  EXPECT_NEAR(Elu(Tensor(-1e-6f)).item<double>() / std::expm1(-1e-6), 1, 1e-6);
  EXPECT_NEAR(GeluTanh(Tensor(-6.f)).item<double>() / GeluTanh(Tensor(-6.0)).item<double>(), 1, 1e-5);
}

TEST(ActivationErrors, NameTheArgument) {
  ExpectError(ErrorCode::kInvalidArgument, "glu: axis -1 of f64[3] has no halves", [] { Glu(Wave({3})); });
  ExpectError(ErrorCode::kInvalidArgument, "celu: alpha 0 must be positive", [] { Celu(Tensor(1.f), 0); });
}

}  // namespace
}  // namespace reel
