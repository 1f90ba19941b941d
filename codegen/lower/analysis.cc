#include "codegen/lower/analysis.h"

#include <algorithm>

namespace reel::codegen {
namespace {

void AddAxes(const Affine& affine, IdSet* axes) {
  for (const auto& [axis, coefficient] : affine.terms) Insert(axes, axis);
}

Dependencies DependenciesOf(const Kernel& kernel, const Expr& e, const std::vector<Dependencies>& earlier) {
  Dependencies d;
  auto add = [&](ExprId operand) {
    if (operand < 0) return;
    const Dependencies& o = earlier[static_cast<size_t>(operand)];
    Insert(&d.axes, o.axes);
    Insert(&d.locals, o.locals);
    Insert(&d.buffers, o.buffers);
  };
  for (ExprId operand : e.operands) add(operand);
  add(e.dynamic);
  add(e.guard);
  AddAxes(e.index, &d.axes);
  if (e.kind == Expr::Kind::kLocal) Insert(&d.locals, e.local);
  if (e.kind == Expr::Kind::kLoad && kernel.buffers[static_cast<size_t>(e.buffer)].is_output) {
    Insert(&d.buffers, e.buffer);
  }
  return d;
}

/// Recurses as deep as loops nest.
Writes Visit(const std::vector<Stmt>& body, Analysis* analysis) {
  Writes writes;
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::kStore || s.kind == Stmt::Kind::kSort) {
      Insert(&writes.buffers, s.buffer);
      if (s.local >= 0) Insert(&writes.locals, s.local);
    } else if (s.local >= 0) {
      Insert(&writes.locals, s.local);
    } else if (s.kind == Stmt::Kind::kLoop) {
      Writes inner = Visit(s.body, analysis);
      Insert(&writes.locals, inner.locals);
      Insert(&writes.buffers, inner.buffers);
      int64_t& extent = analysis->extents[static_cast<size_t>(s.axis)];
      extent = std::max(extent, s.extent.is_constant() ? s.extent.value() : 0);
      if (s.loop_kind == LoopKind::kVector) {
        analysis->max_width = std::max(analysis->max_width, s.width);
      }
      analysis->loops.emplace(&s, std::move(inner));
    }
  }
  return writes;
}

}  // namespace

void Insert(IdSet* set, int32_t id) {
  auto it = std::lower_bound(set->begin(), set->end(), id);
  if (it == set->end() || *it != id) set->insert(it, id);
}

void Insert(IdSet* set, const IdSet& ids) {
  for (int32_t id : ids) Insert(set, id);
}

bool Has(const IdSet& set, int32_t id) { return std::binary_search(set.begin(), set.end(), id); }

bool Intersect(const IdSet& a, const IdSet& b) {
  return std::any_of(a.begin(), a.end(), [&](int32_t id) { return Has(b, id); });
}

Analysis::Analysis(const Kernel& kernel) : extents(kernel.axes.size(), 0) {
  exprs.reserve(kernel.exprs.size());
  for (const Expr& e : kernel.exprs) exprs.push_back(DependenciesOf(kernel, e, exprs));
  Visit(kernel.body, this);
}

std::pair<int64_t, int64_t> Analysis::Range(const Affine& affine) const {
  int64_t low = affine.constant, high = affine.constant;
  for (const auto& [axis, coefficient] : affine.terms) {
    const int64_t last = std::max<int64_t>(extents[static_cast<size_t>(axis)] - 1, 0) * coefficient;
    (last < 0 ? low : high) += last;
  }
  return {low, high};
}

}  // namespace reel::codegen
