#include <reel/activations.h>

#include <cmath>

#include "tests/accuracy/scalars.h"

namespace reel::testing {
namespace {

// A bound of `ulps` + 2 |exponent| as one of `ulps` of a larger number: the rounding of an exponent counts that many
// times.
Real WithExponent(const Real& value, const Real& exponent, double ulps) {
  return IsInf(exponent) || IsNan(exponent) ? Real(0) : Abs(value) * (Real(1) + Real(2) * Abs(exponent) / Real(ulps));
}
constexpr Promise kExact{{0, 0, 0, 0}}, kRounded{{0.5, 0.5, 0.5, 0.5}};

Real Sigmoid_(const Real& x) { return Real(1) / (Real(1) + Exp(-x)); }
Real Softplus_(const Real& x) { return Max(x, Real(0)) + Log1p(Exp(-Abs(x))); }
Real Phi(const Real& x) { return Erfc(-x / Sqrt(Real(2))) / 2; }
Real Linear(const Real& x, const Real& below) { return x < 0 ? below : x; }
Real Relu6_(const Real& x) { return Min(Max(x, Real(0)), Real(6)); }
Real GeluTanhExponent(const Real& x) { return Sqrt(Real(8) / Pi()) * (x + Real(44715) / Real(1000000) * x * x * x); }
Real GeluTanh_(Reals x) {
  if (IsInf(x[0])) return Max(x[0], Real(0));
  return x[0] * Sigmoid_(GeluTanhExponent(x[0]));
}
Real GeluTanhSize(Reals x) { return x[0] < 0 ? WithExponent(GeluTanh_(x), GeluTanhExponent(x[0]), 3) : Real(0); }
Real GeluSize(Reals x) { return x[0] < 0 ? WithExponent(x[0] * Phi(x[0]), x[0] * x[0] / 2, 3) : Real(0); }
Real Swish_(Reals x) { return x[0] * Sigmoid_(x[0] * x[1]); }
Real SwishSize(Reals x) { return x[0] * x[1] < 0 ? WithExponent(Swish_(x), x[0] * x[1], 3) : Real(0); }
Real First(Reals x) { return IsInf(x[0]) ? Real(0) : x[0]; }
Real Selu_(Reals x) {
  const auto parse = [](const char* text) {
    return Real::Of([text](mpfr_ptr y, mpfr_rnd_t how) { return mpfr_set_str(y, text, 10, how); });
  };
  const Real alpha = parse("1.6732632423543772848170429916717"), scale = parse("1.0507009873554804934193349852946");
  return scale * Linear(x[0], alpha * Expm1(x[0]));
}
Real Sinc_(Reals x) {
  if (x[0] == 0) return 1;
  if (IsInteger(x[0])) return 0;
  return Sin(Pi() * x[0]) / (Pi() * x[0]);
}
Real Logaddexp_(Reals x) {
  if (IsNan(x[0]) || IsNan(x[1])) return Real(NAN);
  const Real high = Max(x[0], x[1]), low = Min(x[0], x[1]);
  return IsInf(high) ? high : high + Log1p(Exp(low - high));
}
Real Xlogy_(Reals x) { return x[0] == 0 && !IsNan(x[1]) ? Real(0) : x[0] * Log(x[1]); }
Real Xlog1py_(Reals x) { return x[0] == 0 && !IsNan(x[1]) ? Real(0) : x[0] * Log1p(x[1]); }
double Moderate(double x, int) { return std::isfinite(x) ? std::fmod(x, 100) : 1; }

#define F1(name) [](Arguments x) { return name(x[0]); }
#define F2(name) [](Arguments x) { return name(x[0], x[1]); }
#define X1(expression)       \
  [](Reals in) {             \
    const Real& x = in[0];   \
    return Real(expression); \
  }

const Scalar kFunctions[] = {
    {1, "tan", 1, F1(Tan), [](Reals x) { return Real::Of(mpfr_tan, x[0]); }, {{3, 3, 2, 2}}, {-100, 100}},
    {1, "sinc", 1, F1(Sinc), Sinc_, {{4, 4, 4, 4}}},
    {1, "hypot", 2, F2(Hypot), [](Reals x) { return Real::Of(mpfr_hypot, x[0], x[1]); }, {{2, 2, 2, 2}}},
    {1,
     "logaddexp",
     2,
     F2(Logaddexp),
     Logaddexp_,
     {{2, 2, 2, 2}},
     {},
     [](Reals x) { return Max(Abs(x[0]), Abs(x[1])); }},
    {1, "xlogy", 2, F2(Xlogy), Xlogy_, {{2, 2, 2, 2}}, {0, 10}},
    {1, "xlog1py", 2, F2(Xlog1py), Xlog1py_, {{2, 2, 2, 2}}, {-1, 10}},
    {1, "clamp", 3, [](Arguments x) { return Clamp(x[0], x[1], x[2]); },
     [](Reals x) { return Max(Min(x[0], x[2]), x[1]); }, kExact},
    {1,
     "lerp",
     3,
     [](Arguments x) { return Lerp(x[0], x[1], x[2]); },
     [](Reals x) { return x[0] + x[2] * (x[1] - x[0]); },
     {{3, 3, 3, 3}},
     {},
     [](Reals x) { return Max(Max(Abs(x[0]), Abs(x[2] * x[0])), Abs(x[2] * x[1])); },
     Moderate},
    {1, "relu", 1, F1(Relu), X1(Max(x, Real(0))), kExact},
    {1, "relu6", 1, F1(Relu6), X1(Relu6_(x)), kExact},
    {1, "leaky_relu", 1, F1(LeakyRelu), X1(Linear(x, x / 5)), {{1.5, 1.5, 1.5, 1.5}}},
    {1, "elu", 1, F1(Elu), X1(Linear(x, Expm1(x))), {{1, 1, 0.51, 0.51}}, {-40, 10}},
    {1, "selu", 1, F1(Selu), Selu_, {{3, 3, 3, 3}}, {-40, 10}},
    {1, "celu", 1, F1(Celu), X1(Linear(x, Expm1(x))), {{1, 1, 0.51, 0.51}}, {-40, 10}},
    {1, "gelu", 1, F1(Gelu), X1(x* Phi(x)), {{1, 6, 0.51, 0.51}}, {-40, 10}, nullptr, nullptr, First, GeluSize},
    {1, "gelu_tanh", 1, F1(GeluTanh), GeluTanh_, {{4, 4, 4, 4}}, {-24, 10}, GeluTanhSize, nullptr, First},
    {1, "silu", 1, F1(Silu), X1(x* Sigmoid_(x)), {{3, 3, 3, 3}}, {-750, 40}, nullptr, nullptr, First},
    {1, "swish", 2, F2(Swish), Swish_, {{3, 3, 3, 3}}, {}, SwishSize, nullptr, First},
    {1, "softplus", 1, F1(Softplus), X1(Softplus_(x)), {{3, 3, 2, 2}}, {-750, 40}},
    {1, "log_sigmoid", 1, F1(LogSigmoid), X1(-Softplus_(-x)), {{3, 3, 2, 2}}, {-40, 750}},
    {1, "softsign", 1, F1(Softsign), X1(x / (Real(1) + Abs(x))), {{2, 2, 2, 2}}},
    {1, "mish", 1, F1(Mish), X1(x* Tanh(Softplus_(x))), {{4, 4, 4, 4}}, {-750, 40}, nullptr, nullptr, First},
    {1, "hard_sigmoid", 1, F1(HardSigmoid), X1(Relu6_(x + Real(3)) / 6), {{1.5, 1.5, 1.5, 1.5}}},
    {1, "hard_swish", 1, F1(HardSwish), X1(x* Relu6_(x + Real(3)) / 6), {{2, 2, 2, 2}}},
    {1, "hard_tanh", 1, F1(HardTanh), X1(Min(Max(x, Real(-1)), Real(1))), kExact},
    {1, "tanh_shrink", 1, F1(TanhShrink), X1(x - Tanh(x)), {{3, 3, 1.5, 1.5}}, {-22, 22}, X1(Min(Abs(x), Real(1)))},
    {1, "hard_shrink", 1, F1(HardShrink), X1(Abs(x) <= Real(0.5) ? Real(0) : x), kExact},
    {1, "soft_shrink", 1, F1(SoftShrink),
     X1(Abs(x) <= Real(0.5) ? Real(0)
        : x < 0             ? x + Real(0.5)
                            : x - Real(0.5)),
     kRounded},
};

}  // namespace

std::span<const Scalar> Compositions() { return kFunctions; }

}  // namespace reel::testing
