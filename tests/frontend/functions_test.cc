// Elementary functions against values that NumPy and SciPy printed, their derivatives, edges and
// extremes.

#include <limits>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Tensor kX = Wave({5}, 0.3, 4), kA = Wave({5}, 1), kB = Wave({5}, 2.5), kPositive = Wave({5}, 0.7, 1, 1.5),
             kUnit = Wave({5}, 0.2, 0.9);

class Functions : public testing::TestWithParam<CompositionCase> {};

TEST_P(Functions, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Functions,
    testing::ValuesIn(std::vector<CompositionCase>{
        {"Round", [](const TensorVector& t) { return Round(t[0] * 1.7); }, {kX}, {2.0, 6.0, -4.0, -5.0, 5.0}},
        {"Trunc", [](const TensorVector& t) { return Trunc(t[0]); }, {kX}, {1.0, 3.0, -2.0, -3.0, 2.0}},
        {"Rsqrt",
         [](const TensorVector& t) { return Rsqrt(t[0]); },
         {kPositive},
         {0.6829132875704, 0.6779913161094, 1.211144781147, 0.9827575223792, 0.6404469347743}},
        {"Cbrt",
         [](const TensorVector& t) { return Cbrt(t[0]); },
         {kX},
         {1.057342585953, 1.537878355047, -1.284499255025, -1.456696407106, 1.428640721902}},
        {"Exp2",
         [](const TensorVector& t) { return Exp2(t[0]); },
         {kX},
         {2.269038088628, 12.44237257736, 0.2301514499038, 0.11735425443, 7.546858164617}},
        {"Expm1",
         [](const TensorVector& t) { return Expm1(t[0]); },
         {kX},
         {2.261153041793, 36.98493779382, -0.8798896726059, -0.954546158943, 17.46498360676}},
        {"Log2",
         [](const TensorVector& t) { return Log2(t[0]); },
         {kPositive},
         {1.100451379842, 1.121322599648, -0.5527426723554, 0.05018518657908, 1.285698112214}},
        {"Log10",
         [](const TensorVector& t) { return Log10(t[0]); },
         {kPositive},
         {0.3312688741023, 0.3375517373098, -0.1663921242624, 0.0151072464983, 0.3870336971451}},
        {"Log1p",
         [](const TensorVector& t) { return Log1p(t[0]); },
         {kPositive},
         {1.145565111113, 1.155453505343, 0.5198187970477, 0.7106912890206, 1.234889900205}},
        {"Tan",
         [](const TensorVector& t) { return Tan(t[0]); },
         {kX},
         {2.441679449346, 0.5405991815859, 1.636367923125, 0.0505777651255, -0.2296295198216}},
        {"Asin",
         [](const TensorVector& t) { return Asin(t[0]); },
         {kUnit},
         {0.1797690985454, 1.019163787476, -0.4096282916263, -0.8466129407658, 0.632654934079}},
        {"Acos",
         [](const TensorVector& t) { return Acos(t[0]); },
         {kUnit},
         {1.391027228249, 0.5516325393185, 1.980424618421, 2.417409267561, 0.9381413927159}},
        {"Atan",
         [](const TensorVector& t) { return Atan(t[0]); },
         {kX},
         {0.8686489673846, 1.302488182988, -1.129926157131, -1.257909203215, 1.240415801403}},
        {"Sinh",
         [](const TensorVector& t) { return Sinh(t[0]); },
         {kX},
         {1.477256516103, 18.97930578466, -4.102784209469, -10.97744354631, 9.20541352318}},
        {"Cosh",
         [](const TensorVector& t) { return Cosh(t[0]); },
         {kX},
         {1.78389652569, 19.00563200916, 4.222894536863, 11.02289738737, 9.259570083581}},
        {"Asinh",
         [](const TensorVector& t) { return Asinh(t[0]); },
         {kX},
         {1.004450817356, 2.00274192353, -1.495768626524, -1.846854853216, 1.791503057757}},
        {"Acosh",
         [](const TensorVector& t) { return Acosh(t[0] + 1.0); },
         {kPositive},
         {1.812407282657, 1.822831484343, 1.109825632626, 1.33715787491, 1.906181764718}},
        {"Atanh",
         [](const TensorVector& t) { return Atanh(t[0]); },
         {kUnit},
         {0.1807452597612, 1.262202133458, -0.4215891958743, -0.9707659807463, 0.6796440453003}},
        {"Sinc",
         [](const TensorVector& t) { return Sinc(t[0]); },
         {kX},
         {-0.1457702430053, -0.07951213526488, 0.05500192331276, -0.02905836098965, 0.02851560618204}},
        {"SincSmall",
         [](const TensorVector& t) { return Sinc(t[0] / 9.0); },
         {kUnit},
         {0.9993508791441, 0.9853348371048, 0.9967819300459, 0.9886449333744, 0.9929150560983}},
        {"Pow",
         [](const TensorVector& t) { return Pow(t[0], t[1]); },
         {kPositive, kB},
         {2.491783964798, 0.2579860170445, 1.331742516275, 1.06965863677, 1.248349269063}},
        {"Atan2",
         [](const TensorVector& t) { return Atan2(t[0], t[1]); },
         {kA, kB},
         {0.9525788779852, 2.685692306535, -1.945159977832, -0.1860241125256, 1.446799772832}},
        {"Logaddexp",
         [](const TensorVector& t) { return Logaddexp(t[0], t[1]); },
         {kA, kB},
         {2.162328462696, 0.9265490019583, -0.4739808978289, 2.031369833483, 2.157580815797}},
        {"Hypot",
         [](const TensorVector& t) { return Hypot(t[0], t[1]); },
         {kA, kB},
         {2.065180210579, 1.941440587901, 2.044827882767, 1.969824022057, 2.012538413171}},
        {"Xlogy",
         [](const TensorVector& t) { return Xlogy(t[0], t[1]); },
         {kA, kPositive},
         {1.283705675953, 0.6643548425114, 0.7291784589715, -0.01267330794868, 1.779759765891}},
        {"Xlog1py",
         [](const TensorVector& t) { return Xlog1py(t[0], t[1]); },
         {kA, kPositive},
         {1.92791960442, 0.9876351614584, -0.9893212906348, -0.2589226099447, 2.46618218424}},
        {"Rem",
         [](const TensorVector& t) { return Rem(t[0], t[1]); },
         {kX, kB},
         {1.182080826645, 0.1508866176484, -0.623837904313, -1.155218606161, 0.1778788433481}},
        {"Mod",
         [](const TensorVector& t) { return Mod(t[0], t[1]); },
         {kX, kB},
         {1.182080826645, -1.592264927179, -0.623837904313, 0.780620737902, 0.1778788433481}},
        {"FloorDiv",
         [](const TensorVector& t) { return FloorDiv(t[0], t[1]); },
         {kX, kB},
         {0.0, -3.0, 2.0, -2.0, 11.0}},
        {"Copysign",
         [](const TensorVector& t) { return Copysign(t[0], t[1]); },
         {kA, kB},
         {1.682941969616, -0.8547597604677, -1.903204147779, 0.3643250085442, 1.997086690749}},
        {"Lerp",
         [](const TensorVector& t) { return Lerp(t[0], t[1], t[2]); },
         {kA, kB, kPositive},
         {0.6408571451845, -4.796900630539, -1.115506878028, 2.017260149135, -2.264970851675}},
        {"Clamp",
         [](const TensorVector& t) { return Clamp(t[0], -1.5, 2.0); },
         {kX},
         {1.182080826645, 2.0, -1.5, -1.5, 2.0}}}),
    CaseName);

// All pairs of these: NumPy's results, bit for bit.
const std::vector<double> kSpecial = {0, -0.0, 1, -2.5, 6, -7, kInf, -kInf};

void ExpectAllPairs(Tensor (*f)(const Operand&, const Operand&), const std::vector<double>& want) {
  const Tensor a = Tensor::FromData(kSpecial, {8, 1}), b = Tensor::FromData(kSpecial, {8});
  for (const DType dtype : {kFloat32, kFloat64}) {
    const std::vector<double> got = Values(f(Cast(a, dtype), Cast(b, dtype)));
    for (size_t i = 0; i < want.size(); ++i) {
      SCOPED_TRACE(std::to_string(kSpecial[i / 8]) + " by " + std::to_string(kSpecial[i % 8]));
      EXPECT_EQ(std::isnan(got[i]), std::isnan(want[i])) << got[i];
      if (std::isnan(want[i])) continue;
      EXPECT_EQ(got[i], want[i]);
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want[i]));
    }
  }
}

TEST(Division, ModOfSpecialValuesIsNumPys) {
  ExpectAllPairs(Mod,
                 {kNan, kNan, 0,    -0.0, 0,    -0.0, 0,    -0.0,  kNan, kNan, 0,    -0.0, 0,    -0.0, 0,    -0.0,
                  kNan, kNan, 0,    -1.5, 1,    -6,   1,    -kInf, kNan, kNan, 0.5,  -0.0, 3.5,  -2.5, kInf, -2.5,
                  kNan, kNan, 0,    -1.5, 0,    -1,   6,    -kInf, kNan, kNan, 0,    -2,   5,    -0.0, kInf, -7,
                  kNan, kNan, kNan, kNan, kNan, kNan, kNan, kNan,  kNan, kNan, kNan, kNan, kNan, kNan, kNan, kNan});
}

TEST(Division, FloorDivKeepsTheDType) {
  for (const DType dtype : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    const Tensor y = FloorDiv(Cast(Tensor({7.f, -7.f}), dtype), 2);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_THAT(Cast(y, kFloat32).ToVector<float>(), ElementsAre(3, -4));
  }
}

TEST(Division, FloorDivOfSpecialValuesIsNumPys) {
  ExpectAllPairs(FloorDiv,
                 {kNan, kNan,  0,    -0.0, 0,    -0.0, 0,    -0.0, kNan,  kNan, -0.0, 0,    -0.0, 0,    -0.0, 0,
                  kInf, -kInf, 1,    -1,   0,    -1,   0,    -1,   -kInf, kInf, -3,   1,    -1,   0,    -1,   0,
                  kInf, -kInf, 6,    -3,   1,    -1,   0,    -1,   -kInf, kInf, -7,   2,    -2,   1,    -1,   0,
                  kInf, -kInf, kNan, kNan, kNan, kNan, kNan, kNan, -kInf, kInf, kNan, kNan, kNan, kNan, kNan, kNan});
}

TEST(Division, IntegersAsPythonAndC) {
  const Tensor a = Tensor::FromData(std::vector<int32_t>{7, -7, 7, -7, 6, 5, INT32_MIN}, {7});
  const Tensor b = Tensor::FromData(std::vector<int32_t>{3, 3, -3, -3, -3, 0, -1}, {7});
  EXPECT_THAT(Values(Mod(a, b)), ElementsAre(1, 2, -2, -1, 0, 0, 0));
  EXPECT_THAT(Values(FloorDiv(a, b)), ElementsAre(2, -3, -3, 2, -2, 0, INT32_MIN));
  EXPECT_THAT(Values(Rem(a, b)), ElementsAre(1, -1, 1, -1, 0, 0, 0));
}

// Derivatives of f by its operands at one point.
std::vector<double> Partials(Tensor (*f)(const Operand&, const Operand&), double a, double b) {
  const Tensor x = Tensor::FromData(std::vector<double>{a}, {}), y = Tensor::FromData(std::vector<double>{b}, {});
  std::vector<double> out;
  for (const Tensor& g : FirstGradients([f](const TensorVector& t) { return f(t[0], t[1]); }, {x, y})) {
    out.push_back(g.item<double>() / (2 * std::sin(0.3)));  // the weight of element 0
  }
  return out;
}

TEST(Edges, DerivativesAreTheDocumentedOnes) {
  EXPECT_THAT(Partials(Mod, 6, 3), ElementsAre(1, -2));
  EXPECT_THAT(Partials(Mod, -7, 2), ElementsAre(1, 4));
  EXPECT_THAT(Partials(FloorDiv, 7, 2), ElementsAre(0, 0));
  EXPECT_THAT(Partials(Hypot, 0, 0), ElementsAre(0, 0));
  EXPECT_THAT(Partials(Hypot, 0, -2), ElementsAre(0, -1));
  EXPECT_THAT(Partials(Logaddexp, 1, 1), ElementsAre(0.5, 0.5));
  EXPECT_THAT(Partials(Xlogy, 0, 0), ElementsAre(0, 0));
  EXPECT_THAT(Partials(Xlog1py, 0, -1), ElementsAre(0, 0));
  EXPECT_THAT(Partials(DivNoNan, 3, 0), ElementsAre(0, 0));
  EXPECT_THAT(Partials(Copysign, 0, -1), ElementsAre(0, 0));
  EXPECT_THAT(Partials(NextAfter, 1, 2), ElementsAre(1, 0));
}

// As TensorFlow's clip_by_value: x gets the gradient at the bounds too.
TEST(Edges, ClampPassesAtItsBounds) {
  const Tensor x = Tensor::FromData(std::vector<double>{-2, -1, 0, 1, 2}, {5});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = ReduceSum(Clamp(x, -1.0, 1.0));
  EXPECT_THAT(Values(*tape.Gradient(y, x)), ElementsAre(0, 1, 1, 1, 0));
}

// sinc'' = -pi^2 / 3 at 0, which a constant branch would lose.
TEST(Edges, SincHasItsSecondDerivativeAtZero) {
  const Tensor x = Tensor::FromData(std::vector<double>{0, 1e-9, 0.01}, {3});
  const auto gradient = [](const TensorVector& t) {
    GradientTape tape;
    tape.Watch(t[0]);
    return *tape.Gradient(Sinc(t[0]), t[0]);
  };
  GradientTape tape;
  tape.Watch(x);
  const Tensor second = *tape.Gradient(gradient({x}), x);
  const double pi2 = 9.8696044010893586;
  ExpectNear(second, {-pi2 / 3, -pi2 / 3, -pi2 / 3 + pi2 * pi2 / 10 * 1e-4}, 1e-7, "sinc''");
}

TEST(Values, ExtremesNeitherOverflowNorLoseTheirSign) {
  const auto scalar = [](double x) { return Full({}, x, kFloat64); };
  EXPECT_DOUBLE_EQ(Hypot(scalar(3e300), 4e300).item<double>(), 5e300);
  EXPECT_DOUBLE_EQ(Hypot(scalar(3e-300), 4e-300).item<double>(), 5e-300);
  EXPECT_EQ(Hypot(scalar(kNan), -kInf).item<double>(), kInf);
  EXPECT_EQ(Logaddexp(scalar(-kInf), -kInf).item<double>(), -kInf);
  EXPECT_EQ(Logaddexp(scalar(1e300), -1e300).item<double>(), 1e300);
  EXPECT_TRUE(std::isnan(Xlogy(scalar(0), kNan).item<double>()));
  EXPECT_TRUE(std::signbit(Copysign(scalar(0), -0.0).item<double>()));
  for (int k = 0; k < 23; ++k) EXPECT_EQ(Log10(scalar(std::pow(10.0, k))).item<double>(), k);
  for (int k = 0; k < 11; ++k) {
    EXPECT_EQ(Log10(Cast(scalar(std::pow(10.0, k)), kFloat32)).item<float>(), k);
  }
}

TEST(Values, Predicates) {
  const Tensor x = Tensor::FromData(std::vector<double>{1, -0.0, kInf, -kInf, kNan}, {5});
  for (const Tensor& t : {x, Cast(x, kFloat32)}) {
    EXPECT_THAT(Values(IsFinite(t)), ElementsAre(1, 1, 0, 0, 0));
    EXPECT_THAT(Values(IsInf(t)), ElementsAre(0, 0, 1, 1, 0));
    EXPECT_THAT(Values(IsNan(t)), ElementsAre(0, 0, 0, 0, 1));
    EXPECT_THAT(Values(Signbit(t)), ElementsAre(0, 1, 0, 1, 0));
  }
  const Tensor i = Tensor::FromData(std::vector<int32_t>{-1, 0, 5}, {3});
  EXPECT_THAT(Values(IsFinite(i)), ElementsAre(1, 1, 1));
  EXPECT_THAT(Values(IsInf(i)), ElementsAre(0, 0, 0));
  EXPECT_THAT(Values(Signbit(i)), ElementsAre(1, 0, 0));
  EXPECT_THAT(Values(BitwiseXor(i, BitwiseNot(i))), ElementsAre(-1, -1, -1));
  EXPECT_THAT(Values(Bitcast(Cast(i, kFloat32), kInt32)), ElementsAre(-1082130432, 0, 1084227584));
}

TEST(Errors, NameTheOpAndAFix) {
  const Tensor i = Tensor::FromData(std::vector<int32_t>{1, 2}, {2});
  ExpectError(ErrorCode::kInvalidArgument, "pow", [&] { Pow(i, -1); });
  EXPECT_EQ(Pow(Tensor(int64_t{3}), Tensor(int64_t{39})).item<int64_t>(), 4052555153018976267);
  ExpectError(ErrorCode::kInvalidArgument, "bitcast: i32[2] has 4 bytes an element, f64 has 8",
              [&] { Bitcast(i, kFloat64); });
  ExpectError(ErrorCode::kInvalidArgument, "no bits to reinterpret", [&] { Bitcast(i, kBool); });
}

}  // namespace
}  // namespace reel
