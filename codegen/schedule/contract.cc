#include <algorithm>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/contract_pack.h"
#include "codegen/schedule/contract_tile.h"
#include "codegen/schedule/contract_tile_product.h"
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
  explicit ContractSchedule(const ScheduleContext& c) : l_(c), pack_(l_), tiles_(l_), result_(l_) {}

  void Run() {
    const ScheduleContext& c = l_.c;
    const ContractShape& shape = l_.shape;
    if (shape.empty) return;
    LoopAxes loops = l_.OpenOuter();
    const int64_t lanes = l_.tiles.lanes;
    std::vector<Stmt> body;
    if (l_.tiles.pack && SharesPanels(shape, lanes, c.target.tuning)) {
      const AxisId panel = loops.Add(l_.k, "n", shape.lane.extent / lanes);
      body = RowBlock(AxisAffine(panel, lanes), lanes, lanes);
    } else {
      body = l_.tiles.whole_rows ? WholeRows() : Panels(loops.empty());
    }
    if (!l_.is_split()) OrderLoops(c, &loops);
    l_.k->body = Nest(loops, 1, std::move(body));
    const int64_t size = c.f.type(l_.root).shape.size(), depth = shape.depth * (shape.pairs ? 2 : 1);
    if (IsFloat(l_.dtype)) l_.k->product_flops = 2.0 * static_cast<double>(size) * static_cast<double>(depth);
    l_.k->why.push_back(StrCat("product of depth ", depth,
                               shape.pairs   ? " in pairs of bf16"
                               : shape.tiles ? " in tiles of bf16"
                                             : "",
                               " to ", c.f.type(l_.root).ToString(), ": ", TextOf(shape, l_.tiles)));
    Parallelize(c, size, Ceil(shape.depth, 2));  // 2 * depth, four at once; pairs count once
  }

 private:
  // Columns in panels of so many lanes, the last one narrower; one loop if threads are to share it.
  std::vector<Stmt> Panels(bool shared) {
    const int64_t lanes = l_.tiles.lanes, n = l_.shape.lane.extent, whole = n / lanes, rest = n % lanes;
    const AxisId panel = l_.k->AddAxis("n");
    std::vector<Stmt> wide, narrow;
    if (whole > 0) wide = RowBlock(AxisAffine(panel, lanes), lanes, lanes);
    const int64_t unit = l_.shape.tiles ? kTileSide : l_.register_lanes();
    if (rest > 0) narrow = RowBlock({whole * lanes, {}}, rest, RoundUp(rest, unit));
    if (whole == 0) return narrow;
    if (shared && rest > 0) return Body(PeelLast(l_.c.builder, l_.k, panel, whole, std::move(wide), std::move(narrow)));
    if (rest > 0) l_.k->panels = panel;
    narrow.insert(narrow.begin(), SerialLoop(panel, whole, std::move(wide)));
    return narrow;
  }

  // A panel of columns of a block of rows.
  std::vector<Stmt> RowBlock(const Affine& base, int64_t columns, int64_t width) {
    const bool whole = columns == width && (width & (width - 1)) == 0;
    const bool by_register = l_.shape.pairs || l_.shape.tiles || l_.tiles.turn > 0;
    Panel p{base, columns, width, whole && !by_register ? width : l_.register_lanes()};
    if (l_.tiles.whole_rows) return BlocksOfK(p);
    const bool one_block = l_.is_split() || (l_.shape.depth > 0 && l_.shape.depth <= l_.k_block);
    if (!l_.shape.tiles) result_.Choose(one_block);
    std::vector<Stmt> out;
    if (!result_.direct()) out.push_back(result_.OpenTable(l_.tiles.lanes, one_block));
    if (l_.shape.depth > 0) {
      if (l_.NeedsRowTable()) p.row_offsets = l_.FillRowOffsets(&out);
      Append(l_.shape.tiles ? tiles_.Multiply(p, result_.table()) : BlocksOfK(p), &out);
    }
    result_.Finish(p, &out);
    return out;
  }

  // Panels whose sums wait in a table of whole rows.
  std::vector<Stmt> WholeRows() {
    const int64_t n = l_.shape.lane.extent, width = RoundUp(n, l_.hardware());
    std::vector<Stmt> out = Body(result_.OpenTable(width, l_.shape.depth <= l_.k_block));
    Append(Panels(false), &out);
    const Panel rows{Affine(), n, width, l_.hardware()};
    result_.Finish(rows, &out);
    return out;
  }

  // What is multiplied for each k of a block, row and lane of a tile.
  struct Factors {
    AxisId block, k, tile, group;  // group: 64 rows of a block of an operand that is computed, -1: of another
    KOffsets xk, wk;
    TileAxes axes;
    ExprId a = -1, b = -1, may_dot = -1;
    LocalId row = -1;  // of an operand that is computed where it is multiplied
    LoopAxes taps = {};  // axes of k that are unrolled; none: k is one loop
  };

  // Blocks of k: tile after tile of the block of rows.
  std::vector<Stmt> BlocksOfK(const Panel& p) {
    Kernel* kernel = l_.k;
    const AxisId block = l_.is_split() ? l_.split : kernel->AddAxis("kb"), k = kernel->AddAxis("k"),
                 tile = kernel->AddAxis("m");
    std::vector<Stmt> body;
    const LoopAxes taps = l_.OpenTaps();
    const auto offsets = [&](int64_t ContractAxis::* of) {
      return taps.empty() ? l_.OffsetsAlongK(of, block, &body) : l_.OffsetsOfTaps(of, taps);
    };
    const KOffsets xk = offsets(&ContractAxis::x), wk = offsets(&ContractAxis::w);
    const LocalId acc = kernel->AddLocal("acc", l_.dtype, l_.tiles.rows * p.width);
    const TileAxes axes = OpenTile(kernel, p);
    Factors f{block, k, tile, l_.shape.computed ? kernel->AddAxis("g") : -1, xk, wk, axes};
    f.taps = taps;
    if (l_.tiles.pack) pack_.PackPanel(p, wk, block, f.group, &body);
    std::vector<Stmt> one = l_.tiles.turn > 0 ? std::vector<Stmt>() : LoadFactors(p, &f, &body);
    PrefetchNext(l_, p, tile, &one);
    one.push_back(MakeLocal(acc, 0));
    if (f.row >= 0) one.push_back(MakeScratch(f.row));
    if (l_.tiles.turn > 0) {
      Append(MultiplyTurned(l_, p, {block, tile, xk, wk}, acc), &one);
    } else if (l_.shape.pairs) {
      one.push_back(MultiplyPairs(p, f, acc, Combine::kDotPair, f.may_dot));
      one.push_back(MultiplyPairs(p, f, acc, Combine::kFmaPair, l_.c.builder->Apply(Op::kNot, kBool, {f.may_dot})));
    } else {
      Append(Multiply(p, f, acc), &one);
    }
    one.push_back(result_.PutTile(p, tile, acc));
    body.push_back(l_.OverTiles(tile, std::move(one)));
    return l_.is_split() ? std::move(body) : Body(SerialLoop(block, Ceil(l_.shape.depth, l_.k_block), std::move(body)));
  }

  // Sets a and b of the factors; what a tile, and the block of k, do before they multiply.
  std::vector<Stmt> LoadFactors(const Panel& p, Factors* f, std::vector<Stmt>* body) {
    const ContractShape& shape = l_.shape;
    const ExprId in_panel = InPanel(p, f->axes);
    std::vector<Stmt> one = PrefetchWindow(l_, f->block, f->tile);
    const Affine lanes = p.base + f->axes.column;
    Affine x = l_.x_base + lanes * shape.lane.x, in_block = AxisAffine(f->k);
    if (shape.pairs) {
      // Neighbours along k change places in a register of one element, which costs nothing beside the products.
      const ExprId row = shape.x_pair.joined ? l_.Row(p, f->tile, f->axes.i, &x) : -1;
      f->a = shape.x_pair.joined ? l_.Load(0, x, f->xk, l_.OfBlock(f->block, in_block), in_block, row)
                                 : pack_.PackRows(f->xk, f->block, f->tile, f->axes.i, f->k, &one);
      f->may_dot = pack_.MayDotBlock(p, f->block, body);
    } else {
      if (shape.computed && !l_.tiles.pack) in_block.Add(f->group, kPartials);
      const ExprId row = l_.Row(p, f->tile, f->axes.i, &x);
      f->a = l_.Load(0, x, f->xk, l_.OfBlock(f->block, in_block), in_block, row, shape.lane.x != 0 ? in_panel : -1);
    }
    if (l_.tiles.pack) {
      f->b = pack_.PanelAt(p, f->k, f->axes.column);
    } else if (shape.computed) {
      f->row = l_.k->AddLocal("row", l_.dtype, p.width);
      f->b = LocalExpr(l_.k, f->row, f->axes.column);
    } else {
      const Affine k = AxisAffine(f->k), w = l_.w_base + lanes * shape.lane.w;
      f->b = l_.Load(1, w, f->wk, l_.OfBlock(f->block, k), k, -1, in_panel);
    }
    return one;
  }

  // What w has of the lanes that are computed.
  ExprId InPanel(const Panel& p, const TileAxes& t) {
    if (ComputedLanes(l_, p) == p.columns) return -1;
    ExprBuilder& b = *l_.c.builder;
    return b.Apply(Op::kLess, kBool, {b.Position(t.column), b.Number(p.columns)});
  }

  // For one k: the tile's sums take in a * b.
  std::vector<Stmt> MultiplyOnce(const Panel& p, const Factors& f, LocalId acc, Combine combine) {
    Stmt element = MakeAccumulate(acc, f.axes.sum, combine, f.a, f.b);
    return Body(OverTile(l_, f.axes, p, ComputedLanes(l_, p), Body(std::move(element))));
  }

  // for k in the block { the tile's sums take in a * b }
  std::vector<Stmt> Multiply(const Panel& p, const Factors& f, LocalId acc) {
    std::vector<Stmt> step = MultiplyOnce(p, f, acc, Combine::kFma);
    if (f.row >= 0) {
      const ComputedColumns columns{p.base, p.columns, p.vector, f.row, 0};
      return Body(OverComputedRows(l_.c, columns, l_.shape.depth, f.block, f.group, f.k, std::move(step)));
    }
    for (size_t i = f.taps.size(); i-- > 0;) {
      step = Body(UnrolledLoop(f.taps.ids[i], f.taps.extents[i], std::move(step)));
    }
    if (!f.taps.empty()) return step;
    PrefetchLines(l_, l_.TileBegin(f.tile), l_.OfBlock(f.block, AxisAffine(f.k)), &step);
    return l_.OverKAhead(f.k, f.block, NextBlock(l_, p, f.block, f.tile), std::move(step));
  }

  // The same of pairs, where `guard` holds.
  Stmt MultiplyPairs(const Panel& p, const Factors& f, LocalId acc, Combine combine, ExprId guard) {
    Stmt loop = l_.OverK(f.k, f.block, MultiplyOnce(p, f, acc, combine));
    loop.guard = guard;
    return loop;
  }

  ContractLoops l_;
  ContractPack pack_;
  ContractTileProduct tiles_;
  ContractResult result_;
};

}  // namespace

void ScheduleContract(const ScheduleContext& c) { ContractSchedule(c).Run(); }

}  // namespace reel::codegen
