#include <algorithm>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {

namespace {

// y = x
std::vector<Stmt> Fill(const ScheduleContext& c, ir::Value root) {
  LoopAxes axes;
  const Index index = AddAxes(c.kernel, c.f.type(root).shape.dims(), &axes);
  std::vector<Stmt> copy = Body(c.Store(root, index, c.builder->BuildOperand(root, 0, index)));
  CollapseAxes(c.kernel, &copy, &axes);
  return Nest(axes, VectorWidth(c, axes.innermost(), 2), std::move(copy));
}

constexpr int64_t kSampled = 64;  // indices that are compared with their neighbours: time before the loop

// 0 <= d < extent, as one comparison: negative numbers are large ones.
ExprId IsInside(const ScheduleContext& c, ExprId d, int64_t extent) {
  const ExprId number = c.builder->Apply(ir::Op::kCast, kUInt64, {d});
  return c.builder->Apply(ir::Op::kLess, kBool, {number, c.builder->Constant(kUInt64, static_cast<double>(extent))});
}

// y[index, at d along an axis] op= value, where d is inside.
struct Destination {
  Affine index;
  ExprId d, inside;
  int64_t stride;
};
Stmt Combined(const ScheduleContext& c, ir::Value root, BufferId out, const Destination& at, ExprId value) {
  const DType dtype = c.dtype(root);
  const ir::Op combine = ir::CombinerOf(c.f.producer(root)->op);  // identity: the update replaces it
  if (combine != ir::Op::kIdentity) {
    const ExprId old = c.kernel->AddExpr({.kind = Expr::Kind::kLoad,
                                          .dtype = dtype,
                                          .buffer = out,
                                          .index = at.index,
                                          .dynamic = at.d,
                                          .dynamic_stride = at.stride,
                                          .guard = at.inside});
    value = c.builder->Apply(combine, dtype, {old, value});
  }
  Stmt store = MakeStore(out, at.index, value);
  store.dynamic = at.d;
  store.dynamic_stride = at.stride;
  store.guard = at.inside;
  return store;
}

// The same for one update after the other, by way of a register: of updates with the index of the one before, which are
// neighbours where indices are sorted, none waits for memory to have been written.
std::vector<Stmt> Carried(const ScheduleContext& c, ir::Value root, BufferId out, const Destination& at, ExprId value) {
  Kernel* k = c.kernel;
  const DType dtype = c.dtype(root);
  const LocalId latest = k->AddLocal("latest", dtype, 1), place = k->AddLocal("place", kInt64, 1);
  k->body.push_back(MakeLocal(latest, 0));
  k->body.push_back(MakeLocal(place, ~uint64_t{0}));  // of no element
  const ExprId same = c.builder->Apply(ir::Op::kEqual, kBool, {LocalExpr(k, place, {}), at.d});
  const ExprId other = c.builder->Apply(ir::Op::kNot, kBool, {same});
  const ExprId old = k->AddExpr({.kind = Expr::Kind::kLoad,
                                 .dtype = dtype,
                                 .buffer = out,
                                 .index = at.index,
                                 .dynamic = at.d,
                                 .dynamic_stride = at.stride,
                                 .guard = c.builder->Apply(ir::Op::kAnd, kBool, {at.inside, other})});
  const ExprId before = c.builder->Apply(ir::Op::kSelect, dtype, {same, LocalExpr(k, latest, {}), old});
  const ExprId after = c.builder->Apply(ir::CombinerOf(c.f.producer(root)->op), dtype, {before, value});
  Stmt store = MakeStore(out, at.index, LocalExpr(k, latest, {}));
  store.dynamic = at.d;
  store.dynamic_stride = at.stride;
  store.guard = at.inside;
  return Body(MakeAccumulate(latest, {}, Combine::kSet, after), std::move(store),
              MakeAccumulate(place, {}, Combine::kSet, at.d));
}

// Whether most indices are those of their neighbours, by a sample: as where they are sorted, and rows have several.
ExprId SampleRepeats(const ScheduleContext& c, ir::Value indices, int64_t count) {
  Kernel* k = c.kernel;
  const LocalId repeats = k->AddLocal("repeats", kInt64, 1);
  const AxisId sample = k->AddAxis("sample");
  Index at;
  for (int64_t extent : c.f.type(indices).shape.dims())
    at.push_back(extent == 1 ? Affine{} : AxisAffine(sample, count / kSampled));
  const ExprId one = c.builder->ToInt64(c.builder->Build(indices, at));
  for (Affine& a : at) a.constant += a.terms.empty() ? 0 : 1;
  const ExprId next = c.builder->ToInt64(c.builder->Build(indices, at));
  const ExprId same = c.builder->Apply(ir::Op::kEqual, kBool, {one, next});
  const ExprId number = c.builder->Apply(ir::Op::kCast, kInt64, {same});
  k->body.push_back(MakeLocal(repeats, 0));
  k->body.push_back(SerialLoop(sample, kSampled, Body(MakeAccumulate(repeats, {}, Combine::kSum, number))));
  const ExprId least = c.builder->Number(c.target.tuning.scatter_repeats);
  return c.builder->Apply(ir::Op::kGreaterEqual, kBool, {LocalExpr(k, repeats, {}), least});
}

// Where updates are neighbours along the last index, and others of the same indices far apart: a line of each at a
// time.
std::vector<Stmt> ByLines(const ScheduleContext& c, LoopAxes* along, std::vector<Stmt> body) {
  const int64_t fits = c.target.machine.line_bytes / SizeOf(c.dtype(c.kernel_plan().root));
  const int64_t line = std::min(kMaxUnrolled, fits), extent = along->extents.back();
  const bool pays = line * ExprCost(*c.kernel) <= c.target.tuning.scatter_line_cycles;
  if (!c.choices->Flag("line", extent > line && pays, extent > line)) return body;
  const AxisId last = along->ids.back(), block = c.kernel->AddAxis("ub");
  ShiftAxis(c.kernel, &body, last, AxisAffine(block, line));
  Stmt loop = UnrolledLoop(last, line, std::move(body));
  if (extent % line != 0) Clip(&loop, AxisAffine(block, line), extent);
  along->ids.back() = block;
  along->extents.back() = Ceil(extent, line);
  return Body(std::move(loop));
}

}  // namespace

// y holds x; then for each index in row-major order: y[..., indices[i], ...] op= updates[..., i, ...]. Serial in
// the indices: duplicates meet in a fixed order.
void ScheduleScatter(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = c.root_node();
  const ir::Value indices = node.operands[1];
  const Shape &shape = c.f.type(root).shape, &updates = c.f.type(node.operands[2]).shape;
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));
  const int count = c.f.type(indices).shape.rank();
  const BufferId out = c.builder->BufferOf(root, true);
  if (IsUniformConstant(c.f, node.operands[0])) {
    k->body = Fill(c, root);
  } else {
    *c.updated = c.builder->BaseOf(node.operands[0]);
  }

  // Axes of the updates: indices outermost, then the axes before, then those after.
  Index update, at;
  LoopAxes before, along, after;
  for (int i = 0; i < updates.rank(); ++i) {
    const bool is_index = i >= axis && i < axis + count;
    LoopAxes& axes = is_index ? along : i < axis ? before : after;
    update.push_back(AxisAffine(axes.Add(k, "u" + std::to_string(i), updates.dim(i))));
    if (is_index) at.push_back(update.back());
  }
  Index target;
  for (int i = 0; i < shape.rank(); ++i) {
    target.push_back(i == axis ? Affine{} : update[static_cast<size_t>(i < axis ? i : i + count - 1)]);
  }
  const ExprId d = c.builder->ToInt64(c.builder->Build(indices, at));
  const ExprId inside = IsInside(c, d, shape.dim(axis));
  const ExprId value = c.builder->Build(node.operands[2], update);
  const int64_t stride = RowMajorStrides(shape)[static_cast<size_t>(axis)];
  const Destination destination{c.builder->Flat(root, target), d, inside, stride};
  const DType dtype = c.dtype(root);
  const bool combines = ir::CombinerOf(node.op) != ir::Op::kIdentity && dtype != kBool && !IsComplex(dtype);
  const bool may = c.options.vectorize && combines && count == 1 && updates.size() == updates.dim(axis) &&
                   updates.size() >= 2 * kSampled;
  const bool carries = c.choices->Flag("carry", may, may);
  const ExprId repeats = carries ? SampleRepeats(c, indices, updates.size()) : -1;
  std::vector<Stmt> body;
  if (carries) {
    body = Nest(along, 1, Nest(after, 1, Nest(before, 1, Carried(c, root, out, destination, value))));
    k->body.push_back(If(k, repeats, std::move(body)));
  }
  body = Body(Combined(c, root, out, destination, value));
  CollapseAxes(k, &body, &after);
  if (!after.empty()) {
    body = Nest(after, VectorWidth(c, after.extents.back(), ChooseRegisters(c, 1)), std::move(body));
  } else if (c.options.vectorize && !before.empty() && !along.empty()) {
    body = ByLines(c, &along, std::move(body));
  }
  body = Nest(along, 1, Nest(before, 1, std::move(body)));
  // Neighbouring stores compute all right sides first: one update of one element is apart, by a loop of one trip.
  if (body.front().kind == Stmt::Kind::kStore) body = Body(SerialLoop(k->AddAxis("one"), 1, std::move(body)));
  if (carries) body = Body(If(k, c.builder->Apply(ir::Op::kNot, kBool, {repeats}), std::move(body)));
  Append(std::move(body), &k->body);
}

}  // namespace reel::codegen
