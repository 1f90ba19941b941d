#ifndef REEL_SPECIAL_H_
#define REEL_SPECIAL_H_

#include "reel/tensor.h"
#include "reel/variable.h"

// Special functions of f32 and f64, elementwise with broadcasting; definitions and values at the
// edges are SciPy's unless a comment names a difference. Derivatives without a closed form (Igamma
// and Igammac in a, Zeta in s, Polygamma in n, Betainc in a and b) are an Unimplemented error when
// a gradient asks for them: use StopGradient on that operand.

namespace reel {

// --- error function and normal distribution ---
Tensor Erfc(const Operand& x);     ///< 1 - erf(x), without cancellation
Tensor ErfInv(const Operand& x);   ///< y with erf(y) = x; +-inf at +-1, NaN beyond
Tensor ErfcInv(const Operand& x);  ///< y with erfc(y) = x; inf at 0, -inf at 2, NaN outside
Tensor Ndtr(const Operand& x);     ///< distribution function of the standard normal
Tensor LogNdtr(const Operand& x);   ///< log(Ndtr(x)), accurate in both tails
Tensor Ndtri(const Operand& p);    ///< x with Ndtr(x) = p; -inf at 0, inf at 1, NaN outside

// --- gamma and beta ---
/// log |gamma(x)|; inf at 0 and the negative integers, and at -inf (C, TensorFlow; SciPy: -inf).
Tensor Lgamma(const Operand& x);
/// Derivative of Lgamma; -inf at +0, inf at -0 (TensorFlow: NaN), NaN at the negative integers.
Tensor Digamma(const Operand& x);
/// n-th derivative of Digamma at x, (-1)^(n+1) n! Zeta(n + 1, x); NaN unless n is an integer >= 0.
/// At the poles inf for odd n, -inf for even n (TensorFlow: NaN for even n).
Tensor Polygamma(const Operand& n, const Operand& x);
/// Hurwitz zeta: sum over k >= 0 of (q + k)^-s; inf at s = 1 and q = 0, -1, ...; NaN for s < 1, and
/// for q < 0 unless s is an integer. Zeta(inf, q) = 0 for q > 1 (SciPy: NaN).
Tensor Zeta(const Operand& s, const Operand& q);
/// Regularised lower incomplete gamma function P(a, x); P(0, x > 0) = 1 (TensorFlow: NaN). NaN if
/// a < 0, x < 0, a = x = 0 (TensorFlow: 0) or a = x = inf.
Tensor Igamma(const Operand& a, const Operand& x);
/// 1 - P(a, x), without cancellation.
Tensor Igammac(const Operand& a, const Operand& x);
/// Regularised incomplete beta function I_x(a, b); I_x(0, b) = 1 and I_x(a, 0) = 0 for 0 < x < 1
/// (TensorFlow: NaN). NaN if a < 0, b < 0, x is outside [0, 1], or a = b = 0 or inf.
Tensor Betainc(const Operand& a, const Operand& b, const Operand& x);
/// log |B(a, b)| = Lgamma(a) + Lgamma(b) - Lgamma(a + b).
Tensor Lbeta(const Operand& a, const Operand& b);

}  // namespace reel

#endif  // REEL_SPECIAL_H_
