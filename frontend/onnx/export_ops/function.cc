#include <limits>
#include <numbers>

#include "frontend/onnx/export_node.h"
#include "ir/strings.h"

// Functions of floats: those that ONNX has, and those that are made of them.

namespace reel::onnx {
namespace {

void Unary(const Site& s) { s.Set(s.w().Same(s.name, {s.x()})); }

void Rsqrt(const Site& s) { s.Set(s.w().Same("Reciprocal", {s.w().Same("Sqrt", {s.x()})})); }

// |x| to the power 1/3 and a step of Newton; 0, inf and NaN are themselves.
void Cbrt(const Site& s) {
  GraphWriter& w = s.w();
  const Val x = s.x(), zero = w.Scalar(x.dtype, 0);
  const Val size = w.Same("Abs", {x});
  const Val y = w.Same("Pow", {size, w.Scalar(x.dtype, 1.0 / 3)});
  const Val excess = w.Same("Sub", {y, w.Same("Div", {size, w.Same("Mul", {y, y})})});
  const Val root = w.Same("Sub", {y, w.Same("Div", {excess, w.Scalar(x.dtype, 3)})});
  const Val infinity = w.Scalar(x.dtype, std::numeric_limits<double>::infinity());
  const Val inside = w.One("And", {w.Compare("Greater", size, zero), w.Compare("Less", size, infinity)}, kBool);
  const Val signed_root = w.Where(w.Compare("Less", x, zero), w.Same("Neg", {root}), root);
  s.Set(w.Where(inside, signed_root, x));
}

void Exp2(const Site& s) { s.Set(s.w().Same("Pow", {s.w().Scalar(s.result().dtype, 2), s.x()})); }

// tanh(x / 2) (exp(x) + 1), in f64: no difference of near numbers.
void Expm1(const Site& s) {
  GraphWriter& w = s.w();
  const Val x = w.Cast(s.x(), kFloat64);
  const Val tangent = w.Same("Tanh", {w.Same("Mul", {x, w.Scalar(x.dtype, 0.5)})});
  const Val product = w.Same("Mul", {tangent, w.Same("Add", {w.Same("Exp", {x}), w.Scalar(x.dtype, 1)})});
  s.Set(w.Cast(product, s.result().dtype));
}

// log(u) x / (u - 1) for u = 1 + x, which makes up for what u has lost of x.
void Log1p(const Site& s) {
  GraphWriter& w = s.w();
  const Val x = s.x(), one = w.Scalar(x.dtype, 1);
  const Val u = w.Same("Add", {x, one}), kept = w.Same("Sub", {u, one});
  const Val infinity = w.Scalar(x.dtype, std::numeric_limits<double>::infinity());
  const Val same =
      w.One("Or", {w.Compare("Equal", kept, w.Scalar(x.dtype, 0)), w.Compare("Equal", x, infinity)}, kBool);
  const Val divisor = w.Where(same, one, kept);
  s.Set(w.Where(same, x, w.Same("Mul", {w.Same("Log", {u}), w.Same("Div", {x, divisor})})));
}

template <int base>
void LogOf(const Site& s) {
  const double scale = base == 2 ? std::numbers::log2e : std::numbers::log10e;
  s.Set(s.w().Same("Mul", {s.w().Same("Log", {s.x()}), s.w().Scalar(s.result().dtype, scale)}));
}

// Horner's rule, the highest first.
Val Polynomial(GraphWriter& w, const Val& x, std::span<const double> coefficients) {
  Val sum = w.Scalar(x.dtype, coefficients[0]);
  for (const double c : coefficients.subspan(1)) sum = w.Same("Add", {w.Same("Mul", {sum, x}), w.Scalar(x.dtype, c)});
  return sum;
}

// t exp(-x x + p(t)), t = 1 / (1 + |x| / 2), in f64: a Chebyshev fit with a relative error below 1.2e-7 everywhere.
void Erfc(const Site& s) {
  GraphWriter& w = s.w();
  constexpr double kFit[] = {0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                             -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223};
  const Val x = w.Cast(s.x(), kFloat64), one = w.Scalar(kFloat64, 1), size = w.Same("Abs", {x});
  const Val half = w.Same("Mul", {size, w.Scalar(kFloat64, 0.5)});
  const Val t = w.Same("Reciprocal", {w.Same("Add", {half, one})});
  const Val exponent = w.Same("Sub", {Polynomial(w, t, kFit), w.Same("Mul", {x, x})});
  const Val tail = w.Same("Mul", {t, w.Same("Exp", {exponent})});
  const Val negative = w.Compare("Less", x, w.Scalar(kFloat64, 0));
  s.Set(w.Cast(w.Where(negative, w.Same("Sub", {w.Scalar(kFloat64, 2), tail}), tail), kFloat32));
}

// The quadrant of an angle in [0, pi/4], by which of |a|, |b| is larger and by the signs, that of a zero too.
void Atan2(const Site& s) {
  GraphWriter& w = s.w();
  const Val y = s.x(0), x = s.x(1);
  const DType dtype = y.dtype;
  const Val zero = w.Scalar(dtype, 0), one = w.Scalar(dtype, 1);
  const auto negative = [&](const Val& v) {
    const Val below = w.Compare("Less", v, zero);
    return w.One("Or", {below, w.Compare("Less", w.Same("Reciprocal", {v}), zero)}, kBool);
  };
  const Val ay = w.Same("Abs", {y}), ax = w.Same("Abs", {x});
  const Val steep = w.Compare("Greater", ay, ax);
  const Val low = w.Where(steep, ax, ay), high = w.Where(steep, ay, ax);
  const Val same = w.Compare("Equal", low, high);
  const Val nothing = w.Compare("Equal", high, zero);
  const Val divisor = w.Where(same, one, high);
  const Val ratio = w.Where(nothing, zero, w.Where(same, one, w.Same("Div", {low, divisor})));
  const Val flat = w.Same("Atan", {ratio});
  const Val first = w.Where(steep, w.Same("Sub", {w.Scalar(dtype, std::numbers::pi / 2), flat}), flat);
  const Val half = w.Where(negative(x), w.Same("Sub", {w.Scalar(dtype, std::numbers::pi), first}), first);
  const Val angle = w.Where(negative(y), w.Same("Neg", {half}), half);
  const Val sum = w.Same("Add", {y, x});
  const auto is_nan = [&](const Val& v) { return w.One("IsNaN", {v}, kBool); };
  s.Set(w.Where(w.One("Or", {is_nan(y), is_nan(x)}, kBool), sum, angle));
}

void Power(const Site& s) {
  bool whole;
  const Val b = s.frame.Thin(s.node.operands[1], &whole);
  s.Set(s.w().Same("Pow", {s.x(0), b}));
}

std::string OnlyF32(const Asked& a) {
  if (a.type().dtype != kFloat64) return "";
  return StrCat("ONNX has no such op, and what stands for it has the accuracy of f32; cast f64 to f32");
}

constexpr std::string_view kSingle = "ONNX Runtime's CPU has f32 alone";

// clang-format off
constexpr ExportRow kRows[] = {
    {ir::Op::kRsqrt, Rsqrt, "Sqrt, Reciprocal", "rounded twice"},
    {ir::Op::kCbrt, Cbrt, "Pow", "and a step of Newton"},
    {ir::Op::kExp, Unary, "Exp"},
    {ir::Op::kExp2, Exp2, "Pow"},
    {ir::Op::kExpm1, Expm1, "Tanh, Exp", "as tanh(x / 2) (exp(x) + 1) in f64"},
    {ir::Op::kLog, Unary, "Log"},
    {ir::Op::kLog2, LogOf<2>, "Log, Mul", "rounded twice: powers of two within 1 ULP"},
    {ir::Op::kLog10, LogOf<10>, "Log, Mul", "rounded twice: powers of ten within 1 ULP"},
    {ir::Op::kLog1p, Log1p, "Log", "with what 1 + x has lost"},
    {ir::Op::kTanh, Unary, "Tanh", "ONNX Runtime's has an absolute error"},
    {ir::Op::kSigmoid, Unary, "Sigmoid", "ONNX Runtime's has an absolute error, and is 0 far below 0"},
    {ir::Op::kErf, Unary, "Erf", kSingle},
    {ir::Op::kErfc, Erfc, "Exp", "a fit in f64, relative error below 1.2e-7; f64 is refused", OnlyF32},
    {ir::Op::kSin, Unary, "Sin"},
    {ir::Op::kCos, Unary, "Cos"},
    {ir::Op::kAsin, Unary, "Asin", kSingle},
    {ir::Op::kAcos, Unary, "Acos", kSingle},
    {ir::Op::kAtan, Unary, "Atan", kSingle},
    {ir::Op::kSinh, Unary, "Sinh", kSingle},
    {ir::Op::kCosh, Unary, "Cosh", kSingle},
    {ir::Op::kAsinh, Unary, "Asinh", kSingle},
    {ir::Op::kAcosh, Unary, "Acosh", kSingle},
    {ir::Op::kAtanh, Unary, "Atanh", kSingle},
    {ir::Op::kPow, Power, "Pow"},
    {ir::Op::kAtan2, Atan2, "Atan", "and the quadrant; ONNX Runtime's CPU has f32 alone"},
};
// clang-format on

}  // namespace

ExportRows FunctionExports() { return kRows; }

}  // namespace reel::onnx
