#include "codegen/loop/cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "codegen/loop/depends.h"
#include "ir/cost.h"

namespace reel::codegen {
namespace {

constexpr int64_t kMaxVisits = 1 << 20;  // of loops whose trips differ; the rest count as their first iteration

// Elements of a buffer that one load or store touches: `count` of those from low to high.
struct Touched {
  int64_t low, high, count;
};

// How many different elements several accesses touch; `elements`: of the buffer, 0: unknown.
int64_t Union(std::vector<Touched> touched, int64_t elements) {
  std::sort(touched.begin(), touched.end(),
            [](const Touched& a, const Touched& b) { return std::pair(a.low, a.high) < std::pair(b.low, b.high); });
  int64_t sum = 0;
  for (size_t i = 0; i < touched.size();) {
    Touched all = touched[i];
    for (++i; i < touched.size() && touched[i].low <= all.high; ++i) {
      const Touched& next = touched[i];
      const bool same = next.low == all.low && next.high == all.high;
      all.high = std::max(all.high, next.high);
      all.count = same ? std::max(all.count, next.count) : std::min(all.count + next.count, all.high - all.low + 1);
    }
    sum += all.count;
  }
  return elements > 0 ? std::min(sum, elements) : sum;
}

class Counter {
 public:
  explicit Counter(const Kernel& kernel) : k_(kernel), depends_(DependenciesOf(kernel)) {
    extents_.assign(k_.axes.size(), 1);
    reads_.resize(k_.buffers.size());
    writes_.resize(k_.buffers.size());
    FindLoops(k_.body, {});
    CountTrips(k_.body, 1);
  }

  KernelCost Run() {
    Body(k_.body);
    if (pairs_) cost_.dtype = kBFloat16;
    if (k_.product_flops >= 0) cost_.flops += k_.product_flops - products_;
    for (size_t b = 0; b < k_.buffers.size(); ++b) {
      const KernelBuffer& buffer = k_.buffers[b];
      const auto bytes = [&](const std::vector<Touched>& touched) {
        return Union(touched, buffer.elements) * SizeOf(buffer.dtype);
      };
      cost_.bytes_read += bytes(reads_[b]);
      cost_.bytes_written += bytes(writes_[b]);
    }
    return cost_;
  }

 private:
  struct Loop {
    double iterations = 0;  // in all
    std::set<LocalId> locals;
    std::set<BufferId> buffers;  // both: what its body writes
  };
  // Extents of axes, what loops write, axes that the trips of others depend on, locals that hold partial sums.
  void FindLoops(const std::vector<Stmt>& body, std::vector<const Stmt*> around) {
    for (const Stmt& s : body) {
      for (const Stmt* loop : around) {
        if (s.kind == Stmt::Kind::kStore || s.kind == Stmt::Kind::kSort) loops_[loop].buffers.insert(s.buffer);
        if (s.local >= 0) loops_[loop].locals.insert(s.local);
      }
      if (s.kind == Stmt::Kind::kAccumulate && s.combine != Combine::kSet) partials_.insert(s.local);
      if (s.kind != Stmt::Kind::kLoop) continue;
      int64_t& extent = extents_[static_cast<size_t>(s.axis)];
      extent = std::max(extent, s.extent.is_constant() ? s.extent.value() : 1);
      if (s.clip_total >= 0) {
        for (const auto& [axis, c] : s.clip_base.terms) clips_.insert(axis);
      }
      loops_[&s];
      around.push_back(&s);
      FindLoops(s.body, around);
      around.pop_back();
    }
  }

  int64_t TripsOf(const Stmt& s) const {
    int64_t trips = s.extent.is_constant() ? s.extent.value() : 1;
    if (s.clip_total < 0 || s.clip_total >= kRuntimeRows) return trips;
    int64_t base = s.clip_base.constant;
    for (const auto& [axis, c] : s.clip_base.terms) {
      if (const auto it = position_.find(axis); it != position_.end()) base += c * it->second;
    }
    return std::clamp<int64_t>(s.clip_total - base, 0, trips);
  }

  // Iterations of all loops. Only loops that trips of inner ones depend on are walked one by one.
  void CountTrips(const std::vector<Stmt>& body, double times) {
    for (const Stmt& s : body) {
      if (s.kind != Stmt::Kind::kLoop) continue;
      const int64_t trips = TripsOf(s);
      loops_[&s].iterations += times * static_cast<double>(trips);
      if (!clips_.contains(s.axis) || (visits_ += trips) > kMaxVisits) {
        if (trips > 0) CountTrips(s.body, times * static_cast<double>(trips));
        continue;
      }
      for (int64_t i = 0; i < trips; ++i) {
        position_[s.axis] = i;
        CountTrips(s.body, times);
      }
      position_.erase(s.axis);
    }
  }

  double Iterations(size_t depth) const { return depth == 0 ? 1 : loops_.at(open_[depth - 1]).iterations; }

  // The number of open loops that an expression must be inside of.
  size_t LevelOf(const Dependencies& d) const {
    for (size_t depth = open_.size(); depth > 0; --depth) {
      const Loop& loop = loops_.at(open_[depth - 1]);
      const auto written = [](const auto& read, const auto& writes) {
        return std::any_of(read.begin(), read.end(), [&](int32_t id) { return writes.contains(id); });
      };
      if (d.axes.contains(open_[depth - 1]->axis)) return depth;
      if (written(d.locals, loop.locals) || written(d.buffers, loop.buffers)) return depth;
    }
    return 0;
  }

  // What an access executed `depth` loops deep touches: one element for each position of the axes it depends on.
  Touched Touch(const Affine& index, const std::set<AxisId>& axes, bool dynamic, size_t depth, int64_t elements) const {
    double count = Iterations(depth);
    for (size_t d = 0; d < depth; ++d) {
      if (axes.contains(open_[d]->axis) || Iterations(d + 1) == 0) continue;
      count *= Iterations(d) / Iterations(d + 1);
    }
    Touched out{index.constant, index.constant, std::llround(count)};
    for (const auto& [axis, c] : index.terms) {
      const int64_t last = std::max<int64_t>(extents_[static_cast<size_t>(axis)] - 1, 0) * c;
      (last < 0 ? out.low : out.high) += last;
    }
    if (dynamic) {
      out.low = 0;
      out.high = std::max(out.count, elements) - 1;
    }
    if (elements > 0) out.high = std::min(out.high, elements - 1);
    out.count = std::clamp<int64_t>(out.high - out.low + 1, 0, out.count);
    return out;
  }

  void Flops(DType dtype, double flops) {
    if (!IsFloat(dtype)) return;
    cost_.flops += flops;
    if (flops > 0 && SizeOf(dtype) > SizeOf(cost_.dtype)) cost_.dtype = dtype;
  }

  // An expression once in each scope that it must be in.
  void Value(ExprId id) {
    if (id < 0) return;
    const Expr& e = k_.exprs[static_cast<size_t>(id)];
    const Dependencies& d = depends_[static_cast<size_t>(id)];
    const size_t depth = LevelOf(d);
    if (!seen_.emplace(depth == 0 ? nullptr : open_[depth - 1], id).second) return;
    for (ExprId operand : e.operands) Value(operand);
    Value(e.dynamic);
    Value(e.guard);
    if (e.kind == Expr::Kind::kOp) {
      const DType dtype = IsFloat(e.dtype) ? e.dtype : k_.exprs[static_cast<size_t>(e.operands[0])].dtype;
      Flops(dtype, ir::FlopsOf(e.op) * Iterations(depth));
    }
    if (e.kind != Expr::Kind::kLoad) return;
    // What it wrote itself is read from cache; but for an update at an unknown place.
    const auto b = static_cast<size_t>(e.buffer);
    if (k_.buffers[b].is_output && e.dynamic < 0) return;
    Touched read = Touch(e.index, d.axes, e.dynamic >= 0, depth, k_.buffers[b].elements);
    read.count *= SizeOf(e.dtype) / SizeOf(k_.buffers[b].dtype);
    reads_[b].push_back(read);
  }

  void Accumulate(const Stmt& s) {
    const DType dtype = k_.locals[static_cast<size_t>(s.local)].dtype;
    const double times = Iterations(open_.size());
    if (s.combine == Combine::kFmaPair) return;  // instead of a kDotPair
    pairs_ |= s.combine == Combine::kDotPair;
    if (s.combine == Combine::kFma || s.combine == Combine::kDotPair) {
      const double flops = (s.combine == Combine::kFma ? 2 : 4) * times;
      Flops(dtype, flops);
      if (IsFloat(dtype)) products_ += flops;
      return;
    }
    const Expr& a = k_.exprs[static_cast<size_t>(s.a)];
    const bool partial = a.kind == Expr::Kind::kLocal && partials_.contains(a.local);
    if (s.combine != Combine::kSet && !partial) Flops(dtype, times);
  }

  void Store(const Stmt& s) {
    const auto b = static_cast<size_t>(s.buffer);
    std::set<AxisId> axes;
    for (const auto& [axis, c] : s.index.terms) axes.insert(axis);
    for (const ExprId e : {s.dynamic, s.guard}) {
      if (e < 0) continue;
      const Dependencies& d = depends_[static_cast<size_t>(e)];
      axes.insert(d.axes.begin(), d.axes.end());
    }
    writes_[b].push_back(Touch(s.index, axes, s.dynamic >= 0, open_.size(), k_.buffers[b].elements));
  }

  // Keys are read where the load a begins, positions are written.
  void Sort(const Stmt& s) {
    const Expr& key = k_.exprs[static_cast<size_t>(s.a)];
    const int64_t rows = std::llround(Iterations(open_.size()));
    for (const auto& [b, list] : {std::pair(key.buffer, &reads_), std::pair(s.buffer, &writes_)}) {
      const int64_t n = rows * (list == &reads_ ? s.extent.value() : s.positions);
      (*list)[static_cast<size_t>(b)].push_back({0, n - 1, n});
    }
  }

  // Recurses as deep as loops nest.
  void Body(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      if (s.kind == Stmt::Kind::kSort) {
        Sort(s);
        continue;
      }
      for (const ExprId e : {s.a, s.b, s.dynamic, s.guard}) Value(e);
      if (s.kind == Stmt::Kind::kAccumulate) Accumulate(s);
      if (s.kind == Stmt::Kind::kStore) Store(s);
      if (s.kind != Stmt::Kind::kLoop) continue;
      open_.push_back(&s);
      Body(s.body);
      open_.pop_back();
    }
  }

  const Kernel& k_;
  KernelCost cost_;
  double products_ = 0;  // flops of kFma and kDotPair
  bool pairs_ = false;   // kDotPair
  std::map<const Stmt*, Loop> loops_;
  std::vector<int64_t> extents_;        // by axis
  std::set<AxisId> clips_;              // on which trips depend
  std::set<LocalId> partials_;
  std::vector<Dependencies> depends_;   // by expression
  std::map<AxisId, int64_t> position_;  // while trips are counted
  int64_t visits_ = 0;
  std::vector<const Stmt*> open_;
  std::set<std::pair<const Stmt*, ExprId>> seen_;
  std::vector<std::vector<Touched>> reads_, writes_;  // by buffer
};

}  // namespace

KernelCost CostOf(const Kernel& kernel) { return Counter(kernel).Run(); }

}  // namespace reel::codegen
