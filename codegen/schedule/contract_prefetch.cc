#include "codegen/schedule/contract_prefetch.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "codegen/loop/ceil.h"

namespace reel::codegen {
namespace {

struct Operand {
  BufferId buffer = -1;
  int64_t offset = 0, element = 0;  // where it lies; bytes of an element
  int64_t matrices = 1, bytes = 0;  // of each
};

// Operand 0 or 1, if it is too large to be near; elements: of a matrix.
std::optional<Operand> FarOperand(const ScheduleContext& c, const ContractShape& shape, size_t number, int64_t elements,
                                  int64_t ContractAxis::* stride) {
  if (!c.options.vectorize || shape.pairs || shape.k.size() != 1 || shape.lane.x != 0) return std::nullopt;
  if (!c.kernel_plan().Partials().empty()) return std::nullopt;
  const ir::Value v = c.f.producer(c.kernel_plan().root)->operands[number];
  const View& view = *c.plan.views[static_cast<size_t>(v.id)];
  Operand out;
  out.offset = view.offset;
  out.element = SizeOf(c.f.type(view.base).dtype);
  out.bytes = elements * out.element;
  for (const ContractAxis& a : shape.outer) out.matrices *= a.*stride == 0 ? 1 : a.extent;
  if (out.matrices * out.bytes <= c.target.machine.l2_bytes / 4) return std::nullopt;
  out.buffer = c.builder->BufferOf(view.base, false);
  return out;
}

Stmt Prefetch(const Operand& operand, Affine at) {
  Stmt s;
  s.kind = Stmt::Kind::kPrefetch;
  s.buffer = operand.buffer;
  s.index = std::move(at);
  s.index.constant += operand.offset;
  return s;
}

}  // namespace

std::vector<Stmt> PrefetchWindow(const ScheduleContext& context, const ContractShape& shape, const ContractTiles& tiles,
                                 const Affine& x_base, AxisId block, AxisId k, AxisId tile) {
  if (!context.options.vectorize || block < 0 || shape.pairs || shape.k.size() < 2) return {};
  const ContractAxis& axis = shape.rows[tiles.axis];
  const int64_t advance = tiles.block * axis.x;
  int64_t window = 1 + advance - axis.x;  // elements of x from the first to the last of a block of rows
  bool inside = true;
  for (const ContractAxis& a : shape.k) {
    window += (a.extent - 1) * a.x;
    inside = inside && a.x <= axis.x;
  }
  for (size_t i = tiles.axis + 1; i < shape.rows.size(); ++i) {
    window += (shape.rows[i].extent - 1) * shape.rows[i].x;
    inside = inside && shape.rows[i].x <= axis.x;
  }
  const ir::Value x = context.f.producer(context.kernel_plan().root)->operands[0];
  const View& view = *context.plan.views[static_cast<size_t>(x.id)];
  const Type& type = context.f.type(view.base);
  const int64_t bytes = SizeOf(type.dtype), l2 = context.target.machine.l2_bytes;
  // What L2 cannot hold comes in before it is read, if it is little.
  if (!inside || advance > window || type.shape.size() * bytes <= l2 || advance * bytes > l2 / 8) return {};
  const int64_t line = context.target.machine.line_bytes / bytes,
                shares = tiles.per_block * Ceil(shape.depth, kProductBlock);
  const int64_t share = Ceil(advance, shares * line) * line;
  if (share * bytes > context.target.tuning.matmul_prefetch_tile) return {};
  Stmt s;
  s.kind = Stmt::Kind::kPrefetch;
  s.buffer = context.builder->BufferOf(view.base, false);
  s.index = x_base;
  s.index.constant += view.offset + window;
  s.index.Add(block, advance);
  s.index.Add(k, share * tiles.per_block);
  s.index.Add(tile, share);
  const AxisId lane = context.kernel->AddAxis("l");
  s.index.Add(lane, 1);
  const auto width = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(share)));
  return Only(MakeLoop(lane, share, LoopKind::kVector, width, Only(std::move(s))));
}

void PrefetchLines(const ScheduleContext& c, const ContractShape& shape, const ContractTiles& tiles, Affine x,
                   const Affine& row, const Affine& position, std::vector<Stmt>* out) {
  if (shape.rows.size() != 1 || shape.rows[0].x != 1 || shape.k.empty() || shape.k[0].x <= 1) return;
  const auto operand = FarOperand(c, shape, 0, shape.depth * shape.rows[0].extent, &ContractAxis::x);
  if (!operand) return;
  const bool small =
      operand->bytes <= c.target.tuning.matmul_prefetch_matrix && operand->matrices > 1 && shape.outer.back().x > 0;
  x.constant += small ? shape.outer.back().x : tiles.rows + c.target.tuning.matmul_prefetch_distance / operand->element;
  x.Add(row);
  x.Add(position, shape.k[0].x);
  out->push_back(Prefetch(*operand, std::move(x)));
}

void PrefetchNext(const ScheduleContext& c, const ContractShape& shape, const ContractTiles& tiles, Affine w,
                  AxisId tile, std::vector<Stmt>* out) {
  if (shape.outer.empty() || shape.outer[0].w <= 0 || shape.k.empty()) return;
  const bool along_k = shape.lane.w != 1;  // neighbours in memory
  const int64_t depth = shape.depth, lanes = shape.lane.extent, step = along_k ? shape.lane.w : shape.k[0].w;
  const auto operand = FarOperand(c, shape, 1, depth * lanes, &ContractAxis::w);
  if (!operand || operand->bytes > c.target.tuning.matmul_prefetch_matrix || (along_k && shape.k[0].w != 1)) return;
  const int64_t run = along_k ? depth : lanes, runs = along_k ? lanes : depth;
  const int64_t share = Ceil(runs, tiles.per_block);
  const AxisId i = c.kernel->AddAxis("i"), j = c.kernel->AddAxis("j");
  w.constant += shape.outer[0].w;
  w.Add(tile, share * step);
  w.Add(i, step);
  w.Add(j, 1);
  const auto width = std::min(kPartials, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(run))));
  Stmt lines = MakeLoop(j, run, LoopKind::kVector, width, {Prefetch(*operand, std::move(w))});
  out->push_back(MakeLoop(i, share, LoopKind::kSerial, 1, {std::move(lines)}));
}

}  // namespace reel::codegen
