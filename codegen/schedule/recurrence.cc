#include "codegen/schedule/schedule.h"

namespace reel::codegen {

// for each index before the axis { for t { vector over what follows: y[t] = t > 0 ? a[t] * y[t - 1] + b[t] : b[t] } }.
// Serial along the axis; from its end if reverse. y[t - 1] is read back from memory, where it just went; where nothing
// follows the axis it is a local: h = -0; for t { h *= a[t] if t > 0; h += b[t]; y[t] = h }.
void ScheduleRecurrence(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.group().root;
  const ir::Node& node = *c.f.producer(root);
  const Shape& shape = c.f.type(root).shape;
  const DType dtype = c.f.type(root).dtype;
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));
  const bool reverse = node.attr<bool>("reverse");
  const BufferId out = c.builder->BufferOf(root, true);

  std::vector<AxisId> axes[3];  // before, along, after
  std::vector<int64_t> extents[3];
  Index index;
  for (int i = 0; i < shape.rank(); ++i) {
    const size_t part = i < axis ? 0 : i == axis ? 1 : 2;
    axes[part].push_back(k->AddAxis("i" + std::to_string(i)));
    extents[part].push_back(shape.dim(i));
    index.push_back(AxisAffine(axes[part].back()));
  }
  const Affine step = index[static_cast<size_t>(axis)];
  if (reverse) {
    Affine& at = index[static_cast<size_t>(axis)];
    at = {};
    at.constant = shape.dim(axis) - 1;
    at.Add(step, -1);
  }
  const Affine position = c.builder->Flat(root, index);
  const ExprId later = c.builder->Apply(ir::Op::kGreater, kBool, {c.builder->Position(step), c.builder->Constant(kInt64, 0)});
  const int64_t stride = RowMajorStrides(shape)[static_cast<size_t>(axis)];
  const ExprId factor = c.builder->BuildOperand(root, 0, index), b = c.builder->BuildOperand(root, 1, index);
  std::vector<Stmt> body;
  const bool rows = stride == 1;
  const LocalId h = rows ? k->AddLocal("h", dtype, 1) : -1;
  if (rows) {
    Stmt product = MakeAccumulate(h, {}, Combine::kProd, factor);
    product.guard = later;
    body.push_back(std::move(product));
    body.push_back(MakeAccumulate(h, {}, Combine::kSum, b));
    body.push_back(MakeStore(out, position, LocalExpr(k, h, {})));
  } else {
    Expr before;
    before.kind = Expr::Kind::kLoad;
    before.dtype = dtype;
    before.buffer = out;
    before.index = position;
    before.index.constant += reverse ? stride : -stride;
    before.guard = later;
    const ExprId product = c.builder->Apply(ir::Op::kMul, dtype, {factor, k->AddExpr(before)});
    const ExprId sum = c.builder->Apply(ir::Op::kAdd, dtype, {product, b});
    body.push_back(MakeStore(out, position, c.builder->Apply(ir::Op::kSelect, dtype, {later, sum, b})));
  }
  CollapseAxes(k, &body, &axes[2], &extents[2]);
  CollapseAxes(k, &body, &axes[0], &extents[0]);
  const int64_t cost = ExprCost(*k);
  const int64_t inner = axes[2].empty() ? 1 : extents[2].back();
  const int64_t width = c.options.vectorize && inner > 1 ? VectorWidth(*k, c.target, inner, 1) : 1;
  body = Nest(axes[1], extents[1], 1, Nest(axes[2], extents[2], width, std::move(body)));
  if (rows) body.insert(body.begin(), MakeLocal(h, Bits(dtype, IsFloat(dtype) ? -0.0 : 0.0)));
  k->body = Nest(axes[0], extents[0], 1, std::move(body));
  if (c.options.vectorize && !axes[0].empty()) Parallelize(k, shape.size(), cost);
}

}  // namespace reel::codegen
