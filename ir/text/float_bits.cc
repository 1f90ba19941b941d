#include "ir/text/float_bits.h"

#include <bit>
#include <cmath>

namespace reel::ir {

FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case kFloat16: return {5, 10};
    case kBFloat16: return {8, 7};
    case kFloat32: return {8, 23};
    default: return {11, 52};
  }
}

float WidenToFloat(DType dtype, uint16_t bits) {
  if (dtype == kBFloat16) return std::bit_cast<float>(uint32_t{bits} << 16);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const auto scaled = [](int n, int power) { return std::ldexp(static_cast<float>(n), power); };
  const float magnitude = exponent == 31  ? HUGE_VALF
                          : exponent == 0 ? scaled(fraction, -24)
                                          : scaled(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t RoundFromFloat(DType dtype, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (dtype == kBFloat16) {
    return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return sign | 0x7C00;
  // The step between neighbours is a power of two: round to a multiple of it.
  const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + steps));
}

}  // namespace reel::ir
