#include "codegen/plan/view.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {

namespace {

// y holds x; around it, along each axis before and behind, between the borders of the axes before: y[...] = value.
void ScheduleBorder(const ScheduleContext& c, const ir::Node& pad) {
  Kernel* k = c.kernel;
  const auto &low = pad.attr<std::vector<int64_t>>("low"), &high = pad.attr<std::vector<int64_t>>("high");
  const BufferId out = c.builder->BufferOf(pad.result(), true);
  std::vector<int64_t> extents = c.f.type(pad.result()).shape.dims(), begin(extents.size(), 0);
  int64_t size = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    const int64_t all = extents[i];
    for (const bool behind : {false, true}) {
      extents[i] = behind ? high[i] : low[i];
      begin[i] = behind ? all - high[i] : 0;
      if (extents[i] == 0) continue;
      LoopAxes axes;
      Index index = AddAxes(k, extents, &axes);
      for (size_t a = 0; a < index.size(); ++a) index[a].constant += begin[a];
      std::vector<Stmt> body =
          Body(MakeStore(out, c.builder->Flat(pad.result(), index), c.builder->Build(pad.operands[1], {})));
      CollapseAxes(k, &body, &axes);
      const int64_t width = VectorWidth(c, axes.innermost(), 2);
      Append(Nest(axes, width, std::move(body)), &k->body);
      size += Product(extents);
    }
    begin[i] = low[i];
    extents[i] = all - low[i] - high[i];
  }
  Parallelize(c, size, 1);
}

}  // namespace

// y holds x; for each element of the update: y[..., start + j, ...] = update[..., j, ...].
void ScheduleUpdate(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = c.root_node();
  *c.updated = c.builder->BaseOf(node.operands[0]);
  if (node.op == ir::Op::kPad) return ScheduleBorder(c, node);
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
