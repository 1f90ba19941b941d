#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_OFFSETS_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_OFFSETS_H_

#include <vector>

#include "codegen/schedule/contract_shape.h"

namespace reel::codegen {

/// Offsets along k into one operand: an affine function of k, or a table of a block.
struct KOffsets {
  int64_t stride = 0;
  LocalId table = -1;
};

/// `stride`: of which operand; first: the k where the block begins that `loop`, which has no body, walks. What fills
/// the table, if there is one, goes to `out`.
KOffsets OffsetsAlongK(const ScheduleContext& context, const std::vector<ContractAxis>& axes,
                       int64_t ContractAxis::* stride, const Affine& first, Stmt loop, std::vector<Stmt>* out);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_OFFSETS_H_
