#ifndef REEL_COMPLEX_H_
#define REEL_COMPLEX_H_

#include "reel/tensor.h"
#include "reel/variable.h"

// Complex numbers: c64 has parts of f32, c128 of f64. Add, Sub, Mul, Div, Neg, Equal, NotEqual, Where, ReduceSum,
// Contract, MatMul and whatever moves elements take them; so do Abs, Exp, Log, Sqrt, Rsqrt, Pow, Sin, Cos, Sinh, Cosh,
// Tanh, Sigmoid, Square and Reciprocal, on their principal branches.
//
// The gradient of a real loss L with respect to z = x + iy is dL/dx + i dL/dy, as in TensorFlow: a step against it
// lowers L. A holomorphic f passes conj(f'(z)) dy.

namespace reel {

/// re + i im, of f32 or f64; they promote and broadcast.
Tensor Complex(const Operand& re, const Operand& im);
Tensor Real(const Operand& z);   ///< the real part; x itself if it is real
Tensor Imag(const Operand& z);   ///< the imaginary part; zeros if it is real
Tensor Conj(const Operand& z);   ///< the complex conjugate; x itself if it is real
Tensor Angle(const Operand& z);  ///< atan2(imag, real), in [-pi, pi]

}  // namespace reel

#endif  // REEL_COMPLEX_H_
