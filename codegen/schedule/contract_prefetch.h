#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_PREFETCH_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_PREFETCH_H_

#include <vector>

#include "codegen/schedule/contract_loops.h"

// Large operands that are read in short runs, far apart: what a product will read of them is asked for ahead.

namespace reel::codegen {

/// While a tile is computed, its share of what the next block of rows reads of x and this one does not: windows of a
/// convolution, whose few rows the hardware does not see coming. k_block, tile: axes of blocks of k, and of tiles.
std::vector<Stmt> PrefetchWindow(const ContractLoops& loops, AxisId k_block, AxisId tile);

/// Of a first operand whose rows are neighbours in memory each k reads a line of its own. Asks for the line of that k
/// which a later tile, or the next matrix, reads. row: the first of the tile; position: k.
void PrefetchLines(const ContractLoops& loops, const Affine& row, const Affine& position, std::vector<Stmt>* out);

/// Of a small matrix of the second operand, which its outermost step follows by another: a tile's share of that.
void PrefetchNext(const ContractLoops& loops, AxisId tile, std::vector<Stmt>* out);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_PREFETCH_H_
