#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_LOOPS_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_LOOPS_H_

#include <utility>
#include <vector>

#include "codegen/schedule/contract_shape.h"

namespace reel::codegen {

/// Offsets along k into one operand: an affine function of k, a table of a block, or, where all of k is unrolled, an
/// affine function of its axes.
struct KOffsets {
  int64_t stride = 0;
  LocalId table = -1;
  bool unrolled = false;
  Affine taps = {};
};

/// A panel of columns of a block of rows.
struct Panel {
  Affine base;
  int64_t columns, width;
  int64_t vector;  ///< lanes of a step: all of them, or a register where they are no power of two or more than columns
  LocalId row_offsets = -1;
};

/// Loops over the rows of a block, as for block axis { for inner axes { body } }; rows past the end are left out.
struct RowLoops {
  Affine local;  ///< position in the block
  Index index;  ///< of the result
  Affine x;  ///< offset from the start of the block
  LoopAxes axes;
};

/// What a tile asks for, in so many parts along an axis: between the k that it multiplies, as a burst would keep its
/// own loads waiting. None: count is 0.
struct Ahead {
  AxisId axis = -1;
  int64_t count = 0;
  std::vector<Stmt> lines = {};
};

/// The loops of a product while they are made: where the outer ones, blocks of rows and blocks of k begin, and what the
/// operands have there.
struct ContractLoops {
  explicit ContractLoops(const ScheduleContext& context);

  const ScheduleContext& c;
  Kernel* const k;
  const ir::Value root;
  const ir::Node& node;
  const ContractShape shape;
  const DType dtype;  ///< of the sums
  const ContractTiles tiles;
  const int64_t k_block;  ///< of what k counts
  const DType packed;  ///< an element of a packed operand: of pairs, the first in the upper half
  AxisId block = -1;  ///< blocks of rows, if there are several
  AxisId split = -1;  ///< blocks of k, if another kernel adds their sums
  Index index;  ///< of the result, as far as the outer loops say
  Affine x_base, w_base;  ///< the same of the operands

  /// Opens the loops from outside: blocks of k of a split product, batches and outer columns, outer rows, blocks of
  /// rows.
  LoopAxes OpenOuter();

  /// Of a register that is a part of a panel.
  int64_t register_lanes() const { return tiles.turn > 0 ? tiles.turn : hardware(); }
  int64_t hardware() const { return c.options.vectorize ? c.target.lanes(SizeOf(dtype)) : 1; }
  int64_t deep() const { return std::min(shape.depth, k_block); }
  bool is_split() const { return split >= 0; }
  /// The axis of rows that is cut into blocks.
  const ContractAxis& blocked() const { return shape.rows[tiles.axis]; }
  int64_t row_stride() const { return shape.rows.empty() ? 0 : shape.rows[0].x; }
  bool NeedsRowTable() const { return tiles.axis + 1 < shape.rows.size(); }
  /// No tile has rows past the end: of all, or of a block that is groups of 64 to sum.
  bool TilesFit(int64_t extent) const { return extent % tiles.rows == 0 && tiles.block % tiles.rows == 0; }
  /// The last of several blocks of k is shorter.
  bool EndsInBlock() const { return shape.depth > k_block && shape.depth % k_block != 0; }

  /// A step of the blocked axis, from the start of the block.
  Affine FromBlock(Affine step) const;
  /// The first row of a tile.
  Affine TileBegin(AxisId tile) const { return FromBlock(AxisAffine(tile, tiles.rows)); }
  /// k of what is `inner` in a block.
  Affine OfBlock(AxisId k_block_axis, const Affine& inner) const { return AxisAffine(k_block_axis, k_block) + inner; }
  /// for axis over a block of k { body }
  Stmt OverK(AxisId axis, AxisId k_block_axis, std::vector<Stmt> body) const;
  /// The same in parts, before each of which what is asked for ahead; before all of them if they are not alike.
  std::vector<Stmt> OverKAhead(AxisId axis, AxisId k_block_axis, Ahead ahead, std::vector<Stmt> body) const;
  /// for tiles of the block of rows { body }; the last block has fewer.
  Stmt OverTiles(AxisId tile, std::vector<Stmt> body) const;
  RowLoops OpenRows() const;
  std::vector<Stmt> OverRows(const RowLoops& rows, std::vector<Stmt> body) const;
  /// A table of where the rows of the block are in x; rows past the end are at the first.
  LocalId FillRowOffsets(std::vector<Stmt>* out) const;
  /// Adds where row i of the tile begins to x; what is not affine is returned.
  ExprId Row(const Panel& panel, AxisId tile, AxisId i, Affine* x) const;

  /// Loops over the axes of k, if they are to be unrolled; else none.
  LoopAxes OpenTaps() const;
  /// The offsets along these.
  KOffsets OffsetsOfTaps(int64_t ContractAxis::* stride, const LoopAxes& taps) const;
  /// `stride`: of which operand. What fills the table, if there is one, goes to `out`.
  KOffsets OffsetsAlongK(int64_t ContractAxis::* stride, AxisId k_block_axis, std::vector<Stmt>* out) const;
  /// The element k of an operand at base; inner: k in its block.
  ExprId Load(size_t operand, const Affine& base, const KOffsets& offsets, const Affine& at_k, const Affine& inner,
              ExprId dynamic, ExprId guard = -1) const;
};

// --- parts of these loops ---

/// How both operands go along k in a block of it.
struct AlongK {
  AxisId block, tile;  ///< axes of blocks of k, and of tiles
  KOffsets x, w;
};
/// The sums of a tile, in registers, take in the products of a block of k, a few k of w at a time, turned in registers.
std::vector<Stmt> MultiplyTurned(const ContractLoops& loops, const Panel& panel, const AlongK& k, LocalId sums);

/// What a product has of a second operand that is computed row by row where it is multiplied (FuseProducers): columns
/// from `base` on, in steps of `vector` lanes.
struct ComputedColumns {
  Affine base;
  int64_t columns, vector;
  LocalId to;  ///< where a row is put,
  int64_t row_stride;  ///< row k of the block so many elements behind the first
};

/// for groups of 64 of the rows of a block of k { their sums; each row computed, then `body` for it }. `row` and
/// `group`: axes whose positions are row 64 * group + row of the block.
Stmt OverComputedRows(const ScheduleContext& c, const ComputedColumns& columns, int64_t depth, AxisId block,
                      AxisId group, AxisId row, std::vector<Stmt> body);

// Large operands that are read in short runs, far apart: what a product will read of them is asked for ahead.

/// While a tile is computed, its share of what the next block of rows reads of x and this one does not: windows of a
/// convolution, whose few rows the hardware does not see coming. k_block, tile: axes of blocks of k, and of tiles.
std::vector<Stmt> PrefetchWindow(const ContractLoops& loops, AxisId k_block, AxisId tile);

/// Of a first operand whose rows are neighbours in memory each k reads a line of its own. Asks for the line of that k
/// which a later tile, or the next matrix, reads. row: the first of the tile; position: k.
void PrefetchLines(const ContractLoops& loops, const Affine& row, const Affine& position, std::vector<Stmt>* out);

/// Whether a second operand that is turned in registers comes from beyond L1.
bool TurnsFar(const ContractLoops& loops);
/// Some rows of a panel of such an operand.
struct TurnedRows {
  Affine first;
  int64_t count;
};
/// Asks for the next line of these rows; where few rows are in L1 at once, for the same of the next panel's, or, if all
/// is beyond L2, of the next matrix. position: k.
void PrefetchTurned(const ContractLoops& loops, const Panel& panel, const TurnedRows& rows, const Affine& position,
                    std::vector<Stmt>* out);

/// Of a small matrix of the second operand, which its outermost step follows by another: a tile's and panel's share of
/// that.
void PrefetchNext(const ContractLoops& loops, const Panel& panel, AxisId tile, std::vector<Stmt>* out);

/// Of a second operand far beyond L2, in several blocks of k: a tile's share of the panel's next block.
Ahead NextBlock(const ContractLoops& loops, const Panel& panel, AxisId k_block, AxisId tile);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_LOOPS_H_
