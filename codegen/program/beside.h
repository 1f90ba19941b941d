#ifndef REEL_CODEGEN_PROGRAM_BESIDE_H_
#define REEL_CODEGEN_PROGRAM_BESIDE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/cost/estimate.h"
#include "codegen/program/block.h"
#include "codegen/program/program.h"

// Horizontal fusion: neighbouring kernels that need nothing of each other are one step, whose threads take a run of
// them each. An optimizer has a kernel for each variable; most of them are too small for chunks of their own.

namespace reel::codegen {

/// Finds kernels that run beside each other (Block::beside), outside of chains. `cycles`: of a kernel by its number, as
/// estimated; `most_bytes`: of temporaries that those of one step make, which are live together. Kernels that take two
/// threads as long together as one after the other stay apart.
void FindBeside(const Tuning& tuning, int64_t most_bytes, const std::function<KernelCycles(int32_t)>& cycles,
                Block* block);

/// Calls of kernels as parts in runs (Step::Control::kBeside) of about equal cycles. `cycles`: by call.
std::vector<Step> ShareOut(const std::vector<Step>& calls, const std::vector<double>& cycles,
                           const std::vector<Kernel>& kernels, const Tuning& tuning);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_BESIDE_H_
