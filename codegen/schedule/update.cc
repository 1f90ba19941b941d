#include "codegen/schedule/schedule.h"

namespace reel::codegen {

// y holds x; for each element of the update: y[..., start + j, ...] = update[..., j, ...].
void ScheduleUpdate(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = c.root_node();
  *c.updated = c.builder->BaseOf(node.operands[0]);
  const Shape &shape = c.f.type(root).shape, &update = c.f.type(node.operands[1]).shape;
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));
  LoopAxes axes;
  const Index index = AddAxes(k, update.dims(), &axes);
  const BufferId out = c.builder->BufferOf(root, true);
  Stmt store = MakeStore(out, c.builder->Flat(root, index), c.builder->Build(node.operands[1], index));
  store.dynamic = c.builder->ClampedStart(node.operands[2], shape.dim(axis) - update.dim(axis));
  store.dynamic_stride = RowMajorStrides(shape)[static_cast<size_t>(axis)];
  std::vector<Stmt> body = Body(std::move(store));
  CollapseAxes(k, &body, &axes);
  const int64_t cost = ExprCost(*k);
  k->body = Nest(axes, VectorWidth(c, axes.innermost(), cost > 40 ? 1 : 2), std::move(body));
  Parallelize(c, update.size(), cost);
}

}  // namespace reel::codegen
