#include "codegen/schedule/contract_tile.h"

#include <algorithm>
#include <bit>

namespace reel::codegen {
namespace {

using ir::Op;

// Sums over the rows of a product, or of maps of it (FuseEpilogueReductions), while its kernel walks them: blocks are
// whole groups of 64 rows. The sums of a group, of at most so many lanes, one for each of the row reductions.
std::vector<RowSums> OpenRowSums(const ScheduleContext& c, int64_t lanes) {
  std::vector<RowSums> sums;
  for (const auto& [root, to] : c.kernel_plan().As<MatmulKernel>()->row_reductions) {
    const DType dtype = c.dtype(root);
    sums.push_back({c.kernel->AddLocal("s", dtype, lanes), c.builder->BufferOf(to, true),
                    CombineOf(c.f.producer(root)->op), dtype});
  }
  return sums;
}

// At the element `index` of the product: adds what the columns are sums of to the sums at `lane`.
void AddToRowSums(const ScheduleContext& c, const std::vector<RowSums>& sums, const Index& index, const Affine& lane,
                  std::vector<Stmt>* out) {
  const auto& reductions = c.kernel_plan().As<MatmulKernel>()->row_reductions;
  for (size_t i = 0; i < sums.size(); ++i) {
    const ir::Value x = c.builder->BaseOf(c.f.producer(reductions[i].root)->operands[0]);
    out->push_back(MakeAccumulate(sums[i].sums, lane, sums[i].combine, c.builder->Build(x, index)));
  }
}

// After row `index`: if it is the last of its group, the sums go to memory, and the next group's begin. `columns` of
// them, from `column` on, so many at once.
Stmt EndGroup(const ScheduleContext& c, const std::vector<RowSums>& sums, Index index, const Affine& column,
              int64_t columns, int64_t vector) {
  ExprBuilder& b = *c.builder;
  const int64_t width = c.f.type(c.kernel_plan().root).shape.dims().back();
  index.back() = {};
  Affine row = b.Flat(c.kernel_plan().root, index);
  row.constant /= width;
  for (auto& [axis, coefficient] : row.terms) coefficient /= width;
  const ExprId at = b.Position(row), in_group = b.Apply(Op::kRem, kInt64, {at, b.Number(kPartials)});
  const AxisId e = c.kernel->AddAxis("e");
  std::vector<Stmt> store, reset;
  for (const RowSums& s : sums) {
    store.push_back(MakeStore(s.partials, column + AxisAffine(e), LocalExpr(c.kernel, s.sums, AxisAffine(e))));
    store.back().dynamic = b.Apply(Op::kDiv, kInt64, {at, b.Number(kPartials)});
    store.back().dynamic_stride = width;
    const ExprId first = b.Constant(s.dtype, 0);
    c.kernel->exprs[static_cast<size_t>(first)].bits = IdentityBits(s.combine, s.dtype);
    reset.push_back(MakeAccumulate(s.sums, AxisAffine(e), Combine::kSet, first));
  }
  Append(std::move(reset), &store);
  Stmt end = VectorLoop(e, columns, vector, std::move(store));
  const ExprId is_last = b.Apply(Op::kEqual, kBool, {in_group, b.Number(kPartials - 1)});
  return If(c.kernel, is_last, Body(std::move(end)));
}

}  // namespace

ContractResult::ContractResult(const ContractLoops& loops)
    : l_(loops), sums_(OpenRowSums(loops.c, loops.tiles.lanes)) {}

TileAxes OpenTile(Kernel* k, const Panel& p) {
  TileAxes t{k->AddAxis("i"), k->AddAxis("j"), p.vector < p.width ? k->AddAxis("p") : -1, {}, {}};
  t.column = AxisAffine(t.j);
  if (t.part >= 0) t.column.Add(t.part, p.vector);
  t.sum = AxisAffine(t.i, p.width) + t.column;
  return t;
}

int64_t ComputedLanes(const ContractLoops& l, const Panel& p) {
  const auto last = static_cast<uint64_t>(p.columns % p.vector);
  if (l.shape.pairs) return p.width;
  if (!l.c.target.has_masks || last == 0) return p.columns;
  return p.columns / p.vector * p.vector + static_cast<int64_t>(std::bit_ceil(last));
}

Stmt OverTile(const ContractLoops& l, const TileAxes& t, const Panel& p, int64_t columns, std::vector<Stmt> body) {
  Stmt loop = VectorLoop(t.j, std::min(columns, p.vector), p.vector, std::move(body));
  if (t.part >= 0 && columns < p.width) Clip(&loop, AxisAffine(t.part, p.vector), columns);
  if (t.part >= 0) loop = UnrolledLoop(t.part, p.width / p.vector, Body(std::move(loop)));
  return UnrolledLoop(t.i, l.tiles.rows, Body(std::move(loop)));
}

void ContractResult::Choose(bool one_block) {
  const ScheduleContext& c = l_.c;
  const int ops = c.kernel_plan().nodes;
  const bool may_be_direct =
      one_block && !l_.NeedsRowTable() && c.options.vectorize && sums_.empty() && ops <= kMaxUnrolledEpilogue;
  const bool is_short = ops <= c.target.tuning.epilogue_unrolled_ops;
  direct_ = c.choices->Flag("direct", may_be_direct && is_short, may_be_direct);
}

Stmt ContractResult::OpenTable(int64_t width, bool one_block) {
  table_width_ = width;
  if (total_ < 0) total_ = l_.k->AddLocal("total", l_.dtype, l_.tiles.per_block * l_.tiles.rows * width);
  const double first = l_.shape.depth == 0 || l_.shape.tiles || !IsFloat(l_.dtype) ? 0.0 : -0.0;
  return one_block && !l_.shape.tiles ? MakeScratch(total_) : MakeLocal(total_, Bits(l_.dtype, first));
}

// The sums of a tile to the table.
Stmt ContractResult::AddTile(const Panel& p, AxisId tile, LocalId acc) const {
  const TileAxes t = OpenTile(l_.k, p);
  const int64_t width = l_.tiles.whole_rows ? table_width_ : p.width;
  Affine to = AxisAffine(t.i, width) + t.column + AxisAffine(tile, l_.tiles.rows * width);
  if (l_.tiles.whole_rows) to.Add(p.base);
  const Combine add = l_.shape.depth > l_.k_block && !l_.is_split() ? Combine::kSum : Combine::kSet;
  Stmt element = MakeAccumulate(total_, to, add, LocalExpr(l_.k, acc, t.sum));
  return OverTile(l_, t, p, ComputedLanes(l_, p), Body(std::move(element)));
}

// The sums of a tile, and what is computed from them, to memory.
Stmt ContractResult::StoreTile(const Panel& p, AxisId tile, LocalId acc) const {
  const TileAxes t = OpenTile(l_.k, p);
  Index index = l_.index;
  const bool has_rows = !l_.shape.rows.empty();
  if (has_rows) index[static_cast<size_t>(l_.blocked().result)].Add(l_.TileBegin(tile) + AxisAffine(t.i));
  if (l_.shape.lane.result >= 0) index[static_cast<size_t>(l_.shape.lane.result)].Add(p.base + t.column);
  const ExprId value = LocalExpr(l_.k, acc, t.sum);
  Stmt rows = OverTile(l_, t, p, p.columns, Stores(index, value));
  if (has_rows && l_.blocked().extent % l_.tiles.rows != 0) Clip(&rows, l_.TileBegin(tile), l_.blocked().extent);
  return rows;
}

void ContractResult::Finish(const Panel& p, std::vector<Stmt>* out) {
  for (const RowSums& s : sums_) out->push_back(MakeLocal(s.sums, IdentityBits(s.combine, s.dtype)));
  if (direct_) return;
  RowLoops r = l_.OpenRows();
  const AxisId j = l_.k->AddAxis("j");
  if (l_.shape.lane.result >= 0) r.index[static_cast<size_t>(l_.shape.lane.result)].Add(p.base + AxisAffine(j));
  // Accumulating reads before the stores write: an output may take the place of an operand.
  std::vector<Stmt> stores = Stores(r.index, LocalExpr(l_.k, total_, r.local * p.width + AxisAffine(j))), element;
  AddToRowSums(l_.c, sums_, r.index, AxisAffine(j), &element);
  Append(std::move(stores), &element);
  std::vector<Stmt> row = Body(VectorLoop(j, p.columns, p.vector, std::move(element)));
  if (!sums_.empty()) row.push_back(EndGroup(l_.c, sums_, r.index, p.base, p.columns, p.vector));
  Append(l_.OverRows(r, std::move(row)), out);
}

// The sum there and what is computed from it.
std::vector<Stmt> ContractResult::Stores(const Index& index, ExprId sum) const {
  const ScheduleContext& c = l_.c;
  if (l_.shape.tiles) sum = c.builder->Apply(Op::kCast, c.dtype(l_.root), {sum});
  c.builder->SetRoot(l_.root, sum);
  if (l_.is_split()) {
    const Affine at = c.builder->Flat(l_.root, index) + AxisAffine(l_.split, c.f.type(l_.root).shape.size());
    return Body(MakeStore(c.builder->BufferOf(c.kernel_plan().As<MatmulKernel>()->split_k, true), at, sum));
  }
  std::vector<Stmt> stores = c.Stores({l_.root}, index);
  Append(c.Stores(c.kernel_plan().epilogue, index), &stores);
  return stores;
}

}  // namespace reel::codegen
