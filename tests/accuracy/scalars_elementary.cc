#include <cmath>

#include "tests/accuracy/scalars.h"

namespace reel::testing {
namespace {

// Rounded once: halves are computed in f32 or f64.
constexpr Promise kExact{{0, 0, 0, 0}}, kRounded{{0.5, 0.5, 0.5, 0.5}}, kOne{{1, 1, 0.51, 0.51}};
constexpr Promise kTanh{{1.5, 1.5, 0.51, 0.51}}, kSigmoid{{1.5, 1.5, 0.51, 0.51}};

#define F1(name) [](Arguments x) { return name(x[0]); }
#define F2(name) [](Arguments x) { return name(x[0], x[1]); }
#define M1(name) [](Reals x) { return Real::Of(name, x[0]); }
#define M2(name) [](Reals x) { return Real::Of(name, x[0], x[1]); }

Real Rsqrt_(Reals x) { return x[0] == 0 ? Real(1) / x[0] : Real::Of(mpfr_rec_sqrt, x[0]); }
Real Sign_(Reals x) { return IsNan(x[0]) || x[0] == 0 ? x[0] : Real(mpfr_sgn(x[0].get())); }
Real Sigmoid_(Reals x) { return Real(1) / (Real(1) + Exp(-x[0])); }

// a - n b, n rounded towards 0 or down.
Real Fmod_(Reals x) { return Real::Of(mpfr_fmod, x[0], x[1]); }
Real Mod_(Reals x) {
  const Real r = Fmod_(x);
  return r == 0 || IsNan(r) || (r < 0) == (x[1] < 0) ? r : r + x[1];
}
Real FloorDiv_(Reals x) {
  if (IsInf(x[0]) || x[1] == 0) return x[0] / x[1] * (IsInf(x[0]) ? Real(NAN) : Real(1));
  const Real q = x[0] / x[1];
  return IsInf(x[1]) ? (x[0] == 0 || (x[0] < 0) == (x[1] < 0) ? q : Real(-1))
                     : Rounded((x[0] - Mod_(x)) / x[1], MPFR_RNDN);
}

// NaN has lost its sign on the way here.
double SignIsKnown(double x, int) { return std::isnan(x) ? 1 : x; }

const Scalar kFunctions[] = {
    {1, "neg", 1, F1(Neg), M1(mpfr_neg), kExact},
    {1, "abs", 1, F1(Abs), M1(mpfr_abs), kExact},
    {1, "sign", 1, F1(Sign), Sign_, kExact},
    {1, "floor", 1, F1(Floor), [](Reals x) { return Rounded(x[0], MPFR_RNDD); }, kExact},
    {1, "ceil", 1, F1(Ceil), [](Reals x) { return Rounded(x[0], MPFR_RNDU); }, kExact},
    {1, "round", 1, F1(Round), [](Reals x) { return Rounded(x[0], MPFR_RNDN); }, kExact},
    {1, "trunc", 1, F1(Trunc), [](Reals x) { return Rounded(x[0], MPFR_RNDZ); }, kExact},
    {1, "square", 1, F1(Square), M1(mpfr_sqr), kRounded},
    {1, "reciprocal", 1, F1(Reciprocal), [](Reals x) { return Real(1) / x[0]; }, kRounded},
    {1, "sqrt", 1, F1(Sqrt), M1(mpfr_sqrt), kRounded},
    {1, "rsqrt", 1, F1(Rsqrt), Rsqrt_, kOne},
    {1, "cbrt", 1, F1(Cbrt), M1(mpfr_cbrt), kOne},
    {1, "exp", 1, F1(Exp), M1(mpfr_exp), kOne, {-750, 720}},
    {1, "exp2", 1, F1(Exp2), M1(mpfr_exp2), kOne, {-1080, 1030}},
    {1, "expm1", 1, F1(Expm1), M1(mpfr_expm1), kOne, {-50, 720}},
    {1, "log", 1, F1(Log), M1(mpfr_log), kOne, {0, 10}},
    {1, "log2", 1, F1(Log2), M1(mpfr_log2), kOne, {0, 10}},
    {1, "log10", 1, F1(Log10), M1(mpfr_log10), kOne, {0, 10}},
    {1, "log1p", 1, F1(Log1p), M1(mpfr_log1p), kOne, {-1, 10}},
    {1, "tanh", 1, F1(Tanh), M1(mpfr_tanh), kTanh, {-22, 22}},
    {1, "sigmoid", 1, F1(Sigmoid), Sigmoid_, kSigmoid, {-750, 40}},
    {1, "erf", 1, F1(Erf), M1(mpfr_erf), kOne, {-7, 7}},
    {1, "sin", 1, F1(Sin), M1(mpfr_sin), kOne, {-100, 100}},
    {1, "cos", 1, F1(Cos), M1(mpfr_cos), kOne, {-100, 100}},
    {1, "asin", 1, F1(Asin), M1(mpfr_asin), kOne, {-1, 1}},
    {1, "acos", 1, F1(Acos), M1(mpfr_acos), kOne, {-1, 1}},
    {1, "atan", 1, F1(Atan), M1(mpfr_atan), kOne},
    {1, "sinh", 1, F1(Sinh), M1(mpfr_sinh), kOne, {-720, 720}},
    {1, "cosh", 1, F1(Cosh), M1(mpfr_cosh), kOne, {-720, 720}},
    {1, "asinh", 1, F1(Asinh), M1(mpfr_asinh), kOne},
    {1, "acosh", 1, F1(Acosh), M1(mpfr_acosh), kOne, {1, 10}},
    {1, "atanh", 1, F1(Atanh), M1(mpfr_atanh), kOne, {-1, 1}},
    {1, "add", 2, F2(Add), M2(mpfr_add), kRounded},
    {1, "sub", 2, F2(Sub), M2(mpfr_sub), kRounded},
    {1, "mul", 2, F2(Mul), M2(mpfr_mul), kRounded},
    {1, "div", 2, F2(Div), M2(mpfr_div), kRounded},
    {1, "rem", 2, F2(Rem), Fmod_, kExact},
    {1, "mod", 2, F2(Mod), Mod_, kRounded},
    {1, "floor_div", 2, F2(FloorDiv), FloorDiv_, {{2, 2, 2, 2}}},
    {1, "div_no_nan", 2, F2(DivNoNan), [](Reals x) { return x[1] == 0 ? Real(0) : x[0] / x[1]; }, kRounded},
    {1, "pow", 2, F2(Pow), M2(mpfr_pow), kOne},
    {1, "atan2", 2, F2(Atan2), M2(mpfr_atan2), kOne},
    {1, "max", 2, F2(Maximum), [](Reals x) { return Max(x[0], x[1]); }, kExact},
    {1, "min", 2, F2(Minimum), [](Reals x) { return Min(x[0], x[1]); }, kExact},
    {1, "copysign", 2, F2(Copysign), M2(mpfr_copysign), kExact, {}, nullptr, SignIsKnown},
};

}  // namespace

std::span<const Scalar> ElementaryFunctions() { return kFunctions; }

}  // namespace reel::testing
