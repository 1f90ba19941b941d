#ifndef REEL_CODEGEN_TARGET_FILE_H_
#define REEL_CODEGEN_TARGET_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "codegen/target/target.h"

// A target as a text file: a level of instructions, and what of the machine and the tuning is not as usual.
//
//   reel target 1
//   name = office-server       # how schedules that are found for it are kept
//   level = x86-64-v4
//   l2_bytes = 2097152         # a row of machine.def
//   chunk_cycles = 131072      # a row of tuning.def

namespace reel::codegen {

/// What FindTarget takes for the path of such a file.
inline constexpr std::string_view kTargetSuffix = ".target";

/// InvalidArgument with `source`, line and column for what is no target. At most 64 KiB.
absl::StatusOr<Target> ParseTarget(std::string_view text, std::string_view source);
/// The text of a target: ParseTarget gives the same one back. `name`: of the file's first line; `level`: its
/// instructions.
std::string PrintTarget(const Target& target);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TARGET_FILE_H_
