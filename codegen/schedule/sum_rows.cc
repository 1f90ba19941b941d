#include "codegen/schedule/sum_rows.h"

#include <algorithm>

#include "codegen/loop/ceil.h"

namespace reel::codegen {

// for g { s = 0; for row in 0..64 { row 64 g + row, its sums in s }; partials[g] = s }
void SumOverRows(Kernel* k, const std::vector<RowSums>& columns, AxisId row, int64_t rows, int64_t together,
                 int64_t width, int64_t lanes, std::vector<Stmt> body) {
  const AxisId g = k->AddAxis("g"), e = k->AddAxis("e");
  const int64_t steps = kPartials / together;
  ShiftAxis(k, &body, row, AxisAffine(g, steps));
  Stmt visit = SerialLoop(row, std::min(rows / together, steps), std::move(body));
  if (rows > kPartials && rows % kPartials != 0) Clip(&visit, AxisAffine(g, steps), rows / together);
  const int64_t turns = columns[0].turns, count = width / turns;
  std::vector<Stmt> group, stores;
  for (const RowSums& c : columns) {
    group.push_back(MakeLocal(c.sums, IdentityBits(c.combine, c.dtype)));
    for (int64_t t = 0; t < turns; ++t) {
      const ExprId sum = LocalExpr(k, c.sums, AxisAffine(e) + t * count);
      stores.push_back(MakeStore(c.partials, AxisAffine(e, turns) + AxisAffine(g, width) + t, sum));
    }
  }
  group.push_back(std::move(visit));
  group.push_back(VectorLoop(e, count, lanes, std::move(stores)));
  k->body = Body(SerialLoop(g, Ceil(rows, kPartials), std::move(group)));
}

// What is done for the elements of a short last axis, which is gone then: each has its part of the sums.
static std::vector<Stmt> SumByTurns(const ScheduleContext& c, LocalId sums, const Index& index, const Index& kept,
                                    LoopAxes* axes) {
  const ir::Value root = c.kernel_plan().root;
  const AxisId last = axes->ids.back();
  const int64_t turns = axes->innermost(), count = c.f.type(root).shape.size() / turns;
  axes->Erase(axes->size() - 1);
  c.kernel->exprs.clear();
  c.builder->Clear();
  Affine at = c.builder->Flat(root, kept);  // without the last axis all steps are multiples of its elements
  at.Add(last, -at.coefficient(last));
  for (auto& [axis, step] : at.terms) step /= turns;
  std::vector<Stmt> body;
  std::vector<std::vector<Stmt>> stores;
  for (int64_t t = 0; t < turns; ++t) {
    Index place = index;
    for (Affine& a : place) {
      if (a.coefficient(last) != 0) a = {t, {}};
    }
    const ExprId operand = c.builder->BuildOperand(root, 0, place);
    body.push_back(MakeAccumulate(sums, at + t * count, CombineOf(c.root_node().op), operand));
    stores.push_back(c.Stores(c.kernel_plan().producer, place));
  }
  Append(ByValue(std::move(stores)), &body);
  return body;
}

void ScheduleRowSums(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root, partials = c.kernel_plan().As<ReduceKernel>()->partials;
  const ir::Node& node = c.root_node();
  const Shape& shape = c.f.type(node.operands[0]).shape;
  const auto& reduced = node.attr<std::vector<int64_t>>("axes");
  AxisId row = -1;
  int64_t rows = 1;
  LoopAxes axes;
  Index index, kept;
  for (int i = 0; i < shape.rank(); ++i) {
    const AxisId axis = k->AddAxis("i" + std::to_string(i));
    const bool is_row = std::binary_search(reduced.begin(), reduced.end(), i);
    index.push_back(shape.dim(i) == 1 ? Affine{} : AxisAffine(axis));
    if (is_row && shape.dim(i) != 1) row = axis, rows = shape.dim(i);
    if (is_row) continue;
    axes.Add(axis, shape.dim(i));
    kept.push_back(index.back());
  }
  const DType dtype = c.dtype(root);
  const Combine combine = CombineOf(node.op);
  const int64_t width = c.f.type(root).shape.size();
  const LocalId sums = k->AddLocal("s", dtype, width);
  // Accumulating reads before the stores write: an output may take the place of an operand.
  const ExprId operand = c.builder->BuildOperand(root, 0, index);
  std::vector<Stmt> body = Body(MakeAccumulate(sums, c.builder->Flat(root, kept), combine, operand));
  Append(c.Stores(c.kernel_plan().producer, index), &body);
  const bool may = TakesTurns(c, axes) && StoresByTurns(c);
  const int64_t turns = c.choices->Flag("turns", may, may) ? axes.innermost() : 1;
  if (turns > 1) body = SumByTurns(c, sums, index, kept, &axes);
  CollapseAxes(k, &body, &axes);
  const int64_t cost = ExprCost(*k) / turns;
  const int64_t lanes = VectorWidth(c, width / turns, ChooseRegisters(c, 4));
  body = Nest(axes, VectorWidth(c, axes.extents.back(), 1), std::move(body));
  SumOverRows(k, {{sums, c.builder->BufferOf(partials, true), combine, dtype, turns}}, row, rows, 1, width, lanes,
              std::move(body));
  Parallelize(c, rows, width * cost);
}

}  // namespace reel::codegen
