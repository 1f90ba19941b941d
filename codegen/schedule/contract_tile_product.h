#ifndef REEL_CODEGEN_SCHEDULE_CONTRACT_TILE_PRODUCT_H_
#define REEL_CODEGEN_SCHEDULE_CONTRACT_TILE_PRODUCT_H_

#include <vector>

#include "codegen/schedule/contract_loops.h"

namespace reel::codegen {

/// Products of bf16 in tiles (Stmt::Kind::kTileProduct): both operands are packed, and zeros fill the last step of k.
class ContractTileProduct {
 public:
  explicit ContractTileProduct(const ContractLoops& loops) : l_(loops) {}

  /// The sums of a panel's tiles, rows of the panel's width in the table, take in the products of all k.
  std::vector<Stmt> Multiply(const Panel& panel, LocalId table);

 private:
  void PackRows(const Panel& panel, const AlongK& k, std::vector<Stmt>* out);
  void TurnRows(const AlongK& k, std::vector<Stmt>* out);
  bool TurnsRows(const AlongK& k) const;
  ExprId PairOfRow(const AlongK& k, const Affine& row, const Affine& pair) const;
  void PackPanel(const Panel& panel, const AlongK& k, std::vector<Stmt>* out);
  Stmt SetPairs(const Panel& panel, AxisId lane, const Affine& pair, ExprId value) const;
  ExprId HalfAt(const Panel& panel, const AlongK& k, AxisId lane, const Affine& at_k, const Affine& inner) const;
  ExprId Steps(AxisId block) const;

  /// Elements of k in a block of it, with those that fill the last step.
  int64_t filled() const;
  bool fills() const { return l_.shape.depth % kTileDepth != 0; }
  /// Lanes of a step over 16 or 32 bits where these are neighbours in memory; else elements go one by one.
  int64_t LanesOf(DType dtype, bool neighbours) const;

  const ContractLoops& l_;
  LocalId panel_ = -1, rows_ = -1, square_ = -1;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_CONTRACT_TILE_PRODUCT_H_
