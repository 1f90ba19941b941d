#include "codegen/schedule/contract_tile_product.h"

#include <algorithm>

#include "codegen/loop/build.h"
#include "codegen/loop/ceil.h"

namespace reel::codegen {

using ir::Op;

int64_t ContractTileProduct::filled() const { return RoundUp(l_.deep(), kTileDepth); }

int64_t ContractTileProduct::LanesOf(DType dtype, bool neighbours) const {
  return neighbours && l_.c.options.vectorize ? l_.c.target.lanes(SizeOf(dtype)) : 1;
}

std::vector<Stmt> ContractTileProduct::Multiply(const Panel& p, LocalId table) {
  Kernel* kernel = l_.k;
  AlongK k{kernel->AddAxis("kb"), kernel->AddAxis("m"), {}, {}};
  std::vector<Stmt> body, one;
  k.x = l_.OffsetsAlongK(&ContractAxis::x, k.block, &body);
  k.w = l_.OffsetsAlongK(&ContractAxis::w, k.block, &body);
  PackPanel(p, k, &body);
  TurnsRows(k) ? TurnRows(k, &one) : PackRows(p, k, &one);
  const AxisId part = kernel->AddAxis("p");
  const Affine column = AxisAffine(part, kTileSide), sums = AxisAffine(k.tile, l_.tiles.rows * p.width) + column;
  Stmt product = MakeTileProduct(table, sums, LocalExpr(kernel, rows_, {}), LocalExpr(kernel, panel_, column),
                                 Steps(k.block), filled(), p.width);
  one.push_back(SerialLoop(part, p.width / kTileSide, Body(std::move(product))));
  body.push_back(l_.OverTiles(k.tile, std::move(one)));
  return Body(SerialLoop(k.block, Ceil(l_.shape.depth, l_.k_block), std::move(body)));
}

// Steps of a block of k: what fills the last one belongs to the rule, another step of zeros would not.
ExprId ContractTileProduct::Steps(AxisId block) const {
  ExprBuilder& b = *l_.c.builder;
  const int64_t steps = Ceil(l_.shape.depth, kTileDepth), whole = l_.k_block / kTileDepth;
  if (!l_.EndsInBlock()) return b.Number(std::min(steps, whole));
  return b.Apply(Op::kMin, kInt64, {b.Position(AxisAffine(block, -whole) + steps), b.Number(whole)});
}

// rows[i][k] = x[row i of the tile, k]
void ContractTileProduct::PackRows(const Panel& p, const AlongK& k, std::vector<Stmt>* out) {
  if (rows_ < 0) rows_ = l_.k->AddLocal("rows", kBFloat16, l_.tiles.rows * filled());
  out->push_back(fills() ? MakeLocal(rows_, 0) : MakeScratch(rows_));
  const AxisId t = l_.k->AddAxis("t"), i = l_.k->AddAxis("i");
  Affine from = l_.x_base;
  const ExprId row = l_.Row(p, k.tile, i, &from);
  const ExprId element = l_.Load(0, from, k.x, l_.OfBlock(k.block, AxisAffine(t)), AxisAffine(t), row);
  Stmt set = MakeAccumulate(rows_, AxisAffine(i, filled()) + AxisAffine(t), Combine::kSet, element);
  Stmt along_k = l_.OverK(t, k.block, Body(std::move(set)));
  along_k.width = LanesOf(kBFloat16, k.x.table < 0 && k.x.stride == 1);
  if (along_k.width > 1) along_k.loop_kind = LoopKind::kVector;
  out->push_back(SerialLoop(i, l_.tiles.rows, Body(std::move(along_k))));
}

// Whether rows of x are neighbours in memory, k apart: squares of pairs are turned in registers.
bool ContractTileProduct::TurnsRows(const AlongK& k) const {
  const ContractShape& s = l_.shape;
  return s.rows.size() == 1 && s.rows[0].x == 1 && k.x.table < 0 && k.x.stride != 1 &&
         LanesOf(kInt32, true) == kTileDepth / 2;
}

// A pair of x, as i32; 0 past the end of rows, and of k.
ExprId ContractTileProduct::PairOfRow(const AlongK& k, const Affine& row, const Affine& pair) const {
  ExprBuilder& b = *l_.c.builder;
  const int64_t extent = l_.blocked().extent;
  const auto less = [&b](const Affine& x, int64_t n) {
    return b.Apply(Op::kLess, kBool, {b.Position(x), b.Number(n)});
  };
  const ExprId in_rows = l_.TilesFit(extent) ? -1 : less(row, extent);
  const auto half = [&](int64_t number) {
    const Affine at_k = l_.OfBlock(k.block, pair * 2 + number);
    ExprId guard = in_rows;
    if (fills()) {
      const ExprId in_depth = less(at_k, l_.shape.depth);
      guard = guard < 0 ? in_depth : b.Apply(Op::kAnd, kBool, {guard, in_depth});
    }
    const ExprId element = l_.Load(0, l_.x_base + row * l_.row_stride(), k.x, at_k, {}, -1, guard);
    return b.Apply(Op::kCast, kInt32, {b.Apply(Op::kBitcast, kUInt16, {element})});
  };
  const ExprId high = b.Apply(Op::kShiftLeft, kInt32, {half(1), b.Constant(kInt32, 16)});
  return b.Apply(Op::kOr, kInt32, {high, half(0)});
}

// rows[i][k / 2] = x[k, row i of the tile], x[k + 1, row i]: squares of so many rows and pairs as a step has of these.
void ContractTileProduct::TurnRows(const AlongK& k, std::vector<Stmt>* out) {
  const int64_t n = kTileDepth / 2;
  Kernel* kernel = l_.k;
  if (rows_ < 0) rows_ = kernel->AddLocal("rows", kInt32, l_.tiles.rows * filled() / 2);
  if (square_ < 0) square_ = kernel->AddLocal("square", kInt32, n * n);
  const AxisId q = kernel->AddAxis("q"), g = kernel->AddAxis("g"), r = kernel->AddAxis("r"), v = kernel->AddAxis("v");
  const Affine row = l_.TileBegin(k.tile) + AxisAffine(g, n) + AxisAffine(v);
  const ExprId pair = PairOfRow(k, row, AxisAffine(q, n) + AxisAffine(r));
  const Affine to = (AxisAffine(g, n) + AxisAffine(r)) * (filled() / 2) + AxisAffine(q, n) + AxisAffine(v);
  std::vector<Stmt> square = TransposedSquare(kernel, {square_, r, v, n}, pair, rows_, to);
  Stmt steps = SerialLoop(q, filled() / kTileDepth, Body(SerialLoop(g, l_.tiles.rows / n, std::move(square))));
  if (l_.EndsInBlock()) Clip(&steps, AxisAffine(k.block, l_.k_block / kTileDepth), Ceil(l_.shape.depth, kTileDepth));
  out->push_back(MakeScratch(rows_));
  out->push_back(std::move(steps));
}

// The bits of w at k, which is `inner` in its block, of a lane of the panel.
ExprId ContractTileProduct::HalfAt(const Panel& p, const AlongK& k, AxisId lane, const Affine& at_k,
                                   const Affine& inner) const {
  ExprBuilder& b = *l_.c.builder;
  const Affine from = l_.w_base + (p.base + AxisAffine(lane)) * l_.shape.lane.w;
  const ExprId bits = b.Apply(Op::kBitcast, kUInt16, {l_.Load(1, from, k.w, at_k, inner, -1)});
  return b.Apply(Op::kCast, kInt32, {bits});
}

// vector lane { a row of the panel: pairs }
Stmt ContractTileProduct::SetPairs(const Panel& p, AxisId lane, const Affine& pair, ExprId value) const {
  Stmt set = MakeAccumulate(panel_, pair * p.width + AxisAffine(lane), Combine::kSet, value);
  return VectorLoop(lane, p.columns, LanesOf(kInt32, l_.shape.lane.w == 1), Body(std::move(set)));
}

// panel[k / 2][lane] = w[k, lane], w[k + 1, lane]: whole pairs, and in the last block the first half of one.
void ContractTileProduct::PackPanel(const Panel& p, const AlongK& k, std::vector<Stmt>* out) {
  ExprBuilder& b = *l_.c.builder;
  const int64_t depth = l_.shape.depth, pairs = l_.k_block / 2;
  if (panel_ < 0) panel_ = l_.k->AddLocal("pack", kInt32, filled() / 2 * l_.tiles.lanes);
  out->push_back(fills() || p.columns != p.width ? MakeLocal(panel_, 0) : MakeScratch(panel_));
  if (depth >= 2) {
    const AxisId q = l_.k->AddAxis("q"), j = l_.k->AddAxis("j");
    const Affine first = AxisAffine(q, 2);
    const auto half = [&](const Affine& inner) { return HalfAt(p, k, j, l_.OfBlock(k.block, inner), inner); };
    const ExprId high = b.Apply(Op::kShiftLeft, kInt32, {half(first + 1), b.Constant(kInt32, 16)});
    const ExprId both = b.Apply(Op::kOr, kInt32, {high, half(first)});
    Stmt over_pairs = SerialLoop(q, l_.deep() / 2, Body(SetPairs(p, j, AxisAffine(q), both)));
    if (l_.EndsInBlock()) Clip(&over_pairs, AxisAffine(k.block, pairs), depth / 2);
    out->push_back(std::move(over_pairs));
  }
  if (depth % 2 == 0) return;
  const int64_t last = (depth - 1) / l_.k_block, inner = (depth - 1) % l_.k_block;
  const AxisId j = l_.k->AddAxis("j");
  const ExprId value = HalfAt(p, k, j, {depth - 1, {}}, {inner, {}});
  std::vector<Stmt> end = Body(SetPairs(p, j, {inner / 2, {}}, value));
  if (last > 0) {
    const ExprId is_last = b.Apply(Op::kEqual, kBool, {b.Position(AxisAffine(k.block)), b.Number(last)});
    end = Body(If(l_.k, is_last, std::move(end)));
  }
  Append(std::move(end), out);
}

}  // namespace reel::codegen
