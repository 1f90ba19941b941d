#include "codegen/schedule/contract_pack.h"

#include <algorithm>

#include "codegen/loop/ceil.h"

// Products of pairs of bf16. AVX512-BF16 adds two products to a sum in f32, one after the other, each rounded once:
// what the rule of contractions says (ir/README.md), with the pair's first element in the upper half. But it takes
// denormal operands and sums for 0. So it multiplies where there can be none: no operand is denormal, and the smallest
// ones' product has no bit below the smallest normal number. Then every product, and so every sum of them, is a
// multiple of that bit. Elsewhere two fma do the same, at half the speed: the same bits either way.

namespace reel::codegen {
namespace {

using ir::Op;

constexpr int64_t kLeastLanes = 64;

// Elements of an operand: those `at` 64 * chunk + lane behind a place, for each iteration of a loop.
struct Elements {
  ir::Value operand;
  Stmt loop;                // without a body
  Affine at;                // of lane 0, within the loop
  int64_t lanes = 1;        // neighbours in memory
  Affine clip_base = {};    // lanes end where clip_base + lane is clip_total, if that is >= 0
  int64_t clip_total = -1;

  // Of the loop, or of lanes.
  void Clip(bool of_lanes, const Affine& base, int64_t total) {
    (of_lanes ? clip_base : loop.clip_base) = base;
    (of_lanes ? clip_total : loop.clip_total) = total;
  }
};
ExprId Int32(ExprBuilder* b, ExprId x) { return b->Apply(Op::kCast, kInt32, {x}); }
ExprId Number(ExprBuilder* b, int64_t x) { return b->Constant(kInt32, static_cast<double>(x)); }

// Declares the local `least`, whose element 0 becomes the bits of the smallest magnitude but 0 of the elements, less
// 1; 65535 if all are 0.
void LeastOf(Kernel* k, ExprBuilder* b, Elements e, LocalId* least, std::vector<Stmt>* out) {
  const AxisId chunk = k->AddAxis("g"), lane = k->AddAxis("v");
  if (*least < 0) *least = k->AddLocal("least", kUInt16, kLeastLanes);
  const Affine at = e.at + AxisAffine(chunk, kLeastLanes) + AxisAffine(lane);
  const auto number = [b](int64_t x) { return b->Constant(kUInt16, static_cast<double>(x)); };
  const ExprId magnitude = b->Apply(Op::kAnd, kUInt16, {b->LoadBits(e.operand, at, kUInt16), number(0x7FFF)});
  const ExprId less = b->Apply(Op::kSub, kUInt16, {magnitude, number(1)});  // 0 becomes the largest
  Stmt set = MakeAccumulate(*least, AxisAffine(lane), Combine::kMin, less);
  Stmt vector = VectorLoop(lane, std::min(e.lanes, kLeastLanes), kLeastLanes, Body(std::move(set)));
  if (e.clip_total >= 0 || (e.lanes > kLeastLanes && e.lanes % kLeastLanes != 0)) {
    Clip(&vector, e.clip_base + AxisAffine(chunk, kLeastLanes), e.clip_total >= 0 ? e.clip_total : e.lanes);
  }
  e.loop.body.push_back(SerialLoop(chunk, Ceil(e.lanes, kLeastLanes), Body(std::move(vector))));
  Append(Body(MakeLocal(*least, Bits(kUInt16, 0xFFFF)), std::move(e.loop), MakeTree(*least, Combine::kMin)), out);
}

// Whether Combine::kDotPair of operands with these LeastOf is Combine::kFmaPair.
ExprId MayDot(Kernel* k, ExprBuilder* b, LocalId x_least, LocalId w_least) {
  // The biased exponent; of zeros alone beyond all.
  const auto exponent = [&](LocalId least) {
    const ExprId bits = b->Apply(Op::kAdd, kInt32, {Int32(b, LocalExpr(k, least, {})), Number(b, 1)});
    return b->Apply(Op::kShiftRight, kInt32, {bits, Number(b, 7)});
  };
  const ExprId x = exponent(x_least), w = exponent(w_least);
  const auto at_least = [b](ExprId e, int64_t n) { return b->Apply(Op::kGreaterEqual, kBool, {e, Number(b, n)}); };
  const auto both = [b](ExprId p, ExprId q) { return b->Apply(Op::kAnd, kBool, {p, q}); };
  // The last bits are 2^(x - 127 - 7) and 2^(w - 127 - 7), the smallest normal number is 2^-126.
  constexpr int64_t kMinSum = 2 * (127 + 7) - 126;
  return both(both(at_least(x, 1), at_least(w, 1)), at_least(b->Apply(Op::kAdd, kInt32, {x, w}), kMinSum));
}

}  // namespace

ExprId ContractPack::PanelAt(const Panel& p, AxisId k, const Affine& column) const {
  return LocalExpr(l_.k, panel_, AxisAffine(k, p.width) + column);
}

// One element of the panel: w at k, and `lane` of it, which is `inner` in the block.
Stmt ContractPack::Set(const Panel& p, const KOffsets& wk, const Affine& k, const Affine& inner,
                       const Affine& lane) const {
  const Affine from = l_.w_base + (p.base + lane) * l_.shape.lane.w;
  return MakeAccumulate(panel_, lane + inner * p.width, Combine::kSet, l_.Load(1, from, wk, k, inner, -1));
}

void ContractPack::PackPanel(const Panel& p, const KOffsets& wk, AxisId block, AxisId group, std::vector<Stmt>* out) {
  if (panel_ < 0) panel_ = l_.k->AddLocal("pack", l_.packed, l_.deep() * l_.tiles.lanes);
  out->push_back(MakeScratch(panel_));
  const AxisId t = l_.k->AddAxis("t"), j = l_.k->AddAxis("j");
  if (l_.shape.computed) {
    const ComputedColumns columns{p.base, p.columns, p.vector, panel_, p.width};
    return out->push_back(OverComputedRows(l_.c, columns, l_.shape.depth, block, group, t, {}));
  }
  // What is not side by side along k either is gathered.
  const bool along_k = wk.table < 0 && wk.stride == (l_.shape.pairs ? 2 : 1);
  if (l_.shape.lane.w != 1 && along_k && l_.hardware() > 1) return Transpose(p, wk, block, t, j, out);
  const Affine k = AxisAffine(t);
  Stmt copy = VectorLoop(j, p.columns, p.vector, Body(Set(p, wk, l_.OfBlock(block, k), k, AxisAffine(j))));
  out->push_back(l_.OverK(t, block, Body(std::move(copy))));
}

// Squares of n x n are transposed in registers. Before them, the last depth % n elements of k, which squares of earlier
// blocks overwrite; at last the columns that fill no square.
void ContractPack::Transpose(const Panel& p, const KOffsets& wk, AxisId block, AxisId t, AxisId j,
                             std::vector<Stmt>* out) {
  const int64_t n = l_.hardware(), squares = p.columns / n, rest = l_.shape.depth % n;
  const Affine k = AxisAffine(t), lane = AxisAffine(j);
  if (squares > 0 && rest > 0) {
    const int64_t first = l_.shape.depth - rest;
    Stmt copy = VectorLoop(j, squares * n, n, Body(Set(p, wk, k + first, k + first % l_.k_block, lane)));
    out->push_back(SerialLoop(t, rest, Body(std::move(copy))));
  }
  if (squares > 0 && l_.shape.depth >= n) out->push_back(Squares(p, wk, block, squares, n));
  if (p.columns % n > 0) {
    Stmt copy = l_.OverK(t, block, Body(Set(p, wk, l_.OfBlock(block, k), k, lane + squares * n)));
    copy.loop_kind = LoopKind::kVector;
    copy.width = n;
    out->push_back(SerialLoop(j, p.columns % n, Body(std::move(copy))));
  }
}

Stmt ContractPack::Squares(const Panel& p, const KOffsets& wk, AxisId block, int64_t squares, int64_t n) {
  Kernel* k = l_.k;
  const AxisId g = k->AddAxis("g"), q = k->AddAxis("q"), r = k->AddAxis("r"), v = k->AddAxis("v");
  if (square_ < 0) square_ = k->AddLocal("square", l_.packed, n * n);
  // rows of the square are lanes, neighbours in a row are along k
  const Affine from = l_.w_base + (p.base + AxisAffine(g, n) + AxisAffine(r)) * l_.shape.lane.w;
  const Affine along_k = AxisAffine(q, n) + AxisAffine(v);
  const Affine to = AxisAffine(r, p.width) + AxisAffine(q, n * p.width) + AxisAffine(g, n) + AxisAffine(v);
  const ExprId value = l_.Load(1, from, wk, l_.OfBlock(block, along_k), along_k, -1);
  Stmt along = SerialLoop(q, l_.deep() / n, TransposedSquare(k, {square_, r, v, n}, value, panel_, to));
  if (l_.EndsInBlock()) Clip(&along, AxisAffine(block, l_.k_block / n), l_.shape.depth / n);
  return SerialLoop(g, squares, Body(std::move(along)));
}

ExprId ContractPack::PackRows(const KOffsets& xk, AxisId block, AxisId tile, AxisId row_axis, AxisId k,
                              std::vector<Stmt>* out) {
  const int64_t rows = l_.tiles.rows;
  if (rows_ < 0) rows_ = l_.k->AddLocal("rows", l_.packed, rows * l_.deep());
  const auto place = [&](AxisId row, AxisId at_k) { return AxisAffine(row) + AxisAffine(at_k, rows); };
  const AxisId t = l_.k->AddAxis("t"), i = l_.k->AddAxis("i");
  Affine from = l_.x_base;
  from.Add(l_.TileBegin(tile) + AxisAffine(i), l_.row_stride());
  const ExprId element = l_.Load(0, from, xk, l_.OfBlock(block, AxisAffine(t)), AxisAffine(t), -1);
  Stmt store = MakeAccumulate(rows_, place(i, t), Combine::kSet, element);
  Stmt vector = VectorLoop(i, rows, l_.c.target.lanes(SizeOf(l_.packed)), Body(std::move(store)));
  if (!l_.shape.rows.empty() && !l_.TilesFit(l_.shape.rows[0].extent)) {  // past the end: nothing
    Clip(&vector, l_.TileBegin(tile), l_.shape.rows[0].extent);
  }
  out->push_back(MakeScratch(rows_));
  out->push_back(l_.OverK(t, block, Body(std::move(vector))));
  return LocalExpr(l_.k, rows_, place(row_axis, k));
}

namespace {

// An operand's part in a block of k: so many rows or columns.
Elements InBlock(const ContractLoops& l, size_t operand, const Affine& base, int64_t count, int64_t stride,
                 AxisId block) {
  const PairedOperand& pair = operand == 0 ? l.shape.x_pair : l.shape.w_pair;
  const AxisId i = l.k->AddAxis("i");
  const int64_t deep = 2 * l.deep();
  Elements e{l.node.operands[operand], SerialLoop(i, pair.joined ? count : deep, {}), base, pair.joined ? deep : count};
  if (l.EndsInBlock()) e.Clip(pair.joined, AxisAffine(block, 2 * l.k_block), 2 * l.shape.depth);
  if (operand == 0 && l.block >= 0 && l.shape.rows[0].extent % count != 0) {
    e.Clip(!pair.joined, l.FromBlock({}), l.shape.rows[0].extent);
  }
  e.at.Add(block, 2 * l.k_block * pair.next);
  e.at.Add(i, pair.joined ? stride : pair.next);
  return e;
}

}  // namespace

ExprId ContractPack::MayDotBlock(const Panel& p, AxisId block, std::vector<Stmt>* out) {
  const ContractShape& s = l_.shape;
  const Affine x = l_.x_base + l_.FromBlock({}) * l_.row_stride(), w = l_.w_base + p.base * s.lane.w;
  LeastOf(l_.k, l_.c.builder, InBlock(l_, 0, x, l_.tiles.block, l_.row_stride(), block), &x_least_, out);
  LeastOf(l_.k, l_.c.builder, InBlock(l_, 1, w, p.columns, s.lane.w, block), &w_least_, out);
  return MayDot(l_.k, l_.c.builder, x_least_, w_least_);
}

}  // namespace reel::codegen
