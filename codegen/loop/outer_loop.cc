#include "codegen/loop/outer_loop.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "codegen/loop/build.h"
#include "codegen/loop/ceil.h"

namespace reel::codegen {
namespace {

using ir::Op;

// Smallest and largest value; of what is not known, no bounds.
struct Range {
  static constexpr int64_t kFar = int64_t{1} << 60;
  int64_t low = -kFar, high = kFar;
};

// Where the accesses of one iteration of the outer loop are, counted from its first element.
class Bounds {
 public:
  Bounds(const Kernel& kernel, const OuterLoop& outer) : k_(kernel), outer_(outer) {
    VisitStatements(&k_.body, [this](const Stmt& s) {
      if (s.kind != Stmt::Kind::kLoop) return;
      const auto [it, added] = loops_.emplace(s.axis, Loop{s.extent.value(), s.clip_total, s.clip_base});
      if (!added) it->second = {std::max(it->second.extent, s.extent.value()), -1, {}};
    });
    FindTables();
  }

  // Of index + dynamic * stride where guard holds.
  Range Of(const Affine& index, ExprId dynamic, int64_t stride, ExprId guard) const {
    Range range = dynamic < 0 ? OfAffine(index) : WithTerm(index, dynamic, stride);
    if (guard >= 0 && dynamic < 0) Narrow(index, guard, &range);
    return range;
  }

 private:
  struct Loop {
    int64_t extent = 0, total = -1;
    Affine base;
  };
  // Locals that are filled with 0, if at all, and then set, element by element: tables of offsets. By local, what they
  // are set to. A table is read in the iteration of outer loops that sets it.
  struct Table {
    std::vector<ExprId> values;
    bool filled = false, known = true;
  };
  void FindTables() {
    VisitStatements(&k_.body, [this](const Stmt& s) {
      if (s.local < 0) return;
      Table& table = tables_[s.local];
      if (s.kind == Stmt::Kind::kLocal) {
        table.filled |= s.fill;
        table.known &= !s.fill || s.init == 0;
      } else {
        table.known &= s.kind == Stmt::Kind::kAccumulate && s.combine == Combine::kSet;
        table.values.push_back(s.a);
      }
    });
  }

  const Expr& expr(ExprId e) const { return k_.exprs[static_cast<size_t>(e)]; }

  bool IsOuter(AxisId axis) const { return axis == outer_.axis || axis == outer_.chunk; }

  Range OfAffine(Affine a) const {
    Range range{a.constant, a.constant};
    const auto add = [&range](int64_t factor, int64_t most) { (factor > 0 ? range.high : range.low) += factor * most; };
    // x < total - base: x and base together are less than total. Inner loops, whose bases have more axes, come first.
    const auto terms_of_base = [this](const auto& term) {
      const auto it = loops_.find(term.first);
      return it == loops_.end() || it->second.total < 0 ? size_t{0} : it->second.base.terms.size();
    };
    auto given = a.terms;
    std::stable_sort(given.begin(), given.end(),
                     [&](const auto& x, const auto& y) { return terms_of_base(x) > terms_of_base(y); });
    for (const auto& term : given) {
      const AxisId axis = term.first;
      const int64_t f = a.coefficient(axis);
      const auto it = loops_.find(axis);
      if (f == 0 || IsOuter(axis) || it == loops_.end() || it->second.total < 0) continue;
      const Affine& base = it->second.base;
      const bool together = std::all_of(base.terms.begin(), base.terms.end(), [&](const auto& t) {
        return !IsOuter(t.first) && a.coefficient(t.first) == f * t.second;
      });
      if (!together) continue;
      add(f, it->second.total - 1 - base.constant);
      a.Add(axis, -f);
      for (const auto& [other, c] : base.terms) a.Add(other, -f * c);
    }
    for (const auto& [axis, factor] : a.terms) {
      if (IsOuter(axis)) continue;
      const auto it = loops_.find(axis);
      if (it == loops_.end() || it->second.extent > Range::kFar / (std::abs(factor) + 1)) return {};
      add(factor, it->second.extent - 1);
    }
    return range;
  }

  // A constant of a signed integer.
  std::optional<int64_t> Number(ExprId id) const {
    const Expr& e = expr(id);
    if (e.kind != Expr::Kind::kConstant || (e.dtype != kInt32 && e.dtype != kInt64)) return std::nullopt;
    return e.dtype == kInt32 ? static_cast<int32_t>(e.bits) : static_cast<int64_t>(e.bits);
  }

  Range WithTerm(const Affine& index, ExprId term, int64_t factor) const {
    const Expr& e = expr(term);
    if (e.kind == Expr::Kind::kIndex) return OfAffine(index + e.index * factor);
    if (const auto number = Number(term)) return OfAffine(index + factor * *number);
    if (e.kind == Expr::Kind::kLocal) return WithTable(index, e.local, factor);
    if (e.kind != Expr::Kind::kOp || (e.dtype != kInt32 && e.dtype != kInt64)) return {};
    if (e.op == Op::kCast && expr(e.operands[0]).dtype == kInt32) return WithTerm(index, e.operands[0], factor);
    if (e.op == Op::kAdd) {
      const Range a = WithTerm(index, e.operands[0], factor), b = WithTerm({}, e.operands[1], factor);
      return {std::max(a.low + b.low, -Range::kFar), std::min(a.high + b.high, Range::kFar)};
    }
    const int64_t by = e.operands.size() == 2 ? Number(e.operands[1]).value_or(0) : 0;
    if (e.op == Op::kMul && by != 0) {
      if (std::abs(factor) > Range::kFar / std::abs(by)) return {};
      return WithTerm(index, e.operands[0], factor * by);
    }
    if (factor >= 0 && by > 0 && (e.op == Op::kDiv || e.op == Op::kRem)) {
      const Range x = WithTerm({}, e.operands[0], 1), rest = OfAffine(index);
      if (x.low <= -Range::kFar || x.high > Range::kFar / (factor + 1)) return {};
      if (e.op == Op::kDiv) return {rest.low + factor * (x.low / by), rest.high + factor * (x.high / by)};
      return x.low < 0 ? Range{} : Range{rest.low, rest.high + factor * std::min(x.high, by - 1)};
    }
    if (e.op == Op::kMin && factor >= 0) {
      const Range a = WithTerm(index, e.operands[0], factor), b = WithTerm(index, e.operands[1], factor);
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    }
    return {};
  }

  // index + an element of a table * factor.
  Range WithTable(const Affine& index, LocalId local, int64_t factor) const {
    const auto it = tables_.find(local);
    if (it == tables_.end() || !it->second.known || it->second.values.empty()) return {};
    Range range{Range::kFar, -Range::kFar};
    const auto add = [&range](const Range& r) { range = {std::min(range.low, r.low), std::max(range.high, r.high)}; };
    if (it->second.filled) add(OfAffine(index));
    for (ExprId value : it->second.values) {
      if (HasTable(value)) return {};
      add(WithTerm(index, value, factor));
    }
    return range;
  }
  // Whether a value is made of tables itself. Operands come before what reads them.
  bool HasTable(ExprId value) const {
    std::vector<ExprId> open{value};
    while (!open.empty()) {
      const Expr& e = expr(open.back());
      open.pop_back();
      if (e.kind == Expr::Kind::kLocal) return true;
      open.insert(open.end(), e.operands.begin(), e.operands.end());
    }
    return false;
  }

  // position < n, and what else holds.
  void Narrow(const Affine& index, ExprId guard, Range* range) const {
    const Expr& e = expr(guard);
    if (e.kind != Expr::Kind::kOp) return;
    if (e.op == Op::kAnd) {
      for (ExprId o : e.operands) Narrow(index, o, range);
    }
    if (e.op != Op::kLess) return;
    const Expr &position = expr(e.operands[0]), &limit = expr(e.operands[1]);
    if (position.kind != Expr::Kind::kIndex || limit.kind != Expr::Kind::kConstant || limit.dtype != kInt64) return;
    if (position.index.terms.empty()) return;
    const auto [axis, c] = position.index.terms[0];
    const int64_t factor = index.coefficient(axis) / c;
    if (factor <= 0) return;
    const Range others = OfAffine(index + position.index * -factor);
    range->high = std::min(range->high, others.high + factor * (static_cast<int64_t>(limit.bits) - 1));
  }

  const Kernel& k_;
  const OuterLoop outer_;
  std::map<AxisId, Loop> loops_;
  std::map<LocalId, Table> tables_;
};

// Whether iterations of the loop, the last statement, add to a local that was filled before it: a recurrence.
bool Carries(const std::vector<Stmt>& body) {
  std::vector<LocalId> filled;
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::kLocal && s.fill) filled.push_back(s.local);
  }
  bool carries = false;
  VisitStatements(&body.back().body, [&](const Stmt& s) {
    const bool adds = s.kind == Stmt::Kind::kTree || s.kind == Stmt::Kind::kTranspose ||
                      s.kind == Stmt::Kind::kTileProduct ||
                      (s.kind == Stmt::Kind::kAccumulate && s.combine != Combine::kSet);
    carries = carries || (adds && std::find(filled.begin(), filled.end(), s.local) != filled.end());
  });
  return carries;
}

}  // namespace

std::optional<OuterLoop> FindOuterLoop(const Kernel& kernel) {
  const std::vector<Stmt>* body = &kernel.body;
  OuterLoop outer;
  if (body->size() == 1 && body->front().kind == Stmt::Kind::kLoop && body->front().loop_kind == LoopKind::kParallel) {
    outer.chunk = body->front().axis;
    body = &body->front().body;
  }
  if (body->empty()) return std::nullopt;
  for (size_t i = 0; i + 1 < body->size(); ++i) {
    if ((*body)[i].kind != Stmt::Kind::kLocal) return std::nullopt;
  }
  const Stmt& loop = body->back();
  if (loop.kind == Stmt::Kind::kLoop && loop.loop_kind == LoopKind::kParallel) return std::nullopt;
  bool sorts = false;
  VisitStatements(&kernel.body, [&sorts](const Stmt& s) { sorts = sorts || s.kind == Stmt::Kind::kSort; });
  if (loop.kind != Stmt::Kind::kLoop || sorts || (outer.chunk < 0 && loop.clip_total >= 0)) return std::nullopt;
  outer.carries = Carries(*body);
  outer.axis = loop.axis;
  outer.size = loop.extent.value();
  outer.extent = outer.chunk < 0 ? outer.size : loop.clip_total < 0 ? kernel.chunks() * outer.size : loop.clip_total;
  return outer;
}

int64_t SliceOf(const Kernel& kernel, const OuterLoop& outer, BufferId buffer, int64_t elements) {
  const Bounds bounds(kernel, outer);
  int64_t step = 0;
  bool sliced = true;
  const auto check = [&](const Affine& index, ExprId dynamic, int64_t stride, ExprId guard) {
    const int64_t by = index.coefficient(outer.axis);
    if (step == 0) step = by;
    const Range range = bounds.Of(index, dynamic, stride, guard);
    const bool in_step = by == step && range.low >= 0 && range.high < step;
    const bool in_chunk = outer.chunk < 0 || index.coefficient(outer.chunk) == step * outer.size;
    sliced = sliced && in_step && in_chunk;
  };
  for (const Expr& e : kernel.exprs) {
    if (e.kind == Expr::Kind::kLoad && e.buffer == buffer) check(e.index, e.dynamic, e.dynamic_stride, e.guard);
  }
  VisitStatements(&kernel.body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::kStore && s.buffer == buffer) check(s.index, s.dynamic, s.dynamic_stride, s.guard);
  });
  const bool all = sliced && step > 0 && outer.extent > 0 && Ceil(elements, step) == outer.extent;
  return all ? step : 0;
}

void DropPrefetches(Kernel* kernel, BufferId buffer) {
  const auto drops = [buffer](const Stmt& s) { return s.kind == Stmt::Kind::kPrefetch && s.buffer == buffer; };
  std::erase_if(kernel->body, drops);
  VisitStatements(&kernel->body, [&drops](Stmt& s) { std::erase_if(s.body, drops); });
}

void Rechunk(Kernel* kernel, const OuterLoop& outer, int64_t iterations) {
  const int64_t size = std::min(iterations, outer.extent), chunks = Ceil(outer.extent, size);
  AxisId chunk = outer.chunk;
  if (chunk < 0) {
    chunk = kernel->AddAxis("c");
    kernel->body = Body(MakeLoop(chunk, chunks, LoopKind::kParallel, 1, std::move(kernel->body)));
  }
  // The axis begins at size * chunk.
  ShiftAxis(kernel, &kernel->body, outer.axis, AxisAffine(chunk, size - (outer.chunk < 0 ? 0 : outer.size)));
  Stmt& parallel = kernel->body.front();
  Stmt& loop = parallel.body.back();
  parallel.extent = chunks;
  loop.extent = size;
  const bool ragged = outer.extent % size != 0;
  loop.clip_base = ragged ? AxisAffine(chunk, size) : Affine{};
  loop.clip_total = ragged ? outer.extent : -1;
}

}  // namespace reel::codegen
