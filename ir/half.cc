#include "ir/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace reel {

uint16_t RoundToHalf(int exponent_bits, double value) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int infinity = ((1 << exponent_bits) - 1) << fraction_bits;
  if (std::isnan(value)) return static_cast<uint16_t>(infinity | 1 << (fraction_bits - 1));
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  // Halfway between the largest number and what would follow it.
  const double limit = std::ldexp(2 - std::ldexp(1.0, -fraction_bits - 1), bias);
  if (magnitude >= limit) return static_cast<uint16_t>(sign | infinity);
  // The step between neighbours is a power of two: round to a multiple of it.
  const int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent)));
  return static_cast<uint16_t>(sign | (((exponent + bias - 1) << fraction_bits) + steps));
}

float WidenHalf(int exponent_bits, uint16_t bits) {
  if (exponent_bits == 8) return std::bit_cast<float>(uint32_t{bits} << 16);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const auto sign = uint32_t{bits & 0x8000u} << 16;
  if (exponent == 31) {
    return std::bit_cast<float>(sign | 0x7F800000u | static_cast<uint32_t>(fraction) << 13);
  }
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

}  // namespace reel
