#ifndef REEL_FRONTEND_ONNX_SMALL_H_
#define REEL_FRONTEND_ONNX_SMALL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/literal.h"
#include "reel/ops.h"

// Element types of ONNX for which Reel has no dtype: floats of 8 bits and less, integers of 4 and 2. Their values are
// held in a dtype that has all of them; only ops that convert and (de)quantize take them.

namespace reel::onnx {

struct SmallType {
  int64_t number;  ///< in ONNX's enumeration
  std::string_view name;
  DType carrier;  ///< holds every value exactly
  int bits;
  int mantissa = 0, least = 0;  ///< of floats: bits behind the point, the least exponent
  double low = 0, high = 0;     ///< the least and largest finite value
  bool infinite = false;        ///< has infinities; else overflow without saturation is NaN
  bool one_nan = false;         ///< the bits of -0 are the only NaN

  bool power_of_two() const { return IsFloat(carrier) && low > 0; }
};

/// The type of this number, or null if it is not one of these.
const SmallType* FindSmall(int64_t number);

/// Bytes that `count` elements take, packed from the lowest bits on.
int64_t PackedBytes(const SmallType& type, int64_t count);
/// Packed elements as a literal of the carrier; as many bytes as PackedBytes says.
ir::Literal Unpack(const SmallType& type, const Shape& shape, std::span<const std::byte> packed);

struct RoundOptions {
  bool saturate = true;      ///< beyond the largest value: that, else infinity or NaN
  std::string mode = "up";   ///< of powers of two: up, down or nearest
  bool wrap = false;         ///< integers keep their lowest bits, else they end at the range's ends
};
/// x as the nearest values of the type, ties to even, in its carrier. Integers are cut toward zero.
Tensor RoundTo(const SmallType& type, const Tensor& x, const RoundOptions& options = {});

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_SMALL_H_
