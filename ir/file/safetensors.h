#ifndef REEL_IR_FILE_SAFETENSORS_H_
#define REEL_IR_FILE_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/types.h"

// What all writers and readers of safetensors agree on: Hugging Face's format of a JSON header's length (u64), the
// header, and the elements.

namespace reel::ir {

inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";  ///< the one key that is no entry
inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;            ///< the format's own limit

/// The format's name of a dtype: "F32"; "" if it has none.
std::string_view SafetensorsName(DType dtype);

struct SafetensorsEntry {
  std::string name;
  Type type;
};

/// The place of everything in a file: the length and the header, then the elements of `order[0]`, `order[1]`, ...
struct SafetensorsLayout {
  std::string head;
  std::vector<size_t> order;
  std::vector<int64_t> begins;  ///< of each entry behind the head, in the order that they were given in
  int64_t bytes = 0;            ///< of all elements
};

/// Lays out entries without gaps, those with large elements first, so that each is aligned. Errors: names or dtypes
/// that the format does not have.
absl::StatusOr<SafetensorsLayout> LayOutSafetensors(const std::vector<SafetensorsEntry>& entries,
                                                    const std::map<std::string, std::string>& metadata = {});

}  // namespace reel::ir

#endif  // REEL_IR_FILE_SAFETENSORS_H_
