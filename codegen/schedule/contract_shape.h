#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_SHAPE_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_SHAPE_H_

#include <string>
#include <utility>
#include <vector>

#include "codegen/schedule/schedule.h"

namespace reel::codegen {

/// One loop over axes of a product that every access walks as one.
struct ContractAxis {
  int result = -1;        ///< the result's axis that its index is for; -1: a contracted axis, or none
  int64_t extent = 1;
  int64_t x = 0, w = 0;   ///< strides in the memory of the operands; x of the lanes: 0, or 1 if they are a batch
};

/// How an operand has pairs of bf16 that are neighbours along k.
struct PairedOperand {
  bool joined = false;  ///< neighbours in memory: one load has both
  int64_t next = 0;     ///< else the second one is so many elements behind the first
};

/// y[outer, rows, lane] = sum over k of x[outer, rows, k] * w[outer, k, lane], with any strides but that lanes of w
/// are neighbours in memory.
struct ContractShape {
  std::vector<ContractAxis> outer, rows, k;
  ContractAxis lane;
  int64_t depth = 1;   ///< all of k
  int rank = 0;        ///< of the result
  bool empty = false;  ///< no element to compute
  bool pairs = false;  ///< of bf16 in twos: k is one axis, which counts pairs, as depth does; `rows` is at most one
  PairedOperand x_pair, w_pair;
  bool tiles = false;   ///< of bf16 that stayed bf16, by the rule of tiles (AddsInTiles)
  bool computed = false;  ///< w row by row where it is multiplied (FuseProducers)
  bool widens = false;  ///< lanes of w are 16 bits in memory
  bool long_epilogue = false;  ///< more than a few operations on each element
  bool sums = false;    ///< blocks of rows are whole groups of 64, which are summed (FuseEpilogueReductions)
};

/// Axes that neither operand nor what the kernel computes from the result can tell apart are one.
ContractShape ShapeOfContract(const ScheduleContext& context);

/// Columns in lanes and rows of a tile of accumulators, and rows that go through a block of k together.
struct ContractTiles {
  int64_t rows = 1, lanes = 1;
  size_t axis = 0;      ///< shape.rows[axis] is cut into blocks, those after it are whole, those before it are loops
  int64_t block = 1;    ///< iterations of that axis in a block
  int64_t inner = 1;    ///< rows per iteration
  int64_t per_block = 1;  ///< tiles; rows past the end repeat others and are dropped
  bool pack = false;      ///< w block by block to a copy on the stack, its lanes side by side
  int64_t turn = 0;  ///< w, whose lanes are apart, is turned in registers of so many where it is multiplied; 0: not
  bool whole_rows = false;  ///< sums of all panels wait for the epilogue, which walks rows from end to end
};

/// Whether panels of so many lanes are alike, and enough for threads to share.
bool SharesPanels(const ContractShape& shape, int64_t lanes, const Tuning& tuning);
/// What an operand has more than lies far beyond L2: all of it has left before it is read again.
inline int64_t FarBytes(const Machine& machine) { return 4 * machine.l2_bytes; }

/// As usual, or as the choices say: whether w is packed, registers and rows of a tile, rows of a block.
ContractTiles TilesOfContract(const ScheduleContext& context, const ContractShape& shape);

/// Ops of an epilogue that may be unrolled: all of them are code for each register of a tile.
inline constexpr int kMaxUnrolledEpilogue = 64;

/// Threads share the outermost of these loops: if it is short, the longest one changes places with it.
void OrderLoops(const ScheduleContext& context, LoopAxes* loops);

/// For Plan().
std::string TextOf(const ContractShape& shape, const ContractTiles& tiles);

/// Rows of a block that are whole groups of 64, and where its axis begins.
struct BlockOfGroups {
  size_t axis = 0;  ///< cut into blocks; those behind it are whole
  int64_t block = 0;  ///< iterations of the axis in the smallest block; 0: there is none
};
/// extents: of the rows of a product, outermost first.
BlockOfGroups GroupsOfRows(const std::vector<int64_t>& extents, const Tuning& tuning);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_SHAPE_H_
