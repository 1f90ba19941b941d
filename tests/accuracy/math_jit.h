// Compiles one function of codegen/math alone and describes how to judge it.
#ifndef REEL_TESTS_ACCURACY_MATH_JIT_H_
#define REEL_TESTS_ACCURACY_MATH_JIT_H_

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "codegen/llvm/ir_headers.h"
#include "codegen/math/math.h"

namespace reel::testing {

/// One function under test with its exact value in wider formats. Functions of one operand ignore
/// the second.
struct MathFunction {
  const char* name;
  int operands;
  llvm::Value* (*emit)(llvm::IRBuilderBase&, llvm::Value* x, llvm::Value* y, const codegen::math::MathOptions&);
  std::function<double(double x, double y)> in_double;   ///< Judges f32.
  std::function<long double(double x, double y)> exact;  ///< Judges f64.
  double timing_lo;  ///< Range of the inputs for cycles per element.
  double timing_hi;
  /// A second operand for x from a number in [-1, 1], where the first range does not serve.
  double (*second)(double x, double unit) = nullptr;
  double ulps = 1;  ///< Largest error allowed.
};

/// All functions of codegen/math: every FUNCTION of ops.def, and those of two operands.
std::span<const MathFunction> MathFunctions();

/// How to compile: vector width in elements, FMA class, whether AVX-512's scaling may be used.
struct JitOptions {
  unsigned width = 16;
  bool has_fma = true;
  bool has_scale = false;
};

/// Machine code of `for (i = 0; i < n; i += width) out[i..] = f(x[i..], y[i..])`, with no undefined
/// symbols: compiling fails if the code calls anything.
class MathJit {
 public:
  MathJit(const MathFunction& function, bool is_f32, const JitOptions& options);
  /// n is a multiple of the width.
  template <typename T>
  void Run(const T* x, const T* y, T* out, size_t n) const {
    reinterpret_cast<void (*)(const T*, const T*, T*, uint64_t)>(address_)(x, y, out, n);
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  uint64_t address_ = 0;
};

/// True if the machine that runs the test has FMA.
bool HostHasFma();

/// True if it has AVX-512.
bool HostHasScale();

/// Widest vector of the host in bytes.
unsigned HostVectorBytes();

/// |got - exact| in units of the last place of T at exact; infinite results count as 2^(emax + 1).
/// NaN against NaN is 0, NaN against a number is infinite.
double UlpError(float got, double exact);
double UlpError(double got, long double exact);

}  // namespace reel::testing

#endif  // REEL_TESTS_ACCURACY_MATH_JIT_H_
