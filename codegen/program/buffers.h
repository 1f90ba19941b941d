#ifndef REEL_CODEGEN_PROGRAM_BUFFERS_H_
#define REEL_CODEGEN_PROGRAM_BUFFERS_H_

#include <vector>

#include "codegen/program/arena.h"
#include "codegen/program/program.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {

/// Memory of one entry point: a slot per stored value, and the copies that end it.
struct BufferPlan {
  std::vector<Slot> slots;   ///< by value; meaningful for bound values
  std::vector<Step> copies;  ///< new values of variables that could not be written in place
  int64_t arena_bytes = 0, live_bytes = 0;
};

/// Where a constant's bytes are: an index into Program::constants.
using ConstantIndex = std::vector<int32_t>;  // by value, -1 = not a constant

/// Plans the buffers of a normalised function whose groups were scheduled into `kernels`, in order.
/// `variable_offsets`: of f.state(), in the instance; the arena begins at `arena_offset`.
/// In place: a new state value is written over the old one when every other kernel that reads the old one has run
/// and this kernel reads it only where it writes; an arena buffer is reused by the output that replaces it likewise.
BufferPlan PlanBuffers(const ir::Function& f, const std::vector<ScheduledKernel>& kernels,
                       const ConstantIndex& constants, const std::vector<int64_t>& variable_offsets,
                       int64_t arena_offset);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_BUFFERS_H_
