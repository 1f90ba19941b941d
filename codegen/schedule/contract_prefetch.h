#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_PREFETCH_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_PREFETCH_H_

#include <vector>

#include "codegen/schedule/contract_shape.h"

// Large operands that are read in short runs, far apart: what a product will read of them is asked for ahead.

namespace reel::codegen {

/// While a tile is computed, its share of what the next block of rows reads of x and this one does not: windows of a
/// convolution, whose few rows the hardware does not see coming. block, k, tile: axes of rows, of k, and of tiles.
std::vector<Stmt> PrefetchWindow(const ScheduleContext& context, const ContractShape& shape, const ContractTiles& tiles,
                                 const Affine& x_base, AxisId block, AxisId k, AxisId tile);

/// Of a first operand whose rows are neighbours in memory each k reads a line of its own. Asks for the line of that k
/// which a later tile, or the next matrix, reads. x: where the operand begins; row: the first of the tile; position: k.
void PrefetchLines(const ScheduleContext& context, const ContractShape& shape, const ContractTiles& tiles, Affine x,
                   const Affine& row, const Affine& position, std::vector<Stmt>* out);

/// Of a small matrix of the second operand, which its outermost step follows by another: a tile's share of that.
void PrefetchNext(const ScheduleContext& context, const ContractShape& shape, const ContractTiles& tiles, Affine w,
                  AxisId tile, std::vector<Stmt>* out);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_PREFETCH_H_
