// Complex numbers: values and gradients as TensorFlow 2.21 prints them, dtype c128, seeds of one.

#include <complex>
#include <limits>
#include <numbers>

#include "gtest/gtest.h"
#include "reel/reel.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using Z = std::complex<double>;
using List = std::vector<Z>;

const List kZ{{1.5, -0.5}, {-0.75, 2}, {0.3, 0.1}, {-2, -1.25}};
const List kW{{0.25, 2}, {1, -1}, {-0.5, -0.75}, {3, 0.5}};

Tensor Of(const List& values, DType dtype = kComplex128) {
  return Cast(Tensor::FromData(values, {static_cast<int64_t>(values.size())}), dtype);
}

void ExpectNear(const Tensor& got, const List& want, double tolerance) {
  const Tensor wide = Cast(got, kComplex128);
  const auto values = wide.data<Z>();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_LE(std::abs(values[i] - want[i]), tolerance * (1 + std::abs(want[i])))
        << "[" << i << "] is " << values[i] << ", want " << want[i];
  }
}

std::string StrOf(const char* name, DType dtype) { return std::string(name) + " of " + std::string(Name(dtype)); }

struct UnaryRow {
  const char* name;
  Tensor (*function)(const Operand&);
  List value, gradient;
};
struct BinaryRow {
  const char* name;
  Tensor (*function)(const Operand&, const Operand&);
  List value, gradient_a, gradient_b;
};

const UnaryRow kUnary[] = {
    {"Abs",
     Abs,
     {{1.5811388300841898, 0}, {2.1360009363293826, 0}, {0.31622776601683794, 0}, {2.358495283014151, 0}},
     {{0.9486832980505138, -0.31622776601683794},
      {-0.3511234415883917, 0.9363291775690445},
      {0.9486832980505138, 0.31622776601683794},
      {-0.847998304005088, -0.52999894000318}}},
    {"Exp",
     Exp,
     {{3.9330521759433617, -2.1486361964033964},
      {-0.19657384661385216, 0.42952169092592235},
      {1.3431151360753524, 0.13476101675112576},
      {0.04267424122560152, -0.12843110224767734}},
     {{3.9330521759433617, 2.1486361964033964},
      {-0.19657384661385216, -0.42952169092592235},
      {1.3431151360753524, -0.13476101675112576},
      {0.04267424122560152, 0.12843110224767734}}},
    {"Log",
     Log,
     {{0.45814536593707744, -0.3217505543966422},
      {0.7589353594543048, 1.9295669970654687},
      {-1.1512925464970227, 0.3217505543966422},
      {0.8580238237461792, -2.5829933382462307}},
     {{0.6, -0.19999999999999998},
      {-0.1643835616438356, 0.4383561643835616},
      {3.0, 1.0000000000000002},
      {-0.3595505617977528, -0.2247191011235955}}},
    {"Sqrt",
     Sqrt,
     {{1.2411967672541269, -0.20141850719855617},
      {0.8324664967220552, 1.201249544501346},
      {0.5550800690066424, 0.09007709480450049},
      {0.4233764772717959, -1.476227503302616}},
     {{0.3925008808960936, -0.06369412456584579},
      {0.1948656675573864, 0.2811912495145336},
      {0.8776586509122141, 0.14242439229657058},
      {0.08975563367053291, -0.312959604781571}}},
    {"Sin",
     Sin,
     {{1.1248012470579227, -0.03686082371280446},
      {-2.564458405835377, 2.65373338938083},
      {0.2969990394393587, 0.09569295129108002},
      {-1.717138972258689, 0.6666335576716964}},
     {{0.07976510530654189, -0.5197899547729212},
      {2.7527567096909453, -2.472208631182566},
      {0.9601171534670319, 0.029601298666459046},
      {-0.7858616225406462, 1.4566208977005033}}},
    {"Cos",
     Cos,
     {{0.07976510530654189, 0.5197899547729212},
      {2.7527567096909453, 2.472208631182566},
      {0.9601171534670319, -0.029601298666459046},
      {-0.7858616225406462, -1.4566208977005033}},
     {{-1.1248012470579227, -0.03686082371280446},
      {2.564458405835377, 2.65373338938083},
      {-0.2969990394393587, 0.09569295129108002},
      {1.717138972258689, 0.6666335576716964}}},
    {"Tanh",
     Tanh,
     {{0.9443729864226215, -0.0793244548039567},
      {-1.2534271713346836, -0.44550132143674176},
      {0.29399410495826767, 0.09174159028944591},
      {-1.0295327778220806, -0.022577814528265846}},
     {{0.11445203164516426, -0.1498237445591177},
      {-0.37260824643818324, 1.1168069223086377},
      {0.9219839856386236, 0.0539429734491875},
      {-0.05942798290117679, 0.046489200216874534}}},
    {"Sigmoid",
     Sigmoid,
     {{0.8296106210672617, -0.07421465940354964},
      {0.031996234369989614, 0.5175069450797777},
      {0.5746247913452619, 0.02446486505782672},
      {0.05526126919872059, -0.11636792368655748}},
     {{0.1468646541500389, -0.04892387995659858},
      {0.29878591356193435, -0.4843903980740378},
      {0.2450296701389738, 0.003651370900460617},
      {0.06574895498838759, 0.10350664537267942}}},
    {"Square",
     Square,
     {{2.0, -1.5}, {-3.4375, -3.0}, {0.07999999999999999, 0.06}, {2.4375, 5.0}},
     {{3.0, 1.0}, {-1.5, -4.0}, {0.6, -0.2}, {-4.0, 2.5}}},
    {"Reciprocal",
     Reciprocal,
     {{0.6, 0.19999999999999998},
      {-0.1643835616438356, -0.4383561643835616},
      {3.0, -1.0000000000000002},
      {-0.3595505617977528, 0.2247191011235955}},
     {{-0.32, 0.23999999999999996},
      {0.1651341715143554, 0.14411709513980106},
      {-8.0, -6.000000000000002},
      {-0.07877793207928291, -0.16159575811134957}}},
    {"Rsqrt",
     Rsqrt,
     {{0.7850017617921873, 0.1273882491316916},
      {0.3897313351147728, -0.5623824990290673},
      {1.7553173018244277, -0.28484878459314106},
      {0.1795112673410658, 0.625919209563142}},
     {{-0.22276170362448702, 0.11671665091872621},
      {0.15529463007059882, -0.039197347502218656},
      {-2.4905515604400708, -1.3049318278019253},
      {0.10259968958526375, -0.09235499639999564}}},
    {"Real", Real, {{1.5, 0}, {-0.75, 0}, {0.3, 0}, {-2.0, 0}}, {{1.0, 0}, {1.0, 0}, {1.0, 0}, {1.0, 0}}},
    {"Imag", Imag, {{-0.5, 0}, {2.0, 0}, {0.1, 0}, {-1.25, 0}}, {{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}}},
    {"Conj",
     Conj,
     {{1.5, 0.5}, {-0.75, -2.0}, {0.3, -0.1}, {-2.0, 1.25}},
     {{1.0, -0.0}, {1.0, -0.0}, {1.0, -0.0}, {1.0, -0.0}}},
    {"Angle",
     Angle,
     {{-0.3217505543966422, 0}, {1.9295669970654687, 0}, {0.32175055439664224, 0}, {-2.5829933382462307, 0}},
     {{0.19999999999999998, 0.6},
      {-0.4383561643835616, -0.1643835616438356},
      {-1.0000000000000002, 3.0},
      {0.2247191011235955, -0.3595505617977528}}},
    {"Neg",
     Neg,
     {{-1.5, 0.5}, {0.75, -2.0}, {-0.3, -0.1}, {2.0, 1.25}},
     {{-1.0, -0.0}, {-1.0, -0.0}, {-1.0, -0.0}, {-1.0, -0.0}}},
};

const BinaryRow kBinary[] = {
    {"Add",
     Add,
     {{1.75, 1.5}, {0.25, 1.0}, {-0.2, -0.65}, {1.0, -0.75}},
     {{1.0, 0}, {1.0, 0}, {1.0, 0}, {1.0, 0}},
     {{1.0, 0}, {1.0, 0}, {1.0, 0}, {1.0, 0}}},
    {"Sub",
     Sub,
     {{1.25, -2.5}, {-1.75, 3.0}, {0.8, 0.85}, {-5.0, -1.75}},
     {{1.0, 0}, {1.0, 0}, {1.0, 0}, {1.0, 0}},
     {{-1.0, -0.0}, {-1.0, -0.0}, {-1.0, -0.0}, {-1.0, -0.0}}},
    {"Mul",
     Mul,
     {{1.375, 2.875}, {1.25, 2.75}, {-0.07499999999999998, -0.27499999999999997}, {-5.375, -4.75}},
     {{0.25, -2.0}, {1.0, 1.0}, {-0.5, 0.75}, {3.0, -0.5}},
     {{1.5, 0.5}, {-0.75, -2.0}, {0.3, -0.1}, {-2.0, 1.25}}},
    {"Div",
     Div,
     {{-0.15384615384615385, -0.7692307692307693},
      {-1.375, 0.625},
      {-0.2769230769230769, 0.2153846153846154},
      {-0.7162162162162163, -0.2972972972972973}},
     {{0.06153846153846154, 0.49230769230769234},
      {0.5, -0.5},
      {-0.6153846153846153, -0.923076923076923},
      {0.32432432432432434, 0.05405405405405406}},
     {{0.3881656804733728, 0.028402366863905328},
      {1.0, -0.375},
      {0.02840236686390538, -0.3881656804733727},
      {0.24835646457268087, -0.057706355003652315}}},
    {"Pow",
     Pow,
     {{1.4309993561403624, 1.5832102747374384},
      {5.730430796529303, 13.547522536696388},
      {1.7275127606037393, 1.4627414413500432},
      {24.29439053360898, -41.084936192144774}},
     {{-2.3367626824568886, -1.3929466264910935},
      {0.2576917217347736, 9.735611062263388},
      {-1.3271061889958382, 6.31431557409414},
      {-8.623238248406498, -60.94333056006897}},
     {{1.1650045072978794, -0.264915614495525},
      {-21.791825822418026, -21.338944030053497},
      {-2.4595104349549004, 1.12821513042709},
      {-85.27695062535125, 98.00410295501612}}},
};

TEST(Complex, FunctionsAreTensorFlows) {
  for (const UnaryRow& row : kUnary) {
    for (DType dtype : {kComplex128, kComplex64}) {
      SCOPED_TRACE(StrOf(row.name, dtype));
      const double tolerance = dtype == kComplex128 ? 1e-13 : 2e-6;
      const Tensor z = Of(kZ, dtype);
      GradientTape tape;
      tape.Watch(z);
      const Tensor y = row.function(z);
      ExpectNear(y, row.value, tolerance);
      ExpectNear(*tape.Gradient(y, z), row.gradient, tolerance);
    }
  }
}

TEST(Complex, FunctionsOfTwoAreTensorFlows) {
  for (const BinaryRow& row : kBinary) {
    for (DType dtype : {kComplex128, kComplex64}) {
      SCOPED_TRACE(StrOf(row.name, dtype));
      const double tolerance = dtype == kComplex128 ? 1e-13 : 3e-6;
      const Tensor z = Of(kZ, dtype), w = Of(kW, dtype);
      GradientTape tape({.persistent = true});
      tape.Watch(z);
      tape.Watch(w);
      const Tensor y = row.function(z, w);
      ExpectNear(y, row.value, tolerance);
      ExpectNear(*tape.Gradient(y, z), row.gradient_a, tolerance);
      ExpectNear(*tape.Gradient(y, w), row.gradient_b, tolerance);
    }
  }
}

TEST(Complex, MatrixProductAndItsGradients) {
  const Tensor z = Reshape(Of(kZ), {2, 2}), w = Reshape(Of(kW), {2, 2});
  GradientTape tape({.persistent = true});
  tape.Watch(z);
  tape.Watch(w);
  const Tensor y = MatMul(z, w);
  ExpectNear(Reshape(y, {4}), {{3.25, 2.4375}, {-2.25, 3.625}, {-0.0625, 2.75}, {-4.975, -4.95}}, 1e-15);
  ExpectNear(Reshape(*tape.Gradient(y, z), {4}), {{1.25, -1}, {2.5, 0.25}, {1.25, -1}, {2.5, 0.25}}, 1e-15);
  ExpectNear(Reshape(*tape.Gradient(y, w), {4}), {{1.8, 0.4}, {1.8, 0.4}, {-2.75, -0.75}, {-2.75, -0.75}}, 1e-15);
}

TEST(Complex, EdgesOfGradients) {
  const Tensor z = Of({{0, 0}, {3, 4}});
  GradientTape tape;
  tape.Watch(z);
  ExpectNear(*tape.Gradient(Abs(z), z), {{0, 0}, {0.6, 0.8}}, 1e-15);  // 0 at 0, as in TensorFlow
  const Tensor x({1.0, 2.0});
  GradientTape real;
  real.Watch(x);
  const Tensor g = *real.Gradient(Mul(Cast(x, kComplex128), Of({{2, -3}, {1, 1}})), x);
  EXPECT_EQ(g.ToVector<double>(), (std::vector<double>{2, 1}));  // the part that x can move
}

TEST(Complex, SizesNearTheEndsOfTheFormat) {
  const double big = 1e300, small = 1e-300;
  ExpectNear(Abs(Of({{3 * big, 4 * big}})), {5 * big}, 1e-15);
  EXPECT_NEAR(Abs(Of({{3 * small, -4 * small}})).data<double>()[0] / small, 5, 1e-14);
  const Tensor a = Of({{big, big}, {small, 0}, {1, 0}}), b = Of({{big, -big}, {small, small}, {0, 0}});
  const auto quotient = Div(a, b).ToVector<Z>();
  EXPECT_LE(std::abs(quotient[0] - Z(0, 1)), 1e-15);
  EXPECT_LE(std::abs(quotient[1] - Z(0.5, -0.5)), 1e-15);
  EXPECT_EQ(quotient[2].real(), std::numeric_limits<double>::infinity());
}

TEST(Complex, BranchCuts) {
  const double pi = std::numbers::pi;
  const List below{{-4, -0.0}}, above{{-4, 0.0}};
  EXPECT_EQ(Sqrt(Of(above)).ToVector<Z>()[0], Z(0, 2));
  EXPECT_EQ(Sqrt(Of(below)).ToVector<Z>()[0], Z(0, -2));
  EXPECT_NEAR(Imag(Log(Of(above))).data<double>()[0], pi, 1e-15);
  EXPECT_NEAR(Imag(Log(Of(below))).data<double>()[0], -pi, 1e-15);
  EXPECT_NEAR(Real(Log(Of({{0.6, 0.8 + 1e-12}}))).data<double>()[0], 0.8e-12, 1e-16);  // |z| near 1
  EXPECT_EQ(Sqrt(Of({{0, 0}})).ToVector<Z>()[0], Z(0, 0));
}

TEST(Complex, WhatHasNoMeaningSaysSo) {
  const Tensor z = Of(kZ);
  ExpectError(ErrorCode::kInvalidArgument, "would drop the imaginary part", [&] { Cast(z, kFloat64); });
  ExpectError(ErrorCode::kInvalidArgument, "must be a real number", [&] { Less(z, z); });
  ExpectError(ErrorCode::kInvalidArgument, "bool or a real number", [&] { ReduceMax(z); });
  ExpectError(ErrorCode::kInvalidArgument, "is complex; use item", [&] { (void)z[0].item<double>(); });
  ExpectError(ErrorCode::kInvalidArgument, "do not broadcast",
              [&] { Complex(Tensor({1.0, 2.0}), Tensor({1.0, 2.0, 3.0})); });
}

// A step of gradient descent with a complex variable: eager, and compiled with c64 and c128 at its boundary.
TEST(Complex, VariablesAreTrainedInCompiledFunctions) {
  for (DType dtype : {kComplex64, kComplex128}) {
    const Variable w(Of({{1, 1}, {-2, 0.5}}, dtype), {.name = "w"});
    const auto step = [&](const Tensor& x) {
      GradientTape tape;
      const Tensor error = Sub(Mul(w, x), 1.0);
      const Tensor loss = ReduceSum(Real(Mul(error, Conj(error))));
      w.AssignSub(Mul(*tape.Gradient(loss, w), 0.1));
      return error;
    };
    const Tensor x = Of({{0.5, -1}, {1, 2}}, dtype);
    const Executable run = Compile(Trace(step, {Spec(x, "x")}));
    for (int n = 0; n < 3; ++n) {
      const Tensor eager = step(x);
      const Tensor compiled = run("main", x);
      EXPECT_EQ(compiled.dtype(), dtype);
      EXPECT_EQ(compiled.str(), eager.str());
      EXPECT_EQ(run.variable("w").str(), w.value().str());
      EXPECT_TRUE(bool(ReduceAll(Equal(run.variable("w"), w.value()))));
    }
    EXPECT_LT(ReduceSum(Abs(step(x))).item<double>(), 3.0);
  }
}

}  // namespace
}  // namespace reel
