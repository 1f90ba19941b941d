#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_TILE_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_TILE_H_

#include <vector>

#include "codegen/schedule/contract_loops.h"
#include "codegen/schedule/sum_rows.h"

namespace reel::codegen {

/// Axes of a tile of accumulators; part: registers of a panel that is no single vector, -1 in others.
struct TileAxes {
  AxisId i, j, part;
  Affine column, sum;  ///< in the panel; among the accumulators
};
TileAxes OpenTile(Kernel* kernel, const Panel& panel);
/// Columns and lanes beyond them that are computed, too, and dropped at last: no accumulator is masked.
int64_t ComputedLanes(const ContractLoops& loops, const Panel& panel);
/// for i in rows of a tile, unrolled { vector j { body } }; register by register where those are not one vector.
Stmt OverTile(const ContractLoops& loops, const TileAxes& axes, const Panel& panel, int64_t columns,
              std::vector<Stmt> body);

/// Where the sums of tiles go: to a table on the stack, from which the epilogue (whatever maps were fused) is computed
/// row by row, or from registers to the result.
class ContractResult {
 public:
  explicit ContractResult(const ContractLoops& loops);

  /// Chooses registers or the table.
  void Choose(bool one_block);
  /// Before the blocks of k. -0 + x = x for every x, so that of the first block of k is taken as it is.
  Stmt OpenTable(int64_t width, bool one_block);
  bool direct() const { return direct_; }
  /// The table, once it is open.
  LocalId table() const { return total_; }
  /// The sums of a tile, to where they go.
  Stmt PutTile(const Panel& panel, AxisId tile, LocalId acc) {
    return direct_ ? StoreTile(panel, tile, acc) : AddTile(panel, tile, acc);
  }
  /// After the blocks of k: sums over rows, and what is computed from the table.
  void Finish(const Panel& panel, std::vector<Stmt>* out);

 private:
  Stmt AddTile(const Panel& panel, AxisId tile, LocalId acc) const;
  Stmt StoreTile(const Panel& panel, AxisId tile, LocalId acc) const;
  std::vector<Stmt> Stores(const Index& index, ExprId sum) const;

  const ContractLoops& l_;
  const std::vector<RowSums> sums_;  // over rows, of the group at hand
  bool direct_ = false;
  LocalId total_ = -1;
  int64_t table_width_ = 0;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_TILE_H_
