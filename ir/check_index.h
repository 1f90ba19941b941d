#ifndef REEL_IR_CHECK_INDEX_H_
#define REEL_IR_CHECK_INDEX_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "ir/attributes.h"

// What a check_index looks for and says: the same in eager code, in the evaluator and in compiled code.

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

}  // namespace reel::ir

#endif  // REEL_IR_CHECK_INDEX_H_
