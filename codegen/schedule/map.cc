#include <algorithm>
#include <bit>

#include "codegen/schedule/schedule.h"

namespace reel::codegen {
namespace {

// Position in `axes` of an axis along which some load is contiguous while it strides along the innermost
// one: a transposing copy. -1 if there is none.
int ContiguousElsewhere(const Kernel& kernel, const std::vector<AxisId>& axes) {
  for (const Expr& e : kernel.exprs) {
    const int64_t inner = e.index.coefficient(axes.back());
    if (e.kind != Expr::Kind::kLoad || inner == 0 || inner == 1) continue;
    for (size_t i = 0; i + 1 < axes.size(); ++i) {
      if (e.index.coefficient(axes[i]) == 1) return static_cast<int>(i);
    }
  }
  return -1;
}

// for jb { for i { vector j in 0..width { body } } }: the lines that one vector of j touches serve all
// following i before others are fetched.
std::vector<Stmt> TransposingNest(Kernel* k, std::vector<AxisId> axes, std::vector<int64_t> extents, size_t along,
                                  int64_t width, std::vector<Stmt> body) {
  const AxisId block = k->AddAxis("jb"), inner = axes.back();
  const int64_t count = extents.back();
  ShiftAxis(k, &body, inner, AxisAffine(block, width));
  Stmt lanes = MakeLoop(inner, width, LoopKind::kVector, width, std::move(body));
  if (count % width != 0) {
    Clip(&lanes, AxisAffine(block, width), count);
  }
  body.clear();
  body.push_back(std::move(lanes));
  axes.back() = block;
  extents.back() = (count + width - 1) / width;
  axes.push_back(axes[along]);
  extents.push_back(extents[along]);
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(along));
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(along));
  return Nest(axes, extents, 1, std::move(body));
}

// Most results of expressions, other than scalars, that wait for a user at once.
int64_t LiveValues(const Kernel& kernel) {
  std::vector<size_t> last_use(kernel.exprs.size());
  for (size_t i = 0; i < kernel.exprs.size(); ++i) {
    last_use[i] = i;
    for (ExprId o : kernel.exprs[i].operands) last_use[static_cast<size_t>(o)] = i;
  }
  const std::vector<bool> varies = Varying(kernel);
  std::vector<int64_t> ends(kernel.exprs.size(), 0);
  int64_t live = 0, most = 1;
  for (size_t i = 0; i < kernel.exprs.size(); ++i) {
    if (varies[i]) {
      ++live;
      ++ends[last_use[i]];
    }
    most = std::max(most, live);
    live -= ends[i];
  }
  return most;
}

// Lanes of a step: chains of dependent operations in four registers side by side hide each other's latency. Fewer
// where values would spill, code grow long, or a last step be mostly masked.
int64_t StepWidth(const ScheduleContext& c, int64_t extent, int64_t cost) {
  const Kernel& kernel = *c.kernel;
  const Target& target = c.target;
  const int64_t live = LiveValues(kernel);
  auto registers = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(target.tuning.map_registers)));
  const auto too_many = [&] {
    return registers * live > target.vector_registers || registers * cost > target.tuning.map_max_step;
  };
  while (registers > 1 && too_many()) {
    registers /= 2;
  }
  const int64_t usual = registers;
  registers = c.choices->Choose("registers", usual, 1, 8, {1, 2, 4, 8});
  const auto lanes = [extent](int64_t width) { return (extent + width - 1) / width * width; };
  registers = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(registers)));
  int64_t width = VectorWidth(kernel, target, extent, static_cast<int>(registers));
  if (registers != usual) return width;
  const int64_t one = VectorWidth(kernel, target, extent, 1);
  while (width > one && lanes(width) - lanes(width / 2) > extent / 8) width /= 2;
  // A row that is one masked step: what lies there next must wait for the whole step where results take the place of
  // operands. Registers and a narrow rest need no mask.
  const bool one_step = extent > one && extent < width;
  return one_step && std::has_single_bit(static_cast<uint64_t>(extent % one)) ? one : width;
}

// The stores of the group's values, for all elements at these indices.
std::vector<Stmt> Stores(const ScheduleContext& c, const Index& index) {
  std::vector<Stmt> stores;
  for (ir::Value v : c.kernel_plan().epilogue) {
    if (!c.stored(v)) continue;
    const ExprId value = c.builder->Build(v, index);
    stores.push_back(MakeStore(c.builder->BufferOf(v, true), c.builder->Flat(v, index), value));
  }
  return stores;
}

// Where positions along short axes choose between parts of a stack: the stores of all these positions, each of its
// part alone, with the axes gone. Empty if there are none.
std::vector<Stmt> UnrolledStores(const ScheduleContext& c, Index index, std::vector<AxisId>* axes,
                                 std::vector<int64_t>* extents) {
  std::vector<size_t> chosen;
  int64_t count = 1;
  for (size_t i = 0; i + 1 < axes->size(); ++i) {
    if (!c.builder->choices().contains((*axes)[i])) continue;
    chosen.push_back(i);
    count = std::min(count * (*extents)[i], kMaxUnrolled + 1);
  }
  if (chosen.empty() || count > kMaxUnrolled) return {};
  c.kernel->exprs.clear();
  c.builder->Clear();
  std::vector<Stmt> stores;
  for (int64_t k = 0; k < count; ++k) {
    int64_t rest = k;
    for (size_t i = chosen.size(); i-- > 0;) {
      index[chosen[i]] = {};
      index[chosen[i]].constant = rest % (*extents)[chosen[i]];
      rest /= (*extents)[chosen[i]];
    }
    for (Stmt& s : Stores(c, index)) stores.push_back(std::move(s));
  }
  for (size_t i = chosen.size(); i-- > 0;) {
    axes->erase(axes->begin() + static_cast<std::ptrdiff_t>(chosen[i]));
    extents->erase(extents->begin() + static_cast<std::ptrdiff_t>(chosen[i]));
  }
  return stores;
}

// The axis that padding cuts into the most parts: its number and where they begin, with its end. 0: none.
std::pair<size_t, std::vector<int64_t>> FindCut(const ScheduleContext& c, const std::vector<AxisId>& axes,
                                                const std::vector<int64_t>& extents) {
  std::pair<size_t, std::vector<int64_t>> best{0, {}};
  int64_t inner = 1;
  for (size_t i = axes.size(); i-- > 1; inner *= extents[i]) {
    const auto it = c.builder->cuts().find(axes[i]);
    if (it == c.builder->cuts().end() || static_cast<int64_t>(it->second.size()) >= kMaxUnrolled) continue;
    std::vector<int64_t> bounds{0};
    bounds.insert(bounds.end(), it->second.begin(), it->second.end());
    bounds.push_back(extents[i]);
    int64_t least = extents[i];
    for (size_t p = 1; p < bounds.size(); ++p) least = std::min(least, bounds[p] - bounds[p - 1]);
    if (least * inner >= c.target.tuning.min_part && bounds.size() > best.second.size()) best = {i, std::move(bounds)};
  }
  return best;
}

// The loops of a map one of whose axes padding cuts: loops of their own for its parts, where no element asks whether it
// is padding. Empty if there is no such axis.
std::vector<Stmt> CutLoops(const ScheduleContext& c, Index index, std::vector<AxisId> axes,
                           std::vector<int64_t> extents, int64_t cost) {
  const auto [cut, bounds] = FindCut(c, axes, extents);
  int64_t steps = 1;
  for (size_t i = 0; i < cut; ++i) steps = std::min(steps * extents[i], c.target.tuning.shared_steps);
  if (!c.choices->Flag("cut", cut != 0 && steps >= c.target.tuning.shared_steps, cut != 0)) return {};
  c.kernel->exprs.clear();
  c.builder->Clear();
  std::vector<Stmt> body;
  for (size_t p = 1; p < bounds.size(); ++p) {
    std::vector<AxisId> ids;
    std::vector<int64_t> part(extents.begin() + static_cast<std::ptrdiff_t>(cut), extents.end());
    part[0] = bounds[p] - bounds[p - 1];
    for (size_t i = 0; i < part.size(); ++i) {
      ids.push_back(c.kernel->AddAxis("i" + std::to_string(cut + i)));
      c.builder->SetExtent(ids.back(), part[i]);
      index[cut + i] = AxisAffine(ids.back());
    }
    index[cut].constant = bounds[p - 1];
    std::vector<Stmt> stores = Stores(c, index);
    CollapseAxes(c.kernel, &stores, &ids, &part);
    const int64_t width = StepWidth(c, part.empty() ? 1 : part.back(), cost);  // a part may be one element
    for (Stmt& s : Nest(ids, part, width, std::move(stores))) body.push_back(std::move(s));
  }
  axes.resize(cut);
  extents.resize(cut);
  CollapseAxes(c.kernel, &body, &axes, &extents);
  return Nest(axes, extents, 1, std::move(body));
}

}  // namespace

// for i { vector j { y[i, j] = f(x[...]) } }, axes collapsed first: most maps have one loop.
void ScheduleMap(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const Shape& shape = c.f.type(c.kernel_plan().epilogue[0]).shape;
  std::vector<AxisId> axes;
  std::vector<int64_t> extents = shape.dims();
  Index index;
  for (int i = 0; i < shape.rank(); ++i) {
    axes.push_back(k->AddAxis("i" + std::to_string(i)));
    index.push_back(AxisAffine(axes.back()));
    if (c.options.vectorize) c.builder->SetExtent(axes.back(), extents[static_cast<size_t>(i)]);
  }
  std::vector<Stmt> stores = Stores(c, index);
  if (c.options.vectorize) {
    if (std::vector<Stmt> unrolled = UnrolledStores(c, index, &axes, &extents); !unrolled.empty()) {
      stores = std::move(unrolled);
    } else if (!axes.empty() && ContiguousElsewhere(*k, axes) < 0) {
      const int64_t whole = ExprCost(*k);
      k->body = CutLoops(c, index, axes, extents, whole);
      if (!k->body.empty()) return Parallelize(c, shape.size(), whole);
    }
  }
  CollapseAxes(k, &stores, &axes, &extents);
  const int64_t cost = ExprCost(*k);
  const int64_t inner = extents.empty() ? 1 : extents.back();
  const int64_t width = c.options.vectorize ? StepWidth(c, inner, cost) : 1;
  int along = width > 1 ? ContiguousElsewhere(*k, axes) : -1;
  if (!c.choices->Flag("transpose", along >= 0, along >= 0)) along = -1;
  if (along >= 0) {
    const int64_t lanes = VectorWidth(*k, c.target, inner, 1);
    k->body = TransposingNest(k, axes, extents, static_cast<size_t>(along), lanes, std::move(stores));
  } else {
    k->body = Nest(axes, extents, width, std::move(stores));
  }
  if (c.options.vectorize) Parallelize(c, shape.size(), cost);
}

}  // namespace reel::codegen
