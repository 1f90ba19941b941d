// What the special functions share. All of them compute in double, f32 too, and round once at the
// end. The long ones are internal LLVM functions on vectors of at most 8 doubles, emitted once per
// module, width and FMA class; wider operands are split.
#ifndef REEL_CODEGEN_MATH_SPECIAL_H_
#define REEL_CODEGEN_MATH_SPECIAL_H_

#include <functional>
#include <vector>

#include "codegen/math/common.h"
#include "codegen/math/special_coefficients.inc"

namespace reel::codegen::math::internal {

/// One result from the operands, all of one type.
using Formula = std::function<Fp(Emitter& e, const std::vector<Fp>& operands)>;

/// formula(operands) in double, emitted in place.
llvm::Value* FormulaInDouble(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> operands, const MathOptions& options,
                             const Formula& formula);

/// The same as a call of the internal function `name` of the module, which is made if needed.
llvm::Value* CallInDouble(llvm::IRBuilderBase& b, const char* name, llvm::ArrayRef<llvm::Value*> operands,
                          const MathOptions& options, const Formula& formula);

/// Runs step(state, n) for n = 1, 2, ... on the active elements: it updates the state and returns
/// where to go on. An element that is not or no longer active keeps its state, so its bits do not
/// depend on its neighbours. Ends when none is active or after `limit` steps.
void Iterate(Emitter& e, Mask active, std::vector<Fp>& state, int limit,
             const std::function<Mask(std::vector<Fp>& state, Fp n)>& step);

/// Whether any element is set: an i1.
llvm::Value* Any(Mask m);
Mask IsNan(Fp x);
Fp NaN(Emitter& e);
Fp Infinity(Emitter& e);
Fp Floor(Fp x);
Fp Larger(Fp a, Fp b);   ///< a > b ? a : b
Fp Smaller(Fp a, Fp b);  ///< a < b ? a : b

Fp Exp(Fp x);
Fp Log(Fp x);
/// log(1 + x) for x > -1, to about 2 ULP.
Fp Log1p(Fp x);
/// e^x - 1 to about 2 ULP.
Fp Expm1(Fp x);
/// log(1 + x) - x without cancellation; `sum` is 1 + x as exact as it is known.
Fp Log1pMinusX(Fp x, Fp sum);
/// log(x) with about 10 bits more than a double; x > 0 finite.
Pair LogPair(Fp x);
/// a * b for a pair a.
Pair Product(Pair a, Fp b);
/// a + b for pairs.
Pair Sum(Pair a, Pair b);
/// factor e^(x.hi + x.lo); right into the denormals if factor is about 1.
Fp ExpTimes(Pair x, Fp factor);
/// sin(pi r) for |r| <= 1/2.
Fp SinPi(Fp r);
/// x - round(x): exact, 0 for integers.
Fp FromNearestInteger(Fp x);
/// Whether an integral x is odd.
Mask IsOdd(Fp x);

/// log gamma(x) - (x - 1/2) log x + x - log(2 pi)/2 for x >= 8.
Fp StirlingTail(Fp x);
/// log gamma(1 + x) for -1/4 <= x <= 1.25, exact to its last bits near 0 and 1 too.
Fp LgammaNear1(Fp x);
/// Calls of the functions behind lgamma and digamma, for use inside other functions.
Fp Lgamma(Fp x);
Fp Digamma(Fp x);
/// erfc in place.
Fp Erfc(Fp x);

}  // namespace reel::codegen::math::internal

#endif  // REEL_CODEGEN_MATH_SPECIAL_H_
