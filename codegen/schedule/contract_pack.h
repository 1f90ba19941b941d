#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_PACK_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_PACK_H_

#include <vector>

#include "codegen/schedule/contract_loops.h"

namespace reel::codegen {

/// Copies of the operands' parts in a block of k, on the stack.
class ContractPack {
 public:
  explicit ContractPack(const ContractLoops& loops) : l_(loops) {}

  /// A block of the panel of w, lanes side by side.
  void PackPanel(const Panel& panel, const KOffsets& wk, AxisId block, AxisId group, std::vector<Stmt>* out);
  /// Lanes of the packed panel at step k of the block.
  ExprId PanelAt(const Panel& panel, AxisId k, const Affine& column) const;
  /// The rows of a tile in a block of k, neighbours in memory, as pairs along k; row `row` at step k.
  ExprId PackRows(const KOffsets& xk, AxisId block, AxisId tile, AxisId row, AxisId k, std::vector<Stmt>* out);
  /// Whether the instruction for pairs may have these blocks of x and w.
  ExprId MayDotBlock(const Panel& panel, AxisId block, std::vector<Stmt>* out);

 private:
  Stmt Squares(const Panel& panel, const KOffsets& wk, AxisId block, int64_t squares, int64_t n);
  void Transpose(const Panel& panel, const KOffsets& wk, AxisId block, AxisId t, AxisId j, std::vector<Stmt>* out);
  Stmt Set(const Panel& panel, const KOffsets& wk, const Affine& k, const Affine& inner, const Affine& lane) const;

  const ContractLoops& l_;
  LocalId panel_ = -1, square_ = -1, rows_ = -1;
  LocalId x_least_ = -1, w_least_ = -1;  // LeastOf
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_PACK_H_
