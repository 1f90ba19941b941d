#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "codegen/loop/ceil.h"
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
std::vector<Stmt> TransposingNest(Kernel* k, LoopAxes axes, size_t along, int64_t width, std::vector<Stmt> body) {
  const AxisId block = k->AddAxis("jb"), inner = axes.ids.back();
  const int64_t count = axes.extents.back();
  ShiftAxis(k, &body, inner, AxisAffine(block, width));
  Stmt lanes = VectorLoop(inner, width, width, std::move(body));
  if (count % width != 0) Clip(&lanes, AxisAffine(block, width), count);
  axes.ids.back() = block;
  axes.extents.back() = Ceil(count, width);
  axes.Add(axes.ids[along], axes.extents[along]);
  axes.Erase(along);
  return Nest(axes, 1, Body(std::move(lanes)));
}

// --- squares: a transposing copy through registers ---

// The load that is contiguous along `along` and strides along `inner`, if it is the only one to stride there and always
// reads; -1: there is none.
ExprId TransposedLoad(const Kernel& kernel, AxisId along, AxisId inner) {
  ExprId found = -1;
  for (size_t i = 0; i < kernel.exprs.size(); ++i) {
    const Expr& e = kernel.exprs[i];
    const int64_t step = e.index.coefficient(inner);
    if (e.kind != Expr::Kind::kLoad || step == 0 || step == 1) continue;
    const bool plain = e.dynamic < 0 && e.guard < 0 && SizeOf(e.dtype) >= 4 && !IsComplex(e.dtype) &&
                       kernel.buffers[static_cast<size_t>(e.buffer)].dtype == e.dtype;
    if (found >= 0 || !plain || e.index.coefficient(along) != 1) return -1;
    found = static_cast<ExprId>(i);
  }
  return found;
}

// for ib { for jb { a square of n x n is loaded by rows and turned; for i in 0..n { vector j in 0..n { body } } } },
// and within ib what is left of j.
std::vector<Stmt> SquaresNest(Kernel* k, LoopAxes axes, size_t along, ExprId load, int64_t n, std::vector<Stmt> body) {
  const AxisId i = axes.ids[along], j = axes.ids.back(), i_block = k->AddAxis("ib"), j_block = k->AddAxis("jb");
  for (const auto& [axis, block] : {std::pair(i, i_block), std::pair(j, j_block)}) {
    ShiftAxis(k, &body, axis, AxisAffine(block, n));
  }
  std::vector<Stmt> last;
  if (const int64_t whole = axes.extents.back() / n, rest = axes.extents.back() % n; rest > 0) {
    Stmt lanes = VectorLoop(j, rest, n, CopyShifted(k, body, j_block, whole));
    last = Body(SerialLoop(j_block, 1, Body(SerialLoop(i, n, Body(std::move(lanes))))));
  }
  Expr from = k->exprs[static_cast<size_t>(load)];
  const BlockedSquare square = OpenSquare(k, from.dtype, n, n, std::min(n, kShuffleBytes / SizeOf(from.dtype)));
  const int64_t step = from.index.coefficient(j);
  from.index.Add(i, -1);
  from.index.Add(j, -step);
  from.index.Add(square.lanes());
  from.index.Add(square.rows(), step);
  k->exprs[static_cast<size_t>(load)] = {.kind = Expr::Kind::kLocal,
                                         .dtype = from.dtype,
                                         .local = square.local,
                                         .index = AxisAffine(i, n) + AxisAffine(j)};
  std::vector<Stmt> inside = LoadTransposed(square, k->AddExpr(std::move(from)));
  inside.push_back(UnrolledLoop(i, n, Body(VectorLoop(j, n, n, std::move(body)))));
  const int64_t squares = axes.extents.back() / n;
  axes.ids[along] = i_block;
  axes.extents[along] /= n;
  axes.Erase(axes.size() - 1);
  inside = Nest(LoopAxes{{j_block}, {squares}}, 1, std::move(inside));
  Append(std::move(last), &inside);
  return Nest(axes, 1, std::move(inside));
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
  while (registers > 1 && too_many()) registers /= 2;
  const int64_t usual = registers;
  registers = ChooseRegisters(c, static_cast<int>(usual));
  const auto lanes = [extent](int64_t width) { return RoundUp(extent, width); };
  int64_t width = VectorWidth(c, extent, static_cast<int>(registers));
  if (registers != usual) return width;
  const int64_t one = VectorWidth(c, extent, 1);
  while (width > one && lanes(width) - lanes(width / 2) > extent / 8) width /= 2;
  // A row that is one masked step: what lies there next must wait for the whole step where results take the place of
  // operands. Registers and a narrow rest need no mask.
  const bool one_step = extent > one && extent < width;
  return one_step && std::has_single_bit(static_cast<uint64_t>(extent % one)) ? one : width;
}

// Whether lanes may go along the axis before the innermost one, whose few elements they then store by turns.
bool MayTakeTurns(const LoopAxes& axes) {
  const int64_t count = axes.innermost();
  return count > 1 && count <= kMaxTurns && axes.size() > 1 && axes.extents[axes.size() - 2] >= kMaxUnrolled;
}

// Where positions along short axes choose between parts of a stack: the stores of all these positions, each of its
// part alone, with the axes gone. Empty if there are none.
std::vector<Stmt> UnrolledStores(const ScheduleContext& c, Index index, LoopAxes* axes) {
  std::vector<size_t> chosen;
  int64_t count = 1;
  for (size_t i = 0; i < axes->size(); ++i) {
    const bool last = i + 1 == axes->size(), chooses = c.builder->choices().contains(axes->ids[i]);
    if (!chooses) {  // asked once: of the last axis
      const bool may = last && TakesTurns(c, *axes) && StoresByTurns(c);
      if (!last || !c.choices->Flag("turns", may, may)) continue;
    }
    if (last && !MayTakeTurns(*axes)) continue;
    chosen.push_back(i);
    count = std::min(count * axes->extents[i], kMaxUnrolled + 1);
  }
  if (chosen.empty() || count > kMaxUnrolled) return {};
  c.kernel->exprs.clear();
  c.builder->Clear();
  std::vector<std::vector<Stmt>> stores;
  for (int64_t k = 0; k < count; ++k) {
    int64_t rest = k;
    for (size_t i = chosen.size(); i-- > 0;) {
      index[chosen[i]] = Affine{rest % axes->extents[chosen[i]], {}};
      rest /= axes->extents[chosen[i]];
    }
    stores.push_back(c.Stores(c.kernel_plan().epilogue, index));
  }
  for (size_t i = chosen.size(); i-- > 0;) axes->Erase(chosen[i]);
  return ByValue(std::move(stores));
}

// An axis that padding or joined values cut, and where its parts begin, with its end. Without bounds: none.
struct CutAxis {
  size_t axis = 0;
  std::vector<int64_t> bounds;
};

// The one with the most parts. Loops are worth it for long parts; the more there are, the more an element asks else.
CutAxis FindCut(const ScheduleContext& c, const LoopAxes& axes) {
  const std::vector<int64_t>& extents = axes.extents;
  const Tuning& tuning = c.target.tuning;
  CutAxis best;
  int64_t inner = 1;
  for (size_t i = axes.size(); i-- > 0; inner *= extents[i]) {
    const auto it = c.builder->cuts().find(axes.ids[i]);
    if (it == c.builder->cuts().end()) continue;
    std::vector<int64_t> bounds{0};
    bounds.insert(bounds.end(), it->second.begin(), it->second.end());
    bounds.push_back(extents[i]);
    const auto parts = static_cast<int64_t>(bounds.size()) - 1;
    if (parts > tuning.map_parts) continue;
    int64_t size = extents[i];
    for (size_t p = 1; p < bounds.size(); ++p) size = std::min(size, bounds[p] - bounds[p - 1]);
    if (parts > tuning.few_parts) size = extents[i] / tuning.few_parts;
    if (size * inner >= tuning.min_part && bounds.size() > best.bounds.size()) best = {i, std::move(bounds)};
  }
  return best;
}

// The last axis of more than one element, where its short parts lie within few whole steps: these ask where they are,
// and what is between them does not.
CutAxis FindEdges(const ScheduleContext& c, const LoopAxes& axes) {
  size_t last = axes.size() - 1;
  while (last > 0 && axes.extents[last] == 1) --last;
  const auto it = c.builder->cuts().find(axes.ids[last]);
  if (it == c.builder->cuts().end()) return {};
  const int64_t extent = axes.extents[last], step = c.target.tuning.edge_step;
  std::set<int64_t> bounds{0, extent};
  int64_t asking = 0;
  for (const int64_t bound : it->second) {
    const int64_t from = bound / step * step, to = std::min(extent, RoundUp(bound, step));
    bounds.insert({from, to});
    asking += to - from;
  }
  const auto parts = static_cast<int64_t>(bounds.size()) - 1;
  if (2 * asking > extent || parts > c.target.tuning.map_parts) return {};
  return {last, {bounds.begin(), bounds.end()}};
}

// Of an axis, each step-th element from `at` on.
struct AxisPhase {
  size_t axis = 0;
  int64_t step = 1, at = 0;
};

// The loops over a part, `first` to `last` of a cut axis, and of that what lies between `edges` of another, or phases
// of several; without the axes outside of `from`; all of them in `chunks` shares, one for each value of the axis
// `chunk`, if it is one.
struct Part {
  size_t cut, from;
  int64_t first, last;
  AxisId chunk;
  int64_t chunks;
  size_t edged = 0;
  int64_t edge_first = 0, edge_last = 0;  // equal: no other axis
  std::vector<AxisPhase> phases = {};

  bool has_edges() const { return edge_first < edge_last; }
  int64_t Extent(size_t axis, int64_t whole) const {
    return axis == cut ? last - first : has_edges() && axis == edged ? edge_last - edge_first : whole;
  }
};
std::vector<Stmt> PartLoops(const ScheduleContext& c, Index index, const std::vector<int64_t>& extents,
                            const Part& part, int64_t cost) {
  Kernel* k = c.kernel;
  LoopAxes axes;
  for (size_t i = part.from; i < extents.size(); ++i) {
    AxisPhase phase{i};
    for (const AxisPhase& p : part.phases) phase = p.axis == i ? p : phase;
    const int64_t extent = Ceil(part.Extent(i, extents[i]) - phase.at, phase.step);
    const AxisId id = axes.Add(k, "i" + std::to_string(i), extent);
    c.builder->SetExtent(id, extent);
    index[i] = AxisAffine(id, phase.step) + phase.at;
  }
  index[part.cut].constant += part.first;
  if (part.has_edges()) index[part.edged].constant = part.edge_first;
  std::vector<Stmt> body = c.Stores(c.kernel_plan().epilogue, index);
  CollapseAxes(k, &body, &axes);
  const int64_t width = StepWidth(c, axes.innermost(), cost);  // a part may be one element
  if (part.chunks < 2) return Nest(axes, width, std::move(body));
  if (axes.empty()) {
    const ExprId first =
        c.builder->Apply(ir::Op::kEqual, kBool, {c.builder->Position(AxisAffine(part.chunk)), c.builder->Number(0)});
    return Body(If(k, first, std::move(body)));
  }
  const auto longest = std::max_element(axes.extents.begin(), axes.extents.end());
  const AxisId axis = axes.ids[static_cast<size_t>(longest - axes.extents.begin())];
  const int64_t all = *longest, granule = axis == axes.ids.back() ? width : 1;
  *longest = RoundUp(Ceil(all, part.chunks), granule);
  const Affine base = AxisAffine(part.chunk, *longest);
  ShiftAxis(k, &body, axis, base);
  body = Nest(axes, width, std::move(body));
  VisitStatements(&body, [&](Stmt& s) {
    if (s.kind == Stmt::Kind::kLoop && s.axis == axis) Clip(&s, base, all);
  });
  return body;
}

// A map in parts: the first one, without its bounds. Threads share the axes outside of axis `cut`, or a share of each
// part if these are short.
Part BeginParts(const ScheduleContext& c, const LoopAxes& axes, size_t cut, int64_t parts, int64_t elements,
                int64_t cost) {
  int64_t steps = 1;
  for (size_t i = 0; i < cut; ++i) steps = std::min(steps * axes.extents[i], c.target.tuning.shared_steps);
  const bool shares = steps < c.target.tuning.shared_steps;
  c.kernel->exprs.clear();
  c.builder->Clear();
  Part part{cut, shares ? 0 : cut, 0, axes.extents[cut], -1, 1};
  if (shares) part.chunks = ChooseChunks(c, elements, cost, Ceil(elements, parts));
  if (part.chunks > 1) part.chunk = c.kernel->AddAxis("c");
  return part;
}

// The parts in the loops around them.
std::vector<Stmt> EndParts(const ScheduleContext& c, LoopAxes axes, const Part& part, std::vector<Stmt> body) {
  if (part.chunks > 1) return Body(MakeLoop(part.chunk, part.chunks, LoopKind::kParallel, 1, std::move(body)));
  if (part.from == 0) return body;
  while (axes.size() > part.from) axes.Erase(axes.size() - 1);
  CollapseAxes(c.kernel, &body, &axes);
  return Nest(axes, 1, std::move(body));
}

// The loops of a map one of whose axes is cut: loops of their own for its parts, where no element asks which it is in.
// Empty if there is no such axis.
std::vector<Stmt> CutLoops(const ScheduleContext& c, const Index& index, const LoopAxes& axes, int64_t elements,
                           int64_t cost) {
  CutAxis whole = FindCut(c, axes), edges = FindEdges(c, axes);
  if (whole.bounds.empty()) std::swap(whole, edges);
  if (whole.axis == edges.axis) edges = {};
  const auto& [cut, bounds] = whole;
  if (!c.choices->Flag("cut", !bounds.empty(), !bounds.empty())) return {};
  Part part = BeginParts(c, axes, cut, static_cast<int64_t>(bounds.size()), elements, cost);
  std::vector<Stmt> body;
  for (size_t p = 1; p < bounds.size(); ++p) {
    part.first = bounds[p - 1];
    part.last = bounds[p];
    if (edges.bounds.empty()) Append(PartLoops(c, index, axes.extents, part, cost), &body);
    for (size_t e = 1; e < edges.bounds.size(); ++e) {
      part.edged = edges.axis;
      part.edge_first = edges.bounds[e - 1];
      part.edge_last = edges.bounds[e];
      Append(PartLoops(c, index, axes.extents, part, cost), &body);
    }
  }
  return EndParts(c, axes, part, std::move(body));
}

// The axes with padding between elements, in front of what lanes go along; empty: none, or too many phases.
std::vector<AxisPhase> FindPhases(const ScheduleContext& c, const LoopAxes& axes) {
  std::vector<AxisPhase> phases;
  int64_t count = 1, inner = 1;
  for (size_t i = axes.size(); i-- > 0; inner *= axes.extents[i]) {
    const auto it = c.builder->steps().find(axes.ids[i]);
    if (it == c.builder->steps().end() || inner < c.target.lanes(4) || it->second > axes.extents[i]) continue;
    phases.push_back({i, it->second, 0});
    count = std::min(count, kMaxUnrolled) * std::min(it->second, kMaxUnrolled + 1);
  }
  if (count > kMaxUnrolled) return {};
  std::reverse(phases.begin(), phases.end());
  return phases;
}

// The loops of a map that reads padding between elements: loops of their own for each phase, whose elements are all
// there or not at all. Empty if there is none.
std::vector<Stmt> PhaseLoops(const ScheduleContext& c, const Index& index, const LoopAxes& axes, int64_t elements,
                             int64_t cost) {
  const std::vector<AxisPhase> phases = FindPhases(c, axes);
  if (!c.choices->Flag("phases", !phases.empty(), !phases.empty())) return {};
  int64_t count = 1;
  for (const AxisPhase& p : phases) count *= p.step;
  Part part = BeginParts(c, axes, phases[0].axis, count, elements, cost);
  part.phases = phases;
  std::vector<Stmt> body;
  for (int64_t k = 0; k < count; ++k) {
    int64_t rest = k;
    for (size_t i = phases.size(); i-- > 0; rest /= phases[i].step) part.phases[i].at = rest % phases[i].step;
    Append(PartLoops(c, index, axes.extents, part, cost), &body);
  }
  return EndParts(c, axes, part, std::move(body));
}

}  // namespace

// for i { vector j { y[i, j] = f(x[...]) } }, axes collapsed first: most maps have one loop.
void ScheduleMap(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const std::vector<ir::Value>& results = c.kernel_plan().epilogue;
  const Shape& shape = c.f.type(results[0]).shape;
  LoopAxes axes;
  const Index index = AddAxes(k, shape.dims(), &axes);
  for (size_t i = 0; c.options.vectorize && i < axes.size(); ++i) c.builder->SetExtent(axes.ids[i], axes.extents[i]);
  std::vector<Stmt> stores = c.Stores(results, index);
  if (c.options.vectorize) {
    if (std::vector<Stmt> unrolled = UnrolledStores(c, index, &axes); !unrolled.empty()) {
      stores = std::move(unrolled);
    } else if (!axes.empty() && ContiguousElsewhere(*k, axes.ids) < 0) {
      const int64_t whole = ExprCost(*k);
      k->body = PhaseLoops(c, index, axes, shape.size(), whole);
      if (k->body.empty()) k->body = CutLoops(c, index, axes, shape.size(), whole);
      if (!k->body.empty() && k->body[0].loop_kind == LoopKind::kParallel) return;
      if (!k->body.empty()) return Parallelize(c, shape.size(), whole);
    }
  }
  CollapseAxes(k, &stores, &axes);
  const int64_t cost = ExprCost(*k), inner = axes.innermost();
  const int64_t width = c.options.vectorize ? StepWidth(c, inner, cost) : 1;
  int along = width > 1 ? ContiguousElsewhere(*k, axes.ids) : -1;
  const ExprId load = along >= 0 ? TransposedLoad(*k, axes.ids[static_cast<size_t>(along)], axes.ids.back()) : -1;
  const int64_t n = load >= 0 ? c.target.lanes(SizeOf(k->exprs[static_cast<size_t>(load)].dtype)) : 0;
  const bool may_turn = n > 1 && n <= kMaxSquare && inner >= n && axes.extents[static_cast<size_t>(along)] % n == 0;
  if (c.choices->Flag("squares", n * cost <= c.target.tuning.map_max_step, may_turn)) {
    k->body = SquaresNest(k, std::move(axes), static_cast<size_t>(along), load, n, std::move(stores));
    return Parallelize(c, shape.size(), cost);
  }
  if (!c.choices->Flag("transpose", along >= 0, along >= 0)) along = -1;
  if (along >= 0) {
    k->body = TransposingNest(k, axes, static_cast<size_t>(along), VectorWidth(c, inner, 1), std::move(stores));
  } else {
    k->body = Nest(axes, width, std::move(stores));
  }
  Parallelize(c, shape.size(), cost);
}

}  // namespace reel::codegen
