#include "codegen/schedule/schedule.h"

namespace reel::codegen {

// One row after the other; normalised so that the rows of the result lie along its last axis.
void ScheduleSort(const ScheduleContext& c) {
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = c.root_node();
  LoopAxes axes;
  std::vector<int64_t> extents = c.f.type(root).shape.dims();
  const int64_t n = extents.back();
  extents.pop_back();
  Index row = AddAxes(c.kernel, extents, &axes);
  row.push_back({});
  Stmt sort{.kind = Stmt::Kind::kSort, .extent = n, .descending = node.attr<bool>("descending")};
  sort.buffer = c.builder->BufferOf(root, true);
  sort.index = c.builder->Flat(root, row);
  sort.a = c.builder->BuildOperand(root, 0, row);
  sort.dynamic_stride = c.view(node.operands[0]).strides.back();
  std::vector<Stmt> body = Body(std::move(sort));
  CollapseAxes(c.kernel, &body, &axes);
  c.kernel->body = Nest(axes, 1, std::move(body));
  int64_t cost = 8;  // of a comparison that the processor cannot foresee, n log n times
  for (int64_t m = n; m > 1; m /= 2) cost += 8;
  Parallelize(c, c.f.type(root).shape.size(), cost);
}

}  // namespace reel::codegen
