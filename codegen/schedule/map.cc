#include "codegen/schedule/schedule.h"

namespace reel::codegen {

// for i { vector j { y[i, j] = f(x[...]) } }, axes collapsed first: most maps have one loop.
void ScheduleMap(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const Shape& shape = c.f.type(c.group().post[0]).shape;
  std::vector<AxisId> axes;
  std::vector<int64_t> extents = shape.dims();
  Index index;
  for (int i = 0; i < shape.rank(); ++i) {
    axes.push_back(k->AddAxis("i" + std::to_string(i)));
    index.push_back(AxisAffine(axes.back()));
  }
  std::vector<Stmt> stores;
  for (ir::Value v : c.group().post) {
    if (!c.stored(v)) continue;
    const ExprId value = c.builder->Build(v, index);
    stores.push_back(MakeStore(c.builder->BufferOf(v, true), c.builder->Flat(v, index), value));
  }
  CollapseAxes(k, &stores, &axes, &extents);
  const int64_t cost = ExprCost(*k);
  const int64_t inner = extents.empty() ? 1 : extents.back();
  const int64_t width = c.options.vectorize ? VectorWidth(*k, c.target, inner, cost > 40 ? 1 : 2) : 1;
  k->body = Nest(axes, extents, width, std::move(stores));
  if (c.options.vectorize) Parallelize(k, shape.size() * cost);
}

}  // namespace reel::codegen
