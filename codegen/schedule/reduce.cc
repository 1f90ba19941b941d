#include <algorithm>
#include <limits>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/sum_rows.h"
#include "ir/strings.h"

// Reductions by the fixed rules (ir/MEANING.md). The reduced axis is innermost: blocks of 4096 elements; in a block 64
// partials, which are lanes: partial j takes elements 64*i + j with i ascending, then a tree; block sums are reduced by
// the same rule again. Kept axes follow it: these are lanes, and rows are added one after another in groups of 64.

namespace reel::codegen {
namespace {

int64_t PowerOfTwo(int64_t n) {
  int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

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
    Affine row_base = base;
    if (rows > 1) row_base.Add(row, kPartials);

    std::vector<Stmt> inner;
    AxisId column = axis_;
    if (l == 0) {
      // The reduced axis becomes the position within a row: r := base + 64 * row + j.
      ShiftAxis(kernel_, &element_, axis_, row_base);
      element_.front().index = AxisAffine(axis_);
      inner = std::move(element_);
    } else {
      column = kernel_->AddAxis("b" + std::to_string(l));
      Affine position = row_base;
      position.Add(column, 1);
      Affine below;
      below.Add(position, kReducedBlock);
      inner = Level(l - 1, below);
      inner.push_back(MakeAccumulate(locals_[l], AxisAffine(column), combine_, LocalExpr(kernel_, locals_[l - 1], {})));
    }
    const bool vector = l == 0 && vectorize_;
    Stmt columns = MakeLoop(column, rows == 1 ? std::min(count, size) : size,
                            vector ? LoopKind::kVector : LoopKind::kSerial, size, std::move(inner));
    if (rows > 1 && count % kPartials != 0) Clip(&columns, row_base, count);
    std::vector<Stmt> body;
    body.push_back(std::move(columns));
    if (rows > 1) {
      Stmt loop = MakeLoop(row, rows, LoopKind::kSerial, 1, std::move(body));
      if (!whole) {
        Clip(&loop, Blocks(base), Ceil(count, kPartials));
      }
      body.clear();
      body.push_back(std::move(loop));
    }
    body.insert(body.begin(), MakeLocal(locals_[l], IdentityBits(combine_, dtype_)));
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

// Adds rows: statements that leave the reduction over `axis` in element 0 of the last local. `element` accumulates into
// the first.
struct RowsNest {
  Kernel* kernel;
  Combine combine;
  DType dtype;
  AxisId axis;
  int64_t group;  // rows of one
  std::vector<int64_t> counts{};  // by level: rows, groups of rows, groups of these, ...
  std::vector<LocalId> locals{};

  void AddLevels(int64_t rows) {
    for (int64_t n = rows;; n = Ceil(n, group)) {
      locals.push_back(kernel->AddLocal("p" + std::to_string(counts.size()), dtype, 1));
      counts.push_back(n);
      if (n <= group) return;
    }
  }

  // Group `of` of level l. As deep as the rows' logarithm to base 64.
  std::vector<Stmt> Level(size_t l, const Affine& of, std::vector<Stmt> element) const {
    Affine first;
    first.Add(of, group);
    const AxisId row = l == 0 ? axis : kernel->AddAxis("g" + std::to_string(l));
    if (l == 0) {
      ShiftAxis(kernel, &element, axis, first);
    } else {
      Affine below = first;
      below.Add(row, 1);
      element = Level(l - 1, below, std::move(element));
      element.push_back(MakeAccumulate(locals[l], {}, combine, LocalExpr(kernel, locals[l - 1], {})));
    }
    Stmt rows = MakeLoop(row, std::min(counts[l], group), LoopKind::kSerial, 1, std::move(element));
    if (counts[l] > group && counts[l] % group != 0) {
      Clip(&rows, first, counts[l]);
    }
    std::vector<Stmt> body;
    body.push_back(MakeLocal(locals[l], IdentityBits(combine, dtype)));
    body.push_back(std::move(rows));
    return body;
  }
};

// The statements, with expressions of their own, `by` further along the axis.
std::vector<Stmt> CopyShifted(Kernel* k, const std::vector<Stmt>& body, AxisId axis, int64_t by) {
  const auto count = static_cast<ExprId>(k->exprs.size());
  const auto move = [&](Affine* a) { a->constant += by * a->coefficient(axis); };
  const auto copy_of = [count](ExprId* e) { *e += *e < 0 ? 0 : count; };
  for (ExprId i = 0; i < count; ++i) {
    Expr e = k->exprs[static_cast<size_t>(i)];
    for (ExprId& operand : e.operands) copy_of(&operand);
    for (ExprId* id : {&e.dynamic, &e.guard}) copy_of(id);
    move(&e.index);
    k->AddExpr(std::move(e));
  }
  std::vector<Stmt> copy = body;
  std::vector<std::vector<Stmt>*> open{&copy};
  while (!open.empty()) {
    std::vector<Stmt>* list = open.back();
    open.pop_back();
    for (Stmt& s : *list) {
      for (ExprId* id : {&s.a, &s.b, &s.dynamic, &s.guard}) copy_of(id);
      for (Affine* index : {&s.index, &s.clip_base}) move(index);
      open.push_back(&s.body);
    }
  }
  return copy;
}

// Short rows, `count` at a time, whose trees are one; what is left of them row by row. body: the partials, what
// accumulates them, their tree and what is made of the result.
std::vector<Stmt> RowsTogether(Kernel* k, LocalId partials, AxisId row, int64_t extent, int64_t count,
                               std::vector<Stmt> body) {
  const int64_t whole = extent / count, rest = extent % count;
  const size_t exprs = k->exprs.size();
  std::vector<Stmt> last, out;
  if (rest > 0) last = Nest({row}, {rest}, 1, CopyShifted(k, body, row, whole * count));
  const int64_t size = k->locals[static_cast<size_t>(partials)].size;
  k->locals[static_cast<size_t>(partials)].size *= count;
  const AxisId block = k->AddAxis("rb"), at = k->AddAxis("i");
  Affine here = AxisAffine(at);
  here.Add(block, count);
  here.Add(row, -1);
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
  std::vector<Stmt> one, results(std::make_move_iterator(body.begin() + 3), std::make_move_iterator(body.end()));
  one.push_back(std::move(element));
  body.resize(3);
  body[1] = MakeLoop(at, count, LoopKind::kUnrolled, 1, std::move(one));
  body.push_back(MakeLoop(at, count, LoopKind::kVector, count, std::move(results)));
  out.push_back(MakeLoop(block, whole, LoopKind::kSerial, 1, std::move(body)));
  for (Stmt& s : last) out.push_back(std::move(s));
  return out;
}

// Lanes of a register if rows of `elements` are reduced as many at a time; 0: one after the other, as are maxima, which
// are found among integers: LLVM takes long over what it could know of their bits.
int64_t RowsAtOnce(const ScheduleContext& c, Combine combine, DType dtype, int64_t elements,
                   const std::vector<int64_t>& extents) {
  int64_t all = elements;
  for (int64_t n : extents) all *= n;
  const bool adds = IsFloat(dtype) && SizeOf(dtype) >= 4 && (combine == Combine::kSum || combine == Combine::kProd);
  if (!c.options.vectorize || extents.empty() || !adds || elements > kPartials ||
      all < c.target.tuning.joint_rows_min_elements)
    return 0;
  const int64_t lanes = c.target.lanes(SizeOf(dtype));
  const bool may = lanes > 1 && extents.back() >= lanes && PowerOfTwo(elements) >= lanes;
  return c.choices->Flag("joint", may, may) ? lanes : 0;
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
  const ir::Node& node = *c.f.producer(root);
  const bool product = node.op == ir::Op::kContract;  // whose blocks' sums are added in order
  const Shape& shape = c.f.type(product ? root : node.operands[0]).shape;
  const auto reduced = product ? std::vector<int64_t>{} : node.attr<std::vector<int64_t>>("axes");
  const Combine combine = product ? Combine::kSum : CombineOf(node.op);
  const DType dtype = c.f.type(root).dtype;

  std::vector<AxisId> axes[3];  // kept outer, reduced, kept inner
  std::vector<int64_t> extents[3];
  Index index, kept;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool is_reduced = std::binary_search(reduced.begin(), reduced.end(), i);
    const size_t part = is_reduced ? 1 : product ? 2 : reduced.empty() || i < reduced.front() ? 0 : 2;
    axes[part].push_back(k->AddAxis("i" + std::to_string(i)));
    extents[part].push_back(shape.dim(i));
    index.push_back(AxisAffine(axes[part].back()));
    if (!is_reduced) kept.push_back(index.back());
  }
  int64_t count = 1;
  for (int64_t n : extents[1]) count *= n;

  std::vector<Stmt> element;
  for (ir::Value v : c.kernel_plan().producer) {
    if (!c.stored(v)) continue;
    const ExprId value = c.builder->Build(v, index);
    element.push_back(MakeStore(c.builder->BufferOf(v, true), c.builder->Flat(v, index), value));
  }
  const ir::Value partials = plan.partials;
  const bool of_blocks = ends && c.f.type(partials).shape.rank() == 1;
  if (ends) {  // [groups of rows, elements of a row], or results of blocks
    count = c.f.type(partials).shape.dim(0);
    if (product) axes[1].push_back(k->AddAxis("b"));
    axes[1].resize(1);
    extents[1] = {count};
    index = {AxisAffine(axes[1][0])};
    if (!of_blocks) index.push_back(c.builder->Flat(root, kept));
  }
  const ExprId operand = ends ? c.builder->Build(partials, index) : c.builder->BuildOperand(root, 0, index);
  CollapseAxes(k, &element, &axes[1], &extents[1]);
  if (axes[1].size() > 1) {  // planning leaves one
    *c.status = absl::InternalError(StrCat("%", root.id, " is reduced along ", axes[1].size(), " axes apart"));
    return;
  }
  const AxisId axis = axes[1].empty() ? k->AddAxis("r") : axes[1][0];

  // Results: expressions over the kept axes and the reduced value.
  const bool lanes = std::all_of(extents[2].begin(), extents[2].end(), [](int64_t n) { return n == 1; });
  if (leaves) {
    ReduceNest nest(k, combine, dtype, axis, count, c.options.vectorize);
    const AxisId block = k->AddAxis("b");
    std::vector<Stmt> body = nest.BuildBlock(block, operand, std::move(element));
    const ExprId result = LocalExpr(k, nest.block_result(), {});
    body.push_back(MakeStore(c.builder->BufferOf(partials, true), AxisAffine(block), result));
    body = Nest(axes[0], extents[0], 1, Nest(axes[2], extents[2], 1, std::move(body)));  // all of extent 1
    k->body = Nest({block}, {Ceil(count, kReducedBlock)}, 1, std::move(body));
    if (c.options.vectorize) Parallelize(c, count, ExprCost(*k));
    return;
  }
  std::vector<Stmt> body;
  LocalId sum = -1;
  if (count > 0 && lanes && !product) {
    ReduceNest nest(k, combine, dtype, axis, count, c.options.vectorize);
    body = nest.Build(operand, std::move(element));
    sum = nest.result();
  } else if (count > 0) {
    RowsNest nest{k, combine, dtype, axis, product ? count : kPartials};
    nest.AddLevels(count);
    element.insert(element.begin(), MakeAccumulate(nest.locals[0], {}, combine, operand));
    body = nest.Level(nest.locals.size() - 1, {}, std::move(element));
    sum = nest.locals.back();
  }
  const ExprId value = count == 0 ? c.builder->Constant(dtype, 0) : LocalExpr(k, sum, {});
  if (count == 0 && combine != Combine::kSum) k->exprs[static_cast<size_t>(value)].bits = IdentityBits(combine, dtype);
  c.builder->SetRoot(root, value);
  std::vector<Stmt> results;
  if (c.stored(root)) results.push_back(MakeStore(c.builder->BufferOf(root, true), c.builder->Flat(root, kept), value));
  for (ir::Value v : c.kernel_plan().epilogue) {
    if (!c.stored(v)) continue;
    const ExprId e = c.builder->Build(v, kept);
    results.push_back(MakeStore(c.builder->BufferOf(v, true), c.builder->Flat(v, kept), e));
  }

  for (Stmt& s : results) body.push_back(std::move(s));
  CollapseAxes(k, &body, &axes[2], &extents[2]);
  CollapseAxes(k, &body, &axes[0], &extents[0]);
  const int64_t cost = ExprCost(*k);
  const int64_t inner = axes[2].empty() ? 1 : extents[2].back();
  const bool vector = c.options.vectorize && !axes[2].empty();
  const int64_t width = vector ? VectorWidth(*k, c.target, inner, ChooseRegisters(c, 4)) : 1;
  const bool of_rows = count > 0 && lanes && !product && axes[2].empty();
  if (const int64_t rows = of_rows ? RowsAtOnce(c, combine, dtype, count, extents[0]) : 0; rows > 0) {
    body = RowsTogether(k, sum, axes[0].back(), extents[0].back(), rows, std::move(body));
    axes[0].pop_back();
    extents[0].pop_back();
  }
  k->body = Nest(axes[0], extents[0], 1, Nest(axes[2], extents[2], width, std::move(body)));
  if (c.options.vectorize) Parallelize(c, product ? count * shape.size() : shape.size(), cost);
}

}  // namespace reel::codegen
