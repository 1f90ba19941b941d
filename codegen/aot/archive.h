#ifndef REEL_CODEGEN_AOT_ARCHIVE_H_
#define REEL_CODEGEN_AOT_ARCHIVE_H_

#include <string>

#include "absl/status/statusor.h"

namespace reel::codegen {

/// A static library (`ar`) with its index of symbols, of one object named `member`: Darwin's form for "macos", System
/// V's for others, which linkers of Windows read too. Without dates and owners: same object, same bytes.
absl::StatusOr<std::string> ArchiveOf(const std::string& object, const std::string& member, const std::string& os);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_ARCHIVE_H_
