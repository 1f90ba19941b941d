#include "codegen/schedule/contract_loops.h"

#include <algorithm>

#include "codegen/loop/ceil.h"
#include "codegen/plan/view.h"

// The second operand of a product, computed row by row where it is multiplied (FuseProducers), with the sums over its
// rows by the rule of reduce.cc.

namespace reel::codegen {
namespace {

using ir::Op;

const PartialReduction& RhsReduction(const ScheduleContext& c) {
  return *c.kernel_plan().As<MatmulKernel>()->rhs_reduction;
}

// An element of the operand, and what of it is summed.
struct Element {
  ExprId value, summed;
};

// Loads of x[.., q, r, ..] where q and r are quotient and remainder of a lane by `inner` become loads at the lane:
// those along the quotient alone, or with other steps, at a computed index.
void Flatten(Kernel* k, size_t begin, AxisId q, AxisId r, const Affine& lane, int64_t inner, ExprId quotient) {
  for (size_t i = begin; i < k->exprs.size(); ++i) {
    Expr& e = k->exprs[i];
    const int64_t along_q = e.index.coefficient(q), along_r = e.index.coefficient(r);
    if (along_q == 0 && along_r == 0) continue;
    e.index.Add(q, -along_q);
    e.index.Add(r, -along_r);
    e.index.Add(lane, along_r);
    if (along_q == along_r * inner) continue;
    e.dynamic = quotient;
    e.dynamic_stride = along_q - along_r * inner;
  }
}

Element ElementAt(const ScheduleContext& c, const Affine& row, const Affine& lane) {
  Kernel* k = c.kernel;
  ExprBuilder& b = *c.builder;
  const ir::Value v = b.BaseOf(c.f.producer(c.kernel_plan().root)->operands[1]);
  const Shape& shape = c.f.type(v).shape;
  const std::vector<int64_t> dims = WithoutOnes(shape);
  std::vector<Affine> at{row, lane};
  AxisId q = -1, r = -1;
  ExprId quotient = -1;
  if (dims.size() == 3) {
    q = k->AddAxis("q"), r = k->AddAxis("r");
    at = {row, AxisAffine(q), AxisAffine(r)};
    const ExprId last = b.Number(dims[1] * dims[2] - 1);
    quotient = b.Apply(Op::kDiv, kInt64, {b.Apply(Op::kMin, kInt64, {b.Position(lane), last}), b.Number(dims[2])});
  }
  Index index(static_cast<size_t>(shape.rank()));
  size_t next = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) != 1) index[static_cast<size_t>(i)] = at[next++];
  }
  const size_t begin = k->exprs.size();
  const Element e{b.Build(v, index), b.BuildOperand(RhsReduction(c).root, 0, index)};
  if (quotient >= 0) Flatten(k, begin, q, r, lane, dims[2], quotient);
  return e;
}

// vector j { the element of row in_block of the block is put to its place, and joins the sum of its column }
Stmt ComputedRow(const ScheduleContext& c, const ComputedColumns& columns, AxisId block, const Affine& in_block,
                 AxisId j, LocalId sums) {
  const Affine row = AxisAffine(block, kProductBlock) + in_block, lane = columns.base + AxisAffine(j);
  const Element element = ElementAt(c, row, lane);
  const Combine combine = CombineOf(c.f.producer(RhsReduction(c).root)->op);
  Stmt put = MakeAccumulate(columns.to, AxisAffine(j) + in_block * columns.row_stride, Combine::kSet, element.value);
  Stmt sum = MakeAccumulate(sums, AxisAffine(j), combine, element.summed);
  return VectorLoop(j, columns.columns, columns.vector, Body(std::move(put), std::move(sum)));
}

}  // namespace

Stmt OverComputedRows(const ScheduleContext& c, const ComputedColumns& columns, int64_t depth, AxisId block,
                      AxisId group, AxisId row, std::vector<Stmt> body) {
  Kernel* k = c.kernel;
  const auto& [root, partials] = RhsReduction(c);
  const Shape& groups = c.f.type(partials).shape;
  const DType dtype = c.dtype(root);
  const Combine combine = CombineOf(c.f.producer(root)->op);
  const LocalId sums = k->AddLocal("s", dtype, RoundUp(columns.columns, columns.vector));
  const AxisId j = k->AddAxis("j"), e = k->AddAxis("e");
  constexpr int64_t kGroups = kProductBlock / kPartials;
  const Affine in_block = AxisAffine(group, kPartials) + AxisAffine(row);
  body.insert(body.begin(), ComputedRow(c, columns, block, in_block, j, sums));
  Stmt rows = SerialLoop(row, std::min(depth, kPartials), std::move(body));
  if (depth % kPartials != 0) Clip(&rows, AxisAffine(block, kProductBlock) + AxisAffine(group, kPartials), depth);
  const Affine at = AxisAffine(block, kGroups * groups.dim(1)) + AxisAffine(group, groups.dim(1)) + AxisAffine(e);
  const BufferId to = c.builder->BufferOf(partials, true);
  Stmt store = MakeStore(to, columns.base + at, LocalExpr(k, sums, AxisAffine(e)));
  store = VectorLoop(e, columns.columns, columns.vector, Body(std::move(store)));
  Stmt loop = SerialLoop(group, std::min(groups.dim(0), kGroups),
                         Body(MakeLocal(sums, IdentityBits(combine, dtype)), std::move(rows), std::move(store)));
  if (groups.dim(0) % kGroups != 0) Clip(&loop, AxisAffine(block, kGroups), groups.dim(0));
  return loop;
}

}  // namespace reel::codegen
