#ifndef REEL_IR_HALF_H_
#define REEL_IR_HALF_H_

#include <cstdint>

// The C++ types of f16 and bf16 elements. Standard library only, like ir/types.h.

namespace reel {

/// The nearest number of a binary format of 16 bits, ties to even, rounded once: exponent_bits = 5
/// is f16, 8 is bf16. Beyond the largest number infinity; any NaN gives the positive quiet one.
uint16_t RoundToHalf(int exponent_bits, double value);
/// The value of the bits, exactly.
float WidenHalf(int exponent_bits, uint16_t bits);

/// A float of 16 bits: storage, converted to float for arithmetic.
template <int kExponentBits>
struct HalfFloat {
  uint16_t bits = 0;
  HalfFloat() = default;
  /// The nearest number, ties to even.
  explicit HalfFloat(double value) : bits(RoundToHalf(kExponentBits, value)) {}
  operator float() const { return WidenHalf(kExponentBits, bits); }  // NOLINT: exact
};
/// An element of dtype f16: IEEE 754 binary16, 11 bits of precision, up to 65504.
using Float16 = HalfFloat<5>;
/// An element of dtype bf16: the upper half of a float, 8 bits of precision.
using BFloat16 = HalfFloat<8>;

}  // namespace reel

#endif  // REEL_IR_HALF_H_
