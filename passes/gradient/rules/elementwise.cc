#include <cmath>
#include <numbers>

#include "passes/gradient/rule.h"

// dy is the cotangent of the result y = f(x) or f(a, b). Each rule adds conj(f') * dy; real numbers
// are their own conjugates.

namespace reel::passes {

using ir::Builder;
using ir::Value;

static Value One(Builder& b, Value like) { return b.ScalarLike(like, 1); }
static Value Square(Builder& b, Value x) { return b.Mul(x, x); }
// One rule for functions whose slope is infinite or NaN somewhere, at edges of their domains and outside: a zero seed
// gives zero there, to every order, so that Where(x > 0, Sqrt(x), 0) may be differentiated anywhere. What the slope is
// computed from: v inside of the domain, and outside too unless dy is 0, else a number for which the slope is finite.
static Value Guarded(Builder& b, Value dy, Value v, Value inside, double harmless) {
  const Value no_seed = b.Equal(dy, b.ScalarLike(dy, 0)), outside = b.Select(no_seed, b.ScalarLike(v, harmless), v);
  return b.Select(inside, v, outside);
}
static Value GuardedAbove0(Builder& b, Value dy, Value v) {
  return Guarded(b, dy, v, b.Greater(v, b.ScalarLike(v, 0)), INFINITY);
}
static Value GuardedWithin1(Builder& b, Value dy, Value x) { return Guarded(b, dy, x, b.Less(b.Abs(x), One(b, x)), 0); }
// Where dy is 0 and x is infinite or NaN.
static Value NothingAt(Builder& b, Value dy, Value x) {
  const Value no_seed = b.Equal(dy, b.ScalarLike(dy, 0)), finite = b.Less(b.Abs(x), b.ScalarLike(x, INFINITY));
  return b.And(no_seed, b.Not(finite));
}
// sqrt((1 - x) (1 + x)), exact to its last bits at the edges too.
static Value RootOfOneMinusSquare(Builder& b, Value x) {
  const Value one = One(b, x), below = b.Sub(one, x), above = b.Add(one, x);
  return b.Sqrt(b.Mul(below, above));
}

// --- one operand ---
GRAD(Identity, kNone, kY) {
  const ir::Attributes& attributes = g.node().attrs();
  if (attributes.Find("refused")) {
    return void(b.Fail(absl::UnimplementedError(attributes.Get<std::string>("refused"))));
  }
  Value d = attributes.Find("dense") ? Whole(b, g.cotangent(0)).value : g.dy();
  if (attributes.Find("connected")) d = b.Select(b.Full({kBool, g.x_shape()}, 1), d, g.y());
  g.Set(0, d);
}
NOT_DIFFERENTIABLE(StopGradient)
GRAD(Neg, kNone, kNone) { g.Set(0, b.Neg(g.dy())); }            // (-x)' = -1
GRAD(Abs, kX, kNone) { g.Set(0, b.Mul(g.dy(), b.Sign(g.x()))); }  // |x|' = sign(x), 0 at 0
GRAD(Sign, kNone, kNone) { g.Set(0, b.Zeros(g.x_type())); }     // 0, also at the jump
NOT_DIFFERENTIABLE(Floor)
NOT_DIFFERENTIABLE(Ceil)
NOT_DIFFERENTIABLE(Round)
NOT_DIFFERENTIABLE(Trunc)
GRAD(Sqrt, kNone, kY) {                                               // sqrt' = 1 / (2 sqrt(x))
  const Value half = b.Mul(g.dy(), b.ScalarLike(g.dy(), 0.5));
  g.Set(0, b.Div(half, GuardedAbove0(b, half, g.y())));
}
// rsqrt' = -y^3 / 2: -inf at 0, but 0 for a zero seed.
GRAD(Rsqrt, kNone, kY) {
  const Value dy = g.dy(), cube = b.Mul(Square(b, g.y()), g.y()), none = NothingAt(b, dy, cube);
  const Value y = b.Select(none, b.ScalarLike(dy, 0), g.y()), square = Square(b, y);
  g.Set(0, b.Mul(b.Mul(square, y), b.Mul(dy, b.ScalarLike(dy, -0.5))));
}
GRAD(Cbrt, kNone, kY) {                                               // cbrt' = 1 / (3 cbrt(x)^2)
  const Value y = g.y(), inside = b.Greater(b.Abs(y), b.ScalarLike(y, 0));
  const Value square = Square(b, Guarded(b, g.dy(), y, inside, INFINITY));
  g.Set(0, b.Div(g.dy(), b.Mul(b.ScalarLike(y, 3), square)));
}
GRAD(Exp, kNone, kY) { g.Set(0, b.Mul(g.dy(), g.y())); }              // exp' = exp
GRAD(Exp2, kNone, kY) {                                               // (2^x)' = ln(2) 2^x
  g.Set(0, b.Mul(g.dy(), b.Mul(b.ScalarLike(g.dy(), std::numbers::ln2), g.y())));
}
GRAD(Expm1, kX, kNone) { g.Set(0, b.Mul(g.dy(), b.Exp(g.x()))); }     // expm1' = exp
GRAD(Log, kX, kNone) { g.Set(0, b.Div(g.dy(), g.x())); }              // log' = 1 / x
GRAD(Log2, kX, kNone) {                                               // log2' = log2(e) / x
  g.Set(0, b.Div(b.Mul(g.dy(), b.ScalarLike(g.dy(), std::numbers::log2e)), g.x()));
}
GRAD(Log10, kX, kNone) {                                              // log10' = log10(e) / x
  const Value scaled = b.Mul(g.dy(), b.ScalarLike(g.dy(), std::numbers::log10e));
  g.Set(0, b.Div(scaled, g.x()));
}
GRAD(Log1p, kX, kNone) {                                              // log1p' = 1 / (1 + x)
  g.Set(0, b.Div(g.dy(), b.Add(One(b, g.x()), g.x())));
}
GRAD(Tanh, kNone, kY) {                                               // tanh' = 1 - tanh^2
  const Value square = Square(b, g.y());
  g.Set(0, b.Mul(g.dy(), b.Sub(One(b, g.dy()), square)));
}
GRAD(Sigmoid, kNone, kY) {                                            // s' = s (1 - s)
  g.Set(0, b.Mul(g.dy(), b.Mul(g.y(), b.Sub(b.ScalarLike(g.dy(), 1), g.y()))));
}
GRAD(Erf, kX, kNone) {                                                // erf' = 2/sqrt(pi) exp(-x^2)
  constexpr double kTwoOverSqrtPi = 1.1283791670955125738961589031215452;
  const ir::Value e = b.Exp(b.Neg(b.Mul(g.x(), g.x())));
  g.Set(0, b.Mul(g.dy(), b.Mul(b.ScalarLike(g.dy(), kTwoOverSqrtPi), e)));
}
GRAD(Sin, kX, kNone) { g.Set(0, b.Mul(g.dy(), b.Cos(g.x()))); }         // sin' = cos
GRAD(Cos, kX, kNone) { g.Set(0, b.Neg(b.Mul(g.dy(), b.Sin(g.x())))); }  // cos' = -sin
GRAD(Asin, kX, kNone) {                                               // asin' = 1 / sqrt(1 - x^2)
  g.Set(0, b.Div(g.dy(), RootOfOneMinusSquare(b, GuardedWithin1(b, g.dy(), g.x()))));
}
GRAD(Acos, kX, kNone) {                                               // acos' = -asin'
  const Value root = RootOfOneMinusSquare(b, GuardedWithin1(b, g.dy(), g.x()));
  g.Set(0, b.Div(b.Neg(g.dy()), root));
}
GRAD(Atan, kX, kNone) {                                               // atan' = 1 / (1 + x^2)
  const Value square = Square(b, g.x());
  g.Set(0, b.Div(g.dy(), b.Add(One(b, g.x()), square)));
}
GRAD(Sinh, kX, kNone) { g.Set(0, b.Mul(g.dy(), b.Cosh(g.x()))); }       // sinh' = cosh
GRAD(Cosh, kX, kNone) { g.Set(0, b.Mul(g.dy(), b.Sinh(g.x()))); }       // cosh' = sinh
// 1 / sqrt(x^2 + 1) and 1 / sqrt(x^2 - 1), where squares would overflow.
GRAD(Asinh, kNone, kY) { g.Set(0, b.Div(g.dy(), b.Cosh(g.y()))); }
GRAD(Acosh, kNone, kY) { g.Set(0, b.Div(g.dy(), b.Sinh(GuardedAbove0(b, g.dy(), g.y())))); }
GRAD(Atanh, kX, kNone) {                                              // atanh' = 1 / (1 - x^2)
  const Value x = GuardedWithin1(b, g.dy(), g.x());
  const Value one = One(b, x), below = b.Sub(one, x), above = b.Add(one, x);
  g.Set(0, b.Div(g.dy(), b.Mul(below, above)));
}
NOT_DIFFERENTIABLE(Not)
NOT_DIFFERENTIABLE(Bitcast)
GRAD(Cast, kNone, kNone) {  // floats; a real operand gets the real part
  const DType x = g.x_type().dtype;
  const bool dropped = IsComplex(g.y_type().dtype) && !IsComplex(x);
  g.Set(0, b.Cast(dropped ? b.Real(g.dy()) : g.dy(), x));
}

// --- two operands ---
GRAD(Add, kNone, kNone) {
  g.Set(0, g.dy());
  g.Set(1, g.dy());
}
GRAD(Sub, kNone, kNone) {
  g.Set(0, g.dy());
  if (g.wants(1)) g.Set(1, b.Neg(g.dy()));
}
GRAD_EACH(Mul, kB, kNone, kA, kNone) {  // da = b, db = a
  if (g.wants(0)) g.Set(0, b.Mul(g.dy(), Conj(b, g.in(1))));
  if (g.wants(1)) g.Set(1, b.Mul(g.dy(), Conj(b, g.in(0))));
}
GRAD_EACH(Div, kB, kNone, kB, kY) {  // y = a / b: da = 1 / b, db = -y / b
  const Value dy = g.dy();
  if (!g.active(0) && !IsComplex(g.y_type().dtype)) {  // a function of b alone, as the reciprocal
    const Value none = NothingAt(b, dy, g.y());
    const Value y = b.Select(none, b.ScalarLike(dy, 0), g.y());
    const Value t = b.Div(dy, b.Select(none, b.ScalarLike(dy, INFINITY), g.in(1)));
    g.Set(1, b.Neg(b.Mul(t, y)));
    return;
  }
  const Value t = b.Div(dy, Conj(b, g.in(1)));
  g.Set(0, t);
  if (g.wants(1)) g.Set(1, b.Neg(b.Mul(t, Conj(b, g.y()))));
}

// y = a - n b, n = trunc(a / b): da = 1, db = -n; n from the exact a - y. As PyTorch's fmod.
GRAD_EACH(Rem, kNone, kNone, kA | kB, kY) {
  g.Set(0, g.dy());
  if (g.wants(1)) {
    const Value n = b.Round(b.Div(b.Sub(g.in(0), g.y()), g.in(1)));
    g.Set(1, b.Neg(b.Mul(g.dy(), n)));
  }
}
static double LeastNormal(DType dtype) {
  return dtype == kFloat64 ? 0x1p-1022 : dtype == kFloat16 ? 0x1p-14 : 0x1p-126;
}
// Where a^c, c = b - 1, is infinite or NaN and dy is 0: at a = 0 for c < 0, and below for c no integer.
static Value NoPower(Builder& b, Value dy, Value a, Value c, Value at_zero) {
  const Value zero = b.ScalarLike(dy, 0), no_seed = b.Equal(dy, zero);
  const Value pole = b.And(at_zero, b.Less(c, zero));
  const Value broken = b.NotEqual(c, b.Trunc(c)), below = b.Not(b.GreaterEqual(a, zero));
  return b.And(no_seed, b.Or(pole, b.And(broken, below)));
}
// da = b a^(b - 1), 0 for b = 0 at a = 0 too (TensorFlow has NaN there; PyTorch and JAX 0).
// db = log(a) y where a > 0, else 0, as TensorFlow.
GRAD_EACH(Pow, kA | kB, kNone, kA, kY) {
  const Value dy = g.dy(), a = g.in(0), zero = b.ScalarLike(dy, 0), one = One(b, dy);
  if (g.wants(0)) {
    const Value c = b.Sub(g.in(1), one);
    // Where 1 / a is infinite and counts 0 times.
    const Value least = b.ScalarLike(a, LeastNormal(g.x_type().dtype)), at_zero = b.Less(b.Abs(a), least);
    const Value edge = b.And(b.Equal(g.in(1), zero), at_zero), none = NoPower(b, dy, a, c, at_zero);
    const Value exponent = b.Select(none, zero, g.in(1)), base = b.Select(b.Or(edge, none), one, a);
    g.Set(0, b.Mul(dy, b.Mul(exponent, b.Pow(base, c))));
  }
  if (g.wants(1)) {
    const Value positive = b.Greater(a, zero);
    const Value log = b.Log(b.Select(positive, a, one));
    // Not y times 0: y may be infinite or NaN.
    g.Set(1, b.Mul(dy, b.Select(positive, b.Mul(g.y(), log), zero)));
  }
}
// da = b / (a^2 + b^2), db = -a / (a^2 + b^2), both 0 at the origin. Sizes relative to the larger,
// which cancels: nothing overflows.
GRAD(Atan2, kA | kB, kNone) {
  const Value dy = g.dy(), zero = b.ScalarLike(dy, 0), one = One(b, dy);
  const Value size_a = b.Abs(g.in(0)), size_b = b.Abs(g.in(1)), larger = b.Max(size_a, size_b);
  const Value origin = b.Equal(larger, zero);
  const Value scale = b.StopGradient(b.Select(origin, one, larger));
  const Value u = b.Div(g.in(0), scale), v = b.Div(g.in(1), scale);
  const Value square_u = Square(b, u), square_v = Square(b, v);
  const Value size = b.Select(origin, one, b.Add(square_u, square_v));
  const Value t = b.Div(b.Div(dy, scale), size);
  if (g.wants(0)) g.Set(0, b.Mul(t, v));
  if (g.wants(1)) g.Set(1, b.Neg(b.Mul(t, u)));
}

// The taken operand gets all; `first` is true where that is a.
static void Choose(GradContext& g, ir::Builder& b, ir::Value first, int i) {
  const ir::Value zero = b.ScalarLike(g.dy(), 0);
  if (g.wants(i)) g.Set(i, b.Select(first, g.dy(), zero));
  if (g.wants(i + 1)) g.Set(i + 1, b.Select(first, zero, g.dy()));
}
GRAD(Max, kA | kB, kNone) { Choose(g, b, b.GreaterEqual(g.in(0), g.in(1)), 0); }  // a tie goes to a
GRAD(Min, kA | kB, kNone) { Choose(g, b, b.LessEqual(g.in(0), g.in(1)), 0); }     // a tie goes to a
GRAD(NextAfter, kNone, kNone) {  // moves with a, as in TensorFlow
  g.Set(0, g.dy());
  if (g.wants(1)) g.Set(1, b.Zeros(g.x_type(1)));
}
GRAD(Select, kA, kNone) { Choose(g, b, g.in(0), 1); }

NOT_DIFFERENTIABLE(And)
NOT_DIFFERENTIABLE(Or)
NOT_DIFFERENTIABLE(Xor)
NOT_DIFFERENTIABLE(ShiftLeft)
NOT_DIFFERENTIABLE(ShiftRight)
NOT_DIFFERENTIABLE(Equal)
NOT_DIFFERENTIABLE(NotEqual)
NOT_DIFFERENTIABLE(Less)
NOT_DIFFERENTIABLE(LessEqual)
NOT_DIFFERENTIABLE(Greater)
NOT_DIFFERENTIABLE(GreaterEqual)

}  // namespace reel::passes
