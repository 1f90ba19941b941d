// Derivatives where mathematics leaves a choice or has none: non-smooth points, ties, edges of
// domains. Each row says whose value it is; rows of ours say what TensorFlow 2.21 prints instead.
// Checked on the tape and compiled.

#include <limits>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kTf = "TensorFlow 2.21 prints it";

struct SubgradientCase {
  const char* name;
  std::function<Tensor(const Tensor&)> function;
  std::vector<double> x, want;  // want: the gradient of the sum of the results
  const char* source;
};

void PrintTo(const SubgradientCase& c, std::ostream* stream) { *stream << c.name << ": " << c.source; }

Tensor At(const Tensor& x, int64_t i) { return Slice(x, {i}, {i + 1}); }
// A value of the row that is no operand of its own: no gradient.
Tensor Constant(const std::vector<double>& values) {
  return Tensor::FromData(values, {static_cast<int64_t>(values.size())});
}

const std::vector<SubgradientCase>& Cases() {
  static const auto* const cases = new std::vector<SubgradientCase>{
      // Kinks
      {"Abs", [](const Tensor& x) { return Abs(x); }, {0.0, -0.0}, {0, 0}, kTf},
      {"Sign", [](const Tensor& x) { return Sign(x); }, {-1, 0, 1}, {0, 0, 0}, kTf},
      {"Floor", [](const Tensor& x) { return Floor(x) + x; }, {-1, 0, 1.5}, {1, 1, 1}, kTf},
      {"Relu", [](const Tensor& x) { return Relu(x); }, {-1, 0, 1}, {0, 0, 1}, kTf},
      {"Relu6", [](const Tensor& x) { return Relu6(x); }, {0, 3, 6}, {0, 1, 0}, kTf},
      {"LeakyRelu", [](const Tensor& x) { return LeakyRelu(x, 0.2); }, {-1, 0, 1}, {0.2, 0.2, 1}, kTf},
      {"Elu", [](const Tensor& x) { return Elu(x); }, {0, 1}, {1, 1}, kTf},
      {"Selu", [](const Tensor& x) { return Selu(x); }, {0}, {1.0507009873554805}, kTf},
      {"Softplus", [](const Tensor& x) { return Softplus(x); }, {-kInf, 0, kInf}, {0, 0.5, 1}, kTf},
      {"HardSigmoid", [](const Tensor& x) { return HardSigmoid(x); }, {-3, 0, 3}, {0, 1.0 / 6, 0}, kTf},
      {"HardTanh",
       [](const Tensor& x) { return HardTanh(x); },
       {-1, 0, 1},
       {1, 1, 1},
       "as Clamp; PyTorch has 0 at the edges"},
      {"Clamp", [](const Tensor& x) { return Clamp(x, -1.0, 1.0); }, {-2, -1, 0, 1, 2}, {0, 1, 1, 1, 0}, kTf},
      {"Huber",
       [](const Tensor& x) { return Huber(x, Constant({0, 0}), {.reduction = Reduction::kSum}); },
       {-1, 1},
       {-1, 1},
       kTf},
      {"MeanAbsoluteError",
       [](const Tensor& x) { return MeanAbsoluteError(x, Constant({0, 2})); },
       {0, 0},
       {0, -0.5},
       kTf},
      // Saturation
      {"Tanh", [](const Tensor& x) { return Tanh(x); }, {-kInf, kInf}, {0, 0}, kTf},
      {"Sigmoid", [](const Tensor& x) { return Sigmoid(x); }, {-kInf, kInf}, {0, 0}, kTf},
      // Edges of domains
      {"Sqrt", [](const Tensor& x) { return Sqrt(x); }, {0}, {kInf}, kTf},
      {"Rsqrt", [](const Tensor& x) { return Rsqrt(x); }, {0}, {-kInf}, kTf},
      {"Log", [](const Tensor& x) { return Log(x); }, {0}, {kInf}, kTf},
      {"Reciprocal", [](const Tensor& x) { return Reciprocal(x); }, {0}, {-kInf}, kTf},
      {"Asin", [](const Tensor& x) { return Asin(x); }, {-1, 1}, {kInf, kInf}, kTf},
      {"Acos", [](const Tensor& x) { return Acos(x); }, {-1, 1}, {-kInf, -kInf}, kTf},
      {"Acosh", [](const Tensor& x) { return Acosh(x); }, {1}, {kInf}, kTf},
      {"Atanh", [](const Tensor& x) { return Atanh(x); }, {1}, {kInf}, kTf},
      {"ErfInv", [](const Tensor& x) { return ErfInv(x); }, {-1, 1}, {kInf, kInf}, kTf},
      {"Cbrt", [](const Tensor& x) { return Cbrt(x); }, {0}, {kInf}, "the limit"},
      {"Atan2Origin",
       [](const Tensor& x) { return Atan2(At(x, 0), At(x, 1)); },
       {0, 0},
       {0, 0},
       "finite, as sqrt(0) with a zero seed; TensorFlow has NaN"},
      {"XlogyZero", [](const Tensor& x) { return Xlogy(At(x, 0), At(x, 1)); }, {0, 0}, {0, 0}, kTf},
      {"DivNoNan", [](const Tensor& x) { return DivNoNan(At(x, 0), At(x, 1)); }, {3, 0}, {0, 0}, kTf},
      // Powers
      {"PowOfZero",
       [](const Tensor& x) { return Pow(x, Constant({0.5, 1, 2, 3})); },
       {0, 0, 0, 0},
       {kInf, 1, 0, 0},
       kTf},
      {"PowZeroToZero",
       [](const Tensor& x) { return Pow(x, Constant({0})); },
       {0},
       {0},
       "x^0 = 1 for all x, as in JAX and PyTorch; TensorFlow has NaN"},
      {"PowToZero", [](const Tensor& x) { return Pow(x, Constant({0, 0})); }, {-1, 2}, {0, 0}, kTf},
      {"PowByExponent", [](const Tensor& y) { return Pow(Constant({0, -1}), y); }, {2, 2}, {0, 0}, kTf},
      // Ties
      {"MaximumTie", [](const Tensor& x) { return Maximum(At(x, 0), At(x, 1)); }, {2, 2}, {1, 0}, kTf},
      {"MinimumTie", [](const Tensor& x) { return Minimum(At(x, 0), At(x, 1)); }, {2, 2}, {1, 0}, kTf},
      {"ReduceMaxTie", [](const Tensor& x) { return ReduceMax(x); }, {3, 1, 3}, {0.5, 0, 0.5}, kTf},
      {"ReduceMinTie", [](const Tensor& x) { return ReduceMin(x); }, {1, 1, 3}, {0.5, 0.5, 0}, kTf},
      {"SortTie", [](const Tensor& x) { return Sort(x) * Constant({1, 2, 3}); }, {1, 1, 0}, {2, 3, 1}, kTf},
      {"TopKTie", [](const Tensor& x) { return TopK(x, 1).values; }, {4, 4}, {1, 0}, kTf},
      {"MaxPoolTie",
       [](const Tensor& x) { return MaxPool1D(Reshape(x, {1, 4, 1}), {2}); },
       {5, 5, 1, 1},
       {1, 0, 1, 0},
       kTf},
      {"CumMaxTie", [](const Tensor& x) { return CumMax(x); }, {1, 1, 2}, {2, 0, 1}, "the first that attains it"},
      {"MedianTie", [](const Tensor& x) { return Median(x); }, {2, 2, 2}, {0, 1, 0}, "stable order"},
      // Products with zeros
      {"ProdOneZero", [](const Tensor& x) { return ReduceProd(x); }, {0, 2, 3}, {6, 0, 0}, kTf},
      {"ProdTwoZeros", [](const Tensor& x) { return ReduceProd(x); }, {0, 0, 3}, {0, 0, 0}, kTf},
      {"CumProdZero",
       [](const Tensor& x) { return CumProd(x); },
       {2, 0, 3},
       {1, 8, 0},
       "the derivative of 2 + 2 t + 6 t; TensorFlow has 1, 0, 0"},
      // Norms and variances
      {"NormZero",
       [](const Tensor& x) { return Norm(x); },
       {0, 0},
       {0, 0},
       "the least subgradient; TensorFlow has NaN"},
      {"StdEqual", [](const Tensor& x) { return ReduceStd(x); }, {2, 2}, {0, 0}, "as the norm; TensorFlow has NaN"},
      {"LogSumExpEmptyMass", [](const Tensor& x) { return LogSumExp(x); }, {-kInf, 0}, {0, 1}, kTf},
      // What is not taken gives nothing
      {"WhereUntakenSqrt",
       [](const Tensor& x) { return Where(Greater(x, 0.0), Sqrt(x), 0.0); },
       {0, 4},
       {0, 0.25},
       kTf},
      {"WhereUntakenLog",
       [](const Tensor& x) { return Where(Greater(x, 0.0), Log(x), 0.0); },
       {0, 4},
       {kNan, 0.25},
       "0 times infinity, as in TensorFlow: guard the argument of log too"},
      {"WhereUntakenReciprocal",
       [](const Tensor& x) { return Where(Greater(x, 0.0), Reciprocal(x), 0.0); },
       {0, 4},
       {0, -0.0625},
       "a zero seed gives zero"},
      {"GatherRepeats",
       [](const Tensor& x) { return Gather(x, Tensor({int64_t{1}, int64_t{1}})); },
       {1, 2},
       {0, 2},
       kTf},
  };
  return *cases;
}

class Subgradients : public testing::TestWithParam<SubgradientCase> {};

void ExpectSame(const Tensor& got, const std::vector<double>& want, const char* what) {
  const std::vector<double> values = Values(got);
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << what << " " << i << " is " << values[i];
    } else {
      EXPECT_DOUBLE_EQ(values[i], want[i]) << what << " " << i;
    }
  }
}

TEST_P(Subgradients, Table) {
  const SubgradientCase& c = GetParam();
  const auto gradient = [&](std::span<const Tensor> x) {
    GradientTape tape;
    tape.Watch({x[0]});
    const Tensor y = c.function(x[0]);
    return TensorVector{tape.Gradient(y, {x[0]}, kZerosIfUnconnected).Dense(0)};
  };
  const TensorVector x = {Constant(c.x)};
  ExpectSame(gradient(x)[0], c.want, "tape");
  TensorVector compiled(1);
  Compile(Trace(gradient, {Spec(x[0])})).Run("main", x, compiled);
  ExpectSame(compiled[0], c.want, "compiled");
}

INSTANTIATE_TEST_SUITE_P(All, Subgradients, testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace reel
