#include "codegen/cost/estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "codegen/cost/footprint.h"
#include "codegen/cost/loop_nest.h"
#include "codegen/loop/ceil.h"
#include "ir/cost.h"

namespace reel::codegen {
namespace {

// Of cores that begin several instructions at once and guess where branches go (Fog, microarchitecture.pdf); what
// differs from core to core is in machine.def.
constexpr double kClash = 0.05;        // of the shorter of what ports and chains of sums take: each delays the other
constexpr double kLoopStep = 1;       // cycles without other instructions at a jump back
constexpr double kGuessed = 32;       // iterations of a loop whose end is mostly guessed
constexpr double kGatherLane = 1.4;   // loads for each lane that has an address of its own
constexpr double kScatterLane = 1.2;  // stores for the same
constexpr double kSpill = 2.3;        // cycles of a value on the stack: its store, its load, and who waits for it
constexpr double kPairOps = 4;        // operations of a pair of products that are added one after the other
constexpr double kRandomOps = 40;     // operations of a random word
constexpr double kTileCycles = 64;    // of a step of tiles: four products of 16 cycles each
constexpr int64_t kTemporaries = 3;   // registers for what is at hand
constexpr int64_t kOfFunction = 1;    // registers for what a function works with
constexpr double kHiddenNear = 0.9;   // of the shorter of arithmetic and what comes from L2: they overlap
constexpr double kHiddenFar = 0.5;    // the same of what comes from beyond
constexpr double kChunk = 150;        // cycles to hand out a chunk
constexpr double kFork = 4000;        // cycles to wake another thread and to wait for it

// What a body does in all its iterations.
struct Work {
  double arithmetic = 0, loads = 0, stores = 0, others = 0;  // instructions
  double element_loads = 0, element_stores = 0;              // the same, of one element
  double waits = 0;                                          // cycles for sums of earlier iterations
  double lost = 0;                                           // cycles to branches that were not guessed
  double near = 0, far = 0;                                  // cycles for lines of L2, from beyond
  std::map<LocalId, int64_t> registers = {};                 // of locals
  int64_t live = 0;                                          // registers of values that wait for others
};

double Overlapped(double a, double b, double hidden) { return std::max(a, b) + (1 - hidden) * std::min(a, b); }

// More than one.
bool HasLoops(const Stmt& loop) {
  const auto is_loop = [](const Stmt& s) { return s.kind == Stmt::Kind::kLoop; };
  return std::count_if(loop.body.begin(), loop.body.end(), is_loop) > 1;
}

class Estimator {
 public:
  Estimator(const Kernel& kernel, const Target& target) : k_(kernel), target_(target), nest_(kernel, target) {}

  double Cycles() {
    Body(k_.body);
    works_.resize(nest_.bodies().size());
    for (MemoryAccess& a : accesses_) a.prefetched = prefetched_.contains(a.memory);
    const std::vector<Traffic> traffic = TrafficCycles(accesses_, target_.machine);
    double busy = 0, any = 0;
    for (size_t i = 0; i < accesses_.size(); ++i) {
      works_[accesses_[i].body].near += traffic[i].near;
      works_[accesses_[i].body].far += traffic[i].far;
      any += traffic[i].any;
    }
    for (BodyId i = 0; i < works_.size(); ++i) busy += CyclesOf(works_[i], nest_.bodies()[i]);
    return Overlapped(busy, any, kHiddenFar);
  }

 private:
  const Expr& expr(ExprId e) const { return k_.exprs[static_cast<size_t>(e)]; }
  double Mispredict() const { return static_cast<double>(target_.machine.mispredict); }
  Work& WorkOf(BodyId body) {
    if (works_.size() <= body) works_.resize(body + 1);
    return works_[body];
  }

  // --- expressions ---

  void Value(ExprId id) {
    if (id < 0) return;
    const Expr& e = expr(id);
    const Dependencies& n = nest_.NeedsOf(id);
    const size_t depth = nest_.DepthOf(n);
    if (!seen_.emplace(nest_.BodyAt(depth), id).second) return;
    for (ExprId operand : e.operands) Value(operand);
    Value(e.dynamic);
    Value(e.guard);
    const Stmt* vector = nest_.Vector();
    if (vector != nullptr && !n.axes.contains(vector->axis) && e.kind != Expr::Kind::kLocal) vector = nullptr;
    Work& work = WorkOf(nest_.BodyAt(depth));
    const double count = nest_.Count(n, depth), registers = nest_.Registers(vector, e.dtype);
    switch (e.kind) {
      case Expr::Kind::kOp: Operation(e, n, vector, count * registers, &work); break;
      case Expr::Kind::kRandom: work.arithmetic += kRandomOps * count * registers; break;
      case Expr::Kind::kLoad: Load(e, depth, vector, count); break;
      case Expr::Kind::kLocal:
        if (!nest_.IsInMemory(e.local)) break;
        (vector == nullptr ? work.element_loads : work.loads) += count * registers;
        Touch(-1 - e.local, e.dtype, e.index, e.dynamic, depth, false);
        break;
      default: break;
    }
  }

  void Operation(const Expr& e, const Dependencies& n, const Stmt* vector, double count, Work* work) {
    const double ops = static_cast<double>(ir::CyclesOf(e.op)) * count;
    // Indices of no lane are made beside the vectors.
    const bool scalar = vector == nullptr && !IsFloat(e.dtype) && n.buffers.empty();
    (scalar ? work->others : work->arithmetic) += ops;
    if (vector == nullptr) return;
    int64_t values = ir::Info(e.op).Has(ir::kExact) ? 1 : 1 + kOfFunction;
    for (ExprId o : e.operands) values += expr(o).kind == Expr::Kind::kOp;  // loads are parts of instructions
    work->live = std::max(work->live, values * static_cast<int64_t>(nest_.Registers(vector, e.dtype)));
  }

  void Load(const Expr& e, size_t depth, const Stmt* vector, double count) {
    const bool apart = e.dynamic >= 0 && vector != nullptr && nest_.NeedsOf(e.dynamic).axes.contains(vector->axis);
    const bool gathers = vector != nullptr && (apart || e.index.coefficient(vector->axis) != 1);
    Work& work = WorkOf(nest_.BodyAt(depth));
    (vector == nullptr ? work.element_loads : work.loads) +=
        count * (gathers ? kGatherLane * nest_.Lanes(vector) : nest_.Registers(vector, e.dtype));
    Touch(e.buffer, e.dtype, Place(e.index, e.dynamic, e.dynamic_stride), e.dynamic, depth, false);
  }

  // With what the dynamic part adds, as far as it is affine but for bounds: rows past the end repeat the last one.
  Affine Place(Affine at, ExprId dynamic, int64_t factor) const {
    if (dynamic < 0) return at;
    const Expr& e = expr(dynamic);
    if (e.kind == Expr::Kind::kIndex) at.Add(e.index, factor);
    if (e.kind != Expr::Kind::kOp) return at;
    switch (e.op) {
      case ir::Op::kAdd: return Place(Place(std::move(at), e.operands[0], factor), e.operands[1], factor);
      case ir::Op::kMin: return Place(std::move(at), e.operands[0], factor);
      case ir::Op::kMul:
        if (expr(e.operands[1]).kind != Expr::Kind::kConstant) return at;
        return Place(std::move(at), e.operands[0], factor * static_cast<int64_t>(expr(e.operands[1]).bits));
      default: return at;
    }
  }

  // --- memory ---

  // memory: a buffer, or -1 - a local. dynamic: what the place goes by beside the index, or -1; it may be from a table
  // that is made anew in a loop.
  void Touch(int32_t memory, DType dtype, const Affine& index, ExprId dynamic, size_t depth, bool writes) {
    MemoryAccess a;
    a.memory = memory;
    a.element = SizeOf(dtype);
    a.body = nest_.BodyAt(depth);
    a.writes = writes;
    if (memory >= 0) {
      const KernelBuffer& buffer = k_.buffers[static_cast<size_t>(memory)];
      a.most = static_cast<double>(buffer.elements * SizeOf(buffer.dtype));
      a.near = buffer.near;
    } else {
      const codegen::Local& local = k_.locals[static_cast<size_t>(-1 - memory)];
      a.most = static_cast<double>(local.size * SizeOf(local.dtype));
    }
    for (size_t d = 0; d < nest_.open().size(); ++d) {
      const LoopNest::Loop& loop = nest_.open()[d];
      if (d >= depth && !loop.is_code) continue;
      const int64_t stride = index.coefficient(loop.stmt->axis) * a.element;
      const bool unknown = stride == 0 && dynamic >= 0 && nest_.Needs(nest_.NeedsOf(dynamic), loop);
      a.loops.push_back({loop.id, loop.trips, loop.times, stride, unknown, HasLoops(*loop.stmt)});
    }
    accesses_.push_back(std::move(a));
  }

  void Accumulate(const Stmt& s) {
    const codegen::Local& local = k_.locals[static_cast<size_t>(s.local)];
    const Stmt* vector = nest_.Vector();
    const double count = nest_.Count(), registers = nest_.Registers(vector, local.dtype);
    Work& work = WorkOf(nest_.body());
    if (nest_.IsInMemory(s.local)) {
      const bool scatters = vector != nullptr && s.index.coefficient(vector->axis) > 1;
      const double stores = count * (scatters ? kScatterLane * nest_.Lanes(vector) : registers);
      const bool elements = scatters || vector == nullptr;
      (elements ? work.element_stores : work.stores) += stores;
      if (s.combine != Combine::kSet) (elements ? work.element_loads : work.loads) += stores;
      Touch(-1 - s.local, local.dtype, s.index, -1, nest_.open().size(), true);
    } else {
      work.registers[s.local] = Ceil(local.size * SizeOf(local.dtype) * 8, target_.vector_bits);
    }
    if (s.combine == Combine::kSet) return;
    work.arithmetic += (s.combine == Combine::kFmaPair ? kPairOps : 1) * count * registers;
    work.live = std::max(work.live, Broadcasts(s.a));
    Wait(s, &work);
  }

  // Registers for elements that go to all lanes of several registers: where rows have addresses of their own, as the
  // last one is repeated past the end, and their next elements are not neighbours, LLVM loads those of all rows at
  // once.
  int64_t Broadcasts(ExprId id) const {
    const Stmt* vector = nest_.Vector();
    if (id < 0 || vector == nullptr || expr(id).kind != Expr::Kind::kLoad || !IsClamped(expr(id).dynamic)) return 0;
    const Dependencies& n = nest_.NeedsOf(id);
    if (n.axes.contains(vector->axis) || nest_.Registers(vector, expr(id).dtype) == 1) return 0;
    double rows = 1;
    for (size_t d = nest_.open().size(); d > 0; --d) {
      const LoopNest::Loop& loop = nest_.open()[d - 1];
      const bool neighbours = std::abs(expr(id).index.coefficient(loop.stmt->axis)) == 1;
      if (!loop.is_code) return neighbours ? 0 : static_cast<int64_t>(rows);
      if (loop.stmt->loop_kind == LoopKind::kUnrolled && nest_.Needs(n, loop)) rows *= loop.trips;
    }
    return 0;
  }

  bool IsClamped(ExprId id) const {
    if (id < 0 || expr(id).kind != Expr::Kind::kOp) return false;
    const auto& operands = expr(id).operands;
    return expr(id).op == ir::Op::kMin ||
           std::any_of(operands.begin(), operands.end(), [this](ExprId o) { return IsClamped(o); });
  }

  // A loop that comes back to the same element waits for it.
  void Wait(const Stmt& s, Work* work) {
    double same = 1;  // sums of one element in an iteration
    for (size_t d = nest_.open().size(); d > 0; --d) {
      const LoopNest::Loop& loop = nest_.open()[d - 1];
      const bool moves = s.index.coefficient(loop.stmt->axis) != 0;
      if (loop.is_code) {
        if (!moves && loop.stmt->loop_kind == LoopKind::kUnrolled) same *= loop.trips;
        continue;
      }
      if (moves || loop.stmt->loop_kind == LoopKind::kVector) return;
      const Machine& m = target_.machine;
      const auto latency = static_cast<double>(m.fma_latency + (nest_.IsInMemory(s.local) ? m.forward_latency : 0));
      work->waits = std::max(work->waits, same * latency * nest_.bodies()[loop.body].iterations);
      return;
    }
  }

  void Store(const Stmt& s) {
    const DType dtype = k_.buffers[static_cast<size_t>(s.buffer)].dtype;
    const Stmt* vector = nest_.Vector();
    const std::set<AxisId> axes = s.dynamic < 0 ? std::set<AxisId>{} : nest_.NeedsOf(s.dynamic).axes;
    const bool scatters = vector != nullptr && (s.index.coefficient(vector->axis) != 1 || axes.contains(vector->axis));
    Work& work = WorkOf(nest_.body());
    (scatters || vector == nullptr ? work.element_stores : work.stores) +=
        nest_.Count() * (scatters ? kScatterLane * nest_.Lanes(vector) : nest_.Registers(vector, dtype));
    Touch(s.buffer, dtype, Place(s.index, s.dynamic, s.dynamic_stride), s.dynamic, nest_.open().size(), true);
  }

  // --- statements ---

  // As deep as loops nest.
  void Body(const std::vector<Stmt>& body) {
    for (const Stmt& s : body) {
      for (const ExprId e : {s.a, s.b, s.dynamic, s.guard}) Value(e);
      switch (s.kind) {
        case Stmt::Kind::kAccumulate: Accumulate(s); break;
        case Stmt::Kind::kStore: Store(s); break;
        case Stmt::Kind::kPrefetch: Prefetch(s); break;
        case Stmt::Kind::kLoop: Loop(s); break;
        case Stmt::Kind::kLocal:
        case Stmt::Kind::kTree:
        case Stmt::Kind::kTranspose: Whole(s); break;
        case Stmt::Kind::kTileProduct: TileProduct(s); break;
        case Stmt::Kind::kSort: break;
      }
    }
  }

  // As long as all steps take: four instructions of AMX each, or as many fma as there are products.
  void TileProduct(const Stmt& s) {
    const double steps = static_cast<double>(s.dynamic_stride / kTileDepth) * nest_.Count();
    const double products = static_cast<double>(kTileSide * kTileSide * kTileDepth);
    const double fma = products / static_cast<double>(target_.lanes(SizeOf(kFloat32)));
    WorkOf(nest_.body()).arithmetic += steps * (target_.has_amx ? kTileCycles : fma);
  }

  // One instruction a line, which is about a register.
  void Prefetch(const Stmt& s) {
    const DType dtype = k_.buffers[static_cast<size_t>(s.buffer)].dtype;
    WorkOf(nest_.body()).loads += nest_.Count() * nest_.Registers(nest_.Vector(), dtype);
    prefetched_.insert(s.buffer);
  }

  void Loop(const Stmt& s) {
    const bool ends = s.clip_total >= 0 && s.loop_kind == LoopKind::kUnrolled;
    if (ends) WorkOf(nest_.body()).lost += Mispredict() * nest_.Ends(s);
    if (!nest_.Enter(s)) return;
    Body(s.body);
    nest_.Leave();
  }

  // What is done with a local at once.
  void Whole(const Stmt& s) {
    const codegen::Local& local = k_.locals[static_cast<size_t>(s.local)];
    const auto lanes = static_cast<double>(target_.lanes(SizeOf(local.dtype))), size = static_cast<double>(local.size);
    const double count = nest_.Count();
    Work& work = WorkOf(nest_.body());
    if (s.kind == Stmt::Kind::kLocal && s.fill && nest_.IsInMemory(s.local))
      work.stores += count * std::ceil(size / lanes);
    // Halves to halves: a shuffle and an operation each.
    if (s.kind == Stmt::Kind::kTree) work.arithmetic += count * (size / lanes + 2 * std::log2(std::min(lanes, size)));
    const double block = s.width > 1 ? static_cast<double>(s.width) : lanes;
    if (s.kind == Stmt::Kind::kTranspose) work.arithmetic += count * size / lanes * std::log2(block);
  }

  double CyclesOf(const Work& w, const LoopNest::Body& body) const {
    const Machine& m = target_.machine;
    constexpr double kLoop = 2;  // a counter and a jump
    const double all =
        w.arithmetic + w.loads + w.element_loads + w.stores + w.element_stores + w.others + kLoop * body.iterations;
    const double loads =
        w.loads / static_cast<double>(m.load_ports) + w.element_loads / static_cast<double>(m.element_loads);
    const double stores = w.stores * static_cast<double>(m.store_cycles) + w.element_stores;
    const double ports =
        std::max({w.arithmetic / static_cast<double>(m.fma_ports), loads, stores / static_cast<double>(m.store_ports),
                  all / static_cast<double>(m.issue) + kLoopStep * body.iterations});
    int64_t registers = w.live + kTemporaries;
    for (const auto& [local, n] : w.registers) registers += n;
    const auto spilled = static_cast<double>(std::max<int64_t>(registers - target_.vector_registers, 0));
    const double waits = w.waits * std::min(1.0, all / std::max(body.runs, 1.0) / static_cast<double>(m.window));
    const double busy = Overlapped(ports, waits, 1 - kClash) + kSpill * spilled * body.iterations;
    const double seldom = std::min(1.0, body.iterations / std::max(body.runs, 1.0) / kGuessed);
    const double at_hand = Overlapped(busy, w.near, kHiddenNear);
    return Overlapped(at_hand, w.far, kHiddenFar) + w.lost + Mispredict() * seldom * body.runs;
  }

  const Kernel& k_;
  const Target& target_;
  LoopNest nest_;
  std::set<std::pair<BodyId, ExprId>> seen_;
  std::vector<MemoryAccess> accesses_;
  std::set<int32_t> prefetched_;  // buffers
  std::vector<Work> works_;  // by body
};

}  // namespace

double KernelCycles::With(int threads) const {
  const auto pieces = static_cast<double>(chunks);
  const double at_once = std::clamp(static_cast<double>(threads), 1.0, pieces), rounds = std::ceil(pieces / at_once);
  return work * rounds / pieces + (chunks > 1 ? (rounds + 1) * kChunk : 0) + (at_once > 1 ? kFork : 0);
}

KernelCycles EstimateKernel(const Kernel& kernel, const Target& target) {
  return {Estimator(kernel, target).Cycles(), std::max<int64_t>(kernel.chunks(), 1)};
}

double EstimateCycles(const Kernel& kernel, const Target& target, int threads) {
  return EstimateKernel(kernel, target).With(threads);
}

}  // namespace reel::codegen
