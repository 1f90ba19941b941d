#include <algorithm>
#include <limits>

#include "codegen/loop/ceil.h"
#include "codegen/plan/view.h"
#include "codegen/schedule/sum_rows.h"
#include "ir/strings.h"

// Reductions by the fixed rules (ir/MEANING.md). The reduced axis is innermost: blocks of 4096 elements; in a block 64
// partials, which are lanes: partial j takes elements 64*i + j with i ascending, then a tree; block sums are reduced by
// the same rule again. Kept axes follow it: these are lanes, and rows are added one after another in groups of 64.

namespace reel::codegen {
namespace {

double Identity(Combine combine, DType dtype) {
  using limits = std::numeric_limits<double>;
  if (combine == Combine::kSum) return IsFloat(dtype) ? -0.0 : 0.0;
  if (combine == Combine::kProd) return 1;
  const bool low = combine == Combine::kMax;
  if (IsFloat(dtype)) return low ? -limits::infinity() : limits::infinity();
  return low ? 0 : 1;  // bool; integers are set by their bits
}

// Statements that leave the reduction of `extent` elements in element 0 of the last local.
class ReduceNest {
 public:
  ReduceNest(Kernel* kernel, Combine combine, DType dtype, AxisId axis, int64_t extent, bool vectorize)
      : kernel_(kernel), combine_(combine), dtype_(dtype), axis_(axis), vectorize_(vectorize) {
    for (int64_t n = extent;; n = Ceil(n, kReducedBlock)) {
      counts_.push_back(n);
      const bool last = n <= kReducedBlock;
      const int64_t size = last ? PowerOfTwo(std::min(n, kPartials)) : kPartials;
      locals_.push_back(kernel->AddLocal("p" + std::to_string(counts_.size() - 1), dtype, size));
      if (last) break;
    }
  }

  LocalId result() const { return locals_.back(); }

  /// `element`: what is done for each element besides accumulating `value` (stores of fused outputs).
  std::vector<Stmt> Build(ExprId value, std::vector<Stmt> element) {
    SetElement(value, std::move(element));
    return Level(locals_.size() - 1, {});
  }
  /// The same for one block of several, whose result is then in element 0 of `block_result`.
  std::vector<Stmt> BuildBlock(AxisId block, ExprId value, std::vector<Stmt> element) {
    SetElement(value, std::move(element));
    return Level(0, AxisAffine(block, kReducedBlock));
  }
  LocalId block_result() const { return locals_.front(); }

 private:
  // Accumulating reads before the stores write: an output may take the place of an operand.
  void SetElement(ExprId value, std::vector<Stmt> element) {
    element_ = std::move(element);
    element_.insert(element_.begin(), MakeAccumulate(locals_[0], AxisAffine(axis_), combine_, value));
  }

  // Elements base.. of level l: at most kReducedBlock of them, of which base is a multiple; clipped at counts_[l].
  std::vector<Stmt> Level(size_t l, const Affine& base) {
    const int64_t count = counts_[l], size = kernel_->locals[static_cast<size_t>(locals_[l])].size;
    const bool whole = count <= kReducedBlock;  // base is 0
    const int64_t rows = whole ? Ceil(count, kPartials) : kPartials;
    const AxisId row = kernel_->AddAxis("r" + std::to_string(l));
    const Affine row_base = rows > 1 ? base + AxisAffine(row, kPartials) : base;

    std::vector<Stmt> inner;
    AxisId column = axis_;
    if (l == 0) {
      // The reduced axis becomes the position within a row: r := base + 64 * row + j.
      ShiftAxis(kernel_, &element_, axis_, row_base);
      element_.front().index = AxisAffine(axis_);
      inner = std::move(element_);
    } else {
      column = kernel_->AddAxis("b" + std::to_string(l));
      inner = Level(l - 1, (row_base + AxisAffine(column)) * kReducedBlock);
      inner.push_back(MakeAccumulate(locals_[l], AxisAffine(column), combine_, LocalExpr(kernel_, locals_[l - 1], {})));
    }
    Stmt loop =
        VectorLoop(column, rows == 1 ? std::min(count, size) : size, l == 0 && vectorize_ ? size : 1, std::move(inner));
    if (rows > 1) {
      if (count % kPartials != 0) Clip(&loop, row_base, count);
      loop = SerialLoop(row, rows, Body(std::move(loop)));
      if (!whole) Clip(&loop, Blocks(base), Ceil(count, kPartials));
    }
    std::vector<Stmt> body = Body(MakeLocal(locals_[l], IdentityBits(combine_, dtype_)), std::move(loop));
    if (size > 1) body.push_back(MakeTree(locals_[l], combine_));
    return body;
  }

  // base / 64
  static Affine Blocks(const Affine& base) {
    Affine blocks;
    blocks.constant = base.constant / kPartials;
    for (const auto& [axis, coefficient] : base.terms) blocks.Add(axis, coefficient / kPartials);
    return blocks;
  }

  Kernel* kernel_;
  const Combine combine_;
  const DType dtype_;
  const AxisId axis_;
  const bool vectorize_;
  std::vector<int64_t> counts_;
  std::vector<LocalId> locals_;
  std::vector<Stmt> element_;
};

// Adds rows: statements that leave the reduction over `axis` in the last local, of each part an element. `element`
// accumulates into the first.
struct RowsNest {
  Kernel* kernel;
  Combine combine;
  DType dtype;
  AxisId axis;
  int64_t group;  // rows of one
  int64_t parts = 1;  // that go through the rows together
  std::vector<int64_t> counts{};  // by level: rows, groups of rows, groups of these, ...
  std::vector<LocalId> locals{};

  void AddLevels(int64_t rows) {
    for (int64_t n = rows;; n = Ceil(n, group)) {
      locals.push_back(kernel->AddLocal("p" + std::to_string(counts.size()), dtype, parts));
      counts.push_back(n);
      if (n <= group) return;
    }
  }

  // Group `of` of level l. As deep as the rows' logarithm to base 64.
  std::vector<Stmt> Level(size_t l, const Affine& of, std::vector<Stmt> element) const {
    const Affine first = of * group;
    const AxisId row = l == 0 ? axis : kernel->AddAxis("g" + std::to_string(l));
    if (l == 0) {
      ShiftAxis(kernel, &element, axis, first);
    } else {
      element = Level(l - 1, first + AxisAffine(row), std::move(element));
      for (int64_t k = 0; k < parts; ++k) {
        element.push_back(MakeAccumulate(locals[l], {k, {}}, combine, LocalExpr(kernel, locals[l - 1], {k, {}})));
      }
    }
    Stmt rows = SerialLoop(row, std::min(counts[l], group), std::move(element));
    if (counts[l] > group && counts[l] % group != 0) Clip(&rows, first, counts[l]);
    return Body(MakeLocal(locals[l], IdentityBits(combine, dtype)), std::move(rows));
  }
};

// Short rows, `count` at a time, whose trees are one; what is left of them row by row. body: the partials, what
// accumulates them, their tree and what is made of the result.
std::vector<Stmt> RowsTogether(Kernel* k, LocalId partials, AxisId row, int64_t extent, int64_t count,
                               std::vector<Stmt> body) {
  const int64_t whole = extent / count, rest = extent % count;
  const size_t exprs = k->exprs.size();
  std::vector<Stmt> last;
  if (rest > 0) last = Body(SerialLoop(row, rest, CopyShifted(k, body, row, whole * count)));
  const int64_t size = k->locals[static_cast<size_t>(partials)].size;
  k->locals[static_cast<size_t>(partials)].size *= count;
  const AxisId block = k->AddAxis("rb"), at = k->AddAxis("i");
  const Affine here = AxisAffine(at) + AxisAffine(block, count) + AxisAffine(row, -1);
  for (size_t i = 0; i < exprs; ++i) {
    Expr& e = k->exprs[i];
    e.index.Add(here, e.index.coefficient(row));
    if (e.kind == Expr::Kind::kLocal && e.local == partials) e.index.Add(at, 1);
  }
  for (Stmt& s : body) s.index.Add(here, s.index.coefficient(row));
  Stmt& element = body[1];
  for (Stmt& s : element.body) s.index.Add(here, s.index.coefficient(row));
  element.body[0].index.Add(at, size);
  body[2].width = count;
  std::vector<Stmt> results(std::make_move_iterator(body.begin() + 3), std::make_move_iterator(body.end()));
  body.resize(3);
  body[1] = UnrolledLoop(at, count, Body(std::move(element)));
  body.push_back(VectorLoop(at, count, count, std::move(results)));
  last.insert(last.begin(), SerialLoop(block, whole, std::move(body)));
  return last;
}

// What is reduced along `axis`, `count` elements.
struct Reduction {
  Combine combine;
  DType dtype;
  AxisId axis;
  int64_t count;
  ExprId operand;  // of the first part
  std::vector<ExprId> others = {};  // of parts behind it
};

// Lanes of a register if rows of `elements` are reduced as many at a time; 0: one after the other, as are maxima, which
// are found among integers: LLVM takes long over what it could know of their bits.
int64_t RowsAtOnce(const ScheduleContext& c, const Reduction& r, const LoopAxes& rows) {
  const bool adds =
      IsFloat(r.dtype) && SizeOf(r.dtype) >= 4 && (r.combine == Combine::kSum || r.combine == Combine::kProd);
  if (!c.options.vectorize || rows.empty() || !adds || r.count > kPartials ||
      r.count * Product(rows.extents) < c.target.tuning.joint_rows_min_elements)
    return 0;
  const int64_t lanes = c.target.lanes(SizeOf(r.dtype));
  const bool may = lanes > 1 && rows.extents.back() >= lanes && PowerOfTwo(r.count) >= lanes;
  return c.choices->Flag("joint", may, may) ? lanes : 0;
}

// Axes of the loops: kept ones around and inside of the reduced ones.
struct ReducedAxes {
  LoopAxes outer, reduced, inner;
  Index index, kept;  // of the operand; of the result
  std::vector<Index> parts = {}, parts_kept = {};  // these, of parts that go through the rows together; empty: one part
  bool product;  // whose blocks' sums are added in order
  Combine combine;
};
ReducedAxes AxesOf(const ScheduleContext& c) {
  const ir::Node& node = c.root_node();
  ReducedAxes out;
  out.product = node.op == ir::Op::kContract;
  out.combine = out.product ? Combine::kSum : CombineOf(node.op);
  const Shape& shape = c.f.type(out.product ? node.result() : node.operands[0]).shape;
  const auto reduced = out.product ? std::vector<int64_t>{} : node.attr<std::vector<int64_t>>("axes");
  for (int i = 0; i < shape.rank(); ++i) {
    const bool is_reduced = std::binary_search(reduced.begin(), reduced.end(), i);
    const bool is_outer = !out.product && (reduced.empty() || i < reduced.front());
    LoopAxes& axes = is_reduced ? out.reduced : is_outer ? out.outer : out.inner;
    out.index.push_back(AxisAffine(axes.Add(c.kernel, "i" + std::to_string(i), shape.dim(i))));
    if (!is_reduced) out.kept.push_back(out.index.back());
  }
  return out;
}

// The second half of a reduction reads [groups of rows, elements of a row], or results of blocks.
void BeginWithPartials(const ScheduleContext& c, ReducedAxes* axes) {
  const Shape& partials = c.f.type(c.kernel_plan().BeginsWith()).shape;
  const AxisId axis = axes->product ? c.kernel->AddAxis("b") : axes->reduced.ids[0];
  axes->reduced = {{axis}, {partials.dim(0)}};
  axes->index = {AxisAffine(axis)};
  if (partials.rank() == 2) axes->index.push_back(c.builder->Flat(c.kernel_plan().root, axes->kept));
}

// The first half: results of blocks.
void ReduceBlocks(const ScheduleContext& c, const Reduction& r, const ReducedAxes& axes, std::vector<Stmt> element) {
  Kernel* k = c.kernel;
  ReduceNest nest(k, r.combine, r.dtype, r.axis, r.count, c.options.vectorize);
  const AxisId block = k->AddAxis("b");
  std::vector<Stmt> body = nest.BuildBlock(block, r.operand, std::move(element));
  const ExprId result = LocalExpr(k, nest.block_result(), {});
  const ir::Value partials = c.kernel_plan().As<ReduceKernel>()->partials;
  body.push_back(MakeStore(c.builder->BufferOf(partials, true), AxisAffine(block), result));
  body = Nest(axes.outer, 1, Nest(axes.inner, 1, std::move(body)));  // all of extent 1
  k->body = Body(SerialLoop(block, Ceil(r.count, kReducedBlock), std::move(body)));
  Parallelize(c, r.count, ExprCost(*k));
}

// Statements that leave the reduction in element 0 of `result`; none if there is nothing to reduce.
std::vector<Stmt> Reduce(const ScheduleContext& c, const Reduction& r, bool by_rows, bool in_order,
                         std::vector<Stmt> element, LocalId* result) {
  if (r.count == 0) return {};
  if (!by_rows) {
    ReduceNest nest(c.kernel, r.combine, r.dtype, r.axis, r.count, c.options.vectorize);
    *result = nest.result();
    return nest.Build(r.operand, std::move(element));
  }
  RowsNest nest{c.kernel, r.combine, r.dtype, r.axis, in_order ? r.count : kPartials};
  nest.parts += static_cast<int64_t>(r.others.size());
  nest.AddLevels(r.count);
  *result = nest.locals.back();
  std::vector<Stmt> sums = Body(MakeAccumulate(nest.locals[0], {}, r.combine, r.operand));
  for (int64_t k = 1; k < nest.parts; ++k) {
    sums.push_back(MakeAccumulate(nest.locals[0], {k, {}}, r.combine, r.others[static_cast<size_t>(k - 1)]));
  }
  element.insert(element.begin(), std::make_move_iterator(sums.begin()), std::make_move_iterator(sums.end()));
  return nest.Level(nest.locals.size() - 1, {}, std::move(element));
}

// What is made of the results: of each value the elements of all parts side by side.
std::vector<Stmt> ResultStores(const ScheduleContext& c, const std::vector<Index>& kept,
                               const std::vector<ExprId>& results) {
  std::vector<std::vector<Stmt>> of_part;
  for (size_t k = 0; k < kept.size(); ++k) {
    c.builder->SetRoot(c.kernel_plan().root, results[k]);
    of_part.push_back(c.Stores({c.kernel_plan().root}, kept[k]));
    Append(c.Stores(c.kernel_plan().epilogue, kept[k]), &of_part.back());
  }
  return ByValue(std::move(of_part));
}

// All of it, or the second half; then what is made of the result.
void ReduceWhole(const ScheduleContext& c, const Reduction& r, ReducedAxes axes, std::vector<Stmt> element) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const bool lanes = Product(axes.inner.extents) == 1 && !axes.product;
  LocalId sum = -1;
  std::vector<Stmt> body = Reduce(c, r, !lanes, axes.product, std::move(element), &sum);
  if (axes.parts_kept.empty()) axes.parts_kept.push_back(axes.kept);
  const auto parts = static_cast<int64_t>(axes.parts_kept.size());
  std::vector<ExprId> results;
  for (int64_t i = 0; i < parts; ++i) {
    results.push_back(r.count == 0 ? c.builder->Constant(r.dtype, 0) : LocalExpr(k, sum, {i, {}}));
    if (r.count == 0 && r.combine != Combine::kSum) {
      k->exprs[static_cast<size_t>(results.back())].bits = IdentityBits(r.combine, r.dtype);
    }
  }
  Append(ResultStores(c, axes.parts_kept, results), &body);
  CollapseAxes(k, &body, &axes.inner);
  CollapseAxes(k, &body, &axes.outer);
  const int64_t cost = ExprCost(*k) / parts;
  const int64_t width =
      axes.inner.empty() ? 1 : VectorWidth(c, axes.inner.extents.back(), ChooseRegisters(c, parts > 1 ? 2 : 4));
  const bool of_rows = r.count > 0 && lanes && axes.inner.empty();
  if (const int64_t rows = of_rows ? RowsAtOnce(c, r, axes.outer) : 0; rows > 0) {
    body = RowsTogether(k, sum, axes.outer.ids.back(), axes.outer.extents.back(), rows, std::move(body));
    axes.outer.Erase(axes.outer.size() - 1);
  }
  k->body = Nest(axes.outer, 1, Nest(axes.inner, width, std::move(body)));
  const int64_t size = c.f.type(axes.product ? root : c.root_node().operands[0]).shape.size();
  Parallelize(c, axes.product ? r.count * size : size, cost);
}

// --- short axes: what is loaded for an element is built with the whole index already ---

// A reduction of few neighbours, element by element: lanes go along the results, and load and store the neighbours by
// turns. False if it is none.
bool ReducesFew(const ScheduleContext& c, const ReducedAxes& axes, Combine combine) {
  const DType dtype = c.dtype(c.kernel_plan().root);
  const bool adds = IsFloat(dtype) && SizeOf(dtype) >= 4 && (combine == Combine::kSum || combine == Combine::kProd);
  const bool few = axes.reduced.size() == 1 && axes.reduced.innermost() > 1 && axes.reduced.innermost() <= kMaxTurns;
  if (!c.options.vectorize || axes.product || !adds || !few || Product(axes.inner.extents) != 1) return false;
  const bool may =
      axes.outer.innermost() >= kMaxUnrolled && StoresByTurns(c) && LoadsByTurns(*c.kernel, axes.outer.ids.back());
  return c.choices->Flag("turns", may, may);
}
void ReduceFew(const ScheduleContext& c, ReducedAxes axes, Combine combine) {
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  const DType dtype = c.dtype(root);
  k->exprs.clear();
  c.builder->Clear();
  std::vector<ExprId> partials;
  std::vector<std::vector<Stmt>> elements;
  for (int64_t i = 0; i < axes.reduced.innermost(); ++i) {
    Index index = axes.index;
    for (Affine& a : index) {
      if (a.coefficient(axes.reduced.ids[0]) != 0) a = {i, {}};
    }
    partials.push_back(c.builder->BuildOperand(root, 0, index));
    elements.push_back(c.Stores(c.kernel_plan().producer, index));
  }
  const ir::Op op = combine == Combine::kSum ? ir::Op::kAdd : ir::Op::kMul;
  for (int64_t half = PowerOfTwo(axes.reduced.innermost()) / 2; half > 0; half /= 2) {  // as MakeTree
    for (size_t j = 0; j + static_cast<size_t>(half) < partials.size(); ++j) {
      partials[j] = c.builder->Apply(op, dtype, {partials[j], partials[j + static_cast<size_t>(half)]});
    }
    partials.resize(std::min(partials.size(), static_cast<size_t>(half)));
  }
  std::vector<Stmt> body = ByValue(std::move(elements));
  Append(ResultStores(c, {axes.kept}, {partials[0]}), &body);
  CollapseAxes(k, &body, &axes.inner);
  CollapseAxes(k, &body, &axes.outer);
  const int64_t cost = ExprCost(*k);
  const int64_t width = VectorWidth(c, axes.outer.innermost(), ChooseRegisters(c, 1));
  k->body = Nest(axes.outer, width, std::move(body));
  Parallelize(c, c.f.type(root).shape.size(), cost);
}

// Sums over rows that are narrow: several parts go through the rows together, as each waits for its own additions
// alone. They are the elements of a short last axis, with lanes along the one before, or rows of the axis outside of
// the rows.
void TakeParts(const ScheduleContext& c, ReducedAxes* axes) {
  if (!c.options.vectorize || axes->product || Product(axes->inner.extents) == 1 || axes->reduced.empty()) return;
  const bool turns = TakesTurns(c, axes->inner) && StoresByTurns(c);
  AxisId axis = axes->inner.ids.back();
  int64_t parts = 1;
  if (c.choices->Flag("turns", turns, turns)) {
    parts = axes->inner.innermost();
    axes->inner.Erase(axes->inner.size() - 1);
  } else if (!axes->outer.empty()) {
    const int64_t lanes = c.target.lanes(SizeOf(c.dtype(c.kernel_plan().root)));
    const int64_t registers = (Product(axes->inner.extents) + lanes - 1) / lanes;
    for (int64_t n = std::min(c.target.tuning.jammed_rows / registers, axes->outer.innermost()); n > 1 && parts == 1;
         --n) {
      if (axes->outer.innermost() % n == 0) parts = n;
    }
    if (!c.choices->Flag("jam", parts > 1, parts > 1)) return;
    axis = axes->outer.ids.back();
    axes->outer.extents.back() /= parts;
  }
  if (parts == 1) return;
  const bool inner = axis != (axes->outer.empty() ? -1 : axes->outer.ids.back());
  const auto of_part = [&](Index index, int64_t i) {
    for (Affine& a : index) {
      if (a.coefficient(axis) != 0) a = inner ? Affine{i, {}} : AxisAffine(axis, parts) + i;
    }
    return index;
  };
  for (int64_t i = 0; i < parts; ++i) {
    axes->parts.push_back(of_part(axes->index, i));
    axes->parts_kept.push_back(of_part(axes->kept, i));
  }
}

// What each part stores and accumulates of an element.
void BuildParts(const ScheduleContext& c, const ReducedAxes& axes, std::vector<Stmt>* element, ExprId* operand,
                std::vector<ExprId>* others) {
  c.kernel->exprs.clear();
  c.builder->Clear();
  std::vector<std::vector<Stmt>> of_part;
  for (const Index& index : axes.parts) {
    of_part.push_back(c.Stores(c.kernel_plan().producer, index));
    others->push_back(c.builder->BuildOperand(c.kernel_plan().root, 0, index));
  }
  *operand = others->front();
  others->erase(others->begin());
  *element = ByValue(std::move(of_part));
}

}  // namespace

uint64_t IdentityBits(Combine combine, DType dtype) {
  if ((combine == Combine::kMax || combine == Combine::kMin) && IsInteger(dtype)) {
    const bool low = combine == Combine::kMax;
    const auto bits = static_cast<uint64_t>(low ? LowestInt(dtype) : HighestInt(dtype));
    return bits & (~uint64_t{0} >> (64 - 8 * SizeOf(dtype)));
  }
  return Bits(dtype, Identity(combine, dtype));
}

Combine CombineOf(ir::Op op) {
  switch (ir::CombinerOf(op)) {
    case ir::Op::kAdd: return Combine::kSum;
    case ir::Op::kMul: return Combine::kProd;
    case ir::Op::kMax: return Combine::kMax;
    default: return Combine::kMin;
  }
}

void ScheduleReduce(const ScheduleContext& c) {
  const ReduceKernel& plan = *c.kernel_plan().As<ReduceKernel>();
  const bool leaves = plan.stage == ReduceKernel::Stage::kPartial, ends = plan.stage == ReduceKernel::Stage::kFinal;
  if (leaves && c.f.type(plan.partials).shape.rank() == 2) return ScheduleRowSums(c);
  Kernel* k = c.kernel;
  const ir::Value root = c.kernel_plan().root;
  ReducedAxes axes = AxesOf(c);
  // Accumulating reads before the stores write: an output may take the place of an operand.
  std::vector<Stmt> element = c.Stores(c.kernel_plan().producer, axes.index);
  if (ends) BeginWithPartials(c, &axes);
  ExprId operand = ends ? c.builder->Build(plan.partials, axes.index) : c.builder->BuildOperand(root, 0, axes.index);
  std::vector<ExprId> others;
  if (!ends && !leaves) {
    if (ReducesFew(c, axes, axes.combine)) return ReduceFew(c, std::move(axes), axes.combine);
    TakeParts(c, &axes);
    if (!axes.parts.empty()) BuildParts(c, axes, &element, &operand, &others);
  }
  const int64_t count = Product(axes.reduced.extents);
  CollapseAxes(k, &element, &axes.reduced);
  if (axes.reduced.size() > 1) {  // planning leaves one
    *c.status = absl::InternalError(StrCat("%", root.id, " is reduced along ", axes.reduced.size(), " axes apart"));
    return;
  }
  const AxisId axis = axes.reduced.empty() ? k->AddAxis("r") : axes.reduced.ids[0];
  const Reduction reduction{axes.combine, c.dtype(root), axis, count, operand, std::move(others)};
  leaves ? ReduceBlocks(c, reduction, axes, std::move(element)) : ReduceWhole(c, reduction, axes, std::move(element));
}

}  // namespace reel::codegen
