#include "codegen/loop/verify.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "codegen/loop/depends.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr double kMaxSteps = 1 << 16;  // statements and reads that are walked: milliseconds of a kernel

absl::Status Wrong(const Kernel& k, const std::string& what) {
  return absl::InternalError(StrCat("kernel ", k.name, ": ", what));
}

// What must hold of each statement where it stands, whatever the trips are.
class Structure {
 public:
  explicit Structure(const Kernel& kernel) : k_(kernel) {}

  absl::Status Check() {
    for (size_t i = 0; i < k_.exprs.size(); ++i) {
      const Expr& e = k_.exprs[i];
      for (ExprId operand : e.operands) {
        if (!Before(operand, i)) return Wrong(k_, StrCat("t", i, " has an operand that comes later"));
      }
      if (e.kind == Expr::Kind::kLoad && !Has(k_.buffers, e.buffer)) return Wrong(k_, StrCat("t", i, " has no buffer"));
      if (e.kind == Expr::Kind::kLocal && !Has(k_.locals, e.local)) return Wrong(k_, StrCat("t", i, " has no local"));
      if ((e.dynamic >= 0 && !Before(e.dynamic, i)) || (e.guard >= 0 && !Before(e.guard, i))) {
        return Wrong(k_, StrCat("t", i, " has an address or a guard that comes later"));
      }
    }
    needs_ = DependenciesOf(k_);
    return Body(k_.body, false);
  }

 private:
  template <typename T>
  static bool Has(const std::vector<T>& all, int32_t id) {
    return id >= 0 && static_cast<size_t>(id) < all.size();
  }
  static bool Before(ExprId id, size_t i) { return id >= 0 && static_cast<size_t>(id) < i; }

  absl::Status Bound(const Affine& index) const {
    for (const auto& [axis, c] : index.terms) {
      if (!axes_.contains(axis)) return Wrong(k_, StrCat("axis ", axis, " is not bound where it is read"));
    }
    return absl::OkStatus();
  }
  absl::Status Read(ExprId id) const {
    if (id < 0) return absl::OkStatus();
    if (!Has(k_.exprs, id)) return Wrong(k_, StrCat("no expression t", id));
    const Dependencies& d = needs_[static_cast<size_t>(id)];
    for (AxisId axis : d.axes) {
      if (!axes_.contains(axis)) return Wrong(k_, StrCat("t", id, " reads axis ", axis, ", which is not bound there"));
    }
    for (LocalId local : d.locals) {
      if (!locals_.contains(local)) return Wrong(k_, StrCat("t", id, " reads a local that is not declared there"));
    }
    return absl::OkStatus();
  }

  // As deep as loops nest.
  absl::Status Body(const std::vector<Stmt>& body, bool in_vector) {
    std::vector<LocalId> declared;
    for (const Stmt& s : body) {
      for (ExprId id : {s.a, s.b, s.dynamic, s.guard}) {
        if (absl::Status status = Read(id); !status.ok()) return status;
      }
      if (absl::Status status = Bound(s.index); !status.ok()) return status;
      if (absl::Status status = One(s, in_vector, &declared); !status.ok()) return status;
    }
    for (LocalId local : declared) locals_.erase(local);
    return absl::OkStatus();
  }

  absl::Status One(const Stmt& s, bool in_vector, std::vector<LocalId>* declared) {
    switch (s.kind) {
      case Stmt::Kind::kLoop: return Loop(s, in_vector);
      case Stmt::Kind::kLocal:
        if (!Has(k_.locals, s.local)) return Wrong(k_, "a declaration of no local");
        if (locals_.insert(s.local).second) declared->push_back(s.local);
        return absl::OkStatus();
      case Stmt::Kind::kTranspose:
        if (const auto local = static_cast<size_t>(s.local);
            s.width > 1 && Has(k_.locals, s.local) &&
            (s.extent.value() < s.width || s.extent.value() % s.width != 0 ||
             k_.locals[local].size % (s.extent.value() * s.width) != 0)) {
          return Wrong(k_, "a transposition of parts of a block");
        }
        [[fallthrough]];
      case Stmt::Kind::kAccumulate:
      case Stmt::Kind::kTree:
        if (!locals_.contains(s.local)) return Wrong(k_, "a local is written before it is declared");
        return absl::OkStatus();
      case Stmt::Kind::kStore:
      case Stmt::Kind::kSort:
        if (s.kind == Stmt::Kind::kSort && s.positions < s.extent.value() && !locals_.contains(s.local)) {
          return Wrong(k_, "a sort of part of a row without a local");
        }
        if (!Has(k_.buffers, s.buffer) || !k_.buffers[static_cast<size_t>(s.buffer)].is_output) {
          return Wrong(k_, "a store to a buffer that is not written");
        }
        return absl::OkStatus();
      case Stmt::Kind::kPrefetch:
        return Has(k_.buffers, s.buffer) ? absl::OkStatus() : Wrong(k_, "a prefetch of no buffer");
      case Stmt::Kind::kTileProduct: return TileProduct(s, in_vector);
    }
    return absl::OkStatus();
  }

  absl::Status TileProduct(const Stmt& s, bool in_vector) const {
    const auto is_local = [this](ExprId id, DType dtype) {
      if (!Has(k_.exprs, id)) return false;
      const Expr& e = k_.exprs[static_cast<size_t>(id)];
      return e.kind == Expr::Kind::kLocal && e.dtype == dtype;
    };
    if (in_vector || !locals_.contains(s.local) || k_.locals[static_cast<size_t>(s.local)].dtype != kFloat32) {
      return Wrong(k_, "a product of tiles in a vector loop, or to no sums in f32");
    }
    if ((!is_local(s.a, kBFloat16) && !is_local(s.a, kInt32)) || !is_local(s.b, kInt32) || !Has(k_.exprs, s.dynamic)) {
      return Wrong(k_, "a product of tiles of what is no packed bf16, or of no steps");
    }
    const bool fits = s.dynamic_stride > 0 && s.dynamic_stride % kTileDepth == 0 && s.width >= kTileSide;
    return fits ? absl::OkStatus() : Wrong(k_, "a product of tiles in rows that are shorter than those");
  }

  absl::Status Loop(const Stmt& s, bool in_vector) {
    if (!Has(k_.axes, s.axis)) return Wrong(k_, "a loop over no axis");
    const bool alone = around_ == nullptr ? k_.body.size() == 1
                                          : around_->loop_kind == LoopKind::kParallel && around_->body.size() == 1;
    if (s.loop_kind == LoopKind::kParallel && !alone) {
      return Wrong(k_, "a parallel loop that is not the whole kernel, nor of another one");
    }
    if (s.loop_kind == LoopKind::kVector && in_vector) return Wrong(k_, "a vector loop inside another");
    if (s.clip_total >= 0) {
      if (absl::Status status = Bound(s.clip_base); !status.ok()) return status;
    }
    if (!axes_.insert(s.axis).second) {
      return Wrong(k_, StrCat("axis ", k_.axes[static_cast<size_t>(s.axis)], " is bound twice"));
    }
    const Stmt* const around = std::exchange(around_, &s);
    absl::Status status = Body(s.body, in_vector || s.loop_kind == LoopKind::kVector);
    around_ = around;
    axes_.erase(s.axis);
    return status;
  }

  const Kernel& k_;
  std::vector<Dependencies> needs_;
  std::set<AxisId> axes_;
  const Stmt* around_ = nullptr;  // the innermost open loop
  std::set<LocalId> locals_;
};

// Runs the loops, and looks at addresses alone.
class Walk {
 public:
  explicit Walk(const Kernel& kernel) : k_(kernel), at_(kernel.axes.size(), 0), written_(kernel.locals.size()) {
    writers_.resize(kernel.buffers.size());
    all_ = Steps(k_.body) <= kMaxSteps;
  }
  absl::Status Check() { return Body(k_.body); }

 private:
  static int64_t ExtentOf(const Stmt& s) { return s.extent.is_constant() ? s.extent.value() : 1; }
  // Bounds of such loops come with the call.
  static bool Unknown(const Stmt& s) { return !s.extent.is_constant() || s.guard >= 0 || s.clip_total >= kRuntimeRows; }

  double Steps(const std::vector<Stmt>& body) {
    double steps = 0;
    for (const Stmt& s : body) {
      for (ExprId id : {s.a, s.b, s.dynamic, s.guard}) steps += static_cast<double>(ReadsOf(id).size());
      steps += 1 + (s.kind == Stmt::Kind::kLoop ? static_cast<double>(ExtentOf(s)) * Steps(s.body) : 0);
    }
    return steps;
  }

  // Loads and locals that an expression is made of.
  const std::vector<ExprId>& ReadsOf(ExprId root) {
    const auto [it, added] = reads_.try_emplace(root);
    if (!added || root < 0) return it->second;
    std::set<ExprId> seen;
    std::vector<ExprId> stack = {root};
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (id < 0 || !seen.insert(id).second) continue;
      const Expr& e = k_.exprs[static_cast<size_t>(id)];
      if (e.kind == Expr::Kind::kLoad || e.kind == Expr::Kind::kLocal) it->second.push_back(id);
      stack.insert(stack.end(), e.operands.begin(), e.operands.end());
      stack.insert(stack.end(), {e.dynamic, e.guard});
    }
    return it->second;
  }

  int64_t At(const Affine& index) const {
    int64_t at = index.constant;
    for (const auto& [axis, c] : index.terms) at += c * at_[static_cast<size_t>(axis)];
    return at;
  }

  std::string Position() const {
    std::string text;
    for (const Stmt* loop : open_) {
      const auto axis = static_cast<size_t>(loop->axis);
      StrAppend(&text, text.empty() ? " at " : ", ", k_.axes[axis], "=", at_[axis]);
    }
    return text;
  }
  absl::Status Inside(int64_t first, int64_t count, int64_t size, const std::string& name) const {
    if (first >= 0 && first + count <= size) return absl::OkStatus();
    return Wrong(k_, StrCat(name, "[", first, "] is outside 0..", size, Position()));
  }

  // False if it is made of something that was never written: the lanes past the end of a product are.
  absl::StatusOr<bool> Known(ExprId root) {
    bool known = true;
    for (ExprId id : ReadsOf(root)) {
      const Expr& e = k_.exprs[static_cast<size_t>(id)];
      ++steps_;
      if (e.kind == Expr::Kind::kLocal) {
        const auto local = static_cast<size_t>(e.local);
        const int64_t at = At(e.index);
        if (absl::Status s = Inside(at, 1, k_.locals[local].size, k_.locals[local].name); !s.ok()) return s;
        known = known && written_[local][static_cast<size_t>(at)];
        continue;
      }
      const KernelBuffer& buffer = k_.buffers[static_cast<size_t>(e.buffer)];
      if (e.dynamic >= 0 || e.guard >= 0 || buffer.elements == 0) continue;
      const int64_t count = std::max<int64_t>(SizeOf(e.dtype) / SizeOf(buffer.dtype), 1);
      if (absl::Status s = Inside(At(e.index), count, buffer.elements, buffer.name); !s.ok()) return s;
    }
    return known;
  }

  // As deep as loops nest.
  absl::Status Body(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      if (++steps_ > 2 * kMaxSteps) return absl::OkStatus();
      bool known = true;
      for (ExprId id : {s.a, s.b, s.dynamic, s.guard}) {
        const absl::StatusOr<bool> one = Known(id);
        if (!one.ok()) return one.status();
        known = known && *one;
      }
      if (absl::Status status = One(s, known); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status One(const Stmt& s, bool known) {
    switch (s.kind) {
      case Stmt::Kind::kLoop: return Loop(s);
      case Stmt::Kind::kLocal:
        written_[static_cast<size_t>(s.local)].assign(static_cast<size_t>(k_.locals[static_cast<size_t>(s.local)].size),
                                                      s.fill);
        return absl::OkStatus();
      case Stmt::Kind::kAccumulate: return Accumulate(s, known);
      case Stmt::Kind::kTree: Tree(s); return absl::OkStatus();
      case Stmt::Kind::kTranspose: Transpose(s); return absl::OkStatus();
      case Stmt::Kind::kStore: return s.guard < 0 && s.dynamic < 0 ? Store(s, 1, known) : absl::OkStatus();
      case Stmt::Kind::kSort: return Store(s, s.positions, known);
      case Stmt::Kind::kPrefetch: return absl::OkStatus();
      case Stmt::Kind::kTileProduct: return TileProduct(s);
    }
    return absl::OkStatus();
  }

  // All of its sums and operands, whatever the steps are: rows of both are there for as many as there may be.
  absl::Status TileProduct(const Stmt& s) {
    const auto inside = [this](LocalId local, const Affine& index, int64_t rows, int64_t stride, int64_t columns) {
      const Local& l = k_.locals[static_cast<size_t>(local)];
      return Inside(At(index), (rows - 1) * stride + columns, l.size, l.name);
    };
    const Expr &a = k_.exprs[static_cast<size_t>(s.a)], &b = k_.exprs[static_cast<size_t>(s.b)];
    const int64_t row = s.dynamic_stride * SizeOf(kBFloat16) / SizeOf(a.dtype);
    if (absl::Status x = inside(a.local, a.index, kTileSide, row, row); !x.ok()) return x;
    if (absl::Status w = inside(b.local, b.index, s.dynamic_stride / 2, s.width, kTileSide); !w.ok()) return w;
    return inside(s.local, s.index, kTileSide, s.width, kTileSide);
  }

  absl::Status Accumulate(const Stmt& s, bool known) {
    const auto local = static_cast<size_t>(s.local);
    const int64_t at = At(s.index);
    if (absl::Status status = Inside(at, 1, k_.locals[local].size, k_.locals[local].name); !status.ok()) return status;
    auto written = written_[local].begin() + at;
    *written = known && (s.combine == Combine::kSet || *written);
    return absl::OkStatus();
  }

  void Tree(const Stmt& s) {
    std::vector<bool>& written = written_[static_cast<size_t>(s.local)];
    const size_t rows = static_cast<size_t>(std::max<int64_t>(s.width, 1)), each = written.size() / rows;
    for (size_t row = 0; row < rows; ++row) {
      const auto first = written.begin() + static_cast<std::ptrdiff_t>(row * each);
      const bool known = std::find(first, first + static_cast<std::ptrdiff_t>(each), false) ==
                         first + static_cast<std::ptrdiff_t>(each);
      written[row] = known;
    }
  }

  // Of values across lanes, which are walked one after the other, nothing is known.
  void Transpose(const Stmt& s) {
    std::vector<bool>& written = written_[static_cast<size_t>(s.local)];
    size_t n = 1;
    while (n * n < written.size()) ++n;
    const bool lanes = (s.width <= 1 && n * n != written.size()) || InVector();
    if (s.width > 1) n = written.size() / static_cast<size_t>(s.extent.value());
    const size_t block = s.width > 1 ? static_cast<size_t>(s.width) : n;
    std::vector<bool> from = written;
    for (size_t i = 0; i < written.size(); ++i) {
      const size_t row = i / n, lane = i % n, first_row = row - row % block, first_lane = lane - lane % block;
      written[i] = lanes || from[(first_row + lane % block) * n + first_lane + row % block];
    }
  }
  bool InVector() const {
    return std::any_of(open_.begin(), open_.end(), [](const Stmt* s) { return s->loop_kind == LoopKind::kVector; });
  }

  absl::Status Store(const Stmt& s, int64_t count, bool known) {
    const KernelBuffer& buffer = k_.buffers[static_cast<size_t>(s.buffer)];
    const int64_t first = At(s.index);
    if (buffer.elements > 0) {
      if (absl::Status status = Inside(first, count, buffer.elements, buffer.name); !status.ok()) return status;
    }
    if (!all_) return absl::OkStatus();
    if (!known) {
      return Wrong(k_, StrCat(buffer.name, "[", first, "] is made of a local that is not written", Position()));
    }
    if (open_.empty() || open_[0]->loop_kind != LoopKind::kParallel) return absl::OkStatus();
    int64_t chunk = 0;
    for (const Stmt* loop : open_) {
      if (loop->loop_kind != LoopKind::kParallel) break;
      chunk = chunk * loop->extent.value() + at_[static_cast<size_t>(loop->axis)];
    }
    for (int64_t i = first; i < first + count; ++i) {
      const auto [it, added] = writers_[static_cast<size_t>(s.buffer)].try_emplace(i, chunk);
      if (it->second == chunk) continue;
      return Wrong(k_, StrCat(buffer.name, "[", i, "] is written by chunks ", it->second, " and ", chunk));
    }
    return absl::OkStatus();
  }

  absl::Status Loop(const Stmt& s) {
    if (Unknown(s)) return absl::OkStatus();
    int64_t trips = ExtentOf(s);
    if (s.clip_total >= 0) trips = std::min(trips, s.clip_total - At(s.clip_base));
    open_.push_back(&s);
    for (int64_t i = 0; i < trips; ++i) {
      if (!all_ && i == 2) i = std::max<int64_t>(i, trips - 2);  // affine indices are extreme at the ends
      at_[static_cast<size_t>(s.axis)] = i;
      if (absl::Status status = Body(s.body); !status.ok()) return status;
    }
    open_.pop_back();
    return absl::OkStatus();
  }

  const Kernel& k_;
  bool all_ = true;  // iterations are walked
  double steps_ = 0;
  std::vector<int64_t> at_;                        // by axis
  std::vector<std::vector<bool>> written_;         // by local, element
  std::vector<std::unordered_map<int64_t, int64_t>> writers_;  // by buffer, element: its chunk
  std::vector<const Stmt*> open_;
  std::map<ExprId, std::vector<ExprId>> reads_;
};

}  // namespace

absl::Status VerifyKernel(const Kernel& kernel) {
  if (absl::Status s = Structure(kernel).Check(); !s.ok()) return s;
  return Walk(kernel).Check();
}

}  // namespace reel::codegen
