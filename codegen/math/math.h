// Vector math as LLVM IR: each function emits code for one value, a float or double scalar or any
// fixed vector of them, and returns the result of the same type.
//
// Contract, for every function and both dtypes:
//  * at most 1.0 ULP from the exact result (measured figures in README.md), IEEE special values;
//  * an element's bits depend on that element and on has_fma only, never on the vector's width;
//  * no calls: every intrinsic used lowers to instructions of x86-64-v2 (v3 if has_fma).
#ifndef REEL_CODEGEN_MATH_MATH_H_
#define REEL_CODEGEN_MATH_MATH_H_

#include "codegen/llvm_ir_headers.h"

namespace reel::codegen::math {

/// What the emitted code may rely on. The two FMA classes differ in bits, not in meaning.
struct MathOptions {
  bool has_fma = true;  ///< The target has a fused multiply-add instruction.
};

/// e^x. exp(-inf) = +0, exp(+inf) = +inf; results below the normal range are denormal, not zero.
llvm::Value* EmitExp(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Natural logarithm. log(+-0) = -inf, log(x < 0) = NaN, log(+inf) = +inf.
llvm::Value* EmitLog(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Hyperbolic tangent. tanh(+-0) = +-0, tanh(+-inf) = +-1.
llvm::Value* EmitTanh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// 1 / (1 + e^-x), accurate to the last denormal for negative x.
llvm::Value* EmitSigmoid(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Error function. erf(+-0) = +-0, erf(+-inf) = +-1.
llvm::Value* EmitErf(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Sine of any finite x, fully reduced; sin(+-inf) = NaN. May split the builder's basic block:
/// the insertion point moves to the block where the result is available.
llvm::Value* EmitSin(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Cosine, as EmitSin.
llvm::Value* EmitCos(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// 2^x, exact for integers; ends as EmitExp.
llvm::Value* EmitExp2(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// e^x - 1. expm1(+-0) = +-0, expm1(-inf) = -1.
llvm::Value* EmitExpm1(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Logarithm to base 2, exact for powers of two; special values as EmitLog.
llvm::Value* EmitLog2(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// log(1 + x). log1p(+-0) = +-0, log1p(-1) = -inf, log1p(x < -1) = NaN.
llvm::Value* EmitLog1p(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// 1 / sqrt(x). rsqrt(+-0) = +-inf, rsqrt(inf) = +0, rsqrt(x < 0) = NaN.
llvm::Value* EmitRsqrt(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Cube root of any number, with its sign.
llvm::Value* EmitCbrt(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Inverse sine in [-pi/2, pi/2]; NaN beyond +-1.
llvm::Value* EmitAsin(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Inverse cosine in [0, pi]; NaN beyond +-1, acos(1) = +0.
llvm::Value* EmitAcos(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Inverse tangent in [-pi/2, pi/2].
llvm::Value* EmitAtan(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Angle of the point (x, y) in [-pi, pi], also on the axes and at infinity (C23 F.10.1.4).
llvm::Value* EmitAtan2(llvm::IRBuilderBase& b, llvm::Value* y, llvm::Value* x,
                       const MathOptions& options);

/// Hyperbolic sine and cosine, finite up to the last x whose result is.
llvm::Value* EmitSinh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);
llvm::Value* EmitCosh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Inverse hyperbolic sine of any x.
llvm::Value* EmitAsinh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Inverse hyperbolic cosine; NaN below 1, acosh(1) = +0.
llvm::Value* EmitAcosh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// Inverse hyperbolic tangent; +-inf at +-1, NaN beyond.
llvm::Value* EmitAtanh(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);

/// x^y with the special values of C23 F.10.4.5: pow(x, 0) = pow(1, y) = 1, also for NaN.
llvm::Value* EmitPow(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y,
                     const MathOptions& options);

/// x - n y, n = x/y truncated: exact, with the sign of x. NaN for x infinite or y = 0. May split
/// the builder's basic block, as EmitSin.
llvm::Value* EmitRem(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y,
                     const MathOptions& options);

/// The float after x in the direction of y; y if they are equal.
llvm::Value* EmitNextAfter(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y);

/// IEEE 754-2019 maximum: NaN if either operand is NaN, and -0 < +0.
llvm::Value* EmitMaximum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y);

/// IEEE 754-2019 minimum, as EmitMaximum.
llvm::Value* EmitMinimum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y);

/// x truncated to signed integers of element type `to` (i8 to i64), saturated; NaN gives 0.
llvm::Value* EmitFloatToIntSaturate(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Type* to);

}  // namespace reel::codegen::math

#endif  // REEL_CODEGEN_MATH_MATH_H_
