#ifndef REEL_TESTS_FRONTEND_SYMBOLIC_UTIL_H_
#define REEL_TESTS_FRONTEND_SYMBOLIC_UTIL_H_

#include "tests/frontend/classifier.h"
#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"

namespace reel {

/// Numbers that are the same in every run: floats in (-2, 2), integers 0, 1, 2.
inline Tensor Argument(const Type& type, int seed) {
  const Tensor i = Iota({type.shape.size()}, 0);
  if (!IsFloat(type.dtype)) return Reshape(Cast(i * 7 + seed - (i * 7 + seed) / 3 * 3, type.dtype), type.shape);
  return Reshape(Cast(Sin(Cast(i * 37 + seed * 11, kFloat64)) * 2.0, type.dtype), type.shape);
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_SYMBOLIC_UTIL_H_
