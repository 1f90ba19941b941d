#include "codegen/loop/build.h"

#include <algorithm>

namespace reel::codegen {
namespace {

// Calls fn(Affine&) for every index of the statements and of all expressions.
template <typename Fn>
void ForEachAffine(Kernel* kernel, std::vector<Stmt>* statements, const Fn& fn) {
  for (Expr& e : kernel->exprs) fn(e.index);
  VisitStatements(statements, [&fn](Stmt& s) {
    fn(s.index);
    fn(s.clip_base);
  });
}

void RemoveAxis(Affine* a, AxisId axis) { a->Add(axis, -a->coefficient(axis)); }

}  // namespace

Stmt MakeLoop(AxisId axis, int64_t extent, LoopKind kind, int64_t width, std::vector<Stmt> body) {
  const LoopKind as = kind == LoopKind::kVector && width == 1 ? LoopKind::kSerial : kind;
  return {.axis = axis,
          .loop_kind = as,
          .extent = extent,
          .width = as == LoopKind::kVector ? width : 1,
          .body = std::move(body)};
}

Stmt If(Kernel* kernel, ExprId guard, std::vector<Stmt> body) {
  Stmt block = SerialLoop(kernel->AddAxis("once"), 1, std::move(body));
  block.guard = guard;
  return block;
}

void Clip(Stmt* loop, Affine base, int64_t total) {
  loop->clip_base = std::move(base);
  loop->clip_total = total;
}

Stmt MakeStore(BufferId buffer, Affine index, ExprId value) {
  return {.kind = Stmt::Kind::kStore, .buffer = buffer, .index = std::move(index), .a = value};
}

Stmt MakeLocal(LocalId local, uint64_t init) { return {.kind = Stmt::Kind::kLocal, .local = local, .init = init}; }

Stmt MakeScratch(LocalId local) { return {.kind = Stmt::Kind::kLocal, .local = local, .fill = false}; }

Stmt MakeAccumulate(LocalId local, Affine index, Combine combine, ExprId a, ExprId b) {
  return {
      .kind = Stmt::Kind::kAccumulate, .local = local, .combine = combine, .index = std::move(index), .a = a, .b = b};
}

Stmt MakeTree(LocalId local, Combine combine) {
  return {.kind = Stmt::Kind::kTree, .local = local, .combine = combine};
}

Stmt MakeTileProduct(LocalId sums, Affine index, ExprId a, ExprId b, ExprId steps, int64_t a_row, int64_t row) {
  return {.kind = Stmt::Kind::kTileProduct,
          .width = row,
          .local = sums,
          .index = std::move(index),
          .a = a,
          .b = b,
          .dynamic = steps,
          .dynamic_stride = a_row};
}

Stmt MakePrefetch(BufferId buffer, Affine index) {
  return {.kind = Stmt::Kind::kPrefetch, .buffer = buffer, .index = std::move(index)};
}

ExprId LocalExpr(Kernel* kernel, LocalId local, const Affine& index) {
  const DType dtype = kernel->locals[static_cast<size_t>(local)].dtype;
  return kernel->AddExpr({.kind = Expr::Kind::kLocal, .dtype = dtype, .local = local, .index = index});
}

std::vector<Stmt> TransposedSquare(Kernel* kernel, const Square& square, ExprId value, LocalId to, const Affine& at) {
  const auto& [local, row, lane, n] = square;
  const Affine in_square = AxisAffine(row, n) + AxisAffine(lane);
  const auto set = [&, row = row, lane = lane, n = n](LocalId result, const Affine& index, ExprId x) {
    Stmt element = MakeAccumulate(result, index, Combine::kSet, x);
    return UnrolledLoop(row, n, Body(VectorLoop(lane, n, n, Body(std::move(element)))));
  };
  Stmt rows = set(local, in_square, value);
  Stmt transpose{.kind = Stmt::Kind::kTranspose, .local = local};
  return Body(MakeScratch(local), std::move(rows), std::move(transpose),
              set(to, at, LocalExpr(kernel, local, in_square)));
}

BlockedSquare OpenSquare(Kernel* kernel, DType dtype, int64_t n, int64_t depth, int64_t block) {
  return {kernel->AddLocal("square", dtype, n * depth),
          n,
          depth,
          block,
          kernel->AddAxis("rb"),
          kernel->AddAxis("r"),
          kernel->AddAxis("vb"),
          kernel->AddAxis("v")};
}

std::vector<Stmt> LoadTransposed(const BlockedSquare& s, ExprId value) {
  const Affine to = AxisAffine(s.lane_block, s.block * s.n) + AxisAffine(s.row, s.n) +
                    AxisAffine(s.row_block, s.block) + AxisAffine(s.lane);
  Stmt vector = VectorLoop(s.lane, s.block, s.block, Body(MakeAccumulate(s.local, to, Combine::kSet, value)));
  Stmt rows = UnrolledLoop(s.row, s.block, Body(std::move(vector)));
  Stmt blocks = UnrolledLoop(s.lane_block, s.depth / s.block, Body(std::move(rows)));
  Stmt columns = UnrolledLoop(s.row_block, s.n / s.block, Body(std::move(blocks)));
  Stmt transpose{.kind = Stmt::Kind::kTranspose, .extent = s.depth, .width = s.block, .local = s.local};
  return Body(MakeScratch(s.local), std::move(columns), std::move(transpose));
}

AxisId LoopAxes::Add(Kernel* kernel, std::string name, int64_t extent) {
  Add(kernel->AddAxis(std::move(name)), extent);
  return ids.back();
}

void LoopAxes::Add(AxisId id, int64_t extent) {
  ids.push_back(id);
  extents.push_back(extent);
}

void LoopAxes::Erase(size_t i) {
  ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(i));
}

void CollapseAxes(Kernel* kernel, std::vector<Stmt>* statements, LoopAxes* axes) {
  for (size_t i = axes->size(); i-- > 0;) {
    if (axes->extents[i] != 1) continue;
    ForEachAffine(kernel, statements, [&](Affine& a) { RemoveAxis(&a, axes->ids[i]); });
    axes->Erase(i);
  }
  for (size_t i = axes->size(); i-- > 1;) {
    const AxisId outer = axes->ids[i - 1], inner = axes->ids[i];
    const int64_t n = axes->extents[i];
    bool together = true;
    ForEachAffine(kernel, statements,
                  [&](Affine& a) { together = together && a.coefficient(outer) == a.coefficient(inner) * n; });
    if (!together) continue;
    ForEachAffine(kernel, statements, [&](Affine& a) { RemoveAxis(&a, outer); });
    // The merged axis keeps the inner id; what lies further out is looked at next.
    axes->ids[i - 1] = inner;
    axes->extents[i - 1] *= n;
    axes->Erase(i);
  }
}

std::vector<Stmt> Nest(const LoopAxes& axes, int64_t width, std::vector<Stmt> body) {
  for (size_t i = axes.size(); i-- > 0;) {
    body = Body(VectorLoop(axes.ids[i], axes.extents[i], i + 1 == axes.size() ? width : 1, std::move(body)));
  }
  return body;
}

void ShiftAxis(Kernel* kernel, std::vector<Stmt>* statements, AxisId axis, const Affine& by) {
  ForEachAffine(kernel, statements, [&](Affine& a) {
    if (const int64_t c = a.coefficient(axis); c != 0) a.Add(by, c);
  });
}

std::vector<Stmt> CopyShifted(Kernel* kernel, const std::vector<Stmt>& body, AxisId axis, int64_t by) {
  const auto count = static_cast<ExprId>(kernel->exprs.size());
  const auto move = [&](Affine* a) { a->constant += by * a->coefficient(axis); };
  const auto copy_of = [count](ExprId* e) { *e += *e < 0 ? 0 : count; };
  for (ExprId i = 0; i < count; ++i) {
    Expr e = kernel->exprs[static_cast<size_t>(i)];
    for (ExprId& operand : e.operands) copy_of(&operand);
    for (ExprId* id : {&e.dynamic, &e.guard}) copy_of(id);
    move(&e.index);
    kernel->AddExpr(std::move(e));
  }
  std::vector<Stmt> copy = body;
  VisitStatements(&copy, [&](Stmt& s) {
    for (ExprId* id : {&s.a, &s.b, &s.dynamic, &s.guard}) copy_of(id);
    for (Affine* index : {&s.index, &s.clip_base}) move(index);
  });
  return copy;
}

std::vector<bool> Varying(const Kernel& kernel) {
  std::vector<bool> varies(kernel.exprs.size());
  const auto of = [&](ExprId id) { return id >= 0 && varies[static_cast<size_t>(id)]; };
  for (size_t i = 0; i < varies.size(); ++i) {
    const Expr& e = kernel.exprs[i];
    varies[i] =
        !e.index.terms.empty() || of(e.dynamic) || of(e.guard) || std::any_of(e.operands.begin(), e.operands.end(), of);
  }
  return varies;
}

void PruneExprs(Kernel* kernel) {
  std::vector<bool> used(kernel->exprs.size(), false);
  const auto mark = [&used](ExprId e) {
    if (e >= 0) used[static_cast<size_t>(e)] = true;
  };
  VisitStatements(&kernel->body, [&](const Stmt& s) {
    for (ExprId e : {s.a, s.b, s.dynamic, s.guard}) mark(e);
  });
  for (size_t i = kernel->exprs.size(); i-- > 0;) {  // operands come before users
    if (!used[i]) continue;
    const Expr& e = kernel->exprs[i];
    for (ExprId o : e.operands) mark(o);
    mark(e.dynamic);
    mark(e.guard);
  }
  std::vector<ExprId> to(kernel->exprs.size(), -1);
  std::vector<Expr> kept;
  const auto renamed = [&to](ExprId e) { return e < 0 ? e : to[static_cast<size_t>(e)]; };
  for (size_t i = 0; i < kernel->exprs.size(); ++i) {
    if (!used[i]) continue;
    to[i] = static_cast<ExprId>(kept.size());
    Expr e = std::move(kernel->exprs[i]);
    for (ExprId& o : e.operands) o = renamed(o);
    e.dynamic = renamed(e.dynamic);
    e.guard = renamed(e.guard);
    kept.push_back(std::move(e));
  }
  kernel->exprs = std::move(kept);
  VisitStatements(&kernel->body, [&](Stmt& s) {
    for (ExprId* e : {&s.a, &s.b, &s.dynamic, &s.guard}) *e = renamed(*e);
  });
}

}  // namespace reel::codegen
