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
  std::vector<Stmt> group, stores;
  for (const RowSums& c : columns) {
    group.push_back(MakeLocal(c.sums, IdentityBits(c.combine, c.dtype)));
    stores.push_back(MakeStore(c.partials, AxisAffine(e) + AxisAffine(g, width), LocalExpr(k, c.sums, AxisAffine(e))));
  }
  group.push_back(std::move(visit));
  group.push_back(VectorLoop(e, width, lanes, std::move(stores)));
  k->body = Body(SerialLoop(g, Ceil(rows, kPartials), std::move(group)));
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
  CollapseAxes(k, &body, &axes);
  const int64_t cost = ExprCost(*k);
  const int64_t lanes = VectorWidth(c, width, ChooseRegisters(c, 4));
  body = Nest(axes, VectorWidth(c, axes.extents.back(), 1), std::move(body));
  SumOverRows(k, {{sums, c.builder->BufferOf(partials, true), combine, dtype}}, row, rows, 1, width, lanes,
              std::move(body));
  Parallelize(c, rows, width * cost);
}

}  // namespace reel::codegen
