// Generated from ir/ops.def by `reel ops --header`.
#ifndef REEL_ELEMENTARY_H_
#define REEL_ELEMENTARY_H_

#include "reel/tensor.h"
#include "reel/variable.h"

// Functions of floats, element by element, within 1 ULP of the exact value where nothing else is said.

namespace reel {

/// 1 / sqrt(x); +-inf at +-0, NaN below
Tensor Rsqrt(const Operand& x);
/// cube root, with the sign of x
Tensor Cbrt(const Operand& x);
/// e to the power x
Tensor Exp(const Operand& x);
/// 2 to the power x; exact for integers
Tensor Exp2(const Operand& x);
/// exp(x) - 1, exact to its last bits near 0 too
Tensor Expm1(const Operand& x);
/// natural logarithm; -inf at 0, NaN below
Tensor Log(const Operand& x);
/// logarithm to base 2; exact for powers of two, -inf at 0, NaN below
Tensor Log2(const Operand& x);
/// logarithm to base 10; exact for powers of ten, -inf at 0, NaN below
Tensor Log10(const Operand& x);
/// log(1 + x), exact to its last bits near 0 too; -inf at -1, NaN below
Tensor Log1p(const Operand& x);
/// hyperbolic tangent, within 1.5 ULP (without FMA 1.8)
Tensor Tanh(const Operand& x);
/// 1 / (1 + exp(-x)), within 1.5 ULP
Tensor Sigmoid(const Operand& x);
/// 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x
Tensor Erf(const Operand& x);
/// sine of x radians
Tensor Sin(const Operand& x);
/// cosine of x radians
Tensor Cos(const Operand& x);
/// inverse sine in [-pi/2, pi/2]; NaN beyond +-1
Tensor Asin(const Operand& x);
/// inverse cosine in [0, pi]; NaN beyond +-1
Tensor Acos(const Operand& x);
/// inverse tangent in [-pi/2, pi/2]
Tensor Atan(const Operand& x);
/// hyperbolic sine
Tensor Sinh(const Operand& x);
/// hyperbolic cosine
Tensor Cosh(const Operand& x);
/// inverse hyperbolic sine
Tensor Asinh(const Operand& x);
/// inverse hyperbolic cosine; NaN below 1
Tensor Acosh(const Operand& x);
/// inverse hyperbolic tangent; +-inf at +-1, NaN beyond
Tensor Atanh(const Operand& x);

}  // namespace reel

#endif  // REEL_ELEMENTARY_H_
