#include "codegen/schedule/contract_sums.h"

#include <utility>

#include "codegen/schedule/contract_operand.h"

namespace reel::codegen {

using ir::Op;

std::vector<RowSums> OpenRowSums(const ScheduleContext& c, int64_t lanes) {
  std::vector<RowSums> sums;
  for (const auto& [root, to] : c.kernel_plan().As<MatmulKernel>()->row_reductions) {
    const DType dtype = c.dtype(root);
    sums.push_back({c.kernel->AddLocal("s", dtype, lanes), c.builder->BufferOf(to, true),
                    CombineOf(c.f.producer(root)->op), dtype});
  }
  return sums;
}

void AddToRowSums(const ScheduleContext& c, const std::vector<RowSums>& sums, const Index& index, const Affine& lane,
                  std::vector<Stmt>* out) {
  const auto& reductions = c.kernel_plan().As<MatmulKernel>()->row_reductions;
  for (size_t i = 0; i < sums.size(); ++i) {
    const ir::Value x = c.builder->BaseOf(c.f.producer(reductions[i].root)->operands[0]);
    out->push_back(MakeAccumulate(sums[i].sums, lane, sums[i].combine, c.builder->Build(x, index)));
  }
}

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

}  // namespace reel::codegen
