#include <algorithm>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {

namespace {

// What combines an element with an update; kIdentity: the update replaces it.
ir::Op CombiningOp(ir::Op op) {
  switch (op) {
    case ir::Op::kScatterSet: return ir::Op::kIdentity;
    case ir::Op::kScatterMax: return ir::Op::kMax;
    case ir::Op::kScatterMin: return ir::Op::kMin;
    case ir::Op::kScatterMul: return ir::Op::kMul;
    default: return ir::Op::kAdd;
  }
}

// y = x
void Fill(const ScheduleContext& c, ir::Value root, BufferId out) {
  Kernel* k = c.kernel;
  const Shape& shape = c.f.type(root).shape;
  std::vector<AxisId> axes;
  std::vector<int64_t> extents = shape.dims();
  Index index;
  for (int i = 0; i < shape.rank(); ++i) {
    axes.push_back(k->AddAxis("i" + std::to_string(i)));
    index.push_back(AxisAffine(axes.back()));
  }
  std::vector<Stmt> copy;
  copy.push_back(MakeStore(out, c.builder->Flat(root, index), c.builder->BuildOperand(root, 0, index)));
  CollapseAxes(k, &copy, &axes, &extents);
  const int64_t width = c.options.vectorize ? VectorWidth(*k, c.target, extents.empty() ? 1 : extents.back(), 2) : 1;
  k->body = Nest(axes, extents, width, std::move(copy));
}

// Where updates are neighbours along the last index, and others of the same indices far apart: a line of each at a
// time.
std::vector<Stmt> ByLines(const ScheduleContext& c, std::vector<AxisId>* along, std::vector<int64_t>* extents,
                          std::vector<Stmt> body) {
  const int64_t line =
                    std::min(kMaxUnrolled, c.target.machine.line_bytes / SizeOf(c.f.type(c.kernel_plan().root).dtype)),
                extent = extents->back();
  const bool pays = line * ExprCost(*c.kernel) <= c.target.tuning.scatter_line_cycles;
  if (!c.choices->Flag("line", extent > line && pays, extent > line)) return body;
  const AxisId last = along->back(), block = c.kernel->AddAxis("ub");
  ShiftAxis(c.kernel, &body, last, AxisAffine(block, line));
  Stmt loop = MakeLoop(last, line, LoopKind::kUnrolled, 1, std::move(body));
  if (extent % line != 0) Clip(&loop, AxisAffine(block, line), extent);
  along->back() = block;
  extents->back() = Ceil(extent, line);
  return Only(std::move(loop));
}

}  // namespace

// y holds x; then for each index in row-major order: y[..., indices[i], ...] op= updates[..., i, ...]. Serial in
// the indices: duplicates meet in a fixed order.
void ScheduleScatter(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = *c.f.producer(root);
  const ir::Value indices = node.operands[1];
  const Shape &shape = c.f.type(root).shape, &updates = c.f.type(node.operands[2]).shape;
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));
  const int count = c.f.type(indices).shape.rank();
  const BufferId out = c.builder->BufferOf(root, true);

  if (IsUniformConstant(c.f, node.operands[0])) {
    Fill(c, root, out);
  } else {
    *c.updated = c.builder->BaseOf(node.operands[0]);
  }

  // Axes of the updates: indices outermost, then the axes before, then those after.
  Index update, at;
  std::vector<AxisId> before, along, after;
  std::vector<int64_t> before_n, along_n, after_n;
  for (int i = 0; i < updates.rank(); ++i) {
    const bool is_index = i >= axis && i < axis + count;
    auto& list = is_index ? along : i < axis ? before : after;
    (is_index ? along_n : i < axis ? before_n : after_n).push_back(updates.dim(i));
    list.push_back(k->AddAxis("u" + std::to_string(i)));
    update.push_back(AxisAffine(list.back()));
    if (is_index) at.push_back(update.back());
  }
  const ExprId d = c.builder->ToInt64(c.builder->Build(indices, at));
  const ExprId inside = c.builder->Apply(
      ir::Op::kAnd, kBool,
      {c.builder->Apply(ir::Op::kGreaterEqual, kBool, {d, c.builder->Constant(kInt64, 0)}),
       c.builder->Apply(ir::Op::kLess, kBool, {d, c.builder->Constant(kInt64, static_cast<double>(shape.dim(axis)))})});
  Index target;
  for (int i = 0; i < shape.rank(); ++i) {
    target.push_back(i == axis ? Affine{} : update[static_cast<size_t>(i < axis ? i : i + count - 1)]);
  }
  const DType dtype = c.f.type(root).dtype;
  Expr old;
  old.kind = Expr::Kind::kLoad;
  old.dtype = dtype;
  old.buffer = out;
  old.index = c.builder->Flat(root, target);
  old.dynamic = d;
  old.dynamic_stride = RowMajorStrides(shape)[static_cast<size_t>(axis)];
  old.guard = inside;
  const ir::Op combine = CombiningOp(node.op);
  ExprId value = c.builder->Build(node.operands[2], update);
  if (combine != ir::Op::kIdentity) value = c.builder->Apply(combine, dtype, {k->AddExpr(old), value});
  Stmt store = MakeStore(out, old.index, value);
  store.dynamic = d;
  store.dynamic_stride = old.dynamic_stride;
  store.guard = inside;
  std::vector<Stmt> body;
  body.push_back(std::move(store));
  CollapseAxes(k, &body, &after, &after_n);
  const int64_t lanes =
      c.options.vectorize && !after.empty() ? VectorWidth(*k, c.target, after_n.back(), ChooseRegisters(c, 1)) : 1;
  body = Nest(after, after_n, lanes, std::move(body));
  if (c.options.vectorize && after.empty() && !before.empty() && !along.empty()) {
    body = ByLines(c, &along, &along_n, std::move(body));
  }
  body = Nest(along, along_n, 1, Nest(before, before_n, 1, std::move(body)));
  // Neighbouring stores compute all right sides first: one update of one element is apart, by a loop of one trip.
  if (body.front().kind == Stmt::Kind::kStore) {
    body = Only(MakeLoop(k->AddAxis("one"), 1, LoopKind::kSerial, 1, std::move(body)));
  }
  for (Stmt& s : body) k->body.push_back(std::move(s));
}

}  // namespace reel::codegen
