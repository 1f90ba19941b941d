#include <algorithm>
#include <bit>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/contract_offsets.h"
#include "codegen/schedule/contract_operand.h"
#include "codegen/schedule/contract_pairs.h"
#include "codegen/schedule/contract_prefetch.h"
#include "codegen/schedule/contract_sums.h"
#include "ir/strings.h"

// Matrix products and what looks like them (convolutions): k ascends in blocks of 256. Rows go in blocks, too: for
// each block of k, tile after tile of rows x lanes is accumulated in registers and added to a table on the stack,
// from which the epilogue (whatever maps were fused) is computed row by row. One block of k needs no table if the
// epilogue is short: it is unrolled over the registers of a tile.
//
// Rows and k may walk the memory of the operands in several axes. Their offsets are then looked up in tables: x is at
// row_offset[row] + k_offset[k], so that the innermost loop is that of a plain product.

namespace reel::codegen {
namespace {

using ir::Op;

class ContractSchedule {
 public:
  explicit ContractSchedule(const ScheduleContext& c)
      : c_(c),
        plan_(*c.kernel_plan().As<MatmulKernel>()),
        k_(c.kernel),
        root_(c.kernel_plan().root),
        node_(*c.f.producer(root_)),
        dtype_(c.f.type(root_).dtype),
        shape_(ShapeOfContract(c)),
        tiles_(TilesOfContract(c, shape_)),
        k_block_(shape_.pairs ? kProductBlock / 2 : kProductBlock),
        packed_(shape_.pairs ? kInt32 : dtype_),
        sums_(OpenRowSums(c, tiles_.lanes)) {}

  void Run() {
    if (shape_.empty) return;
    index_.assign(static_cast<size_t>(shape_.rank), Affine{});
    // Loops from outside: batches and outer columns, outer rows, blocks of rows.
    std::vector<std::pair<AxisId, int64_t>> loops;
    const auto open = [&](const ContractAxis& a) {
      loops.emplace_back(k_->AddAxis("b"), a.extent);
      const Affine step = AxisAffine(loops.back().first);
      if (a.result >= 0) index_[static_cast<size_t>(a.result)].Add(step);
      x_base_.Add(step, a.x);
      w_base_.Add(step, a.w);
    };
    if (plan_.split_k.valid()) {
      loops.emplace_back(k_->AddAxis("kb"), Ceil(shape_.depth, k_block_));
      split_ = loops.back().first;
    }
    for (const ContractAxis& a : shape_.outer) open(a);
    for (size_t i = 0; i < tiles_.axis && i < shape_.rows.size(); ++i) open(shape_.rows[i]);
    if (!shape_.rows.empty() && tiles_.block < shape_.rows[tiles_.axis].extent) {
      const int64_t extent = shape_.rows[tiles_.axis].extent;
      loops.emplace_back(k_->AddAxis("mb"), Ceil(extent, tiles_.block));
      block_ = loops.back().first;
    }
    const int64_t lanes = tiles_.lanes;
    const bool panels = tiles_.pack && SharesPanels(shape_, lanes, c_.target.tuning);
    if (panels) loops.emplace_back(k_->AddAxis("n"), shape_.lane.extent / lanes);
    std::vector<Stmt> body = panels              ? Block(AxisAffine(loops.back().first, lanes), lanes, lanes)
                             : tiles_.whole_rows ? WholeRows()
                                                 : Panels(loops.empty());
    if (split_ < 0) OrderLoops(c_, &loops);
    for (size_t i = loops.size(); i-- > 0;) body = Nest({loops[i].first}, {loops[i].second}, 1, std::move(body));
    k_->body = std::move(body);
    const int64_t size = c_.f.type(root_).shape.size(), depth = shape_.depth * (shape_.pairs ? 2 : 1);
    if (IsFloat(dtype_)) k_->product_flops = 2.0 * static_cast<double>(size) * static_cast<double>(depth);
    k_->why.push_back(StrCat("product of depth ", depth, shape_.pairs ? " in pairs of bf16" : "", " to ",
                             c_.f.type(root_).ToString(), ": ", TextOf(shape_, tiles_)));
    // 2 * depth, four at once; pairs count once.
    if (c_.options.vectorize && k_->body.size() == 1) Parallelize(c_, size, Ceil(shape_.depth, 2));
  }

 private:
  // A step of the blocked axis, from the start of the block.
  Affine FromBlock(Affine step) const {
    if (block_ >= 0) step.Add(block_, tiles_.block);
    return step;
  }

  // Columns in panels of tiles_.lanes, the last one narrower; one loop if threads are to share it.
  std::vector<Stmt> Panels(bool shared) {
    const int64_t lanes = tiles_.lanes, n = shape_.lane.extent, whole = n / lanes, rest = n % lanes;
    const AxisId panel = k_->AddAxis("n");
    std::vector<Stmt> wide, narrow;
    if (whole > 0) wide = Block(AxisAffine(panel, lanes), lanes, lanes);
    if (rest > 0) {
      const int64_t hardware = c_.options.vectorize ? c_.target.lanes(SizeOf(dtype_)) : 1;
      narrow = Block({whole * lanes, {}}, rest, RoundUp(rest, hardware));
    }
    if (whole == 0) return narrow;
    if (shared && rest > 0) return Only(WithLast(c_.builder, k_, panel, whole, std::move(wide), std::move(narrow)));
    std::vector<Stmt> out = Only(MakeLoop(panel, whole, LoopKind::kSerial, 1, std::move(wide)));
    for (Stmt& s : narrow) out.push_back(std::move(s));
    return out;
  }

  // A panel of columns of a block of rows.
  struct Panel {
    Affine base;
    int64_t columns, width;
    int64_t vector;  // lanes of a step: all of them, or a register where they are no power of two or more than columns
    LocalId row_offsets;
  };

  std::vector<Stmt> Block(const Affine& base, int64_t columns, int64_t width) {
    const int64_t hardware = c_.options.vectorize ? c_.target.lanes(SizeOf(dtype_)) : 1;
    const bool whole = columns == width && (width & (width - 1)) == 0;
    Panel p{base, columns, width, whole && !shape_.pairs ? width : hardware, -1};
    std::vector<Stmt> out;
    const bool one_block = split_ >= 0 || (shape_.depth > 0 && shape_.depth <= k_block_);
    if (tiles_.whole_rows) return Blocks(p);
    const bool may_be_direct = one_block && !NeedsRowTable() && c_.options.vectorize && sums_.empty() &&
                               c_.kernel_plan().nodes <= kMaxUnrolledEpilogue;
    const bool is_short = c_.kernel_plan().nodes <= c_.target.tuning.epilogue_unrolled_ops;
    direct_ = c_.choices->Flag("direct", may_be_direct && is_short, may_be_direct);
    if (!direct_) out.push_back(OpenTable(tiles_.lanes, one_block));
    if (shape_.depth > 0) {
      if (NeedsRowTable()) RowOffsets(&p, &out);
      for (Stmt& s : Blocks(p)) out.push_back(std::move(s));
    }
    for (const RowSums& s : sums_) out.push_back(MakeLocal(s.sums, IdentityBits(s.combine, s.dtype)));
    if (!direct_) out.push_back(Epilogue(p));
    return out;
  }

  // The sums of a block of rows. -0 + x = x for every x, so that of the first block of k is taken as it is.
  Stmt OpenTable(int64_t width, bool one_block) {
    if (total_ < 0) total_ = k_->AddLocal("total", dtype_, tiles_.per_block * tiles_.rows * width);
    const double first = shape_.depth == 0 || !IsFloat(dtype_) ? 0.0 : -0.0;
    return one_block ? MakeScratch(total_) : MakeLocal(total_, Bits(dtype_, first));
  }

  // Panels whose sums wait in a table of whole rows.
  std::vector<Stmt> WholeRows() {
    const int64_t n = shape_.lane.extent, hardware = c_.target.lanes(SizeOf(dtype_));
    table_width_ = RoundUp(n, hardware);
    std::vector<Stmt> out = Only(OpenTable(table_width_, shape_.depth <= k_block_));
    for (Stmt& s : Panels(false)) out.push_back(std::move(s));
    out.push_back(Epilogue({{}, n, table_width_, hardware, -1}));
    return out;
  }

  bool NeedsRowTable() const { return tiles_.axis + 1 < shape_.rows.size(); }

  // Loops over the rows of a block, as for block axis { for inner axes { body } }; rows past the end are left out.
  struct RowLoops {
    Affine local;  // position in the block
    Index index;  // of the result
    Affine x;  // offset from the start of the block
    std::vector<std::pair<AxisId, int64_t>> axes;
  };
  RowLoops OpenRows() {
    RowLoops r{{}, index_, {}, {}};
    int64_t inner = tiles_.inner;
    for (size_t i = tiles_.axis; i < shape_.rows.size(); ++i) {
      const ContractAxis& a = shape_.rows[i];
      const bool first = i == tiles_.axis;
      if (!first) inner /= a.extent;
      r.axes.emplace_back(k_->AddAxis("i"), first ? tiles_.block : a.extent);
      const Affine step = AxisAffine(r.axes.back().first);
      r.local.Add(step, inner);
      r.index[static_cast<size_t>(a.result)].Add(first ? FromBlock(step) : step);
      r.x.Add(step, a.x);
    }
    return r;
  }
  std::vector<Stmt> OverRows(const RowLoops& r, std::vector<Stmt> body) {
    for (size_t i = r.axes.size(); i-- > 0;) {
      Stmt loop = MakeLoop(r.axes[i].first, r.axes[i].second, LoopKind::kSerial, 1, std::move(body));
      if (i == 0 && block_ >= 0 && shape_.rows[tiles_.axis].extent % tiles_.block != 0) {
        Clip(&loop, AxisAffine(block_, tiles_.block), shape_.rows[tiles_.axis].extent);
      }
      body = Only(std::move(loop));
    }
    return body;
  }

  // Where the rows of the block are in x; rows past the end are at the first.
  void RowOffsets(Panel* p, std::vector<Stmt>* out) {
    p->row_offsets = k_->AddLocal("rows", kInt64, tiles_.per_block * tiles_.rows);
    out->push_back(MakeLocal(p->row_offsets, 0));
    RowLoops r = OpenRows();
    const Stmt set = MakeAccumulate(p->row_offsets, r.local, Combine::kSet, c_.builder->Position(r.x));
    for (Stmt& s : OverRows(r, {set})) out->push_back(std::move(s));
  }

  KOffsets OffsetsOf(int64_t ContractAxis::* stride, AxisId block, std::vector<Stmt>* out) {
    return OffsetsAlongK(c_, shape_.k, stride, OfBlock(block, {}), OverK(k_->AddAxis("t"), block, {}), out);
  }

  // The last of several blocks of k is shorter.
  bool EndsInBlock() const { return shape_.depth > k_block_ && shape_.depth % k_block_ != 0; }

  // for axis over a block of k { body }
  Stmt OverK(AxisId axis, AxisId block, std::vector<Stmt> body) const {
    Stmt loop = MakeLoop(axis, std::min(shape_.depth, k_block_), LoopKind::kSerial, 1, std::move(body));
    if (EndsInBlock()) Clip(&loop, AxisAffine(block, k_block_), shape_.depth);
    return loop;
  }

  // k of what is `inner` in a block.
  Affine OfBlock(AxisId block, const Affine& inner) const {
    Affine k = AxisAffine(block, k_block_);
    k.Add(inner);
    return k;
  }

  // The element k of an operand at base; inner: k in its block.
  ExprId Load(int operand, const Affine& base, const KOffsets& offsets, const Affine& k, const Affine& inner,
              ExprId dynamic, ExprId guard = -1) {
    ExprBuilder& b = *c_.builder;
    Affine at = base;
    if (shape_.pairs) {
      at.Add(k, offsets.stride);
      return PairAt(&b, node_.operands[static_cast<size_t>(operand)], operand == 0 ? shape_.x_pair : shape_.w_pair, at,
                    dynamic);
    }
    if (offsets.table < 0) {
      at.Add(k, offsets.stride);
    } else {
      const ExprId offset = b.ToInt64(LocalExpr(k_, offsets.table, inner));
      dynamic = dynamic < 0 ? offset : b.Apply(Op::kAdd, kInt64, {dynamic, offset});
    }
    return b.LoadView(node_.operands[static_cast<size_t>(operand)], at, dynamic, guard);
  }

  // A block of the panel of w, lanes side by side.
  void Pack(const Panel& p, const KOffsets& wk, AxisId block, AxisId group, std::vector<Stmt>* out) {
    const int64_t n = c_.target.lanes(SizeOf(dtype_)), size = std::min(shape_.depth, k_block_);
    if (pack_ < 0) pack_ = k_->AddLocal("pack", packed_, size * tiles_.lanes);
    out->push_back(MakeScratch(pack_));
    const auto set = [&](const Affine& k, const Affine& inner, const Affine& lane) {
      Affine to = lane, from = w_base_;
      to.Add(inner, p.width);
      from.Add(p.base, shape_.lane.w);
      from.Add(lane, shape_.lane.w);
      return MakeAccumulate(pack_, to, Combine::kSet, Load(1, from, wk, k, inner, -1));
    };
    const AxisId t = k_->AddAxis("t"), j = k_->AddAxis("j");
    if (shape_.computed) return out->push_back(Computed(p, pack_, p.width, block, group, t, {}));
    const Affine k = AxisAffine(t), lane = AxisAffine(j);
    // What is not side by side along k either is gathered.
    const bool transposed = shape_.lane.w != 1 && wk.table < 0 && wk.stride == (shape_.pairs ? 2 : 1) && n > 1;
    if (!transposed) {
      Stmt copy = MakeLoop(j, p.columns, LoopKind::kVector, p.vector, Only(set(OfBlock(block, k), k, lane)));
      return out->push_back(OverK(t, block, Only(std::move(copy))));
    }
    // Squares of n x n are transposed in registers. Before them, the last depth % n elements of k, which squares of
    // earlier blocks overwrite; at last the columns that fill no square.
    const int64_t squares = p.columns / n, rest = shape_.depth % n;
    if (squares > 0 && rest > 0) {
      Affine last = k, inner = k;
      last.constant = shape_.depth - rest;
      inner.constant = last.constant % k_block_;
      Stmt copy = MakeLoop(j, squares * n, LoopKind::kVector, n, Only(set(last, inner, lane)));
      out->push_back(MakeLoop(t, rest, LoopKind::kSerial, 1, Only(std::move(copy))));
    }
    if (squares > 0 && shape_.depth >= n) out->push_back(Squares(p, wk, block, squares, n));
    if (p.columns % n > 0) {
      Affine column = lane;
      column.constant = squares * n;
      Stmt copy = OverK(t, block, Only(set(OfBlock(block, k), k, column)));
      copy.loop_kind = LoopKind::kVector;
      copy.width = n;
      out->push_back(MakeLoop(j, p.columns % n, LoopKind::kSerial, 1, Only(std::move(copy))));
    }
  }

  Stmt Squares(const Panel& p, const KOffsets& wk, AxisId block, int64_t squares, int64_t n) {
    const AxisId g = k_->AddAxis("g"), q = k_->AddAxis("q"), r = k_->AddAxis("r"), v = k_->AddAxis("v");
    if (square_ < 0) square_ = k_->AddLocal("square", packed_, n * n);
    Affine from = w_base_, to = AxisAffine(r, p.width);
    // rows of the square are lanes, neighbours in a row are along k
    from.Add(p.base, shape_.lane.w);
    from.Add(g, n * shape_.lane.w);
    from.Add(r, shape_.lane.w);
    Affine along_k = AxisAffine(q, n);
    along_k.Add(v, 1);
    to.Add(q, n * p.width);
    to.Add(g, n);
    to.Add(v, 1);
    const ExprId value = Load(1, from, wk, OfBlock(block, along_k), along_k, -1);
    Stmt along = MakeLoop(q, std::min(shape_.depth, k_block_) / n, LoopKind::kSerial, 1,
                          TransposedSquare(k_, {square_, r, v, n}, value, pack_, to));
    if (EndsInBlock()) Clip(&along, AxisAffine(block, k_block_ / n), shape_.depth / n);
    return MakeLoop(g, squares, LoopKind::kSerial, 1, {along});
  }

  int64_t RowStride() const { return shape_.rows.empty() ? 0 : shape_.rows[0].x; }

  // An operand's part in a block of k: so many rows or columns.
  Elements InBlock(int operand, const Affine& base, const PairedOperand& pair, int64_t count, int64_t stride,
                   AxisId block) {
    const AxisId i = k_->AddAxis("i");
    const int64_t deep = 2 * std::min(shape_.depth, k_block_);
    Elements e{node_.operands[static_cast<size_t>(operand)],
               MakeLoop(i, pair.joined ? count : deep, LoopKind::kSerial, 1, {}), base, pair.joined ? deep : count};
    if (EndsInBlock()) e.Clip(pair.joined, AxisAffine(block, 2 * k_block_), 2 * shape_.depth);
    if (operand == 0 && block_ >= 0 && shape_.rows[0].extent % count != 0) {
      e.Clip(!pair.joined, FromBlock({}), shape_.rows[0].extent);
    }
    e.at.Add(block, 2 * k_block_ * pair.next);
    e.at.Add(i, pair.joined ? stride : pair.next);
    return e;
  }
  // Whether the instruction for pairs may have these blocks of x and w.
  ExprId MayDotBlock(const Panel& p, AxisId block, std::vector<Stmt>* out) {
    Affine x = x_base_, w = w_base_;
    x.Add(FromBlock({}), RowStride());
    w.Add(p.base, shape_.lane.w);
    LeastOf(k_, c_.builder, InBlock(0, x, shape_.x_pair, tiles_.block, RowStride(), block), &x_least_, out);
    LeastOf(k_, c_.builder, InBlock(1, w, shape_.w_pair, p.columns, shape_.lane.w, block), &w_least_, out);
    return MayDot(k_, c_.builder, x_least_, w_least_);
  }

  // The rows of a tile in a block of k as pairs, along k or across as they lie in memory; where those of a row are.
  Affine PackRows(const Panel& p, const KOffsets& xk, AxisId block, AxisId tile, AxisId row_axis, AxisId k,
                  std::vector<Stmt>* out) {
    const int64_t n = c_.target.lanes(SizeOf(packed_)), deep = std::min(shape_.depth, k_block_);
    const bool joined = shape_.x_pair.joined;
    if (rows_ < 0) rows_ = k_->AddLocal("rows", packed_, tiles_.rows * deep);
    const auto place = [&](AxisId row, AxisId at_k) {
      Affine at = AxisAffine(row, joined ? deep : 1);
      at.Add(at_k, joined ? 1 : tiles_.rows);
      return at;
    };
    const AxisId t = k_->AddAxis("t"), i = k_->AddAxis("i");
    Affine from = x_base_;
    ExprId row = -1;  // past the end: the last one again, or nothing
    if (joined) {
      row = Row(p, tile, i, &from);
    } else {
      Affine at = AxisAffine(tile, tiles_.rows);
      at.Add(i, 1);
      from.Add(FromBlock(at), RowStride());
    }
    const ExprId element = Load(0, from, xk, OfBlock(block, AxisAffine(t)), AxisAffine(t), row);
    Stmt over_k = OverK(t, block, {}), over_rows = MakeLoop(i, tiles_.rows, LoopKind::kSerial, 1, {});
    if (!joined && !shape_.rows.empty() && !TilesFit(shape_.rows[0].extent)) {
      Clip(&over_rows, FromBlock(AxisAffine(tile, tiles_.rows)), shape_.rows[0].extent);
    }
    Stmt &vector = joined ? over_k : over_rows, &outer = joined ? over_rows : over_k;
    vector.loop_kind = LoopKind::kVector;
    vector.width = n;
    vector.body = Only(MakeAccumulate(rows_, place(i, t), Combine::kSet, element));
    outer.body = Only(std::move(vector));
    out->push_back(MakeScratch(rows_));
    out->push_back(std::move(outer));
    return place(row_axis, k);
  }

  // Rows of a block of k of the operand that is computed, each put to `to`; after each, the body.
  Stmt Computed(const Panel& p, LocalId to, int64_t stride, AxisId block, AxisId group, AxisId row,
                std::vector<Stmt> body) {
    const ComputedColumns columns{p.base, p.columns, p.vector, to, stride};
    return OverComputedRows(c_, columns, shape_.depth, block, group, row, std::move(body));
  }

  // Axes of a tile; part: registers of a panel that is no single vector, -1 in others.
  struct TileAxes {
    AxisId i, j, part;
    Affine column, sum;  // in the panel; among the accumulators
  };
  TileAxes OpenTile(const Panel& p) {
    TileAxes t{k_->AddAxis("i"), k_->AddAxis("j"), p.vector < p.width ? k_->AddAxis("p") : -1, {}, {}};
    if (t.part >= 0) t.column.Add(t.part, p.vector);
    t.column.Add(t.j, 1);
    t.sum = AxisAffine(t.i, p.width);
    t.sum.Add(t.column);
    return t;
  }

  // What is multiplied for each k of a block, row and lane of a tile.
  struct Factors {
    AxisId block, k, tile, group;  // group: 64 rows of a block of an operand that is computed, -1: of another
    KOffsets xk, wk;
    TileAxes axes;
    ExprId a = -1, b = -1, may_dot = -1;
    LocalId row = -1;  // of an operand that is computed where it is multiplied
  };

  // Blocks of k: tile after tile of the block of rows.
  std::vector<Stmt> Blocks(const Panel& p) {
    const AxisId block = split_ >= 0 ? split_ : k_->AddAxis("kb"), k = k_->AddAxis("k"), tile = k_->AddAxis("m");
    std::vector<Stmt> body;
    const KOffsets xk = OffsetsOf(&ContractAxis::x, block, &body), wk = OffsetsOf(&ContractAxis::w, block, &body);
    const LocalId acc = k_->AddLocal("acc", dtype_, tiles_.rows * p.width);
    const TileAxes axes = OpenTile(p);
    Factors f{block, k, tile, shape_.computed ? k_->AddAxis("g") : -1, xk, wk, axes};
    if (tiles_.pack) Pack(p, wk, block, f.group, &body);
    std::vector<Stmt> one = LoadFactors(p, &f, &body);
    PrefetchNext(c_, shape_, tiles_, w_base_, tile, &one);
    one.push_back(MakeLocal(acc, 0));
    if (f.row >= 0) one.push_back(MakeScratch(f.row));
    if (shape_.pairs) {
      one.push_back(Multiply(p, f, acc, Combine::kDotPair, f.may_dot));
      one.push_back(Multiply(p, f, acc, Combine::kFmaPair, c_.builder->Apply(Op::kNot, kBool, {f.may_dot})));
    } else {
      one.push_back(Multiply(p, f, acc, Combine::kFma, -1));
    }
    one.push_back(direct_ ? StoreTile(p, tile, acc) : AddTile(p, tile, acc));
    body.push_back(OverTiles(tile, std::move(one)));
    return split_ >= 0 ? std::move(body) : Nest({block}, {Ceil(shape_.depth, k_block_)}, 1, std::move(body));
  }

  // Sets a and b of the factors; what a tile, and the block of k, do before they multiply.
  std::vector<Stmt> LoadFactors(const Panel& p, Factors* f, std::vector<Stmt>* body) {
    const ExprId in_panel = InPanel(p, f->axes);
    std::vector<Stmt> one = PrefetchWindow(c_, shape_, tiles_, x_base_, block_, f->block, f->tile);
    Affine x = x_base_, w = w_base_, lanes = p.base, in_block = AxisAffine(f->k), packed = AxisAffine(f->k, p.width);
    lanes.Add(f->axes.column);
    x.Add(lanes, shape_.lane.x);
    w.Add(lanes, shape_.lane.w);
    packed.Add(f->axes.column);
    if (shape_.pairs) {
      const Affine at = PackRows(p, f->xk, f->block, f->tile, f->axes.i, f->k, &one);
      f->a = LocalExpr(k_, rows_, at);
      f->may_dot = MayDotBlock(p, f->block, body);
    } else {
      if (shape_.computed && !tiles_.pack) in_block.Add(f->group, kPartials);
      const ExprId row = Row(p, f->tile, f->axes.i, &x);
      f->a = Load(0, x, f->xk, OfBlock(f->block, in_block), in_block, row, shape_.lane.x != 0 ? in_panel : -1);
    }
    if (tiles_.pack) {
      f->b = LocalExpr(k_, pack_, packed);
    } else if (shape_.computed) {
      f->row = k_->AddLocal("row", dtype_, p.width);
      f->b = LocalExpr(k_, f->row, f->axes.column);
    } else {
      f->b = Load(1, w, f->wk, OfBlock(f->block, AxisAffine(f->k)), AxisAffine(f->k), -1, in_panel);
    }
    return one;
  }

  // for k in the block { the tile's sums take in a * b }
  Stmt Multiply(const Panel& p, const Factors& f, LocalId acc, Combine combine, ExprId guard) {
    std::vector<Stmt> multiply = Only(MakeAccumulate(acc, f.axes.sum, combine, f.a, f.b));
    std::vector<Stmt> step = Only(OverTile(f.axes, p, Whole(p), std::move(multiply)));
    if (f.row >= 0) return Computed(p, f.row, 0, f.block, f.group, f.k, std::move(step));
    PrefetchLines(c_, shape_, tiles_, x_base_, FromBlock(AxisAffine(f.tile, tiles_.rows)),
                  OfBlock(f.block, AxisAffine(f.k)), &step);
    Stmt loop = OverK(f.k, f.block, std::move(step));
    loop.guard = guard;
    return loop;
  }

  // for tiles of the block of rows { body }; the last block has fewer.
  Stmt OverTiles(AxisId tile, std::vector<Stmt> body) const {
    Stmt tiles = MakeLoop(tile, tiles_.per_block, LoopKind::kSerial, 1, std::move(body));
    if (block_ < 0) return tiles;
    const int64_t extent = shape_.rows[tiles_.axis].extent, others = (extent - 1) / tiles_.block;
    const int64_t last = Ceil((extent - others * tiles_.block) * tiles_.inner, tiles_.rows);
    Clip(&tiles, AxisAffine(block_, tiles_.per_block), others * tiles_.per_block + last);
    return tiles;
  }

  // Columns and lanes beyond them that are computed, too, and dropped at last: no accumulator is masked.
  int64_t Whole(const Panel& p) const {
    const auto last = static_cast<uint64_t>(p.columns % p.vector);
    if (shape_.pairs) return p.width;
    if (!c_.target.has_masks || last == 0) return p.columns;
    return p.columns / p.vector * p.vector + static_cast<int64_t>(std::bit_ceil(last));
  }
  // What w has of them.
  ExprId InPanel(const Panel& p, const TileAxes& t) {
    if (Whole(p) == p.columns) return -1;
    ExprBuilder& b = *c_.builder;
    return b.Apply(Op::kLess, kBool, {b.Position(t.column), b.Constant(kInt64, static_cast<double>(p.columns))});
  }

  // for i in rows of a tile, unrolled { vector j { body } }; register by register where those are not one vector.
  Stmt OverTile(const TileAxes& t, const Panel& p, int64_t columns, std::vector<Stmt> body) const {
    Stmt vector = MakeLoop(t.j, std::min(columns, p.vector), LoopKind::kVector, p.vector, std::move(body));
    if (t.part >= 0 && columns < p.width) Clip(&vector, AxisAffine(t.part, p.vector), columns);
    body = Only(std::move(vector));
    if (t.part >= 0) body = Only(MakeLoop(t.part, p.width / p.vector, LoopKind::kUnrolled, 1, std::move(body)));
    return MakeLoop(t.i, tiles_.rows, LoopKind::kUnrolled, 1, std::move(body));
  }

  // The sums of a tile to the table.
  Stmt AddTile(const Panel& p, AxisId tile, LocalId acc) {
    const TileAxes t = OpenTile(p);
    const int64_t width = tiles_.whole_rows ? table_width_ : p.width;
    Affine to = AxisAffine(t.i, width);
    to.Add(t.column);
    if (tiles_.whole_rows) to.Add(p.base);
    to.Add(tile, tiles_.rows * width);
    const Combine add = shape_.depth > k_block_ && split_ < 0 ? Combine::kSum : Combine::kSet;
    return OverTile(t, p, Whole(p), Only(MakeAccumulate(total_, to, add, LocalExpr(k_, acc, t.sum))));
  }

  // The sums of a tile, and what is computed from them, to memory.
  Stmt StoreTile(const Panel& p, AxisId tile, LocalId acc) {
    const TileAxes t = OpenTile(p);
    Affine row = AxisAffine(tile, tiles_.rows), column = p.base;
    row.Add(t.i, 1);
    column.Add(t.column);
    Index index = index_;
    if (!shape_.rows.empty()) index[static_cast<size_t>(shape_.rows[tiles_.axis].result)].Add(FromBlock(row));
    if (shape_.lane.result >= 0) index[static_cast<size_t>(shape_.lane.result)].Add(column);
    const ExprId value = LocalExpr(k_, acc, t.sum);
    Stmt rows = OverTile(t, p, p.columns, Stores(index, value));
    if (!shape_.rows.empty() && shape_.rows[tiles_.axis].extent % tiles_.rows != 0) {
      Clip(&rows, FromBlock(AxisAffine(tile, tiles_.rows)), shape_.rows[tiles_.axis].extent);
    }
    return rows;
  }

  // No tile has rows past the end: of all, or of a block that is groups of 64 to sum.
  bool TilesFit(int64_t extent) const { return extent % tiles_.rows == 0 && tiles_.block % tiles_.rows == 0; }

  // Adds where row i of the tile begins to x; what is not affine is returned.
  ExprId Row(const Panel& p, AxisId tile, AxisId i, Affine* x) {
    if (shape_.rows.empty()) return -1;
    const ContractAxis& axis = shape_.rows[tiles_.axis];
    if (block_ >= 0) x->Add(block_, tiles_.block * axis.x);
    Affine row = AxisAffine(tile, tiles_.rows);
    row.Add(i, 1);
    if (NeedsRowTable()) return LocalExpr(k_, p.row_offsets, row);
    if (TilesFit(axis.extent)) {
      x->Add(row, axis.x);
      return -1;
    }
    // Rows past the end repeat the last one.
    ExprBuilder& b = *c_.builder;
    Affine last{axis.extent - 1, {}};
    if (block_ >= 0) last.Add(block_, -tiles_.block);
    const ExprId at = b.Apply(Op::kMin, kInt64, {b.Position(row), b.Position(last)});
    return b.Apply(Op::kMul, kInt64, {at, b.Constant(kInt64, static_cast<double>(axis.x))});
  }

  Stmt Epilogue(const Panel& p) {
    RowLoops r = OpenRows();
    const AxisId j = k_->AddAxis("j");
    Affine local, column = p.base;
    local.Add(r.local, p.width);
    local.Add(j, 1);
    column.Add(j, 1);
    if (shape_.lane.result >= 0) r.index[static_cast<size_t>(shape_.lane.result)].Add(column);
    // Accumulating reads before the stores write: an output may take the place of an operand.
    std::vector<Stmt> stores = Stores(r.index, LocalExpr(k_, total_, local)), element, row;
    AddToRowSums(c_, sums_, r.index, AxisAffine(j), &element);
    std::move(stores.begin(), stores.end(), std::back_inserter(element));
    row.push_back(MakeLoop(j, p.columns, LoopKind::kVector, p.vector, std::move(element)));
    if (!sums_.empty()) row.push_back(EndGroup(c_, sums_, r.index, p.base, p.columns, p.vector));
    return std::move(OverRows(r, std::move(row))[0]);
  }

  // The sum there and what is computed from it.
  std::vector<Stmt> Stores(const Index& index, ExprId sum) {
    c_.builder->SetRoot(root_, sum);
    if (split_ >= 0) {
      Affine at = c_.builder->Flat(root_, index);
      at.Add(split_, c_.f.type(root_).shape.size());
      return Only(MakeStore(c_.builder->BufferOf(plan_.split_k, true), at, sum));
    }
    std::vector<Stmt> stores;
    const auto store = [&](ir::Value v, ExprId value) {
      stores.push_back(MakeStore(c_.builder->BufferOf(v, true), c_.builder->Place(v, index), value));
    };
    if (c_.stored(root_)) store(root_, sum);
    for (ir::Value v : c_.kernel_plan().epilogue) {
      if (c_.stored(v)) store(v, c_.builder->Build(v, index));
    }
    return stores;
  }

  const ScheduleContext& c_;
  const MatmulKernel& plan_;
  Kernel* k_;
  const ir::Value root_;
  const ir::Node& node_;
  const DType dtype_;
  const ContractShape shape_;
  const ContractTiles tiles_;
  AxisId block_ = -1;  // blocks of rows, if there are several
  AxisId split_ = -1;  // blocks of k, if another kernel adds their sums
  const int64_t k_block_;  // of what k counts
  const DType packed_;  // an element of a packed operand: of pairs, the first in the upper half
  const std::vector<RowSums> sums_;  // over rows, of the group at hand
  bool direct_ = false;  // sums of a tile go from registers to the result, through no table
  LocalId total_ = -1, pack_ = -1, square_ = -1, rows_ = -1;
  int64_t table_width_ = 0;  // of a table of whole rows
  LocalId x_least_ = -1, w_least_ = -1;  // LeastOf
  Index index_;  // of the result, as far as the outer loops say
  Affine x_base_, w_base_;  // the same of the operands
};

}  // namespace

void ScheduleContract(const ScheduleContext& c) { ContractSchedule(c).Run(); }

}  // namespace reel::codegen
