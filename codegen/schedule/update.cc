#include "codegen/schedule/schedule.h"

namespace reel::codegen {

// y holds x; for each element of the update: y[..., start + j, ...] = update[..., j, ...].
void ScheduleUpdate(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = *c.f.producer(root);
  *c.updated = c.builder->BaseOf(node.operands[0]);
  const Shape &shape = c.f.type(root).shape, &update = c.f.type(node.operands[1]).shape;
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));
  std::vector<AxisId> axes;
  std::vector<int64_t> extents = update.dims();
  Index index;
  for (int i = 0; i < update.rank(); ++i) {
    axes.push_back(k->AddAxis("i" + std::to_string(i)));
    index.push_back(AxisAffine(axes.back()));
  }
  const BufferId out = c.builder->BufferOf(root, true);
  Stmt store = MakeStore(out, c.builder->Flat(root, index), c.builder->Build(node.operands[1], index));
  store.dynamic = c.builder->ClampedStart(node.operands[2], shape.dim(axis) - update.dim(axis));
  store.dynamic_stride = RowMajorStrides(shape)[static_cast<size_t>(axis)];
  std::vector<Stmt> body;
  body.push_back(std::move(store));
  CollapseAxes(k, &body, &axes, &extents);
  const int64_t cost = ExprCost(*k), inner = extents.empty() ? 1 : extents.back();
  const int64_t width = c.options.vectorize ? VectorWidth(*k, c.target, inner, cost > 40 ? 1 : 2) : 1;
  k->body = Nest(axes, extents, width, std::move(body));
  if (c.options.vectorize) Parallelize(c, update.size(), cost);
}

}  // namespace reel::codegen
