#include <algorithm>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {
namespace {

// What a recurrence carries in: wide enough that only y[t] itself is rounded.
DType Carried(DType dtype) { return IsHalf(dtype) ? kFloat32 : dtype == kFloat32 ? kFloat64 : dtype; }

// One step: h = a h + b, y[t] = h rounded. In f64 the rests of the sums are carried, too:
//   p = a h, s = p + b, low = a low + (the error of p + b, Knuth's), h = s, y[t] = s + low.
// A rest of 0 changes nothing, -0 neither; nor does NaN, which those of infinite sums are.
class CarriedStep {
 public:
  CarriedStep(const ScheduleContext& c, DType dtype, int64_t lanes)
      : b_(c.builder), k_(c.kernel), dtype_(dtype), carried_(Carried(dtype)), h_(k_->AddLocal("h", carried_, lanes)) {
    if (dtype != kFloat64) return;
    low_ = k_->AddLocal("low", carried_, lanes);
    next_ = k_->AddLocal("s", carried_, lanes);
  }

  // Both are 0 at first, h -0: then y[0] = b[0] to the sign.
  std::vector<Stmt> Begin() const {
    Stmt h = MakeLocal(h_, Bits(carried_, IsFloat(carried_) ? -0.0 : 0.0));
    return low_ < 0 ? Body(std::move(h)) : Body(std::move(h), MakeLocal(low_, 0), MakeScratch(next_));
  }

  std::vector<Stmt> Step(ExprId a, ExprId b, const Affine& at, BufferId out, const Affine& position) {
    a = Widened(a);
    b = Widened(b);
    if (low_ < 0) {
      const ExprId h = LocalExpr(k_, h_, at), y = carried_ == dtype_ ? h : b_->Apply(ir::Op::kCast, dtype_, {h});
      return Body(MakeAccumulate(h_, at, Combine::kProd, a), MakeAccumulate(h_, at, Combine::kSum, b),
                  MakeStore(out, position, y));
    }
    const ExprId p = Apply(ir::Op::kMul, a, LocalExpr(k_, h_, at));
    Stmt add = MakeAccumulate(next_, at, Combine::kSet, Apply(ir::Op::kAdd, p, b));
    const ExprId s = LocalExpr(k_, next_, at), b_part = Apply(ir::Op::kSub, s, p);
    const ExprId error =
        Apply(ir::Op::kAdd, Apply(ir::Op::kSub, p, Apply(ir::Op::kSub, s, b_part)), Apply(ir::Op::kSub, b, b_part));
    const ExprId sum = LocalExpr(k_, next_, at), low = LocalExpr(k_, low_, at);
    const ExprId size = b_->Apply(ir::Op::kAbs, dtype_, {low});
    const ExprId counts = b_->Apply(ir::Op::kGreater, kBool, {size, b_->Constant(dtype_, 0)});
    const ExprId y = b_->Apply(ir::Op::kSelect, dtype_, {counts, Apply(ir::Op::kAdd, sum, low), sum});
    return Body(std::move(add), MakeAccumulate(low_, at, Combine::kProd, a),
                MakeAccumulate(low_, at, Combine::kSum, error), MakeAccumulate(h_, at, Combine::kSet, sum),
                MakeStore(out, position, y));
  }

 private:
  ExprId Widened(ExprId x) { return carried_ == dtype_ ? x : b_->Apply(ir::Op::kCast, carried_, {x}); }
  ExprId Apply(ir::Op op, ExprId x, ExprId y) { return b_->Apply(op, carried_, {x, y}); }

  ExprBuilder* b_;
  Kernel* k_;
  DType dtype_, carried_;
  LocalId h_, low_ = -1, next_ = -1;
};

}  // namespace

// for each index before the axis, of axes after it but the last, and tile of that { h = -0
//   for t, serial, from the end if reverse { vector over the tile: h = (t > 0 ? a[t] : 1) h + b[t], y[t] = h } }
void ScheduleRecurrence(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const ir::Node& node = c.root_node();
  const Shape& shape = c.f.type(root).shape;
  const DType dtype = c.dtype(root);
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));
  const BufferId out = c.builder->BufferOf(root, true);

  LoopAxes around, inner, along;
  Index index;
  for (int i = 0; i < shape.rank(); ++i) {
    LoopAxes& axes = i < axis ? around : i == axis ? along : inner;
    index.push_back(AxisAffine(axes.Add(k, "i" + std::to_string(i), shape.dim(i))));
  }
  const AxisId t = along.ids[0];
  if (node.attr<bool>("reverse")) {
    index[static_cast<size_t>(axis)] = AxisAffine(t, -1) + (shape.dim(axis) - 1);
  }
  ExprBuilder& builder = *c.builder;
  const ExprId later = builder.Apply(ir::Op::kGreater, kBool, {builder.Position(AxisAffine(t)), builder.Number(0)});
  const ExprId factor =
      builder.Apply(ir::Op::kSelect, dtype, {later, builder.BuildOperand(root, 0, index), builder.Constant(dtype, 1)});
  const ExprId b = builder.BuildOperand(root, 1, index);
  // The axes are settled on what reads and writes memory; what is carried comes after.
  std::vector<Stmt> store = Body(MakeStore(out, builder.Flat(root, index), b));
  CollapseAxes(k, &store, &inner);
  CollapseAxes(k, &store, &around);

  const bool lanes = !inner.empty();
  const AxisId lane = lanes ? inner.ids.back() : -1;
  const int64_t extent = lanes ? inner.extents.back() : 1;
  const int64_t most = c.choices->Choose("tile", c.target.tuning.scan_tile, 1, 4096, {128, 256, 512, 1024});
  const int64_t tile = std::clamp<int64_t>(extent, 1, most);  // of nothing there is no tile, but a width
  const AxisId tiles = extent > tile ? k->AddAxis("tile") : -1;
  if (tiles >= 0) ShiftAxis(k, &store, lane, AxisAffine(tiles, tile));
  CarriedStep step(c, dtype, tile);
  std::vector<Stmt> body = step.Step(factor, b, lanes ? AxisAffine(lane) : Affine{}, out, store[0].index);
  const int64_t cost = ExprCost(*k);
  if (lanes) {
    Stmt neighbours = VectorLoop(lane, std::min(extent, tile), VectorWidth(c, tile, 2), std::move(body));
    if (extent % tile != 0) Clip(&neighbours, AxisAffine(tiles, tile), extent);
    body = Body(std::move(neighbours));
    inner.Erase(inner.size() - 1);
  }
  if (tiles >= 0) inner.Add(tiles, Ceil(extent, tile));
  std::vector<Stmt> all = step.Begin();
  all.push_back(SerialLoop(t, shape.dim(axis), std::move(body)));
  const bool shared = !around.empty() || !inner.empty();
  k->body = Nest(around, 1, Nest(inner, 1, std::move(all)));
  if (shared) Parallelize(c, shape.size(), cost);
}

}  // namespace reel::codegen
