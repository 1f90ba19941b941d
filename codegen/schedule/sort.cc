#include "codegen/schedule/schedule.h"

namespace reel::codegen {

// One row after the other; normalised so that the rows of the result lie along its last axis.
void ScheduleSort(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = *c.f.producer(root);
  const Shape& shape = c.f.type(root).shape;
  const View& keys = *c.plan.views[static_cast<size_t>(node.operands[0].id)];
  std::vector<AxisId> axes;
  std::vector<int64_t> extents = shape.dims();
  const int64_t n = extents.back();
  extents.pop_back();
  Index row;
  for (size_t i = 0; i < extents.size(); ++i) {
    axes.push_back(k->AddAxis("i" + std::to_string(i)));
    row.push_back(AxisAffine(axes.back()));
  }
  row.push_back({});
  Stmt sort;
  sort.kind = Stmt::Kind::kSort;
  sort.buffer = c.builder->BufferOf(root, true);
  sort.index = c.builder->Flat(root, row);
  sort.a = c.builder->BuildOperand(root, 0, row);
  sort.dynamic_stride = keys.strides.back();
  sort.extent = n;
  sort.descending = node.attr<bool>("descending");
  std::vector<Stmt> body;
  body.push_back(std::move(sort));
  CollapseAxes(k, &body, &axes, &extents);
  k->body = Nest(axes, extents, 1, std::move(body));
  int64_t cost = 8;  // of a comparison that the processor cannot foresee, n log n times
  for (int64_t m = n; m > 1; m /= 2) cost += 8;
  if (c.options.vectorize) Parallelize(c, shape.size(), cost);
}

}  // namespace reel::codegen
