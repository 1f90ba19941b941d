#include "codegen/cost/loop_nest.h"

#include <algorithm>
#include <cmath>

#include "codegen/loop/ceil.h"

namespace reel::codegen {
namespace {

bool IsCode(const Stmt& s) {
  if (s.loop_kind == LoopKind::kUnrolled) return true;
  const int64_t extent = s.extent.is_constant() ? s.extent.value() : kRuntimeRows;
  return s.loop_kind == LoopKind::kVector && extent <= s.width;
}

bool IsUnrolled(const LoopNest::Loop& loop) { return loop.stmt->loop_kind == LoopKind::kUnrolled; }

}  // namespace

LoopNest::LoopNest(const Kernel& kernel, const Target& target)
    : k_(kernel), target_(target), needs_(DependenciesOf(kernel)) {
  std::vector<const Stmt*> around;
  Scan(k_.body, &around);
  for (const Expr& e : k_.exprs) {
    if (e.kind == Expr::Kind::kLocal) PlaceLocal(e.local, e.index, e.dynamic);
  }
}

// What each loop writes. As deep as loops nest.
void LoopNest::Scan(const std::vector<Stmt>& body, std::vector<const Stmt*>* around) {
  for (const Stmt& s : body) {
    around->push_back(&s);
    for (const Stmt* loop : *around) {
      if (s.kind == Stmt::Kind::kStore) writes_[loop].buffers.insert(s.buffer);
      if (s.local >= 0) writes_[loop].locals.insert(s.local);
    }
    if (s.kind == Stmt::Kind::kLoop) {
      is_code_[s.axis] = IsCode(s);
      writes_.try_emplace(&s);
    }
    if (s.kind == Stmt::Kind::kAccumulate) PlaceLocal(s.local, s.index, s.dynamic);
    if (s.kind == Stmt::Kind::kTileProduct) PlaceLocal(s.local, s.index, s.dynamic);
    Scan(s.body, around);
    around->pop_back();
  }
}

void LoopNest::PlaceLocal(LocalId local, const Affine& index, ExprId dynamic) {
  if (dynamic >= 0) in_memory_.insert(local);
  for (const auto& [axis, c] : index.terms) {
    const auto it = is_code_.find(axis);
    if (it == is_code_.end() || !it->second) in_memory_.insert(local);
  }
}

bool LoopNest::Enter(const Stmt& s) {
  const double share = s.guard < 0 ? 1 : Share(s.guard), trips = Trips(s);
  const double times = (open_.empty() ? 1 : open_.back().times) * share * trips;
  if (times <= 0) return false;
  const bool once = s.loop_kind == LoopKind::kSerial && trips == 1 && s.guard < 0, is_code = once || IsCode(s);
  BodyId body = this->body();
  if (!is_code) {
    const double runs = Count() * share;
    const double steps = s.loop_kind == LoopKind::kVector ? std::ceil(trips / static_cast<double>(s.width)) : trips;
    body = bodies_.size();
    bodies_.push_back({runs, runs * steps});
  }
  open_.push_back({&s, next_id_++, trips, times, is_code, body});
  return true;
}

// On average: what a clip leaves of the loops that it counts from.
double LoopNest::Trips(const Stmt& s) const {
  const double trips = s.extent.is_constant() ? static_cast<double>(s.extent.value()) : 1;
  if (s.clip_total < 0 || s.clip_total >= kRuntimeRows) return trips;
  double steps = 1;
  for (const Loop& l : open_) {
    if (s.clip_base.coefficient(l.stmt->axis) != 0) steps *= l.trips;
  }
  const double least = trips > 1 ? 1 : 0;  // one iteration may be there for the last of the others alone
  return std::min(trips, std::max(static_cast<double>(s.clip_total) / steps, least));
}

// Of the times that a loop's guard is asked, those that it holds.
double LoopNest::Share(ExprId guard) const {
  const Expr& e = k_.exprs[static_cast<size_t>(guard)];
  if (e.kind != Expr::Kind::kOp) return 1;
  if (e.op == ir::Op::kNot) return 1 - Share(e.operands[0]);
  const bool equal = e.op == ir::Op::kEqual;
  if (!equal && e.op != ir::Op::kLess) return 1;
  const Expr &at = k_.exprs[static_cast<size_t>(e.operands[0])], &limit = k_.exprs[static_cast<size_t>(e.operands[1])];
  if (at.kind != Expr::Kind::kIndex || limit.kind != Expr::Kind::kConstant) return 1;
  double steps = 1;
  for (const Loop& l : open_) {
    if (at.index.coefficient(l.stmt->axis) != 0) steps *= l.trips;
  }
  return std::clamp((equal ? 1 : static_cast<double>(limit.bits)) / steps, 0.0, 1.0);
}

double LoopNest::Ends(const Stmt& s) const {
  for (size_t d = 0; d < open_.size(); ++d) {
    if (s.clip_base.coefficient(open_[d].stmt->axis) != 0) return d == 0 ? 1 : open_[d - 1].times;
  }
  return 1;
}

bool LoopNest::Needs(const Dependencies& n, const Loop& loop) const {
  const auto meets = [](const auto& read, const auto& written) {
    return std::any_of(read.begin(), read.end(), [&](int32_t id) { return written.contains(id); });
  };
  const Dependencies& w = writes_.at(loop.stmt);
  return n.axes.contains(loop.stmt->axis) || meets(n.locals, w.locals) || meets(n.buffers, w.buffers);
}

size_t LoopNest::DepthOf(const Dependencies& n) const {
  size_t d = open_.size();
  while (d > 0 && (open_[d - 1].is_code || !Needs(n, open_[d - 1]))) --d;
  return d;
}

double LoopNest::Count(const Dependencies& n, size_t depth) const {
  double count = bodies_[BodyAt(depth)].iterations;
  for (size_t d = depth; d < open_.size(); ++d) {
    if (IsUnrolled(open_[d]) && Needs(n, open_[d])) count *= open_[d].trips;
  }
  return count;
}

double LoopNest::Count() const {
  double count = bodies_[body()].iterations;
  for (size_t d = open_.size(); d > 0 && open_[d - 1].is_code; --d) {
    if (IsUnrolled(open_[d - 1])) count *= open_[d - 1].trips;
  }
  return count;
}

const Stmt* LoopNest::Vector() const {
  for (const Loop& loop : open_) {
    if (loop.stmt->loop_kind == LoopKind::kVector) return loop.stmt;
  }
  return nullptr;
}

double LoopNest::Lanes(const Stmt* vector) const {
  if (vector == nullptr) return 1;
  const int64_t extent = vector->extent.is_constant() ? vector->extent.value() : vector->width;
  return static_cast<double>(std::clamp<int64_t>(extent, 1, vector->width));
}

double LoopNest::Registers(const Stmt* vector, DType dtype) const {
  return std::ceil(Lanes(vector) / static_cast<double>(target_.lanes(SizeOf(dtype))));
}

}  // namespace reel::codegen
