#include "codegen/schedule/contract_loops.h"

#include <algorithm>
#include <cstdlib>

#include "codegen/loop/ceil.h"

namespace reel::codegen {
namespace {

using ir::Op;

// The axes of k that an operand alone can tell apart.
std::vector<ContractAxis> Distinct(const std::vector<ContractAxis>& all, int64_t ContractAxis::* stride) {
  std::vector<ContractAxis> axes;
  for (const ContractAxis& a : all) {
    const bool joins = !axes.empty() && axes.back().*stride == a.*stride * a.extent;
    const int64_t n = joins ? axes.back().extent : 1;
    if (joins) axes.pop_back();
    axes.push_back(a);
    axes.back().extent *= n;
  }
  return axes;
}

// The pair of bf16 that begins at `at`, or `dynamic` (even) elements behind that, as i32.
ExprId PairAt(ExprBuilder* b, ir::Value operand, const PairedOperand& paired, const Affine& at, ExprId dynamic) {
  const ExprId half = b->Constant(kInt32, 16);
  if (paired.joined) {
    const ExprId both = b->LoadBits(operand, at, kInt32, dynamic);
    return b->Apply(Op::kOr, kInt32,
                    {b->Apply(Op::kShiftLeft, kInt32, {both, half}), b->Apply(Op::kShiftRight, kInt32, {both, half})});
  }
  const auto bits = [&](const Affine& of) {
    return b->Apply(Op::kCast, kInt32, {b->LoadBits(operand, of, kUInt16, dynamic)});
  };
  const ExprId high = bits(at), low = bits(at + paired.next);
  return b->Apply(Op::kOr, kInt32, {b->Apply(Op::kShiftLeft, kInt32, {high, half}), low});
}

}  // namespace

ContractLoops::ContractLoops(const ScheduleContext& context)
    : c(context),
      k(c.kernel),
      root(c.kernel_plan().root),
      node(*c.f.producer(root)),
      shape(ShapeOfContract(c)),
      dtype(shape.tiles ? kFloat32 : c.dtype(root)),
      tiles(TilesOfContract(c, shape)),
      k_block(shape.pairs ? kProductBlock / 2 : kProductBlock),
      packed(shape.pairs ? kInt32 : dtype),
      index(static_cast<size_t>(shape.rank)) {}

LoopAxes ContractLoops::OpenOuter() {
  LoopAxes loops;
  const auto open = [&](const ContractAxis& a) {
    const Affine step = AxisAffine(loops.Add(k, "b", a.extent));
    if (a.result >= 0) index[static_cast<size_t>(a.result)].Add(step);
    x_base.Add(step, a.x);
    w_base.Add(step, a.w);
  };
  if (c.kernel_plan().LeavesRoot()) split = loops.Add(k, "kb", Ceil(shape.depth, k_block));
  for (const ContractAxis& a : shape.outer) open(a);
  for (size_t i = 0; i < tiles.axis && i < shape.rows.size(); ++i) open(shape.rows[i]);
  if (!shape.rows.empty() && tiles.block < blocked().extent) {
    block = loops.Add(k, "mb", Ceil(blocked().extent, tiles.block));
  }
  return loops;
}

Affine ContractLoops::FromBlock(Affine step) const {
  if (block >= 0) step.Add(block, tiles.block);
  return step;
}

Stmt ContractLoops::OverK(AxisId axis, AxisId k_block_axis, std::vector<Stmt> body) const {
  Stmt loop = SerialLoop(axis, deep(), std::move(body));
  if (EndsInBlock()) Clip(&loop, AxisAffine(k_block_axis, k_block), shape.depth);
  return loop;
}

std::vector<Stmt> ContractLoops::OverKAhead(AxisId axis, AxisId k_block_axis, Ahead ahead,
                                            std::vector<Stmt> body) const {
  if (ahead.count == 0) return Body(OverK(axis, k_block_axis, std::move(body)));
  const int64_t run = deep() / ahead.count;
  if (run == 0 || deep() % ahead.count != 0 || shape.depth % run != 0) {
    Stmt first = SerialLoop(ahead.axis, ahead.count, std::move(ahead.lines));
    return Body(std::move(first), OverK(axis, k_block_axis, std::move(body)));
  }
  ShiftAxis(k, &body, axis, AxisAffine(ahead.axis, run));
  ahead.lines.push_back(SerialLoop(axis, run, std::move(body)));
  Stmt parts = SerialLoop(ahead.axis, ahead.count, std::move(ahead.lines));
  if (EndsInBlock()) Clip(&parts, AxisAffine(k_block_axis, k_block / run), shape.depth / run);
  return Body(std::move(parts));
}

Stmt ContractLoops::OverTiles(AxisId tile, std::vector<Stmt> body) const {
  Stmt loop = SerialLoop(tile, tiles.per_block, std::move(body));
  if (block < 0) return loop;
  const int64_t extent = blocked().extent, others = (extent - 1) / tiles.block;
  const int64_t last = Ceil((extent - others * tiles.block) * tiles.inner, tiles.rows);
  Clip(&loop, AxisAffine(block, tiles.per_block), others * tiles.per_block + last);
  return loop;
}

RowLoops ContractLoops::OpenRows() const {
  RowLoops r{{}, index, {}, {}};
  int64_t inner = tiles.inner;
  for (size_t i = tiles.axis; i < shape.rows.size(); ++i) {
    const ContractAxis& a = shape.rows[i];
    const bool first = i == tiles.axis;
    if (!first) inner /= a.extent;
    const Affine step = AxisAffine(r.axes.Add(k, "i", first ? tiles.block : a.extent));
    r.local.Add(step, inner);
    r.index[static_cast<size_t>(a.result)].Add(first ? FromBlock(step) : step);
    r.x.Add(step, a.x);
  }
  return r;
}

std::vector<Stmt> ContractLoops::OverRows(const RowLoops& rows, std::vector<Stmt> body) const {
  body = Nest(rows.axes, 1, std::move(body));
  if (block >= 0 && blocked().extent % tiles.block != 0) {
    Clip(&body[0], AxisAffine(block, tiles.block), blocked().extent);
  }
  return body;
}

LocalId ContractLoops::FillRowOffsets(std::vector<Stmt>* out) const {
  const LocalId table = k->AddLocal("rows", kInt64, tiles.per_block * tiles.rows);
  out->push_back(MakeLocal(table, 0));
  const RowLoops r = OpenRows();
  Append(OverRows(r, Body(MakeAccumulate(table, r.local, Combine::kSet, c.builder->Position(r.x)))), out);
  return table;
}

ExprId ContractLoops::Row(const Panel& panel, AxisId tile, AxisId i, Affine* x) const {
  if (shape.rows.empty()) return -1;
  if (block >= 0) x->Add(block, tiles.block * blocked().x);
  const Affine row = AxisAffine(tile, tiles.rows) + AxisAffine(i);
  if (NeedsRowTable()) return LocalExpr(k, panel.row_offsets, row);
  if (TilesFit(blocked().extent)) {
    x->Add(row, blocked().x);
    return -1;
  }
  // Rows past the end repeat the last one.
  ExprBuilder& b = *c.builder;
  Affine last{blocked().extent - 1, {}};
  if (block >= 0) last.Add(block, -tiles.block);
  const ExprId at = b.Apply(Op::kMin, kInt64, {b.Position(row), b.Position(last)});
  return b.Apply(Op::kMul, kInt64, {at, b.Number(blocked().x)});
}

LoopAxes ContractLoops::OpenTaps() const {
  constexpr int64_t kMaxTaps = 64, kMaxCode = 512;  // code is bounded, whatever is chosen
  const int64_t code = tiles.rows * Ceil(tiles.lanes, hardware()) * shape.depth;
  const bool plain =
      shape.k.size() > 1 && !tiles.pack && tiles.turn == 0 && !shape.pairs && !shape.computed && !is_split();
  const bool may_be = plain && c.options.vectorize && shape.depth <= kMaxTaps && code <= kMaxCode;
  const bool usual = shape.depth <= c.target.tuning.matmul_taps && code <= c.target.tuning.matmul_taps_code;
  LoopAxes taps;
  if (!may_be || !c.choices->Flag("taps", usual)) return taps;
  for (const ContractAxis& a : shape.k) taps.Add(k, "k", a.extent);
  return taps;
}

KOffsets ContractLoops::OffsetsOfTaps(int64_t ContractAxis::* stride, const LoopAxes& taps) const {
  KOffsets offsets{0, -1, true, {}};
  for (size_t i = 0; i < taps.size(); ++i) offsets.taps.Add(taps.ids[i], shape.k[i].*stride);
  return offsets;
}

KOffsets ContractLoops::OffsetsAlongK(int64_t ContractAxis::* stride, AxisId k_block_axis,
                                      std::vector<Stmt>* out) const {
  Stmt loop = OverK(k->AddAxis("t"), k_block_axis, {});
  const std::vector<ContractAxis> axes = Distinct(shape.k, stride);
  if (axes.size() <= 1) return {axes.empty() ? 0 : axes[0].*stride, -1};
  int64_t span = 1;
  for (const ContractAxis& a : axes) span *= a.extent;
  for (const ContractAxis& a : axes) span += std::abs(a.*stride) * a.extent;
  const DType type = span < INT32_MAX ? kInt32 : kInt64;
  const KOffsets offsets{0, k->AddLocal("ks", type, loop.extent.value())};
  ExprBuilder& b = *c.builder;
  const auto number = [&](int64_t x) { return b.Constant(type, static_cast<double>(x)); };
  ExprId rest = b.Position(OfBlock(k_block_axis, AxisAffine(loop.axis)), type), sum = -1;
  for (size_t i = axes.size(); i-- > 0;) {
    const ExprId extent = number(axes[i].extent);
    const ExprId at = i == 0 ? rest : b.Apply(Op::kRem, type, {rest, extent});
    if (i > 0) rest = b.Apply(Op::kDiv, type, {rest, extent});
    const ExprId term = b.Apply(Op::kMul, type, {at, number(axes[i].*stride)});
    sum = sum < 0 ? term : b.Apply(Op::kAdd, type, {sum, term});
  }
  loop.body.push_back(MakeAccumulate(offsets.table, AxisAffine(loop.axis), Combine::kSet, sum));
  loop.width = c.options.vectorize ? c.target.lanes(SizeOf(type)) : 1;
  if (loop.width > 1) loop.loop_kind = LoopKind::kVector;
  out->push_back(MakeScratch(offsets.table));
  out->push_back(std::move(loop));
  return offsets;
}

ExprId ContractLoops::Load(size_t operand, const Affine& base, const KOffsets& offsets, const Affine& at_k,
                           const Affine& inner, ExprId dynamic, ExprId guard) const {
  ExprBuilder& b = *c.builder;
  const ir::Value v = node.operands[operand];
  if (shape.pairs) {
    return PairAt(&b, v, operand == 0 ? shape.x_pair : shape.w_pair, base + at_k * offsets.stride, dynamic);
  }
  if (offsets.unrolled) return b.LoadView(v, base + offsets.taps, dynamic, guard);
  if (offsets.table < 0) return b.LoadView(v, base + at_k * offsets.stride, dynamic, guard);
  const ExprId offset = b.ToInt64(LocalExpr(k, offsets.table, inner));
  return b.LoadView(v, base, dynamic < 0 ? offset : b.Apply(Op::kAdd, kInt64, {dynamic, offset}), guard);
}

}  // namespace reel::codegen
