#include "codegen/schedule/expr_builder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "codegen/plan/view.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

Affine Flatten(const View& view, const Index& index) {
  Affine flat{view.offset, {}};
  for (size_t i = 0; i < index.size(); ++i) flat.Add(index[i], view.strides[i]);
  return flat;
}

uint64_t ScalarBits(const ir::Literal& literal) {
  uint64_t bits = 0;
  std::memcpy(&bits, literal.bytes().data(), static_cast<size_t>(SizeOf(literal.dtype())));
  return bits;
}

Expr ScalarExpr(const ir::Literal& literal) { return {.dtype = literal.dtype(), .bits = ScalarBits(literal)}; }

// A scalar of no bits.
bool IsZero(const ir::Function& f, Value v) {
  return f.Is(v, Op::kConstant) && ScalarBits(f.producer(v)->attr<ir::Literal>("value")) == 0;
}

// Where a reshape that splits axes of `from` has the element `index` of `to`: every axis is a run of result axes.
Index IndexBeforeSplit(const Shape& from, const Shape& to, const Index& index) {
  Index inner(static_cast<size_t>(from.rank()));
  int t = 0;
  for (int i = 0; i < from.rank(); ++i) {
    Affine& a = inner[static_cast<size_t>(i)];
    for (int64_t n = 1; n < from.dim(i) && t < to.rank(); ++t) {  // VerifyPlan has seen that both hold to the end
      a = a * to.dim(t) + index[static_cast<size_t>(t)];
      n *= to.dim(t);
    }
  }
  return inner;
}

// The element of a view's operand, which is of shape `from`, that is its element `index`.
Index OperandIndex(const Node& node, const Shape& from, const Shape& to, const Index& index) {
  Index inner(static_cast<size_t>(from.rank()));
  switch (node.op) {
    case Op::kReshape: return IndexBeforeSplit(from, to, index);
    case Op::kTranspose: {
      const auto& permutation = node.attr<Ints>("permutation");
      for (size_t i = 0; i < permutation.size(); ++i) inner[static_cast<size_t>(permutation[i])] = index[i];
      return inner;
    }
    case Op::kSlice: {
      const auto &starts = node.attr<Ints>("starts"), &strides = node.attr<Ints>("strides");
      for (size_t i = 0; i < starts.size(); ++i) inner[i] = index[i] * strides[i] + starts[i];
      return inner;
    }
    case Op::kReverse:
      inner = index;
      for (int64_t axis : node.attr<Ints>("axes")) {
        const auto i = static_cast<size_t>(axis);
        inner[i] = index[i] * -1 + (from.dim(static_cast<int>(axis)) - 1);
      }
      return inner;
    case Op::kWindow: {
      const auto &axes = node.attr<Ints>("axes"), &strides = node.attr<Ints>("strides"),
                 &dilations = node.attr<Ints>("dilations");
      inner.assign(index.begin(), index.begin() + from.rank());
      for (size_t i = 0; i < axes.size(); ++i) {  // steps that are never taken may be too large to multiply
        const auto axis = static_cast<size_t>(axes[i]), element = static_cast<size_t>(from.rank()) + i;
        inner[axis] = {};
        if (to.dim(static_cast<int>(axis)) != 1) inner[axis].Add(index[axis], strides[i]);
        if (to.dim(static_cast<int>(element)) != 1) inner[axis].Add(index[element], dilations[i]);
      }
      return inner;
    }
    default: {  // broadcast
      const auto& axes = node.attr<Ints>("axes");
      for (size_t i = 0; i < axes.size(); ++i) {
        if (from.dim(static_cast<int>(i)) != 1) inner[i] = index[static_cast<size_t>(axes[i])];
      }
      return inner;
    }
  }
}

}  // namespace

ExprBuilder::Key ExprBuilder::MakeKey(Value v, const Index& index) {
  Key key{v.id, {}};
  for (const Affine& a : index) {
    key.index.push_back(a.constant);
    key.index.push_back(static_cast<int64_t>(a.terms.size()));
    for (const auto& [axis, coefficient] : a.terms) {
      key.index.push_back(axis);
      key.index.push_back(coefficient);
    }
  }
  return key;
}

BufferId ExprBuilder::BufferOf(Value v, bool is_output) {
  const auto [it, added] = buffers_.emplace(v.id, static_cast<BufferId>(bound_.size()));
  if (added) {
    const std::string_view hint = f_.name_hint(v);
    kernel_->AddBuffer(hint.empty() ? StrCat("v", v.id) : std::string(hint), f_.type(v).dtype, is_output);
    kernel_->buffers.back().elements = f_.type(v).shape.size();
    bound_.push_back(v);
  }
  if (is_output) kernel_->buffers[static_cast<size_t>(it->second)].is_output = true;
  return it->second;
}

Affine ExprBuilder::Flat(Value v, const Index& index) const {
  return Flatten({v, 0, RowMajorStrides(f_.type(v).shape)}, index);
}

Affine ExprBuilder::Place(Value v, const Index& index) const { return Flatten(*plan_.views[v.index()], index); }

void ExprBuilder::SetRoot(Value root, ExprId expr) {
  root_ = root;
  root_expr_ = expr;
  memo_.clear();
}

void ExprBuilder::SetRow(Index row, Affine inner) {
  has_row_ = true;
  row_ = std::move(row);
  inner_ = std::move(inner);
  memo_.clear();
  elements_.clear();
}

bool ExprBuilder::IsPerElement(Value v) const {
  const auto& dims = f_.type(v).shape.dims();
  return static_cast<size_t>(std::count_if(dims.begin(), dims.end(), [](int64_t n) { return n != 1; })) > row_.size();
}

Index RowIndexOf(const Shape& shape, const Index& row, const Affine& inner) {
  Index index;
  size_t next = 0;
  for (int64_t n : shape.dims()) {
    index.emplace_back();
    if (n != 1) index.back() = next < row.size() ? row[next] : inner;
    next += n != 1;
  }
  return index;
}

uint64_t Bits(DType dtype, double value) { return ScalarBits(ir::Literal::Scalar(dtype, value)); }

ExprId ExprBuilder::Constant(DType dtype, double value) {
  return kernel_->AddExpr(ScalarExpr(ir::Literal::Scalar(dtype, value)));
}

ExprId ExprBuilder::Position(const Affine& value, DType dtype) {
  return kernel_->AddExpr({.kind = Expr::Kind::kIndex, .dtype = dtype, .index = value});
}

ExprId ExprBuilder::Apply(Op op, DType dtype, std::initializer_list<ExprId> operands) {
  return kernel_->AddExpr({.kind = Expr::Kind::kOp, .dtype = dtype, .op = op, .operands = operands});
}

ExprId ExprBuilder::ToInt64(ExprId x) {
  if (kernel_->exprs[static_cast<size_t>(x)].dtype == kInt64) return x;
  return Apply(Op::kCast, kInt64, {x});
}

ExprId ExprBuilder::InRange(ExprId x, int64_t extent) {
  const ExprId low = Apply(Op::kGreaterEqual, kBool, {x, Number(0)});
  const ExprId high = Apply(Op::kLess, kBool, {x, Number(extent)});
  return Apply(Op::kAnd, kBool, {low, high});
}

ExprId ExprBuilder::ClampedStart(Value start, int64_t high) {
  const ExprId s = ToInt64(Build(start, {}));
  return Apply(Op::kMin, kInt64, {Apply(Op::kMax, kInt64, {s, Number(0)}), Number(high)});
}

ExprId ExprBuilder::Load(DType dtype, Value base, Affine flat, ExprId dynamic, int64_t dynamic_stride, ExprId guard) {
  const auto widened = [&](ExprId x) { return f_.type(base).dtype == dtype ? x : Apply(Op::kCast, dtype, {x}); };
  if (IsRowMember(base)) return widened(Build(base, {}));
  return widened(kernel_->AddExpr({.kind = Expr::Kind::kLoad,
                                   .dtype = f_.type(base).dtype,
                                   .buffer = BufferOf(base, false),
                                   .index = std::move(flat),
                                   .dynamic = dynamic,
                                   .dynamic_stride = dynamic_stride,
                                   .guard = guard}));
}

ExprId ExprBuilder::LoadView(Value v, const Affine& offset, ExprId dynamic, ExprId guard) {
  return Load(f_.type(v).dtype, ViewOf(v).base, offset + ViewOf(v).offset, dynamic, dynamic < 0 ? 0 : 1, guard);
}

ExprId ExprBuilder::LoadBits(Value v, const Affine& offset, DType dtype, ExprId dynamic) {
  return kernel_->AddExpr({.kind = Expr::Kind::kLoad,
                           .dtype = dtype,
                           .buffer = BufferOf(ViewOf(v).base, false),
                           .index = offset + ViewOf(v).offset,
                           .dynamic = dynamic,
                           .dynamic_stride = dynamic < 0 ? 0 : 1});
}

ExprId ExprBuilder::Build(Value v, const Index& index) {
  if (v == root_ && root_expr_ >= 0) return root_expr_;
  if (IsRowMember(v)) {
    const std::map<int32_t, ExprId>& known = IsPerElement(v) ? elements_ : scalars_;
    if (const auto it = known.find(v.id); it != known.end()) return it->second;
    const ExprId e = Compute(v, RowIndex(v));
    SetValue(v, e);
    return e;
  }
  const Key key = MakeKey(v, index);
  if (const auto it = memo_.find(key); it != memo_.end()) return it->second;
  const auto i = v.index();
  const bool own = plan_.kernel_of[i] == kernel_index_;
  const ExprId e =
      !own && plan_.views[i] ? Load(f_.type(v).dtype, ViewOf(v).base, Flatten(ViewOf(v), index)) : Compute(v, index);
  memo_.emplace(key, e);
  return e;
}

ExprId ExprBuilder::BuildOperand(Value v, int k, const Index& index) {
  return Build(f_.producer(v)->operands[static_cast<size_t>(k)], index);
}

ExprId ExprBuilder::Compute(Value v, const Index& index) {
  const Node& node = *f_.producer(v);
  if (IsView(node.op)) return BuildView(node, index);
  switch (node.op) {
    case Op::kPad: return BuildPad(node, index);
    case Op::kGather: return BuildGather(node, index);
    case Op::kDynamicSlice:
    case Op::kDynamicUpdate: return BuildDynamic(node, index);
    case Op::kRandomBits: return BuildRandom(node, index);
    case Op::kIota: return Position(index[static_cast<size_t>(node.attr<int64_t>("axis"))], node.attr<DType>("dtype"));
    case Op::kConstant: return kernel_->AddExpr(ScalarExpr(node.attr<ir::Literal>("value")));
    default: break;
  }
  // An elementwise op: VerifyPlan refuses others.
  if (const auto step = StackStepOf(f_, node)) {  // at a position that is known, the part alone
    const Affine& at = index[static_cast<size_t>(step->axis)];
    if (at.terms.empty()) return Build(node.operands[at.constant == step->position ? 1 : 2], index);
    for (const auto& [axis, coefficient] : at.terms) choices_.insert(axis);
  }
  Expr e{.kind = Expr::Kind::kOp, .dtype = f_.type(v).dtype, .op = node.op};
  for (Value o : node.operands) e.operands.push_back(Build(o, index));
  return kernel_->AddExpr(std::move(e));
}

ExprId ExprBuilder::BuildView(const Node& node, const Index& index) {
  const Value x = node.operands[0];
  if (const auto& view = plan_.views[x.index()]) {
    if (auto through = ViewThrough(f_, node, *view))
      return Load(f_.type(x).dtype, view->base, Flatten(*through, index));
  }
  return Build(x, OperandIndex(node, f_.type(x).shape, f_.type(node.result()).shape, index));
}

std::optional<bool> ExprBuilder::IsInside(const Affine& position, int64_t extent) {
  int64_t least = position.constant, most = position.constant;
  for (const auto& [axis, factor] : position.terms) {
    const auto it = extents_.find(axis);
    if (it == extents_.end()) return std::nullopt;
    (factor > 0 ? most : least) += factor * (it->second - 1);
  }
  if (least >= 0 && most < extent) return true;
  if (most < 0 || least >= extent) return false;
  if (position.terms.size() == 1 && std::abs(position.terms[0].second) == 1) {
    const bool back = position.terms[0].second < 0;  // the first place inside, and the first one behind
    const int64_t first = back ? position.constant - extent + 1 : -position.constant;
    for (const int64_t bound : {first, first + extent}) {
      if (bound > 0 && bound < extents_.at(position.terms[0].first)) cuts_[position.terms[0].first].insert(bound);
    }
  }
  return std::nullopt;
}

std::optional<bool> ExprBuilder::IsElement(int64_t step, Affine* position) {
  for (const auto& [axis, factor] : position->terms) {
    if (factor % step == 0) continue;
    if (extents_.contains(axis)) steps_[axis] = std::lcm(steps_.emplace(axis, 1).first->second, step);
    return std::nullopt;
  }
  if (position->constant % step != 0) return false;
  position->constant /= step;
  for (auto& [axis, factor] : position->terms) factor /= step;
  return true;
}

// Element j of an axis is operand element (j - low) / (interior + 1) if that is whole and in range.
ExprId ExprBuilder::BuildPad(const Node& node, const Index& index) {
  const Value x = node.operands[0];
  const Shape& shape = f_.type(x).shape;
  const View& view = ViewOf(x);
  const auto &low = node.attr<Ints>("low"), &high = node.attr<Ints>("high"), &interior = node.attr<Ints>("interior");
  Affine flat{view.offset, {}};
  ExprId guard = -1, dynamic = -1, shown = -1;  // shown: of an axis of one element, which can be read anywhere
  const auto both = [&](ExprId a, ExprId b) { return a < 0 ? b : Apply(Op::kAnd, kBool, {a, b}); };
  for (size_t i = 0; i < low.size(); ++i) {
    if (low[i] == 0 && high[i] == 0 && interior[i] == 0) {
      flat.Add(index[i], view.strides[i]);
      continue;
    }
    Affine shifted = index[i] + -low[i];
    const std::optional<bool> found = IsElement(interior[i] + 1, &shifted);
    if (found == false) return Build(node.operands[1], {});
    if (found == true) {
      const std::optional<bool> inside = IsInside(shifted, shape.dim(static_cast<int>(i)));
      if (inside == false) return Build(node.operands[1], {});
      if (inside == true) {
        flat.Add(shifted, view.strides[i]);
        continue;
      }
      if (shape.dim(static_cast<int>(i)) == 1) {
        shown = both(shown, InRange(Position(shifted), 1));
        continue;
      }
    }
    ExprId position = Position(shifted);
    if (found == true) {
      flat.Add(shifted, view.strides[i]);
    } else {
      const ExprId step = Number(interior[i] + 1);
      const ExprId quotient = Apply(Op::kDiv, kInt64, {position, step});
      const ExprId back = Apply(Op::kMul, kInt64, {quotient, step});
      guard = both(guard, Apply(Op::kEqual, kBool, {back, position}));
      const ExprId term = Apply(Op::kMul, kInt64, {quotient, Number(view.strides[i])});
      dynamic = dynamic < 0 ? term : Apply(Op::kAdd, kInt64, {dynamic, term});
      position = quotient;
      guard = both(guard, Apply(Op::kGreaterEqual, kBool, {Position(shifted), Number(0)}));
    }
    guard = both(guard, InRange(position, shape.dim(static_cast<int>(i))));
  }
  const ExprId load = Load(f_.type(x).dtype, view.base, flat, dynamic, dynamic < 0 ? 0 : 1, guard);
  // 0 where the guard is false
  const bool asked = shown >= 0 || (guard >= 0 && !IsZero(f_, node.operands[1]));
  if (!asked) return load;
  if (guard >= 0) shown = both(shown, guard);
  return Apply(Op::kSelect, f_.type(x).dtype, {shown, load, Build(node.operands[1], {})});
}

ExprId ExprBuilder::BuildGather(const Node& node, const Index& index) {
  const Value x = node.operands[0], indices = node.operands[1];
  const auto axis = static_cast<size_t>(node.attr<int64_t>("axis"));
  const auto count = static_cast<size_t>(f_.type(indices).shape.rank());
  const View& view = ViewOf(x);
  const Index at(index.begin() + static_cast<std::ptrdiff_t>(axis),
                 index.begin() + static_cast<std::ptrdiff_t>(axis + count));
  const ExprId d = ToInt64(Build(indices, at));
  Affine flat{view.offset, {}};
  for (size_t i = 0; i < view.strides.size(); ++i) {
    if (i != axis) flat.Add(index[i < axis ? i : i + count - 1], view.strides[i]);
  }
  return Load(f_.type(x).dtype, view.base, flat, d, view.strides[axis],
              InRange(d, f_.type(x).shape.dim(static_cast<int>(axis))));
}

ExprId ExprBuilder::BuildDynamic(const Node& node, const Index& index) {
  const Value x = node.operands[0];
  const auto axis = static_cast<size_t>(node.attr<int64_t>("axis"));
  const int64_t extent = f_.type(x).shape.dim(static_cast<int>(axis));
  if (node.op == Op::kDynamicSlice) {
    const View& view = ViewOf(x);
    const ExprId start = ClampedStart(node.operands[1], extent - node.attr<int64_t>("size"));
    return Load(f_.type(x).dtype, view.base, Flatten(view, index), start, view.strides[axis]);
  }
  if (const auto start = KnownStart(f_, node)) return BuildJoined(node, index, *start);
  // Dynamic update: element i comes from the update if start <= i < start + size.
  const Value update = node.operands[1];
  const int64_t size = f_.type(update).shape.dim(static_cast<int>(axis));
  const ExprId start = ClampedStart(node.operands[2], extent - size);
  const ExprId d = Apply(Op::kSub, kInt64, {Position(index[axis]), start});
  const ExprId inside = InRange(d, size);
  Index rest = index;
  rest[axis] = {};
  const auto loaded = [&](const View& from) {
    return Load(f_.type(x).dtype, from.base, Flatten(from, rest), d, from.strides[axis], inside);
  };
  const ExprId written = plan_.views[update.index()] ? loaded(ViewOf(update)) : Build(update, rest);  // a number
  return Apply(Op::kSelect, f_.type(x).dtype, {inside, written, Build(x, index)});
}

// An update at a known place: where that is all that an axis goes through, there is nothing to ask.
ExprId ExprBuilder::BuildJoined(const Node& node, const Index& index, int64_t start) {
  const Value x = node.operands[0], update = node.operands[1];
  const auto axis = static_cast<size_t>(node.attr<int64_t>("axis"));
  const int64_t size = f_.type(update).shape.dim(static_cast<int>(axis));
  const DType dtype = f_.type(x).dtype;
  Index at = index;
  at[axis].constant -= start;
  const std::optional<bool> always = IsInside(at[axis], size);
  if (always == false) return Build(x, index);
  const ExprId inside = always == true ? -1 : InRange(Position(at[axis]), size);
  const bool one = size == 1;  // it is there whatever the place
  if (one) at[axis] = {};
  const auto loaded = [&](const View& from) {
    return Load(dtype, from.base, Flatten(from, at), -1, 0, one ? -1 : inside);
  };
  const ExprId written = plan_.views[update.index()] ? loaded(ViewOf(update)) : Build(update, at);
  return inside < 0 ? written : Apply(Op::kSelect, dtype, {inside, written, Build(x, index)});
}

ExprId ExprBuilder::BuildRandom(const Node& node, const Index& index) {
  const Value state = node.operands[0];
  const ExprId key = Build(state, {Affine{}}), counter = Build(state, {Affine{1, {}}});
  const ExprId element = Position(Flat(node.result(), index));
  return kernel_->AddExpr({.kind = Expr::Kind::kRandom, .dtype = kInt32, .operands = {key, counter, element}});
}

}  // namespace reel::codegen
