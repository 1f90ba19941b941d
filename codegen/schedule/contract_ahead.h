#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_AHEAD_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_AHEAD_H_

#include <vector>

#include "codegen/schedule/contract_shape.h"

namespace reel::codegen {

/// Of a large first operand whose rows are neighbours in memory, each k reads a line far from that of the k before,
/// and waits for it. Asks for the line of that k which a later tile, or the next matrix, reads. x: where the operand
/// begins; row: the first of the tile; position: k.
void PrefetchAhead(const ScheduleContext& context, const ContractShape& shape, const ContractTiles& tiles, Affine x,
                   const Affine& row, const Affine& position, std::vector<Stmt>* out);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_AHEAD_H_
