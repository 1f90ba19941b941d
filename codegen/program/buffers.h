#ifndef REEL_CODEGEN_PROGRAM_BUFFERS_H_
#define REEL_CODEGEN_PROGRAM_BUFFERS_H_

#include <vector>

#include "codegen/program/arena.h"
#include "codegen/program/block.h"
#include "codegen/program/program.h"

namespace reel::codegen {

/// An entry point's steps on memory.
struct BufferPlan {
  std::vector<Step> steps;
  int64_t arena_bytes = 0, live_bytes = 0;
};

/// Plans the buffers of an entry point's block and of all that it branches to or repeats.
/// `variable_offsets`: of f.state(), in the instance; the arena begins at `arena_offset`. `in_place`: parameters whose
/// memory is that of a result. `record`: gets lives of arena buffers, of entry -1; may be null.
///
/// In place: a result is written over what its memory held (a variable's or carried value's old value, the operand
/// of a branch) when every other reader of that has run and this kernel reads it only where it writes; otherwise it
/// waits in the arena and is copied at the end of its block, so parallel assignments are right. An arena buffer is
/// reused by the output that replaces it likewise. A loop's carried values have one place each, its invariants none.
BufferPlan PlanBuffers(const Block& entry, const std::vector<Kernel>& kernels,
                       const std::vector<int64_t>& variable_offsets, int64_t arena_offset,
                       const std::vector<InPlace>& in_place, const Tuning& tuning, PlanRecord* record = nullptr);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_BUFFERS_H_
