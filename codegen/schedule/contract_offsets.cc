#include "codegen/schedule/contract_offsets.h"

#include <cstdlib>
#include <utility>

namespace reel::codegen {

using ir::Op;

KOffsets OffsetsAlongK(const ScheduleContext& context, const std::vector<ContractAxis>& all,
                       int64_t ContractAxis::* stride, const Affine& first, Stmt loop, std::vector<Stmt>* out) {
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

}  // namespace reel::codegen
