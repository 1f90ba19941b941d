#ifndef REEL_IR_CHECK_H_
#define REEL_IR_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "ir/attributes.h"

// What check_index and check_integer look for and say: the same in eager code, in the evaluator and in compiled code.

namespace reel::ir {

/// Attributes of a check_index: indices into an axis of a tensor of the type, for the op `of`; or labels of classes.
Attributes CheckIndexAttributes(std::string of, const Type& type, int64_t axis, bool labels);

/// [0, this) is in range. The shape of the attributes must be constant.
int64_t CheckedExtent(const Attributes& check);

/// The index that is reported: of those out of range the largest, were they unsigned numbers. So one maximum finds it,
/// in any order; none: all are in range.
template <typename T>
std::optional<int64_t> IndexOutOfRange(absl::Span<const T> indices, int64_t extent) {
  uint64_t worst = 0;
  for (const T index : indices) {
    const auto x = static_cast<uint64_t>(static_cast<int64_t>(index));
    worst = x > worst ? x : worst;
  }
  if (indices.empty() || worst < static_cast<uint64_t>(extent)) return std::nullopt;
  return static_cast<int64_t>(worst);
}

/// "gather: index 7 is out of range for axis 0 of f32[3]; indices must be in [0, 3)".
std::string IndexOutOfRangeText(const Attributes& check, int64_t index);

/// Attributes of a check_integer for the op `of`: of divisors, which are not 0, or of exponents, which are not
/// negative.
Attributes CheckIntegerAttributes(std::string of, bool negative);

/// A value that the check refuses; none: it refuses none of them.
template <typename T>
std::optional<int64_t> IntegerRefused(const Attributes& check, absl::Span<const T> values) {
  const bool negative = check.Get<bool>("negative");
  for (const T value : values) {
    const bool refused = negative ? std::is_signed_v<T> && value < T{} : value == 0;
    if (refused) return static_cast<int64_t>(value);
  }
  return std::nullopt;
}

/// "Integer division by zero [Op:FloorMod]; choose another divisor where it is 0".
std::string IntegerRefusedText(const Attributes& check);

}  // namespace reel::ir

#endif  // REEL_IR_CHECK_H_
