#ifndef REEL_CODEGEN_PROGRAM_WAITS_H_
#define REEL_CODEGEN_PROGRAM_WAITS_H_

#include <vector>

#include "codegen/program/block.h"

namespace reel::codegen {

/// Collectives of a block that something can run beside are started where they stand, and waited for before the first
/// item that reads their result or updates their operand in place. Nothing else may fail meanwhile: a call that has
/// failed leaves none under way. What reads a chain waits for is waited for before it.
void PlaceWaits(const std::vector<CollectiveSite>& collectives, Block* block);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_WAITS_H_
