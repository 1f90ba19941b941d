// Vector math as LLVM IR: each function emits code for one value, a float or double scalar or any
// fixed vector of them, and returns the result of the same type.
//
// Contract, for every function and both dtypes:
//  * at most 1.0 ULP (sigmoid, tanh: 1.5, tanh without FMA 1.8) from the exact result (measured figures in README.md;
//    the special functions apart), IEEE special values;
//  * an element's bits depend on that element and on has_fma only, never on the vector's width;
//  * no calls, the special functions apart: every intrinsic used lowers to instructions of
//    x86-64-v2 (v3 if has_fma).
#ifndef REEL_CODEGEN_MATH_MATH_H_
#define REEL_CODEGEN_MATH_MATH_H_

#include "codegen/llvm/ir_headers.h"

namespace reel::codegen::math {

/// What the emitted code may rely on. The two FMA classes differ in bits, not in meaning.
struct MathOptions {
  bool has_fma = true;     ///< The target has a fused multiply-add instruction.
  /// It has AVX-512's multiplication by a power of two (vscalef): the same bits in fewer steps.
  bool has_scale = false;
  /// It has AVX2's tables in registers (vpermps): the same bits in fewer steps.
  bool has_permute = false;
};

/// The functions of ir/ops.def: EmitExp, EmitLog, ... What they return at the edges of their
/// domains is said there. Some split the builder's basic block (sin and cos for large angles): the
/// insertion point moves to the block where the result is available.
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) llvm::Value* Emit##Enum(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);
#include "ir/ops.def"
#undef OP

/// Angle of the point (x, y) in [-pi, pi], also on the axes and at infinity (C23 F.10.1.4).
llvm::Value* EmitAtan2(llvm::IRBuilderBase& b, llvm::Value* y, llvm::Value* x, const MathOptions& options);

/// x^y with the special values of C23 F.10.4.5: pow(x, 0) = pow(1, y) = 1, also for NaN.
llvm::Value* EmitPow(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, const MathOptions& options);

/// x - n y, n = x/y truncated: exact, with the sign of x. NaN for x infinite or y = 0. May split
/// the builder's basic block.
llvm::Value* EmitRem(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, const MathOptions& options);

/// The float after x in the direction of y; y if they are equal.
llvm::Value* EmitNextAfter(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y);

// The special functions: f32 within 0.51 ULP; f64 bounds in README.md. The long ones call internal
// functions, which they add to the module with the attributes of the function emitted into.

/// 1 - erf(x).
llvm::Value* EmitErfc(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);
/// y with erf(y) = x; +-inf at +-1, NaN beyond.
llvm::Value* EmitErfInv(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);
/// y with erfc(y) = x; inf at 0, -inf at 2, NaN outside.
llvm::Value* EmitErfcInv(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);
/// log |gamma(x)|; inf at 0, the negative integers and +-inf.
llvm::Value* EmitLgamma(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);
/// Derivative of lgamma; -+inf at +-0, NaN at the negative integers and -inf.
llvm::Value* EmitDigamma(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options);
/// Regularised incomplete gamma functions P(a, x) and Q(a, x).
llvm::Value* EmitIgamma(llvm::IRBuilderBase& b, llvm::Value* a, llvm::Value* x, const MathOptions& options);
llvm::Value* EmitIgammac(llvm::IRBuilderBase& b, llvm::Value* a, llvm::Value* x, const MathOptions& options);
/// Hurwitz zeta(s, q).
llvm::Value* EmitZeta(llvm::IRBuilderBase& b, llvm::Value* s, llvm::Value* q, const MathOptions& options);
/// n-th derivative of digamma.
llvm::Value* EmitPolygamma(llvm::IRBuilderBase& b, llvm::Value* n, llvm::Value* x, const MathOptions& options);
/// Regularised incomplete beta I_x(a, q).
llvm::Value* EmitBetainc(llvm::IRBuilderBase& b, llvm::Value* a, llvm::Value* q, llvm::Value* x,
                         const MathOptions& options);

/// IEEE 754-2019 maximum: NaN if either operand is NaN, and -0 < +0.
llvm::Value* EmitMaximum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y);

/// IEEE 754-2019 minimum, as EmitMaximum.
llvm::Value* EmitMinimum(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y);

/// The f32 value of the bits (i16) of an f16 or bf16. has_f16c: the target converts f16 itself.
llvm::Value* EmitWidenHalf(llvm::IRBuilderBase& b, llvm::Value* x, bool is_bf16, bool has_f16c);

/// The bits (i16) of the f16 or bf16 nearest to x, an f32 or f64, ties to even, rounded once; NaN
/// is quiet. The same bits with and without has_f16c, NaN payloads aside.
llvm::Value* EmitRoundToHalf(llvm::IRBuilderBase& b, llvm::Value* x, bool is_bf16, bool has_f16c);

/// x truncated to integers of element type `to` (i8 to i64), saturated; NaN gives 0.
llvm::Value* EmitFloatToIntSaturate(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Type* to, bool is_unsigned = false);

}  // namespace reel::codegen::math

#endif  // REEL_CODEGEN_MATH_MATH_H_
