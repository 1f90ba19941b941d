#include "codegen/plan/uses.h"
#include "codegen/schedule/schedule.h"

#include <algorithm>
#include <bit>

namespace reel::codegen {
namespace {

// Words for a selection: what is sorted each time, and what stays of it.
int64_t RoomFor(int64_t count, const Tuning& tuning) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(2 * count, tuning.select_room))));
}

}  // namespace

// One row after the other; normalised so that the rows of the result lie along its last axis. A slice of the first
// positions (SelectionOf) is the root in the place of the sort that it reads.
void ScheduleSort(const ScheduleContext& c) {
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = SortOf(c.f, c.kernel_plan());
  const Shape& shape = c.f.type(node.result()).shape;
  LoopAxes axes;
  std::vector<int64_t> extents = shape.dims();
  const int64_t n = extents.back();
  extents.pop_back();
  Index row = AddAxes(c.kernel, extents, &axes);
  row.push_back({});
  Stmt sort;
  sort.kind = Stmt::Kind::kSort;
  sort.extent = n;
  sort.descending = node.attr<bool>("descending");
  sort.buffer = c.builder->BufferOf(root, true);
  sort.index = c.builder->Flat(root, row);
  sort.a = c.builder->BuildOperand(node.result(), 0, row);
  sort.dynamic_stride = c.view(node.operands[0]).strides.back();
  sort.positions = c.f.type(root).shape.dim(shape.rank() - 1);
  std::vector<Stmt> body;
  int64_t cost = 4;  // of a key that goes through one pass
  if (sort.positions < n) {
    sort.local = c.kernel->AddLocal("words", kInt64, RoomFor(sort.positions, c.target.tuning));
    body.push_back(MakeScratch(sort.local));
  } else {
    for (int64_t m = n; m > 1; m /= 2) cost += 4;
  }
  body.push_back(std::move(sort));
  CollapseAxes(c.kernel, &body, &axes);
  c.kernel->body = Nest(axes, 1, std::move(body));
  Parallelize(c, shape.size(), cost);
}

}  // namespace reel::codegen
