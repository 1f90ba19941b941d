#ifndef REEL_IR_CONV_PHASES_H_
#define REEL_IR_CONV_PHASES_H_

#include <cstdint>
#include <numeric>
#include <vector>

namespace reel::ir {

/// Results of a convolution with zeros between a's elements are of so many kinds at most, by which taps meet elements,
/// where these zeros take no part in the sums (ir/MEANING.md).
inline constexpr int64_t kConvPhases = 64;

/// Where the results of all kinds are so few for one element of a group, they are one convolution (ir/MEANING.md).
inline constexpr int64_t kConvTogether = 16;

/// Whether there are such zeros, and they take no part.
inline bool ConvSkipsZeros(const std::vector<int64_t>& strides, const std::vector<int64_t>& a_dilation) {
  int64_t phases = 1;
  bool any = false;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int64_t own = a_dilation[i] / std::gcd(a_dilation[i], strides[i]);
    if (own > kConvPhases / phases) return false;
    phases *= own;
    any = any || a_dilation[i] > 1;
  }
  return any;
}

}  // namespace reel::ir

#endif  // REEL_IR_CONV_PHASES_H_
