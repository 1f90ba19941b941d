#include "codegen/schedule/contract_offsets.h"

#include <bit>
#include <cstdlib>
#include <utility>

namespace reel::codegen {

using ir::Op;

KOffsets OffsetsAlongK(const ScheduleContext& context, const std::vector<ContractAxis>& all,
                       int64_t ContractAxis::*stride, const Affine& first, Stmt loop, std::vector<Stmt>* out) {
  std::vector<ContractAxis> axes;  // those that this operand alone can tell apart
  int64_t span = 1;
  for (const ContractAxis& a : all) {
    span *= a.extent;
    if (!axes.empty() && axes.back().*stride == a.*stride * a.extent) {
      const int64_t n = axes.back().extent;
      axes.back() = a;
      axes.back().extent *= n;
    } else {
      axes.push_back(a);
    }
  }
  if (axes.size() <= 1) return {axes.empty() ? 0 : axes[0].*stride, -1};
  for (const ContractAxis& a : axes) span += std::abs(a.*stride) * a.extent;
  const DType dtype = span < INT32_MAX ? kInt32 : kInt64;
  Kernel* kernel = context.kernel;
  const KOffsets offsets{0, kernel->AddLocal("ks", dtype, loop.extent.value())};
  Affine k = first;
  k.Add(loop.axis, 1);
  ExprBuilder& b = *context.builder;
  const auto number = [&](int64_t x) { return b.Constant(dtype, static_cast<double>(x)); };
  ExprId rest = b.Position(k, dtype), sum = -1;
  for (size_t i = axes.size(); i-- > 0;) {
    const ExprId extent = number(axes[i].extent);
    const ExprId at = i == 0 ? rest : b.Apply(Op::kRem, dtype, {rest, extent});
    if (i > 0) rest = b.Apply(Op::kDiv, dtype, {rest, extent});
    const ExprId term = b.Apply(Op::kMul, dtype, {at, number(axes[i].*stride)});
    sum = sum < 0 ? term : b.Apply(Op::kAdd, dtype, {sum, term});
  }
  loop.body.push_back(MakeAccumulate(offsets.table, AxisAffine(loop.axis), Combine::kSet, sum));
  loop.width = context.options.vectorize ? context.target.lanes(SizeOf(dtype)) : 1;
  if (loop.width > 1) loop.loop_kind = LoopKind::kVector;
  out->push_back(MakeScratch(offsets.table));
  out->push_back(std::move(loop));
  return offsets;
}

std::vector<Stmt> WindowAhead(const ScheduleContext& context, const ContractShape& shape, const ContractTiles& tiles,
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
  const ir::Value x = context.f.producer(context.group().root)->operands[0];
  const View& view = *context.grouping.views[static_cast<size_t>(x.id)];
  const Type& type = context.f.type(view.base);
  const int64_t bytes = SizeOf(type.dtype), l2 = context.target.l2_bytes;
  // What L2 cannot hold comes in before it is read, if it is little.
  if (!inside || advance > window || type.shape.size() * bytes <= l2 || advance * bytes > l2 / 8) return {};
  const int64_t line = 64 / bytes, shares = tiles.per_block * ((shape.depth + kProductBlock - 1) / kProductBlock);
  const int64_t share = (advance + shares * line - 1) / (shares * line) * line;
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
  std::vector<Stmt> body, out;
  body.push_back(std::move(s));
  const auto width = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(share)));
  out.push_back(MakeLoop(lane, share, LoopKind::kVector, width, std::move(body)));
  return out;
}

}  // namespace reel::codegen
