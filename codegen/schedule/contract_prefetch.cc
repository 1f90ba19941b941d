#include "codegen/schedule/contract_loops.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "codegen/loop/ceil.h"

namespace reel::codegen {
namespace {

struct Operand {
  BufferId buffer = -1;
  int64_t offset = 0, element = 0;  // where it lies; bytes of an element
  int64_t matrices = 1, bytes = 0;  // of each
};

// Operand 0 or 1, if it is larger than what is near; elements: of a matrix.
std::optional<Operand> OperandBeyond(int64_t near, const ContractLoops& l, size_t number, int64_t elements,
                                     int64_t ContractAxis::* stride) {
  const ScheduleContext& c = l.c;
  if (!c.options.vectorize || l.shape.pairs || l.shape.k.size() != 1 || l.shape.lane.x != 0) return std::nullopt;
  if (!c.kernel_plan().Partials().empty()) return std::nullopt;
  const View& view = c.view(l.node.operands[number]);
  Operand out;
  out.offset = view.offset;
  out.element = SizeOf(c.dtype(view.base));
  out.bytes = elements * out.element;
  for (const ContractAxis& a : l.shape.outer) out.matrices *= a.*stride == 0 ? 1 : a.extent;
  if (out.matrices * out.bytes <= near) return std::nullopt;
  out.buffer = c.builder->BufferOf(view.base, false);
  return out;
}

// The same of what does not stay in L2.
std::optional<Operand> FarOperand(const ContractLoops& l, size_t number, int64_t elements,
                                  int64_t ContractAxis::* stride) {
  return OperandBeyond(l.c.target.machine.l2_bytes / 4, l, number, elements, stride);
}

// The second operand, if L1 does not hold it.
std::optional<Operand> FarTurned(const ContractLoops& l) {
  return OperandBeyond(l.c.target.machine.l1_bytes, l, 1, l.shape.depth * l.shape.lane.extent, &ContractAxis::w);
}

// Lanes of a step through so many neighbours: a line, if several would go beyond them.
int64_t LanesOf(const ContractLoops& l, int64_t run) {
  const auto line = std::bit_floor(static_cast<uint64_t>(l.c.target.machine.line_bytes / SizeOf(l.dtype)));
  return run % kPartials == 0 ? kPartials : std::min(static_cast<int64_t>(line), PowerOfTwo(run));
}

// A tile's share of the columns of a panel and so many k of them, `from` the panel's begin on.
Ahead ShareOf(const ContractLoops& l, const Panel& panel, const Operand& operand, int64_t depth, AxisId tile,
              const Affine& from) {
  const bool along_k = l.shape.lane.w != 1;  // neighbours in memory
  if (along_k && l.shape.k[0].w != 1) return {};
  const int64_t step = along_k ? l.shape.lane.w : l.shape.k[0].w;
  const int64_t run = along_k ? depth : panel.columns, runs = along_k ? panel.columns : depth;
  const int64_t share = Ceil(runs, l.tiles.per_block);
  const AxisId i = l.k->AddAxis("i"), j = l.k->AddAxis("j");
  const Affine at =
      l.w_base + panel.base * l.shape.lane.w + AxisAffine(tile, share * step) + AxisAffine(i, step) + AxisAffine(j);
  Stmt line = MakePrefetch(operand.buffer, at + from + operand.offset);
  return {i, share, Body(VectorLoop(j, run, LanesOf(l, run), Body(std::move(line))))};
}

// Whether a turned panel is as wide as others: it asks for lines while it multiplies (PrefetchTurned).
bool IsWhole(const ContractLoops& l, const Panel& panel) {
  return panel.width >= l.tiles.lanes && panel.columns == panel.width;
}

// Asked where there is something to prefetch.
bool IsWanted(const ContractLoops& l) { return l.c.choices->Flag("prefetch", true); }

// Elements of x from the first to the last that a block of rows reads, if they lie between those of its first and last
// row; else 0.
int64_t WindowOf(const ContractLoops& l) {
  const int64_t step = l.blocked().x;
  int64_t window = 1 + l.tiles.block * step - step;
  std::vector<ContractAxis> axes = l.shape.k;
  axes.insert(axes.end(), l.shape.rows.begin() + static_cast<std::ptrdiff_t>(l.tiles.axis) + 1, l.shape.rows.end());
  for (const ContractAxis& a : axes) {
    window += (a.extent - 1) * a.x;
    if (a.x > step) return 0;
  }
  return window;
}

}  // namespace

std::vector<Stmt> PrefetchWindow(const ContractLoops& l, AxisId k_block, AxisId tile) {
  const ScheduleContext& c = l.c;
  if (!c.options.vectorize || l.block < 0 || l.shape.pairs || l.shape.k.size() < 2) return {};
  const int64_t advance = l.tiles.block * l.blocked().x, window = WindowOf(l);
  const View& view = c.view(l.node.operands[0]);
  const Type& type = c.f.type(view.base);
  const int64_t bytes = SizeOf(type.dtype), l2 = c.target.machine.l2_bytes;
  // What L2 cannot hold comes in before it is read, if it is little.
  if (window == 0 || advance > window || type.shape.size() * bytes <= l2 || advance * bytes > l2 / 8) return {};
  const int64_t line = c.target.machine.line_bytes / bytes, tiles = l.tiles.per_block;
  const int64_t share = Ceil(advance, tiles * Ceil(l.shape.depth, kProductBlock) * line) * line;
  if (share * bytes > c.target.tuning.matmul_prefetch_tile || !IsWanted(l)) return {};
  const BufferId buffer = c.builder->BufferOf(view.base, false);
  const AxisId lane = c.kernel->AddAxis("l");
  const Affine next = l.x_base + AxisAffine(l.block, advance) + (view.offset + window);
  const Affine part = AxisAffine(k_block, share * tiles) + AxisAffine(tile, share) + AxisAffine(lane);
  return Body(VectorLoop(lane, share, PowerOfTwo(share), Body(MakePrefetch(buffer, next + part))));
}

void PrefetchLines(const ContractLoops& l, const Affine& row, const Affine& position, std::vector<Stmt>* out) {
  const ContractShape& shape = l.shape;
  const Tuning& tuning = l.c.target.tuning;
  if (shape.rows.size() != 1 || shape.rows[0].x != 1 || shape.k.empty() || shape.k[0].x <= 1) return;
  const auto operand = FarOperand(l, 0, shape.depth * shape.rows[0].extent, &ContractAxis::x);
  if (!operand || !IsWanted(l)) return;
  const bool small =
      operand->bytes <= tuning.matmul_prefetch_matrix && operand->matrices > 1 && shape.outer.back().x > 0;
  const int64_t ahead =
      small ? shape.outer.back().x : l.tiles.rows + tuning.matmul_prefetch_distance / operand->element;
  out->push_back(MakePrefetch(operand->buffer, l.x_base + row + position * shape.k[0].x + (operand->offset + ahead)));
}

bool TurnsFar(const ContractLoops& l) { return FarTurned(l).has_value(); }

void PrefetchTurned(const ContractLoops& l, const Panel& panel, const TurnedRows& rows, const Affine& position,
                    std::vector<Stmt>* out) {
  const ContractShape& shape = l.shape;
  const Machine& machine = l.c.target.machine;
  const Tuning& tuning = l.c.target.tuning;
  const auto operand = FarTurned(l);
  if (!operand || shape.k[0].w != 1 || !IsWhole(l, panel)) return;
  const int64_t panel_step = panel.width * shape.lane.w;
  const bool in_l1 = panel_step * operand->element <= machine.l1_bytes / 2;
  const bool matrices = !shape.outer.empty() && shape.outer[0].w > 0 &&
                        operand->bytes <= tuning.matmul_prefetch_matrix &&
                        operand->matrices * operand->bytes > machine.l2_bytes;
  if ((!matrices && !in_l1 && panel.width <= tuning.matmul_turned_streams) || !IsWanted(l)) return;
  const int64_t ahead = matrices ? shape.outer[0].w
                        : in_l1  ? panel_step
                                 : tuning.matmul_prefetch_distance / operand->element;
  const AxisId i = l.k->AddAxis("i");
  const Affine at = l.w_base + (panel.base + rows.first + AxisAffine(i)) * shape.lane.w + position;
  out->push_back(UnrolledLoop(i, rows.count, Body(MakePrefetch(operand->buffer, at + (operand->offset + ahead)))));
}

void PrefetchNext(const ContractLoops& l, const Panel& panel, AxisId tile, std::vector<Stmt>* out) {
  const ContractShape& shape = l.shape;
  if (shape.outer.empty() || shape.outer[0].w <= 0 || shape.k.empty()) return;
  const auto operand = FarOperand(l, 1, shape.depth * shape.lane.extent, &ContractAxis::w);
  // Loads are what a turned operand waits for, unless it comes from beyond L2.
  const bool is_near = operand && operand->matrices * operand->bytes <= l.c.target.machine.l2_bytes;
  if (l.tiles.turn > 0 && (is_near || IsWhole(l, panel))) return;
  if (!operand || operand->bytes > l.c.target.tuning.matmul_prefetch_matrix || !IsWanted(l)) return;
  Ahead next = ShareOf(l, panel, *operand, shape.depth, tile, {shape.outer[0].w, {}});
  if (next.count > 0) out->push_back(SerialLoop(next.axis, next.count, std::move(next.lines)));
}

Ahead NextBlock(const ContractLoops& l, const Panel& panel, AxisId k_block, AxisId tile) {
  const ContractShape& shape = l.shape;
  const Target& target = l.c.target;
  if (l.tiles.turn > 0 || l.is_split() || shape.depth <= l.k_block || shape.computed) return {};
  const auto operand = OperandBeyond(FarBytes(target.machine), l, 1, shape.depth * shape.lane.extent, &ContractAxis::w);
  const int64_t share = l.k_block * panel.columns / l.tiles.per_block;
  if (!operand || share * operand->element > target.tuning.matmul_prefetch_tile || !IsWanted(l)) return {};
  const int64_t next = l.k_block * shape.k[0].w;
  return ShareOf(l, panel, *operand, l.k_block, tile, AxisAffine(k_block, next) + next);
}

}  // namespace reel::codegen
