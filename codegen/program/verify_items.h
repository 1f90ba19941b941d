#ifndef REEL_CODEGEN_PROGRAM_VERIFY_ITEMS_H_
#define REEL_CODEGEN_PROGRAM_VERIFY_ITEMS_H_

#include "absl/status/status.h"
#include "codegen/program/block.h"

namespace reel::codegen {

/// Internal if an item reads a value, or a result is one, that no item before has written, or two write one. Linear:
/// this is what the kernels themselves say, whatever was planned.
absl::Status VerifyItems(const Block& block);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_VERIFY_ITEMS_H_
