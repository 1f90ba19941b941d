#include "codegen/tune/estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "codegen/loop/depends.h"
#include "ir/cost.h"

namespace reel::codegen {
namespace {

constexpr double kLoopStep = 1.5;     // cycles of a counter and a jump that are not hidden
constexpr double kGatherLane = 1;     // loads of each lane that has an address of its own
constexpr double kHidden = 0.7;       // of the shorter of arithmetic and traffic, which overlap
constexpr double kChunk = 400;        // cycles to hand out a chunk
constexpr double kFork = 4000;        // cycles to wake another thread and to wait for it

// Everything is counted for all iterations of the kernel, on one thread.
class Estimator {
 public:
  Estimator(const Kernel& kernel, const Target& target) : k_(kernel), target_(target), needs_(DependenciesOf(kernel)) {
    FindWrites(k_.body);
  }

  double Cycles(int threads) {
    Body(k_.body);
    const Machine& m = target_.machine;
    const double ports =
        std::max({arithmetic_ / static_cast<double>(m.fma_ports), loads_ / static_cast<double>(m.load_ports),
                  stores_ / static_cast<double>(m.store_ports)});
    const double busy = std::max(ports, waits_) + overhead_, traffic = Traffic();
    const double all = std::max(busy, traffic) + (1 - kHidden) * std::min(busy, traffic);
    const auto chunks = static_cast<double>(std::max<int64_t>(k_.chunks(), 1));
    const double at_once = std::min(chunks, static_cast<double>(threads));
    const double rounds = std::ceil(chunks / at_once);
    return all * rounds / chunks + chunks * kChunk / at_once + (at_once > 1 ? kFork : 0);
  }

 private:
  struct Loop {
    const Stmt* stmt;
    double trips;
    double times;  // iterations in all
  };
  struct Access {
    std::vector<Loop> loops;
    std::set<AxisId> axes;
    double bytes;
  };

  // What each loop writes. As deep as loops nest.
  void FindWrites(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      around_.push_back(&s);
      for (const Stmt* loop : around_) {
        if (s.kind == Stmt::Kind::kStore) writes_[loop].buffers.insert(s.buffer);
        if (s.local >= 0) writes_[loop].locals.insert(s.local);
      }
      FindWrites(s.body);
      around_.pop_back();
    }
  }

  // Loops that an expression must be inside of: others have its value already.
  size_t Depth(const Dependencies& n) {
    const auto meets = [](const auto& read, const auto& written) {
      return std::any_of(read.begin(), read.end(), [&](int32_t id) { return written.contains(id); });
    };
    for (size_t d = open_.size(); d > 0; --d) {
      const Stmt* loop = open_[d - 1].stmt;
      const Dependencies& w = writes_[loop];
      if (n.axes.contains(loop->axis) || meets(n.locals, w.locals) || meets(n.buffers, w.buffers)) return d;
    }
    return 0;
  }
  double Times(size_t depth) const { return depth == 0 ? 1 : open_[depth - 1].times; }

  // Instructions for one element: 1 outside vector loops, else a register serves its lanes.
  double PerElement(size_t depth, DType dtype) const {
    for (size_t d = 0; d < depth; ++d) {
      const Stmt& s = *open_[d].stmt;
      if (s.loop_kind != LoopKind::kVector) continue;
      const auto width = static_cast<double>(s.width), lanes = static_cast<double>(target_.lanes(SizeOf(dtype)));
      const double steps = std::ceil(open_[d].trips / width), masked = steps * width / std::max(open_[d].trips, 1.0);
      return masked / std::min(width, lanes);
    }
    return 1;
  }
  AxisId Lane() const {
    for (const Loop& l : open_) {
      if (l.stmt->loop_kind == LoopKind::kVector) return l.stmt->axis;
    }
    return -1;
  }

  // Copies of an unrolled body that have one value between them: a row of the second operand serves a tile's rows.
  double Shared(const Dependencies& n, size_t depth) const {
    double copies = 1;
    for (size_t d = 0; d < depth; ++d) {
      const Stmt& loop = *open_[d].stmt;
      if (loop.loop_kind == LoopKind::kUnrolled && !n.axes.contains(loop.axis)) copies *= open_[d].trips;
    }
    return copies;
  }

  void Value(ExprId id) {
    if (id < 0) return;
    const Expr& e = k_.exprs[static_cast<size_t>(id)];
    const Dependencies& n = needs_[static_cast<size_t>(id)];
    const size_t depth = Depth(n);
    if (!seen_.emplace(depth == 0 ? nullptr : open_[depth - 1].stmt, id).second) return;
    for (ExprId operand : e.operands) Value(operand);
    Value(e.dynamic);
    Value(e.guard);
    const double times = Times(depth) / Shared(n, depth), one = times * PerElement(depth, e.dtype);
    switch (e.kind) {
      case Expr::Kind::kOp: arithmetic_ += one * std::max(1.0, static_cast<double>(ir::CyclesOf(e.op))); break;
      case Expr::Kind::kRandom: arithmetic_ += 40 * one; break;
      case Expr::Kind::kLoad: {
        const AxisId lane = Lane();
        const int64_t step = lane < 0 ? 0 : e.index.coefficient(lane);
        const bool gathers = lane >= 0 && n.axes.contains(lane) && step != 1;
        loads_ += gathers ? kGatherLane * times : one;
        accesses_.push_back({{open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(depth)},
                             n.axes,
                             static_cast<double>(SizeOf(e.dtype))});
        break;
      }
      case Expr::Kind::kLocal:
        if (!InRegisters(e.local)) loads_ += one;
        break;
      default: break;
    }
  }

  // A local that LLVM keeps in registers: those of an unrolled tile, or single values.
  bool InRegisters(LocalId id) const {
    const Local& local = k_.locals[static_cast<size_t>(id)];
    return local.size * SizeOf(local.dtype) <= int64_t{target_.vector_registers} * target_.vector_bits / 8;
  }

  void Accumulate(const Stmt& s) {
    const DType dtype = k_.locals[static_cast<size_t>(s.local)].dtype;
    const double one = Times(open_.size()) * PerElement(open_.size(), dtype);
    if (!InRegisters(s.local)) {
      stores_ += one;
      if (s.combine != Combine::kSet) loads_ += one;
    }
    if (s.combine == Combine::kSet) return;
    arithmetic_ += one;
    // The chain: the innermost loop that comes back to the same element.
    for (size_t d = open_.size(); d > 0; --d) {
      const Stmt& loop = *open_[d - 1].stmt;
      if (s.index.coefficient(loop.axis) != 0) continue;
      if (loop.loop_kind == LoopKind::kUnrolled || !chains_.insert(&loop).second) break;
      waits_ += open_[d - 1].times * static_cast<double>(target_.machine.fma_latency);
      break;
    }
  }

  void Store(const Stmt& s) {
    const DType dtype = k_.buffers[static_cast<size_t>(s.buffer)].dtype;
    const AxisId lane = Lane();
    const bool scatters = lane >= 0 && s.index.coefficient(lane) != 1;
    stores_ += Times(open_.size()) * (scatters ? 1 : PerElement(open_.size(), dtype));
    std::set<AxisId> axes;
    for (const auto& [axis, c] : s.index.terms) axes.insert(axis);
    accesses_.push_back({open_, std::move(axes), 2.0 * static_cast<double>(SizeOf(dtype))});  // its line is read first
  }

  // As deep as loops nest.
  void Body(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      for (const ExprId e : {s.a, s.b, s.dynamic, s.guard}) Value(e);
      if (s.kind == Stmt::Kind::kAccumulate) Accumulate(s);
      if (s.kind == Stmt::Kind::kStore) Store(s);
      if (s.kind != Stmt::Kind::kLoop) continue;
      const double trips = s.extent.is_constant() ? static_cast<double>(s.extent.value()) : 1;
      const double times = Times(open_.size()) * Trips(s, trips);
      const bool counts = s.loop_kind == LoopKind::kSerial || s.loop_kind == LoopKind::kVector;
      if (counts) overhead_ += kLoopStep * times / static_cast<double>(std::max<int64_t>(s.width, 1));
      open_.push_back({&s, trips, times});
      Body(s.body);
      open_.pop_back();
    }
  }

  // On average: what a clip leaves of the loops that it counts from.
  double Trips(const Stmt& s, double trips) const {
    if (s.clip_total < 0 || s.clip_total >= kRuntimeRows) return trips;
    double steps = 1;
    for (const Loop& l : open_) {
      const int64_t by = s.clip_base.coefficient(l.stmt->axis);
      if (by != 0) steps *= l.trips;
    }
    return std::min(trips, std::max(static_cast<double>(s.clip_total) / steps, 1.0));
  }

  // Elements that an access touches in one run of its loops from `first` on.
  static double Touched(const Access& a, size_t first) {
    double n = 1;
    for (size_t d = first; d < a.loops.size(); ++d) {
      if (a.axes.contains(a.loops[d].stmt->axis)) n *= a.loops[d].trips;
    }
    return n;
  }

  // Cycles for what each cache does not hold.
  double Traffic() const {
    std::map<const Stmt*, double> footprints;
    double all = 0;
    for (const Access& a : accesses_) {
      all += a.bytes * Touched(a, 0);
      for (size_t d = 0; d < a.loops.size(); ++d) footprints[a.loops[d].stmt] += a.bytes * Touched(a, d);
    }
    const Machine& m = target_.machine;
    const std::pair<int64_t, int64_t> levels[] = {
        {m.l1_bytes, m.l2_rate}, {m.l2_bytes, m.l3_rate}, {m.l3_bytes, m.memory_rate}};
    double cycles = 0;
    for (const auto& [size, rate] : levels) {
      if (all <= static_cast<double>(size)) break;  // it was there before
      double bytes = 0;
      for (const Access& a : accesses_) {
        size_t d = 0;
        while (d < a.loops.size() && footprints.at(a.loops[d].stmt) > static_cast<double>(size)) ++d;
        bytes += a.bytes * Touched(a, d) * (d == 0 ? 1 : a.loops[d - 1].times);
      }
      cycles += bytes / static_cast<double>(rate);
    }
    return cycles;
  }

  const Kernel& k_;
  const Target& target_;
  const std::vector<Dependencies> needs_;  // by expression
  std::map<const Stmt*, Dependencies> writes_;  // by loop: locals and buffers
  std::vector<const Stmt*> around_;
  std::vector<Loop> open_;
  std::set<std::pair<const Stmt*, ExprId>> seen_;
  std::set<const Stmt*> chains_;
  std::vector<Access> accesses_;
  double arithmetic_ = 0, loads_ = 0, stores_ = 0;  // instructions
  double waits_ = 0, overhead_ = 0;  // cycles
};

}  // namespace

double EstimateCycles(const Kernel& kernel, const Target& target, int threads) {
  return Estimator(kernel, target).Cycles(std::max(threads, 1));
}

}  // namespace reel::codegen
