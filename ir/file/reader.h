#ifndef REEL_IR_FILE_READER_H_
#define REEL_IR_FILE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/budget.h"
#include "ir/file/descriptor.h"

namespace reel::ir {

/// A whole file. ResourceExhausted beyond the budget's bytes or seconds, never else.
absl::StatusOr<std::string> ReadFile(const std::string& path, const Budget& budget);

/// Bytes [offset, offset + length) of a file below an open folder that somebody else has named. It is opened once,
/// name by name from the folder, and what is opened is looked at: neither `..` nor links lead elsewhere, whoever
/// swaps them when. Only regular files that have one name are read.
absl::StatusOr<std::vector<std::byte>> ReadBelow(const Descriptor& folder, std::string_view path, int64_t offset,
                                                 int64_t length);

}  // namespace reel::ir

#endif  // REEL_IR_FILE_READER_H_
