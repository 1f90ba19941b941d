#include <cmath>

#include "bind.h"
#include "operators.h"
#include "reel/complex.h"
#include "reel/functions.h"
#include "reel/special.h"
#include "register.h"

// Functions of numbers, by the array API's names, and Reel's own.

namespace reel::python {
namespace {

bool IsIntegral(const Operand& x) { return IsInteger(x.type().dtype) || x.type().dtype == kBool; }

// Rounding leaves integers as they are.
template <Tensor (*F)(const Operand&)>
Tensor Rounding(const Operand& x) {
  return IsIntegral(x) ? Identity(x) : F(x);
}

Tensor Divide(const Operand& a, const Operand& b) {
  if (!IsIntegral(a) || !IsIntegral(b)) return Div(a, b);
  return Div(Cast(a, kFloat32), Cast(b, kFloat32));
}

Tensor Not(const Operand& x) {
  if (x.type().dtype != kBool) return Equal(x, 0);
  return LogicalNot(x);
}
Tensor Truth(const Operand& x) { return x.type().dtype == kBool ? Identity(x) : NotEqual(x, 0); }
template <Tensor (*F)(const Operand&, const Operand&)>
Tensor Logical(const Operand& a, const Operand& b) {
  if (a.type().dtype == kBool && b.type().dtype == kBool) return F(a, b);
  return F(Truth(a), Truth(b));
}

Tensor Clip(TensorLike x, TensorLike min, TensorLike max) {
  const Operand a = x.operand();
  if (min.none() && max.none()) return Identity(a);
  if (min.none()) return Minimum(a, max.operand());
  if (max.none()) return Maximum(a, min.operand());
  return Clamp(a, min.operand(), max.operand());
}

// To so many decimals; negative ones are places before the point.
Tensor Rounded(TensorLike x, int64_t decimals) {
  const Operand a = x.operand();
  if (decimals == 0 || IsIntegral(a)) {
    if (decimals < 0) ThrowInvalid("round: integers have no places before the point to round to; cast them to float");
    return Rounding<Round>(a);
  }
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return decimals > 0 ? Div(Round(Mul(a, scale)), scale) : Mul(Round(Div(a, scale)), scale);
}

void RegisterMethods() {
  Method(
      "round", ", decimals: int = 0, out: None = None", "The nearest number with so many decimals, ties to even.",
      [](TensorLike x, int64_t decimals, nb::handle out) {
        CheckOut("round", out);
        return Rounded(x, decimals);
      },
      "decimals"_a = 0, "out"_a = nb::none());
  Method(
      "__round__", ", ndigits: int | None = None", "round(x) and round(x, ndigits), as tensors.",
      [](TensorLike x, OptionalInt digits) { return Rounded(x, digits.get().value_or(0)); }, "ndigits"_a = nb::none());
  Method(
      "clip", ", min: TensorLike | None = None, max: TensorLike | None = None, out: None = None",
      "max(min(x, max), min). The gradient goes to x inside the bounds and on them.",
      [](TensorLike x, TensorLike min, TensorLike max, nb::handle out) {
        CheckOut("clip", out);
        return Clip(x, min, max);
      },
      "min"_a = nb::none(), "max"_a = nb::none(), "out"_a = nb::none());
  Method("conj", "", "The complex conjugate.", [](TensorLike x) { return Conj(x.operand()); });
}

void RegisterArithmetic(nb::module_& m) {
  Binary<Add>(m, "add", "x1 + x2.");
  Binary<Sub>(m, "subtract", "x1 - x2.");
  Binary<Mul>(m, "multiply", "x1 * x2.");
  Binary<Divide>(m, "divide", "x1 / x2; integers give float32.");
  Binary<FloorDiv>(m, "floor_divide", "floor(x1 / x2). No gradient flows back.");
  Binary<Mod>(m, "remainder", "x1 - x2 floor(x1 / x2), with the sign of x2.");
  Binary<Rem>(m, "fmod", "x1 - x2 trunc(x1 / x2), with the sign of x1.");
  Binary<Power>(m, "pow", "x1 to the power x2; integers give integers.");
  Binary<Maximum>(m, "maximum",
                  "The larger of both; NaN if either is. Ties share the gradient."
                  "\n\n>>> reel.maximum([1, 5], 3)\nTensor([3, 5], dtype=int64)");
  Binary<Minimum>(m, "minimum", "The smaller of both; NaN if either is. Ties share the gradient.");
  Binary<DivNoNan>(m, "divide_no_nan", "x1 / x2, but 0 with zero derivatives where x2 is 0.");
  Binary<Atan2>(m, "atan2", "Angle of the point (x2, x1) in [-pi, pi], radians.");
  Binary<Hypot>(m, "hypot", "sqrt(x1^2 + x2^2) without overflow.");
  Binary<Copysign>(m, "copysign", "|x1| with the sign of x2.");
  Binary<NextAfter>(m, "nextafter", "The float after x1 in the direction of x2.");
  Binary<Logaddexp>(m, "logaddexp", "log(e^x1 + e^x2) without overflow.");
  Binary<Xlogy>(m, "xlogy", "x1 log(x2), but 0 for x1 = 0.");
  Binary<Xlog1py>(m, "xlog1py", "x1 log(1 + x2), but 0 for x1 = 0.");
  Unary<Neg>(m, "negative", "-x.");
  Unary<Identity>(m, "positive", "x, as a new tensor.");
  Unary<Identity>(m, "identity", "x, as a new tensor.");
  Unary<StopGradient>(m, "stop_gradient", "x; no gradient flows back.");
  Unary<Abs>(m, "abs", "|x|; its derivative at 0 is 0.");
  Unary<Sign>(m, "sign", "-1, 0 or 1.");
  Unary<Square>(m, "square", "x * x.");
  Unary<Sqrt>(m, "sqrt", "Square root; NaN below 0.");
  Unary<Rsqrt>(m, "rsqrt", "1 / sqrt(x).");
  Unary<Reciprocal>(m, "reciprocal", "1 / x.");
  Unary<Rounding<Floor>>(m, "floor", "The largest integer not above x.");
  Unary<Rounding<Ceil>>(m, "ceil", "The smallest integer not below x.");
  Unary<Rounding<Round>>(m, "round",
                         "The nearest integer, ties to even."
                         "\n\n>>> reel.round([0.5, 1.5, 2.4])\nTensor([0., 2., 2.], dtype=float32)");
  Unary<Rounding<Trunc>>(m, "trunc", "x without its fraction.");
  m.def("clip", &Clip, "x"_a, "min"_a = nb::none(), "max"_a = nb::none(),
        nb::sig("def clip(x: TensorLike, /, min: TensorLike | None = None, max: TensorLike | None "
                "= None) -> Tensor"),
        "max(min(x, max), min). The gradient goes to x inside the bounds and on them."
        "\n\n>>> reel.clip([-2.0, 0.5, 3.0], 0, 1)\nTensor([0. , 0.5, 1. ], dtype=float32)");
  m.def(
      "where",
      [](TensorLike c, TensorLike a, TensorLike b) {
        const Operand condition = c.operand(), x = a.operand(), y = b.operand();
        const Unlocked other_threads(std::max({Work(condition), Work(x), Work(y)}));
        return Where(condition, x, y);
      },
      nb::sig("def where(condition: TensorLike, x1: TensorLike, x2: TensorLike, /) -> Tensor"),
      "x1 where the condition (bool) is true, else x2; all broadcast."
      "\n\n>>> reel.where([True, False], 1.0, [2.0, 3.0])\nTensor([1., 3.], dtype=float32)");
  m.def(
      "lerp", [](TensorLike a, TensorLike b, TensorLike w) { return Lerp(a.operand(), b.operand(), w.operand()); },
      nb::sig("def lerp(x1: TensorLike, x2: TensorLike, weight: TensorLike, /) -> Tensor"),
      "x1 + weight (x2 - x1), and exactly x2 for a weight of 1.");
}

void RegisterFunctions(nb::module_& m) {
  Unary<Exp>(m, "exp",
             "e to the power x."
             "\n\n>>> reel.exp(0.0)\nTensor(1.0, dtype=float32)");
  Unary<Exp2>(m, "exp2", "2 to the power x.");
  Unary<Expm1>(m, "expm1", "exp(x) - 1, exact near 0.");
  Unary<Log>(m, "log", "Natural logarithm; -inf at 0, NaN below.");
  Unary<Log2>(m, "log2", "Logarithm to base 2.");
  Unary<Log10>(m, "log10", "Logarithm to base 10.");
  Unary<Log1p>(m, "log1p",
               "log(1 + x), exact near 0."
               "\n\n>>> reel.log1p(1e-10)\nTensor(1e-10, dtype=float32)");
  Unary<Cbrt>(m, "cbrt", "Cube root, with the sign of x.");
  Unary<Sin>(m, "sin", "Sine of x radians.");
  Unary<Cos>(m, "cos", "Cosine of x radians.");
  Unary<Tan>(m, "tan", "Tangent of x radians.");
  Unary<Asin>(m, "asin", "Inverse sine, in [-pi/2, pi/2].");
  Unary<Acos>(m, "acos", "Inverse cosine, in [0, pi].");
  Unary<Atan>(m, "atan", "Inverse tangent, in [-pi/2, pi/2].");
  Unary<Sinh>(m, "sinh", "Hyperbolic sine.");
  Unary<Cosh>(m, "cosh", "Hyperbolic cosine.");
  Unary<Tanh>(m, "tanh", "Hyperbolic tangent.");
  Unary<Asinh>(m, "asinh", "Inverse hyperbolic sine.");
  Unary<Acosh>(m, "acosh", "Inverse hyperbolic cosine; NaN below 1.");
  Unary<Atanh>(m, "atanh", "Inverse hyperbolic tangent.");
  Unary<Sinc>(m, "sinc", "sin(pi x) / (pi x), 1 at 0.");
  Unary<Sigmoid>(m, "sigmoid", "1 / (1 + exp(-x)).");
  Unary<Real>(m, "real", "The real part.");
  Unary<Imag>(m, "imag", "The imaginary part; zeros if x is real.");
  Unary<Conj>(m, "conj", "The complex conjugate.");
  Unary<Angle>(m, "angle", "atan2(imag, real).");
  Binary<Complex>(m, "complex", "x1 + i x2, of float32 or float64.");
  Unary<Erf>(m, "erf", "Error function.");
  Unary<Erfc>(m, "erfc", "1 - erf(x), without cancellation.");
  Unary<ErfInv>(m, "erfinv", "y with erf(y) = x.");
  Unary<ErfcInv>(m, "erfcinv", "y with erfc(y) = x.");
  Unary<Ndtr>(m, "ndtr", "Distribution function of the standard normal.");
  Unary<LogNdtr>(m, "log_ndtr", "log(ndtr(x)), accurate in both tails.");
  Unary<Ndtri>(m, "ndtri", "x with ndtr(x) = p.");
  Unary<Lgamma>(m, "lgamma", "log |gamma(x)|.");
  Unary<Digamma>(m, "digamma", "Derivative of lgamma.");
  Binary<Polygamma>(m, "polygamma", "x1-th derivative of digamma at x2.");
  Binary<Zeta>(m, "zeta", "Hurwitz zeta: sum of (x2 + k)^-x1.");
  Binary<Igamma>(m, "igamma", "Regularised lower incomplete gamma function P(x1, x2).");
  Binary<Igammac>(m, "igammac", "1 - igamma(x1, x2), without cancellation.");
  Binary<Lbeta>(m, "lbeta", "log |B(x1, x2)|.");
  m.def(
      "betainc",
      [](TensorLike a, TensorLike b, TensorLike x) { return Betainc(a.operand(), b.operand(), x.operand()); },
      nb::sig("def betainc(a: TensorLike, b: TensorLike, x: TensorLike, /) -> Tensor"),
      "Regularised incomplete beta function I_x(a, b).");
}

void RegisterLogic(nb::module_& m) {
  Binary<Equal>(m, "equal", "x1 == x2, bool.");
  Binary<NotEqual>(m, "not_equal", "x1 != x2, bool.");
  Binary<Less>(m, "less", "x1 < x2, bool.");
  Binary<LessEqual>(m, "less_equal", "x1 <= x2, bool.");
  Binary<Greater>(m, "greater", "x1 > x2, bool.");
  Binary<GreaterEqual>(m, "greater_equal", "x1 >= x2, bool.");
  Binary<Logical<LogicalAnd>>(m, "logical_and", "Both are true (not 0).");
  Binary<Logical<LogicalOr>>(m, "logical_or", "Either is true (not 0).");
  Binary<Logical<LogicalXor>>(m, "logical_xor", "Exactly one is true (not 0).");
  Unary<Not>(m, "logical_not", "x is false (0).");
  Binary<BitwiseAnd>(m, "bitwise_and", "Of each bit of integers, or of bool.");
  Binary<BitwiseOr>(m, "bitwise_or", "Of each bit of integers, or of bool.");
  Binary<BitwiseXor>(m, "bitwise_xor", "Of each bit of integers, or of bool.");
  Unary<BitwiseNot>(m, "bitwise_invert", "Of each bit of integers, or of bool.");
  Binary<ShiftLeft>(m, "bitwise_left_shift", "x1 2^x2, integers.");
  Binary<ArithmeticShiftRight>(m, "bitwise_right_shift", "floor(x1 / 2^x2), integers.");
  Unary<IsFinite>(m, "isfinite", "Neither infinite nor NaN.");
  Unary<IsInf>(m, "isinf", "Infinite.");
  Unary<IsNan>(m, "isnan", "NaN.");
  Unary<Signbit>(m, "signbit", "x < 0, also for -0 and NaN with that sign.");
  m.def(
      "bitcast", [](TensorLike x, DTypeLike d) { return Bitcast(x.operand(), d.get(kFloat32)); },
      nb::sig("def bitcast(x: TensorLike, dtype: DTypeLike, /) -> Tensor"),
      "The bits as another dtype of the same size.");
}

}  // namespace

void RegisterElementwise(nb::module_& m) {
  RegisterArithmetic(m);
  RegisterFunctions(m);
  RegisterLogic(m);
  RegisterMethods();
}

}  // namespace reel::python
