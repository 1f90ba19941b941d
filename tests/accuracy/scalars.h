// The scalar functions of the public surface: what each promises in ULP, and its exact value.
#ifndef REEL_TESTS_ACCURACY_SCALARS_H_
#define REEL_TESTS_ACCURACY_SCALARS_H_

#include <reel/reel.h>

#include <span>
#include <vector>

#include "tests/accuracy/real.h"

namespace reel::testing {

struct Dtype {
  DType dtype;
  const char* name;
  int digits, min_exponent, max_exponent;  ///< as std::numeric_limits
};
inline const Dtype kDtypes[] = {{kFloat32, "f32", 24, -125, 128},
                                {kFloat64, "f64", 53, -1021, 1024},
                                {kFloat16, "f16", 11, -13, 16},
                                {kBFloat16, "bf16", 8, -125, 128}};

/// ULP promised in the dtypes, in the order of kDtypes.
struct Promise {
  double ulps[4];
};

/// Where a function is usually called.
struct Range {
  double low = -10, high = 10;
};

using Arguments = std::span<const Tensor>;
using Reals = std::span<const Real>;

struct Scalar {
  int stride;  ///< Every which point is taken: the exact values of some take a millisecond.
  const char* name;
  int operands;
  Tensor (*f)(Arguments x);
  Real (*exact)(Reals x);
  Promise promise;
  Range range = {};
  /// The size whose ULP count, where the result is a difference of larger terms; null: that of the result.
  Real (*size)(Reals x) = nullptr;
  /// What operand i must be made of a number (integers, positive ones, ...); null: anything.
  double (*fit)(double x, int operand) = nullptr;
  /// Of a product of this and what may underflow before it: an ULP of this times the least normal number counts as one.
  Real (*factor)(Reals x) = nullptr;
  /// As size, of f64 alone: narrower ones are computed in f64.
  Real (*tail)(Reals x) = nullptr;
};

std::span<const Scalar> ElementaryFunctions();  ///< Ops of one and two operands, and what is one of them.
std::span<const Scalar> SpecialFunctions();
std::span<const Scalar> Compositions();

}  // namespace reel::testing

#endif  // REEL_TESTS_ACCURACY_SCALARS_H_
