#ifndef REEL_FUNCTIONS_H_
#define REEL_FUNCTIONS_H_

#include "reel/tensor.h"
#include "reel/variable.h"

// Functions of numbers beyond those of ops.h and elementary.h: they broadcast and promote as all
// elementwise ops do. What is not said otherwise is exact, or within 1 ULP of the exact value for
// every f32 and f64, with the special values of IEEE 754-2019 and C; those marked "composition" are
// ordinary ops whose roundings add up. Gradients are right to every order; at edges they are
// TensorFlow's where it defines one.

namespace reel {

// --- rounding and bits ---
Tensor Round(const Operand& x);  ///< nearest integer, ties to even
Tensor Trunc(const Operand& x);  ///< x without its fraction
/// The float after a in the direction of b. Moves with a: its derivatives are 1 and 0.
Tensor NextAfter(const Operand& a, const Operand& b);
/// The bits of x as another dtype of the same size.
Tensor Bitcast(const Operand& x, DType dtype);
Tensor IsFinite(const Operand& x);  ///< neither infinite nor NaN; true for integers
Tensor IsNan(const Operand& x);     ///< false for integers
Tensor IsInf(const Operand& x);     ///< false for integers
Tensor Signbit(const Operand& x);   ///< x < 0, also for -0 and NaN with that sign
/// |a| with the sign of b; by a the derivative is +-1, 0 at a = 0.
Tensor Copysign(const Operand& a, const Operand& b);
/// Of each bit of integers, and of bool: the same as LogicalAnd, LogicalOr, LogicalXor, LogicalNot.
Tensor BitwiseAnd(const Operand& a, const Operand& b);
Tensor BitwiseOr(const Operand& a, const Operand& b);
Tensor BitwiseXor(const Operand& a, const Operand& b);
Tensor BitwiseNot(const Operand& x);

// --- powers, exponentials, logarithms ---
/// a^b. Of integers it wraps as products do; negative exponents give 1 / a^|b| truncated (0 for
/// a = 0), an error if b is a number. Of floats, by a the derivative is b a^(b - 1), 0 for b = 0 at a = 0 too; by b it
/// is log(a) a^b for a > 0, else 0.
Tensor Pow(const Operand& a, const Operand& b);
/// log(e^a + e^b) without overflow, a composition.
Tensor Logaddexp(const Operand& a, const Operand& b);
/// sqrt(a^2 + b^2) without overflow, a composition: within 2 ULP. inf if either is, also with NaN;
/// its derivatives at the origin are 0.
Tensor Hypot(const Operand& a, const Operand& b);
/// a log(b) and a log(1 + b), but 0 with zero derivatives for a = 0, unless b is NaN.
Tensor Xlogy(const Operand& a, const Operand& b);
Tensor Xlog1py(const Operand& a, const Operand& b);

// --- trigonometry: radians ---
Tensor Tan(const Operand& x);   ///< Sin(x) / Cos(x), a composition: within 3 ULP
/// Angle of the point (x, y) in [-pi, pi]; its derivatives at the origin are 0.
Tensor Atan2(const Operand& y, const Operand& x);
/// sin(pi x) / (pi x), 1 at 0, as NumPy; all derivatives hold at and near 0. A composition.
Tensor Sinc(const Operand& x);

// --- division ---
/// a - b trunc(a / b), exact, with the sign of a (C's fmod); integers as C's %, x rem 0 = 0. By b
/// the derivative is -trunc(a / b).
Tensor Rem(const Operand& a, const Operand& b);
/// a - b floor(a / b) with the sign of b, as NumPy and Python: exact for integers, 0 for b = 0; for
/// floats Rem and one rounding. By b the derivative is -floor(a / b).
Tensor Mod(const Operand& a, const Operand& b);
/// floor(a / b) as NumPy and Python, the integer that belongs to Mod; integers: 0 for b = 0. No
/// gradient flows back.
Tensor FloorDiv(const Operand& a, const Operand& b);
/// a / b, but 0 with zero derivatives for b = 0.
Tensor DivNoNan(const Operand& a, const Operand& b);

// --- ranges ---
/// max(min(x, high), low), so low wins if they cross. The gradient goes to x where
/// low <= x <= high, edges included, else to the bound, as TensorFlow's clip_by_value.
Tensor Clamp(const Operand& x, const Operand& low, const Operand& high);
/// a + weight (b - a), and exactly b for a weight of 1.
Tensor Lerp(const Operand& a, const Operand& b, const Operand& weight);

}  // namespace reel

#endif  // REEL_FUNCTIONS_H_
