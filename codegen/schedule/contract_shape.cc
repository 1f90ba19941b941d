#include "codegen/schedule/contract_shape.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "codegen/loop/build.h"
#include "codegen/loop/ceil.h"
#include "codegen/plan/products.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using Axes = std::vector<ContractAxis>;

int64_t Iterations(const Axes& axes) {
  int64_t n = 1;
  for (const ContractAxis& a : axes) n *= a.extent;
  return n;
}

// Neighbours that both operands walk as one; none of extent 1.
Axes Collapsed(const Axes& axes) {
  Axes out;
  for (ContractAxis a : axes) {
    if (a.extent == 1) continue;
    const bool joins = !out.empty() && out.back().x == a.x * a.extent && out.back().w == a.w * a.extent;
    if (joins) a.extent *= out.back().extent;
    if (joins) out.pop_back();
    out.push_back(a);
  }
  return out;
}

// All accesses of the kernel, on axes of its own: decides which axes of the result can be one.
class Probe {
 public:
  Probe(const ScheduleContext& c, const Axes& axes) : builder_(c.f, c.plan, c.kernel_index, &kernel_) {
    const ir::Node& node = *c.f.producer(c.kernel_plan().root);
    Index at;
    Affine x, w;
    for (const ContractAxis& a : axes) {
      const AxisId id = kernel_.AddAxis("");
      at.push_back(AxisAffine(id));
      x.Add(id, a.x);
      w.Add(id, a.w);
    }
    builder_.LoadView(node.operands[0], x);
    builder_.LoadView(node.operands[1], w);
    const ir::Value root = c.kernel_plan().root;
    builder_.SetRoot(root, LocalExpr(&kernel_, kernel_.AddLocal("", c.f.type(root).dtype, 1), builder_.Flat(root, at)));
    const auto store = [&](ir::Value v) {
      if (c.stored(v)) stores_.push_back(MakeStore(0, builder_.Place(v, at), builder_.Build(v, at)));
    };
    store(root);
    for (ir::Value v : c.kernel_plan().epilogue) store(v);
    // A stack asks for a position though its condition is memory: such an axis is none with others.
    for (const AxisId axis : builder_.choices())
      stores_.push_back(MakeStore(0, {}, builder_.Position(AxisAffine(axis))));
  }

  // Of the result's axes from `begin` on.
  Axes Collapse(const Axes& axes) {
    LoopAxes loops;
    for (const ContractAxis& a : axes) loops.Add(a.result, a.extent);
    CollapseAxes(&kernel_, &stores_, &loops);
    Axes out;
    for (size_t i = 0; i < loops.size(); ++i) {
      out.push_back(*std::find_if(axes.begin(), axes.end(), [&](const auto& a) { return a.result == loops.ids[i]; }));
      out.back().extent = loops.extents[i];
    }
    return out;
  }

 private:
  Kernel kernel_;
  ExprBuilder builder_;
  std::vector<Stmt> stores_;
};

// Rows of w that are as wide as a panel and lie one after the other.
bool IsPanel(const ContractShape& shape, int64_t lanes) {
  int64_t stride = lanes;
  for (size_t i = shape.k.size(); i-- > 0;) {
    if (shape.k[i].w != stride) return false;
    stride *= shape.k[i].extent;
  }
  return shape.lane.extent == lanes && shape.lane.w == 1;
}

// Whether lanes a few elements apart are read as they are (a filter of one channel that moves on by two): of so few
// rows and places along k a packed copy would be read too seldom.
bool ReadsApart(const ContractShape& shape, const Tuning& tuning) {
  return !shape.pairs && !shape.computed && !shape.widens && shape.lane.x == 0 && shape.lane.w > 1 &&
         shape.lane.w <= tuning.matmul_lanes_apart && shape.depth <= tuning.matmul_taps &&
         Iterations(shape.rows) <= tuning.matmul_turned_rows;
}

// Lanes that are not neighbours in memory have to be; otherwise it pays where w serves many rows and comes from far
// beyond L2, or serves many in blocks of k, as what is a power of 2 apart has few sets of L1. Not if the result is
// large: blocks of rows walk it column by column.
bool PaysToPack(const ContractShape& shape, const Target& target, int64_t element_bytes, int64_t lanes) {
  if (shape.lane.x != 0 || ReadsApart(shape, target.tuning)) return false;
  if (shape.lane.w != 1 && shape.lane.extent > 1) return true;
  const int64_t rows = Iterations(shape.rows);
  const Tuning& tuning = target.tuning;
  const int64_t l2 = target.machine.l2_bytes;
  if (shape.widens && rows >= tuning.matmul_pack_rows_half) return true;
  const int64_t result_bytes = rows * shape.lane.extent * element_bytes;
  const bool many = rows >= tuning.matmul_pack_rows_deep && shape.depth > kProductBlock;
  if (many && result_bytes <= 4 * l2 && SharesPanels(shape, lanes, tuning)) return true;
  return rows >= tuning.matmul_pack_rows && shape.depth * shape.lane.extent * element_bytes > 2 * l2;
}

// Whether w has squares of neighbours along k for each of its lanes, which are apart: these can be turned in registers
// (contract_turn).
bool HasSquares(const ContractShape& shape, int64_t hardware) {
  if (shape.pairs || shape.computed || shape.lane.x != 0 || shape.lane.w == 1 || shape.lane.extent == 1) return false;
  int64_t run = 1;
  for (size_t i = shape.k.size(); i-- > 0 && shape.k[i].w == run;) run *= shape.k[i].extent;
  return hardware > 1 && hardware <= kMaxSquare && (run == shape.depth ? run >= hardware : run % hardware == 0);
}

// Rows of x that are neighbours in memory, a long k of them apart: what is read in short runs comes slowly.
bool ReadsRuns(const ContractShape& shape, const Tuning& tuning) {
  return !shape.k.empty() && shape.depth >= tuning.matmul_long_depth && shape.rows.back().x == 1 &&
         shape.k.back().x > 1;
}

// Rows of a block for which w is not packed: enough blocks for threads, but runs of 1 KiB.
int64_t RowsOfBlock(const ContractShape& shape, int64_t element_bytes, const Tuning& tuning) {
  const int64_t rows = Iterations(shape.rows), outer = Iterations(shape.outer);
  const auto within = [](int64_t n, int64_t least, int64_t most) { return std::min(std::max(n, least), most); };
  if (ReadsRuns(shape, tuning)) {
    return within(outer * rows / tuning.shared_steps, tuning.matmul_run_bytes / element_bytes,
                  tuning.matmul_packed_rows);
  }
  const int64_t most = tuning.matmul_block_rows, blocks = outer * Ceil(rows, most);
  return within(most * blocks / tuning.matmul_blocks, tuning.matmul_min_rows, most);
}

// Pieces of an axis of rows that make a loop for threads to share, if none outside of it is long and they can be. If
// that is one too short they are larger: every block reads the second operand again.
int64_t PiecesToShare(const ContractShape& shape, size_t axis, const Tuning& tuning) {
  const int64_t pieces = std::max<int64_t>(tuning.shared_steps / 2, 1);
  int64_t longest = 1;  // outside
  for (const ContractAxis& a : shape.outer) longest = std::max(longest, a.extent);
  for (size_t i = 0; i < axis; ++i) longest = std::max(longest, shape.rows[i].extent);
  const int64_t least = longest + 1 < pieces ? tuning.matmul_min_rows : tuning.matmul_block_rows;
  return longest >= pieces || !ReadsRuns(shape, tuning) || shape.rows[axis].extent < pieces * least ? 1 : pieces;
}

// Whether all steps through an operand but those along k, and its place, are even.
bool IsEven(const ContractShape& s, const View& view, int64_t ContractAxis::* stride) {
  const auto odd = [stride](const ContractAxis& a) { return a.extent > 1 && a.*stride % 2 != 0; };
  const auto none = [&odd](const Axes& axes) { return std::none_of(axes.begin(), axes.end(), odd); };
  return view.offset % 2 == 0 && none(s.outer) && none(s.rows) && !odd(s.lane);
}

// Makes it a product of pairs if the operands are bf16 and lie so that these can be packed.
void PairUp(const ScheduleContext& c, const View& x, const View& w, ContractShape* s) {
  const auto is_bf16 = [&c](const View& view) { return c.f.type(view.base).dtype == kBFloat16; };
  if (!c.target.has_bf16 || !c.options.vectorize || !is_bf16(x) || !is_bf16(w)) return;
  if (c.f.type(c.kernel_plan().root).dtype != kFloat32) return;
  if (s->k.size() != 1 || s->depth % 2 != 0 || s->rows.size() > 1 || s->lane.x != 0) return;
  ContractAxis& k = s->k[0];
  s->x_pair = {k.x == 1 && IsEven(*s, x, &ContractAxis::x), k.x};
  s->w_pair = {s->lane.w != 1 && k.w == 1 && IsEven(*s, w, &ContractAxis::w), k.w};
  const bool rows_fit = s->x_pair.joined || s->rows.empty() || s->rows[0].x == 1;
  if (!rows_fit || !(s->w_pair.joined || s->lane.w == 1)) return;
  s->pairs = true;
  s->depth /= 2;
  k.extent /= 2;
  k.x *= 2;
  k.w *= 2;
}

// Axes of the result: batches, from `rows` on those of x, from `columns` on those of w.
struct ResultAxes {
  Axes axes;
  size_t rows, columns;
};
// k: the contracted ones.
ResultAxes AxesOf(const ir::Function& f, const ir::Node& node, const View& x_view, const View& w_view, Axes* k) {
  const Shape &x = f.type(node.operands[0]).shape, &w = f.type(node.operands[1]).shape;
  const auto &xs = x_view.strides, &ws = w_view.strides;
  const auto batch = node.attr<std::vector<int64_t>>("a_batch").size(),
             deep = node.attr<std::vector<int64_t>>("a_contract").size();
  const auto x_rank = static_cast<size_t>(x.rank()), w_rank = static_cast<size_t>(w.rank());
  Axes axes;
  for (size_t i = 0; i + deep < x_rank; ++i) {
    axes.push_back({static_cast<int>(i), x.dim(static_cast<int>(i)), xs[i], i < batch ? ws[i] : 0});
  }
  for (size_t i = 0; i < deep; ++i) {
    k->push_back({-1, w.dim(static_cast<int>(batch + i)), xs[x_rank - deep + i], ws[batch + i]});
  }
  for (size_t i = batch + deep; i < w_rank; ++i) {
    axes.push_back({static_cast<int>(axes.size()), w.dim(static_cast<int>(i)), 0, ws[i]});
  }
  return {std::move(axes), batch, x_rank - deep};
}

// The last axis of the columns is that of the lanes, the others are outer ones; without columns, a batch that both
// operands have side by side.
void ChooseLane(Axes columns, ContractShape* s) {
  const auto batch_lanes = s->tiles ? s->outer.end()
                                    : std::find_if(s->outer.begin(), s->outer.end(),
                                                   [](const ContractAxis& a) { return a.x == 1 && a.w == 1; });
  if (Iterations(columns) == 1 && batch_lanes != s->outer.end()) {
    s->lane = *batch_lanes;
    s->outer.erase(batch_lanes);
  } else if (!columns.empty()) {
    s->lane = columns.back();
    columns.pop_back();
    s->outer.insert(s->outer.end(), columns.begin(), columns.end());
  }
}

// Whether a product makes more than L2 holds row by row, of what every block of rows reads from there: what reads it
// can go on with the same blocks (program/chain), if these are whole blocks of k of a product there, or parts of one.
bool MakesRows(const ContractShape& shape, const ContractTiles& t, const Target& target, int64_t element_bytes) {
  const int64_t columns = element_bytes * shape.lane.extent;
  return !t.pack && shape.outer.empty() && shape.rows.size() == 1 &&
         shape.depth * columns <= target.machine.l2_bytes / 4 &&
         shape.rows[0].extent * columns > target.machine.l2_bytes &&
         shape.rows[0].extent >= target.tuning.matmul_fused_blocks * target.tuning.matmul_fused_rows;
}

// Whether a long epilogue of a large result, which has more arrays to walk (an optimizer's), walks them row by row:
// panel by panel they come in runs too short for the hardware to look ahead.
bool WalksRows(const ContractShape& shape, const ContractTiles& t, const Target& target, int64_t element_bytes) {
  const int64_t row = element_bytes * shape.lane.extent, l2 = target.machine.l2_bytes;
  const Tuning& tuning = target.tuning;
  return shape.long_epilogue && !t.pack && !shape.sums && shape.outer.empty() && shape.rows.size() == 1 &&
         shape.depth > 0 && row <= tuning.matmul_row_table_bytes / tuning.matmul_min_rows &&
         shape.depth * row <= l2 / 2 && shape.rows[0].extent * row > l2 / 2 &&
         shape.lane.extent > tuning.matmul_row_table_columns;
}

// Makes blocks of rows whole groups of 64, of as many as fit.
void TakeWholeGroups(const ContractShape& shape, const Tuning& tuning, ContractTiles* t) {
  std::vector<int64_t> extents;
  for (const ContractAxis& a : shape.rows) extents.push_back(a.extent);
  const auto [axis, least] = GroupsOfRows(extents, tuning);
  const int64_t block = axis == t->axis ? std::max(t->block / least, int64_t{1}) * least : least;
  t->axis = axis;
  t->block = block;
  t->inner = Iterations({shape.rows.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.rows.end()});
}

constexpr int64_t kMaxTableBytes = 128 << 10;  // of a block's sums on the stack

// Rows that it may have.
int64_t RowsOfTable(const ContractShape& shape, const ContractTiles& t, int64_t element_bytes) {
  const int64_t columns = t.whole_rows ? std::max(shape.lane.extent, t.lanes) : t.lanes;
  return std::max(kMaxTableBytes / (columns * element_bytes), int64_t{1});
}

// Rows of a tile and of a block that are asked for; 0: as usual.
struct WantedRows {
  int64_t tile = 0, block = 0;
};

// Whether a product is over before a table of its sums is written and read: blocks of the last axis alone, whose rows
// are evenly apart, need none.
bool IsShallow(const ContractShape& shape, const ContractTiles& t, const Tuning& tuning) {
  return !t.pack && !shape.sums && !shape.long_epilogue && shape.depth <= tuning.matmul_shallow &&
         shape.rows.back().extent >= tuning.matmul_min_rows;
}

// Rows of a block of a product so small that fewer chunks are worth their while than it has blocks: as many blocks as
// chunks, of whole tiles, so that threads end together. 64 rows in tiles of 6 are 6 and 5 tiles, not 4, 4 and 3. 0: it
// is not so.
int64_t RowsOfChunk(const ContractShape& shape, const Tuning& tuning, int64_t pieces, int64_t tile) {
  if (!shape.outer.empty() || shape.rows.size() != 1 || shape.sums) return 0;
  const int64_t rows = shape.rows[0].extent;
  const double work = static_cast<double>(rows) * static_cast<double>(shape.lane.extent) *
                      static_cast<double>(Ceil(shape.depth, 2));  // as Parallelize has it
  const double chunks = work / static_cast<double>(tuning.chunk_cycles);
  if (chunks < 2 || chunks >= static_cast<double>(pieces)) return 0;
  return RoundUp(Ceil(rows, static_cast<int64_t>(chunks)), tile);
}

// Whether a second operand beyond L2 comes but once: for one block of all rows, whose panels are enough for threads.
bool IsOneBlock(const ContractShape& shape, const ContractTiles& t, const Target& target, int64_t element_bytes) {
  return !t.pack && shape.outer.empty() && Iterations(shape.rows) <= target.tuning.matmul_block_rows &&
         shape.depth * shape.lane.extent * element_bytes > target.machine.l2_bytes &&
         Ceil(shape.lane.extent, t.lanes) >= target.tuning.shared_steps;
}

// Equal blocks of whole tiles, if not many fewer than `pieces` divide the rows: threads end together.
int64_t EqualPieces(int64_t extent, int64_t tile, int64_t pieces, int64_t most_rows) {
  for (int64_t p = pieces; p > 0 && Ceil(extent, p) <= most_rows; --p) {
    if (extent / tile % p == 0) return p;
  }
  return pieces;
}

// The same of rows whose blocks have no panels for threads to share, and no room for more: an even number of them, if
// not many more divide the tiles.
int64_t EvenPieces(int64_t tiles, int64_t pieces) {
  for (int64_t p = RoundUp(pieces, 2); p <= 2 * pieces; p += 2) {
    if (tiles % p == 0) return p;
  }
  return RoundUp(pieces, 2);
}

// Blocks of rows and tiles of at most so many, for panels of t->lanes.
void BlockRows(const ContractShape& shape, const Target& target, int64_t element_bytes, int64_t most,
               const WantedRows& asked, ContractTiles* t) {
  if (shape.rows.empty()) return;
  const Tuning& tuning = target.tuning;
  // Whole inner axes as far as they fit.
  const int64_t most_rows =
      t->pack && SharesPanels(shape, t->lanes, tuning) ? tuning.matmul_packed_rows : tuning.matmul_block_rows;
  const int64_t table_rows = tuning.matmul_row_table_bytes / (shape.lane.extent * element_bytes);
  int64_t wanted = asked.block > 0                                ? asked.block
                   : t->whole_rows                                ? std::min(table_rows, tuning.matmul_block_rows)
                   : t->pack                                      ? most_rows
                   : IsOneBlock(shape, *t, target, element_bytes) ? Iterations(shape.rows)
                                                                  : RowsOfBlock(shape, element_bytes, tuning);
  wanted = std::min(wanted, RowsOfTable(shape, *t, element_bytes));
  t->axis = shape.rows.size() - 1;
  const auto share = [&]() -> int64_t { return t->pack ? 1 : PiecesToShare(shape, t->axis, tuning); };
  const bool one_axis = asked.block == 0 && IsShallow(shape, *t, tuning);
  while (!one_axis && t->axis > 0 && t->inner * shape.rows[t->axis].extent <= wanted && share() == 1) {
    t->inner *= shape.rows[t->axis--].extent;
  }
  const int64_t extent = shape.rows[t->axis].extent, fits = std::max<int64_t>(wanted / t->inner, 1);
  int64_t pieces = std::max(Ceil(extent, fits), share());
  if (asked.block == 0 && t->inner == 1 && extent % most == 0) {
    pieces = t->whole_rows ? EvenPieces(extent / most, pieces) : EqualPieces(extent, most, pieces, most_rows);
  }
  t->block = Ceil(extent, pieces);
  // One step of an axis is all of the next one, whose rows may be evenly apart.
  for (; t->block == 1 && t->axis + 1 < shape.rows.size() && !shape.sums; t->inner /= t->block) {
    t->block = shape.rows[++t->axis].extent;
  }
  if (const int64_t rows = RowsOfChunk(shape, tuning, pieces, most);
      asked.block == 0 && !t->pack && !t->whole_rows &&
      rows <= std::min(most_rows, RowsOfTable(shape, *t, element_bytes)))
    t->block = std::max(t->block, rows);
  if (const int64_t granule = tuning.matmul_fused_rows;
      asked.block == 0 && granule % most == 0 && !t->whole_rows && MakesRows(shape, *t, target, element_bytes)) {
    t->rows = most;
    t->block = granule;
    t->per_block = granule / most;
    return;
  }
  if (shape.sums) TakeWholeGroups(shape, tuning, t);
  // The tile with the fewest rows to drop; fewer rows load more of w per product, for which one port leaves more time.
  const double loads =
      static_cast<double>(tuning.matmul_row_less) / 100 * static_cast<double>(target.machine.fma_ports);
  const int64_t rows = t->block * t->inner;
  double best = 0;
  if (asked.tile > 0) t->rows = std::min(asked.tile, rows);
  for (int64_t r = asked.tile > 0 ? 0 : std::min(most, rows); r > 0 && r >= std::min((most + 1) / 2, rows); --r) {
    const double cost = static_cast<double>(RoundUp(rows, r)) * (1 + loads * static_cast<double>(most - r));
    if (best != 0 && cost >= best) continue;
    best = cost;
    t->rows = r;
  }
  if (t->axis + 1 == shape.rows.size() && !shape.sums) {
    t->block = std::min(RoundUp(t->block, t->rows), shape.rows[t->axis].extent);
  }
  t->per_block = Ceil(t->block * t->inner, t->rows);
}

// What the tiles take for each k, in halves of a cycle: an fma, or one load, for each of two ports.
double Steps(const ContractShape& shape, const ContractTiles& t, const Machine& machine, int64_t hardware) {
  constexpr int64_t kLoop = 2;  // a counter and a jump
  const int64_t latency = machine.fma_latency * machine.fma_ports;
  const auto tile = [&](int64_t across) { return std::max({t.rows * across, t.rows + across, latency}) + kLoop; };
  const int64_t registers = Ceil(shape.lane.extent, hardware), across = t.lanes / hardware, rest = registers % across;
  const int64_t tiles = Ceil(Iterations(shape.rows), t.rows);
  return static_cast<double>(tiles * (registers / across * tile(across) + (rest > 0 ? tile(rest) : 0)));
}

}  // namespace

bool SharesPanels(const ContractShape& shape, int64_t lanes, const Tuning& tuning) {
  return shape.lane.extent % lanes == 0 && shape.lane.extent / lanes >= tuning.shared_steps;
}

void OrderLoops(const ScheduleContext& c, LoopAxes* loops) {
  if (loops->size() < 2) return;
  const auto longest = std::max_element(loops->extents.begin(), loops->extents.end());
  const auto to = static_cast<size_t>(longest - loops->extents.begin());
  const bool is_short = loops->extents[0] < c.target.tuning.shared_steps, moves = to != 0;
  if (!c.choices->Flag("swap", is_short && moves, c.options.vectorize || (is_short && moves))) return;
  const size_t other = moves ? to : loops->size() - 1;
  std::swap(loops->ids[0], loops->ids[other]);
  std::swap(loops->extents[0], loops->extents[other]);
}

std::string TextOf(const ContractShape& shape, const ContractTiles& t) {
  return StrCat("tiles of ", t.rows, " rows x ", t.lanes, " lanes, ", t.per_block,
                t.per_block == 1 ? " tile a block" : " tiles a block",
                shape.computed               ? ", second operand computed, with sums over its rows"
                : shape.pairs || shape.tiles ? ", operands packed"
                : t.pack                     ? ", second operand packed"
                : t.turn > 0                 ? ", second operand turned in registers"
                                             : "");
}

ContractShape ShapeOfContract(const ScheduleContext& c) {
  const ir::Node& node = *c.f.producer(c.kernel_plan().root);
  const MatmulKernel& plan = *c.kernel_plan().As<MatmulKernel>();
  const View &x = c.view(node.operands[0]), &w = c.view(node.operands[1]);
  ContractShape s;
  const ResultAxes all = AxesOf(c.f, node, x, w, &s.k);
  s.rank = static_cast<int>(all.axes.size());
  s.depth = Iterations(s.k);
  s.tiles = AddsInTiles(c.f, node);
  s.empty = Iterations(all.axes) == 0;
  if (s.empty) return s;
  s.k = Collapsed(s.k);
  Probe probe(c, all.axes);
  const auto part = [&](size_t begin, size_t end) {
    return probe.Collapse(Axes(all.axes.begin() + static_cast<std::ptrdiff_t>(begin),
                               all.axes.begin() + static_cast<std::ptrdiff_t>(end)));
  };
  s.outer = part(0, all.rows);
  s.rows = part(all.rows, all.columns);
  ChooseLane(part(all.columns, all.axes.size()), &s);
  s.sums = !plan.row_reductions.empty();
  s.long_epilogue = c.kernel_plan().nodes > c.target.tuning.epilogue_unrolled_ops;
  s.widens = IsHalf(c.f.type(w.base).dtype) && !IsHalf(c.f.type(node.operands[1]).dtype);
  s.computed = plan.rhs_reduction.has_value();
  PairUp(c, x, w, &s);
  return s;
}

namespace {

// Where a register of full width takes a port twice, half registers are as fast, and load pieces twice as fast.
bool TurnsHalves(const Machine& machine, int64_t hardware) { return machine.fma_ports == 1 && hardware >= 4; }

// Registers of lanes that are turned side by side: the sums of one are a chain of fma, whose latency the others'
// shuffles and fma hide. Rows of w whose lines share a set of L1 are no more than it holds.
int64_t TurnedTogether(const ContractShape& shape, const Target& target, int64_t element_bytes, int64_t lanes) {
  const Machine& m = target.machine;
  const bool halves = lanes < target.lanes(element_bytes);
  const auto levels = std::bit_width(static_cast<uint64_t>(std::min(lanes, kShuffleBytes / element_bytes)));
  const int64_t shuffles = static_cast<int64_t>(levels) - 1;
  const int64_t least = Ceil(m.fma_latency * m.fma_ports * (halves ? 2 : 1), shuffles + Iterations(shape.rows));
  const auto busy = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least)));  // divides most sizes
  const int64_t apart = std::gcd(shape.lane.w * element_bytes, target.tuning.matmul_turned_way);
  const int64_t held = m.l1_bytes / std::max(apart, m.line_bytes) / lanes;
  return std::max(std::min(busy, held), int64_t{1});
}

ContractTiles UsualTiles(const ContractShape& shape, const Target& target, int64_t element_bytes) {
  ContractTiles t;
  // Registers along the lanes; at least 8 sums to cover the latency of fma, all of them in registers with
  // a row of w and one element of x.
  const bool many = target.vector_registers >= 32;
  const int64_t rows = Iterations(shape.rows), usual = many ? 4 : 2;
  const int64_t hardware = target.lanes(element_bytes), registers = Ceil(shape.lane.extent, hardware);
  if (HasSquares(shape, hardware) && !shape.widens && rows <= target.tuning.matmul_turned_rows)
    t.turn = TurnsHalves(target.machine, hardware) ? hardware / 2 : hardware;
  t.pack = t.turn == 0 && (shape.pairs || shape.computed ||
                           (PaysToPack(shape, target, element_bytes, usual * hardware) &&
                            (shape.widens || !IsPanel(shape, usual * hardware))));
  // One or two rows leave registers for longer runs of w, or for more squares, whose sums wait for each other.
  const int64_t across = std::min(t.pack || rows > 2 ? usual : 4 * usual / rows, registers);
  const auto of = [&](int64_t count, int64_t most) {
    ContractTiles tiles = t;
    tiles.lanes = count * (t.turn > 0 ? t.turn : hardware);
    BlockRows(shape, target, element_bytes, most, {}, &tiles);
    return tiles;
  };
  // All rows in one tile of one block, whatever block is usual: what is computed for a row of w is multiplied at once.
  constexpr int64_t kSums = 24;
  if (const int64_t sums = many ? kSums : kSums / 2; shape.computed && rows <= sums / 2) {
    t.pack = false;
    t.lanes = std::min(sums / rows, across) * hardware;
    BlockRows(shape, target, element_bytes, rows, {0, rows}, &t);
    return t;
  }
  if (t.turn > 0) {
    const int64_t together = TurnedTogether(shape, target, element_bytes, t.turn);
    return of(std::min(together, Ceil(shape.lane.extent, t.turn)), rows);
  }
  const auto better = [&](const ContractTiles& a, const ContractTiles& b, double worthwhile) {
    return Steps(shape, a, target.machine, hardware) < worthwhile * Steps(shape, b, target.machine, hardware) ? a : b;
  };
  const bool tiles_of_6 = across >= 4 || (across >= 2 && !many);
  t.whole_rows = WalksRows(shape, t, target, element_bytes);
  if (tiles_of_6 && !t.whole_rows && MakesRows(shape, t, target, element_bytes)) {
    return many ? better(of(3, 8), of(across, 4), 1) : of(across, 4);
  }
  // Rows of pairs that fill tiles need no bounds: their addresses are one and constants (matmul_1024_bf16: 2.5 %).
  const bool fills = shape.pairs && tiles_of_6 && rows % 6 != 0 && rows % 4 == 0;
  const ContractTiles wide = of(across, fills ? 4 : tiles_of_6 ? 6 : 8);
  // As many sums in tiles of more rows, if less is computed in vain; copies are made of whole pairs of cache lines.
  const bool copied = t.pack && (shape.lane.w == 1 || rows > target.tuning.matmul_block_rows) &&
                      SharesPanels(shape, wide.lanes, target.tuning);
  // From far beyond L2 lines come in pairs (filter_2x2 on Zen 4: 3.7 ms in tiles of 3 registers, 2.5 of 4).
  const bool far =
      !t.pack && shape.lane.w == 1 && shape.depth * shape.lane.extent * element_bytes > FarBytes(target.machine);
  if (across != 4 || !many || shape.pairs || copied || far) return wide;
  return better(of(3, 8), wide, 0.98);
}

// What is legal: code for all rows and registers of a tile stays bounded, and a packed block of k on the stack.
constexpr int64_t kMaxTileRows = 24, kMaxTileRegisters = 16, kMaxTurned = 8, kMaxPackBytes = 64 << 10;

}  // namespace

namespace {

// Panels of tiles; blocks of rows that are whole tiles, the last ones of which may be partly empty.
ContractTiles TilesOfBf16(const Target& target, const ContractShape& shape) {
  ContractTiles t;
  t.pack = true;
  t.lanes = RoundUp(std::min(std::max(shape.lane.extent, int64_t{1}), target.tuning.tile_columns), kTileSide);
  BlockRows(shape, target, SizeOf(kFloat32), kTileSide, {kTileSide, 0}, &t);
  t.rows = kTileSide;
  t.per_block = Ceil(t.block * t.inner, t.rows);
  return t;
}

}  // namespace

ContractTiles TilesOfContract(const ScheduleContext& c, const ContractShape& shape) {
  const Target& target = c.target;
  if (shape.tiles) return shape.empty ? ContractTiles{} : TilesOfBf16(target, shape);
  const int64_t element_bytes = SizeOf(c.f.type(c.kernel_plan().root).dtype), hardware = target.lanes(element_bytes);
  if (!c.options.vectorize) {
    ContractTiles t;
    BlockRows(shape, target, element_bytes, 1, {}, &t);
    return t;
  }
  const ContractTiles usual = UsualTiles(shape, target, element_bytes);
  if (shape.empty || (shape.computed && !usual.pack)) return usual;  // one tile has all rows
  const int64_t rows = Iterations(shape.rows), block = usual.block * usual.inner;
  ContractTiles t = usual;
  // Lanes that are not neighbours in memory have to be; those of a batch are.
  const bool apart = shape.lane.w != 1 && shape.lane.extent > 1 && !ReadsApart(shape, target.tuning);
  const bool must_pack = shape.pairs || shape.computed || apart;
  const bool may_pack = must_pack || shape.lane.x == 0;
  t.turn = 0;
  if (HasSquares(shape, hardware) && c.choices->Flag("turn", usual.turn > 0)) {
    const bool half = usual.turn > 0 ? usual.turn < hardware : TurnsHalves(target.machine, hardware);
    t.turn = c.choices->Flag("half", half, hardware >= 4) ? hardware / 2 : hardware;
  }
  t.pack = t.turn == 0 &&
           c.choices->Choose("pack", usual.pack || (usual.turn > 0 && must_pack), must_pack, may_pack, {0, 1}) != 0;
  const int64_t packed = kMaxPackBytes / (kProductBlock * hardware * element_bytes);
  const int64_t wide = t.turn > 0 ? t.turn : hardware;
  const int64_t registers = std::min(t.turn > 0 ? kMaxTurned
                                     : t.pack   ? packed
                                                : kMaxTileRegisters,
                                     Ceil(shape.lane.extent, wide));
  // The usual width is one of the usual tiles: a packed copy has fewer registers than rows that are read as they lie.
  const bool read_as_usual = t.pack == usual.pack && (t.turn > 0) == (usual.turn > 0);
  const int64_t usual_nr = std::max(usual.lanes / wide, int64_t{1}),
                most_nr = read_as_usual ? std::max(registers, usual_nr) : registers;
  t.lanes = wide * c.choices->Choose("nr", std::min(usual_nr, most_nr), 1, most_nr, {1, 2, 3, 4, 6, 8});
  const int64_t most = std::max(std::min({kMaxTileRows, rows, 2 * kMaxTileRegisters * hardware / t.lanes}), usual.rows);
  WantedRows asked{c.choices->Choose("mr", usual.rows, 1, most, {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16}), 0};
  if (t.pack) t.whole_rows = false;
  const int64_t most_block = RowsOfTable(shape, t, element_bytes) - asked.tile;
  asked.block = c.choices->Choose("mc", block, 1, std::max(most_block, block), {16, 24, 48, 96, 128, 192, 256, 512});
  const bool as_usual = t.turn == usual.turn && t.pack == usual.pack && t.lanes == usual.lanes &&
                        asked.tile == usual.rows && asked.block == block;
  if (as_usual) return usual;
  t.axis = 0;
  t.inner = t.block = t.per_block = 1;
  BlockRows(shape, target, element_bytes, asked.tile, asked, &t);
  return t;
}

BlockOfGroups GroupsOfRows(const std::vector<int64_t>& extents, const Tuning& tuning) {
  int64_t inner = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    const int64_t block = kPartials / std::gcd(inner, kPartials);
    if (block * inner > tuning.matmul_sum_rows) break;
    // Blocks of the whole axis, too, are whole groups.
    if (extents[axis] >= block && extents[axis] * inner % kPartials == 0) return {axis, block};
    inner *= extents[axis];
  }
  return {};
}

}  // namespace reel::codegen
