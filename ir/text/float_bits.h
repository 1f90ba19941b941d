#ifndef REEL_IR_TEXT_FLOAT_BITS_H_
#define REEL_IR_TEXT_FLOAT_BITS_H_

#include <cstdint>

#include "ir/types.h"

namespace reel::ir {

/// Layout of an IEEE-like binary format: sign, exponent, fraction.
struct FloatFormat {
  int exponent_bits, fraction_bits;

  uint64_t fraction_mask() const { return (uint64_t{1} << fraction_bits) - 1; }
  uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  uint64_t sign_bit() const { return uint64_t{1} << (exponent_bits + fraction_bits); }
  /// The NaN that prints without payload: positive, quiet.
  uint64_t quiet_nan() const { return infinity() | (uint64_t{1} << (fraction_bits - 1)); }
  bool IsNan(uint64_t bits) const { return (bits & ~sign_bit()) > infinity(); }
};

/// The format of f16, bf16, f32 or f64.
FloatFormat FormatOf(DType dtype);

}  // namespace reel::ir

#endif  // REEL_IR_TEXT_FLOAT_BITS_H_
