#ifndef REEL_CODEGEN_PROGRAM_VERIFY_ITEMS_H_
#define REEL_CODEGEN_PROGRAM_VERIFY_ITEMS_H_

#include <vector>

#include "absl/status/status.h"
#include "codegen/program/block.h"
#include "codegen/program/program.h"
#include "runtime/abi.h"

namespace reel::codegen {

/// Internal if an item reads a value, or a result is one, that no item before has written, or two write one, or one
/// reads what another beside it writes. Linear: this is what the kernels themselves say, whatever was planned.
absl::Status VerifyItems(const Block& block);

/// Of an instance, before its variables, which are aligned to it.
inline constexpr int64_t kHeaderBytes = REEL_INSTANCE_ALIGNMENT;
static_assert(sizeof(reel_instance) <= kHeaderBytes);

/// Internal if a step uses memory of the instance's header, which no value has: one was not given a place.
absl::Status VerifySlots(const std::vector<Step>& steps);

/// Internal if a kernel writes to memory that another one beside it has as a buffer, too.
absl::Status VerifyBeside(const std::vector<Kernel>& kernels, const std::vector<Step>& steps);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_VERIFY_ITEMS_H_
