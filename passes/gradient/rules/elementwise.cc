#include "passes/gradient/rule.h"

// dy is the cotangent of the result y = f(x) or f(a, b). Each rule adds conj(f') * dy; real numbers are their own
// conjugates.

namespace reel::passes {

// --- one operand ---
GRAD(Identity, kNone, kNone) { g.Set(0, g.dy()); }
NOT_DIFFERENTIABLE(StopGradient)
GRAD(Neg, kNone, kNone) { g.Set(0, b.Neg(g.dy())); }            // (-x)' = -1
GRAD(Abs, kX, kNone) { g.Set(0, b.Mul(g.dy(), b.Sign(g.x()))); }  // |x|' = sign(x), 0 at 0
GRAD(Sign, kNone, kNone) { g.Set(0, b.Zeros(g.x_type())); }     // 0, also at the jump
NOT_DIFFERENTIABLE(Floor)
NOT_DIFFERENTIABLE(Ceil)
// sqrt' = 1 / (2 sqrt(x)): inf at 0, but 0 for a zero seed there.
GRAD(Sqrt, kNone, kY) {
  const ir::Value dy = g.dy(), zero = b.ScalarLike(dy, 0);
  const ir::Value dx = b.Div(b.Mul(dy, b.ScalarLike(dy, 0.5)), g.y());
  g.Set(0, b.Select(b.And(b.Equal(dy, zero), b.Equal(g.y(), zero)), zero, dx));
}
GRAD(Exp, kNone, kY) { g.Set(0, b.Mul(g.dy(), g.y())); }              // exp' = exp
GRAD(Log, kX, kNone) { g.Set(0, b.Div(g.dy(), g.x())); }              // log' = 1 / x
GRAD(Tanh, kNone, kY) {                                               // tanh' = 1 - tanh^2
  g.Set(0, b.Mul(g.dy(), b.Sub(b.ScalarLike(g.dy(), 1), b.Mul(g.y(), g.y()))));
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
NOT_DIFFERENTIABLE(Not)
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
  const ir::Value t = b.Div(g.dy(), Conj(b, g.in(1)));
  g.Set(0, t);
  if (g.wants(1)) g.Set(1, b.Neg(b.Mul(t, Conj(b, g.y()))));
}

// The taken operand gets all; `first` is true where that is a.
static void Choose(GradContext& g, ir::Builder& b, ir::Value first, int i) {
  const ir::Value zero = b.ScalarLike(g.dy(), 0);
  if (g.wants(i)) g.Set(i, b.Select(first, g.dy(), zero));
  if (g.wants(i + 1)) g.Set(i + 1, b.Select(first, zero, g.dy()));
}
GRAD(Max, kA | kB, kNone) { Choose(g, b, b.GreaterEqual(g.in(0), g.in(1)), 0); }  // a tie goes to a
GRAD(Min, kA | kB, kNone) { Choose(g, b, b.LessEqual(g.in(0), g.in(1)), 0); }     // a tie goes to a
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
