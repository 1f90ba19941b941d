#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "codegen/loop/ceil.h"
#include "codegen/plan/view.h"
#include "codegen/schedule/row_reduction.h"
#include "codegen/schedule/rows_passes.h"
#include "codegen/schedule/sum_rows.h"
#include "ir/strings.h"

// Kernels over rows: for each row a few passes over its elements. Pass p computes what needs the row reductions of
// the passes before it: softmax is { max } { exp, sum } { div }. What a later pass reads again waits in a row of
// memory: of an output that is written later at the same place, on the stack, or of its own.
//
//   for r { p0 max= x; p1 += exp(x - p0), y = exp(x - p0); y = y / p1 }
//
// Each pass of short rows is a loop over two of them: for r { for u in 0..2 { p0[u] max= x } for u in 0..2 .. }.
//
// Sums over the rows themselves are made by sum_rows.

namespace reel::codegen {
namespace {

using ir::Value;

constexpr int64_t kMaxTogether = 8;  // rows side by side: each has partial sums and rows that wait

// The rows of a kernel, taken one by one or a few side by side, and where values wait for later passes over a row.
class RowStorage {
 public:
  // Where a member of the kernel waits.
  struct Place {
    LocalId local = -1;
    BufferId buffer = -1;
    bool valid() const { return local >= 0 || buffer >= 0; }
  };

  explicit RowStorage(const RowPasses& passes)
      : c_(passes.c), passes_(passes), width_(passes.plan.width), places_(passes.members.size()) {
    row_ = AddAxes(c_.kernel, passes.plan.extents, &axes_);
    TakeTogether();
    for (const RowColumn& column : passes.columns) stack_ += width_ * SizeOf(c_.dtype(column.root));
    FindPlaces();
  }

  const LoopAxes& axes() const { return axes_; }  // of steps
  const Index& row() const { return row_; }
  int64_t together() const { return together_; }  // rows in each step
  const Place& place(size_t member) const { return places_[member]; }

  // `position` of the row at hand, where each row of a step has `size` elements.
  Affine OfRow(int64_t size, Affine position = {}) const {
    if (together_ > 1) position.Add(one_, size);
    return position;
  }
  // Loops over the rows of a step.
  std::vector<Stmt> OverRowsOfStep(std::vector<Stmt> pass) const {
    return together_ > 1 ? Body(SerialLoop(one_, together_, std::move(pass))) : std::move(pass);
  }
  void Collapse(std::vector<Stmt>* body) { CollapseAxes(c_.kernel, body, &axes_); }
  // A row on the stack; -1: there is no room.
  LocalId RowOnStack(const std::string& name, DType dtype, int64_t rows) {
    const int64_t bytes = rows * width_ * SizeOf(dtype);
    if (stack_ + bytes > c_.target.tuning.rows_stack_bytes) return -1;
    stack_ += bytes;
    return c_.kernel->AddLocal(name, dtype, rows * width_);
  }
  bool HasRoomFor(DType dtype) const { return stack_ + width_ * SizeOf(dtype) <= c_.target.tuning.rows_stack_bytes; }

 private:
  // Short rows are taken two at a time, pass after pass: what a pass of one waits for comes while the other is at work.
  void TakeTogether() {
    if (!c_.options.vectorize || passes_.last == 0 || axes_.empty()) return;
    const Tuning& tuning = c_.target.tuning;
    const auto power = [](int64_t n) { return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n))); };
    const auto divides = [&](int64_t n) { return axes_.extents.back() % n == 0; };
    int64_t most = kMaxTogether, usual = power(tuning.rows_together), longest = 0;
    while (!divides(most)) most /= 2;
    for (const RowMember& m : passes_.members) {
      if (m.per_element) longest = std::max(longest, width_ * SizeOf(c_.dtype(m.v)));
    }
    if (longest > tuning.rows_together_bytes) usual = 1;
    if (longest > tuning.rows_stack_bytes) usual = std::min(power(LongTogether()), most);
    const int64_t together = power(c_.choices->Choose("together", divides(usual) ? usual : 1, 1, most, {1, 2, 4, 8}));
    if (together == 1) return;
    together_ = together;
    axes_.extents.back() /= together_;
    one_ = c_.kernel->AddAxis("u");
    row_.back() = AxisAffine(axes_.ids.back(), together_) + AxisAffine(one_);
  }

  // Of rows that only memory holds, those that the last cache holds, too: each pass over one waits for memory to begin
  // (vocab_loss on Zen 4, beyond what varies: 1 row 6.7 ms, 2 5.9, 4 5.5, 8 5.1).
  int64_t LongTogether() const {
    std::set<int32_t> seen;  // what is not stored waits where a result will be
    for (const RowMember& m : passes_.members) seen.insert(m.v.id);
    int64_t bytes = 0;
    const auto add = [&](Value v) { bytes += passes_.IsPerElement(v) ? width_ * SizeOf(c_.dtype(v)) : 0; };
    for (const RowMember& m : passes_.members) {
      if (c_.stored(m.v)) add(m.v);
      for (Value leaf : LeavesOf(c_.f, c_.plan, m.v)) {
        if (seen.insert(leaf.id).second) add(leaf);
      }
    }
    const Machine& machine = c_.target.machine;
    const int64_t rows = Product(axes_.extents);
    if (bytes == 0 || rows * bytes <= machine.l3_bytes) return 1;
    return std::clamp(std::min(machine.l3_bytes / bytes, rows / c_.target.tuning.rows_min_rows), int64_t{1},
                      c_.target.tuning.rows_long_together);
  }

  // Gives each value that is read after its pass a row of memory; what has none is computed again.
  void FindPlaces() {
    const std::vector<RowMember>& members = passes_.members;
    std::map<size_t, int> host_until;  // by member: the last pass that reads who waits in its buffer
    for (size_t i = 0; i < members.size(); ++i) {
      const RowMember& m = members[i];
      if (!m.waits()) continue;
      Place& place = places_[i];
      if (c_.stored(m.v)) place.buffer = c_.builder->BufferOf(m.v, true);
      for (size_t h = 0; h < members.size() && place.buffer < 0; ++h) {
        const RowMember& host = members[h];
        const bool fits = host.per_element && c_.stored(host.v) && c_.dtype(host.v) == c_.dtype(m.v) &&
                          host.pass >= m.last_use && (!host_until.contains(h) || host_until[h] <= m.pass);
        if (!fits) continue;
        host_until[h] = m.last_use;
        place.buffer = c_.builder->BufferOf(host.v, true);
      }
      if (place.buffer < 0) place.local = RowOnStack("w" + std::to_string(i), c_.dtype(m.v), together_);
    }
  }

  const ScheduleContext& c_;
  const RowPasses& passes_;
  const int64_t width_;
  LoopAxes axes_;
  Index row_;
  AxisId one_ = -1;  // of the rows of a step
  int64_t together_ = 1;
  int64_t stack_ = 0;  // bytes of rows that wait there
  std::vector<Place> places_;
};

// What a pass over a row asks for of a following one.
class RowPrefetch {
 public:
  RowPrefetch(const ScheduleContext& c, int64_t rows, int64_t width) : c_(c), rows_(rows), width_(width) {}

  // While a heavy pass works on a row, what it touches in a following one, each buffer in one loop. Of long rows only
  // what a first pass will read: the hardware fetches what a pass walks along. Past the end of a row it sees too late,
  // unless rows are short. hints: what the pass touches; loop: its number; together: rows in each step along `row`.
  void Add(std::vector<Stmt> hints, int pass, int loop, int64_t cycles, AxisId row, int64_t together,
           std::vector<Stmt>* out) {
    const Tuning& tuning = c_.target.tuning;
    const int64_t l2 = c_.target.machine.l2_bytes;
    for (Stmt& s : hints) {
      const KernelBuffer& buffer = c_.kernel->buffers[static_cast<size_t>(s.buffer)];
      if (pass == 0 && !buffer.is_output) first_read_.insert(s.buffer);
      if (pass == 0 || cycles <= tuning.rows_light_cycles) continue;
      const int64_t bytes = width_ * SizeOf(buffer.dtype);
      const bool far = bytes < tuning.rows_prefetch_max_bytes ? rows_ * bytes > l2
                                                              : first_read_.contains(s.buffer) && bytes <= l2 / 4;
      if (!far || bytes < tuning.rows_prefetch_min_bytes || !c_.choices->Flag("prefetch", true) ||
          prefetched_.emplace(s.buffer, loop).first->second != loop)
        continue;
      s.index.constant += Ceil(tuning.rows_prefetch_distance, together * bytes) * s.index.coefficient(row);
      out->push_back(std::move(s));
    }
  }

 private:
  const ScheduleContext& c_;
  const int64_t rows_, width_;
  std::set<BufferId> first_read_;  // by the first pass
  std::map<BufferId, int> prefetched_;  // by which loop
};

class RowSchedule {
 public:
  explicit RowSchedule(const ScheduleContext& c)
      : c_(c),
        tuning_(c.target.tuning),
        k_(c.kernel),
        passes_(c),
        width_(passes_.plan.width),
        rows_(Product(passes_.plan.extents)),
        storage_(passes_),
        prefetch_(c, rows_, width_),
        column_sums_(passes_.columns.size(), -1) {}

  void Run() {
    for (size_t i = 0; i < passes_.members.size(); ++i) {
      if (const LocalId local = storage_.place(i).local; local >= 0) declarations_.push_back(MakeLocal(local, 0));
    }
    std::vector<Stmt> body;
    for (pass_ = 0; pass_ <= passes_.last; ++pass_) {
      std::vector<Stmt> pass;
      Pass(&pass);
      if (pass_ == passes_.last) StoreScalars(&pass);
      Append(storage_.OverRowsOfStep(std::move(pass)), &body);
    }
    storage_.Collapse(&body);
    k_->why.push_back(StrCat("row kernel: ", passes_.last + 1, passes_.last > 0 ? " passes over " : " pass over ",
                             width_, " elements of each of ", rows_, " rows",
                             passes_.columns.empty() ? "" : ", and sums over the rows"));
    const int64_t cost = width_ * cost_ + 64;
    if (passes_.columns.empty()) {
      k_->body = Nest(storage_.axes(), 1, std::move(body));
    } else {
      SumRows(std::move(body));
    }
    Parallelize(c_, rows_, cost);
    const bool parallel = k_->body[0].loop_kind == LoopKind::kParallel;
    std::vector<Stmt>& chunk = parallel ? k_->body[0].body : k_->body;
    chunk.insert(chunk.begin(), declarations_.begin(), declarations_.end());
  }

 private:
  Combine combine(Value root) const { return CombineOf(c_.f.producer(root)->op); }

  void Pass(std::vector<Stmt>* body) {
    RowReduction sums(k_, width_);
    std::vector<size_t> reduced;
    bool any = false;
    for (size_t i = 0; i < passes_.members.size(); ++i) {
      const RowMember& m = passes_.members[i];
      if (m.pass != pass_) continue;
      any = any || (m.per_element && (c_.stored(m.v) || storage_.place(i).valid()));
      if (!m.reduces) continue;
      sums.Add("p" + std::to_string(i), combine(m.v), c_.dtype(m.v));
      reduced.push_back(i);
    }
    for (size_t i = 0; i < passes_.columns.size(); ++i) {
      const RowColumn& column = passes_.columns[i];
      if (column.pass != pass_) continue;
      any = true;
      column_sums_[i] = k_->AddLocal("s" + std::to_string(column.root.id), c_.dtype(column.root), width_);
    }
    if (reduced.empty() && !any) return;
    if (c_.options.vectorize) ComputeEarly(body);
    if (reduced.empty()) return Parts(body);
    Append(sums.Build([&](AxisId j, int64_t n, const Affine& position) {
      std::vector<Stmt> elements = Element(&sums, position, AxisAffine(j));
      return VectorLoop(j, n, Lanes(n), std::move(elements));
    }),
           body);
    for (size_t i = 0; i < reduced.size(); ++i) {
      c_.builder->SetValue(passes_.members[reduced[i]].v, LocalExpr(k_, sums.result(i), {}));
    }
    if (storage_.together() > 1) KeepScalars(body);
  }

  // What is now known of the row, for the passes after this one.
  void KeepScalars(std::vector<Stmt>* body) {
    c_.builder->SetRow(storage_.row(), {});
    std::vector<Value> kept;
    for (const RowMember& m : passes_.members) {
      if (!m.per_element && (m.reduces ? m.pass == pass_ : m.pass == pass_ + 1)) kept.push_back(m.v);
    }
    std::vector<ExprId> values;
    for (Value v : kept) values.push_back(c_.builder->Build(v, {}));
    for (size_t i = 0; i < kept.size(); ++i) {
      const Value v = kept[i];
      const LocalId local = k_->AddLocal("q" + std::to_string(v.id), c_.dtype(v), storage_.together());
      declarations_.push_back(MakeScratch(local));
      body->push_back(MakeAccumulate(local, storage_.OfRow(1), Combine::kSet, values[i]));
      c_.builder->SetValue(v, LocalExpr(k_, local, storage_.OfRow(1)));
    }
  }

  // The only function in the midst of a long pass, in a loop of its own: its chain of dependent operations needs many
  // registers side by side, which the rest of the pass does not leave it.
  void ComputeEarly(std::vector<Stmt>* body) {
    early_ = {{}, -1};
    const std::vector<Value> computed = passes_.ComputedFor(passes_.ResultsOf(pass_), pass_);
    const auto is_function = [this](Value v) { return !Info(c_.f.producer(v)->op).Has(ir::kExact); };
    const auto it = std::find_if(computed.begin(), computed.end(), is_function);
    if (std::ssize(computed) < tuning_.rows_long_pass ||
        std::count_if(computed.begin(), computed.end(), is_function) != 1)
      return;
    const Value v = *it;
    if (2 * passes_.ComputedFor({v}, pass_).size() > computed.size()) return;
    if (width_ < 4 * kPartials || !storage_.HasRoomFor(c_.dtype(v)) || !c_.choices->Flag("early", true)) return;
    const LocalId local = storage_.RowOnStack("f" + std::to_string(v.id), c_.dtype(v), 1);
    const AxisId e = k_->AddAxis("e");
    const Affine position = AxisAffine(e);
    const size_t before = k_->exprs.size();
    SetElement(position);
    const ExprId value = c_.builder->Build(v, c_.builder->RowIndex(v));
    AddCost(before);
    std::vector<Stmt> set = Body(MakeAccumulate(local, position, Combine::kSet, value));
    Prefetch(e, before, 2 * pass_, &set);
    body->push_back(VectorLoop(e, width_, VectorWidth(c_, width_, 8), std::move(set)));
    declarations_.push_back(MakeLocal(local, 0));
    early_ = {v, local};
  }

  // From now on values are those of the element at `position`.
  void SetElement(const Affine& position) {
    c_.builder->SetRow(storage_.row(), position);
    for (size_t i = 0; i < passes_.members.size(); ++i) {
      const RowMember& m = passes_.members[i];
      if (m.pass >= pass_ || m.last_use < pass_ || !storage_.place(i).valid()) continue;
      c_.builder->SetValue(m.v, Waiting(i, position));
    }
    if (early_.second >= 0) c_.builder->SetValue(early_.first, LocalExpr(k_, early_.second, position));
  }

  // A member that an earlier pass computed.
  ExprId Waiting(size_t member, const Affine& position) {
    const auto& [local, buffer] = storage_.place(member);
    if (local >= 0) return LocalExpr(k_, local, storage_.OfRow(width_, position));
    const Value v = passes_.members[member].v;
    const Affine at = c_.builder->Flat(v, c_.builder->RowIndex(v));
    return k_->AddExpr({.kind = Expr::Kind::kLoad, .dtype = c_.dtype(v), .buffer = buffer, .index = at});
  }

  // A pass without reductions over the row: a loop for each part that padding cuts it into.
  void Parts(std::vector<Stmt>* body) {
    const std::vector<int64_t> bounds = passes_.Cuts();
    for (size_t p = 1; p < bounds.size(); ++p) {
      const AxisId e = k_->AddAxis("e");
      const int64_t count = bounds[p] - bounds[p - 1];
      if (bounds.size() > 2) c_.builder->SetExtent(e, count);
      std::vector<Stmt> elements = Element(nullptr, AxisAffine(e) + bounds[p - 1], {});
      cost_ += element_cost_ * count / width_ - element_cost_;  // of an element of the whole row
      body->push_back(VectorLoop(e, count, Lanes(count), std::move(elements)));
    }
  }

  // What the pass does with the element at `position`, whose partial sums are `partial`.
  std::vector<Stmt> Element(const RowReduction* sums, const Affine& position, const Affine& partial) {
    ExprBuilder& b = *c_.builder;
    const size_t before = k_->exprs.size();
    SetElement(position);
    std::vector<Stmt> out, stores;
    const auto operand = [&](Value root) {
      const Value x = c_.f.producer(root)->operands[0];
      return b.Build(x, b.RowIndex(x));
    };
    size_t sum = 0;
    for (const RowMember& m : passes_.members) {
      if (m.pass != pass_ || !m.reduces) continue;
      out.push_back(MakeAccumulate(sums->partials(sum), partial, sums->combine(sum), operand(m.v)));
      ++sum;
    }
    for (size_t i = 0; i < passes_.columns.size(); ++i) {
      const Value root = passes_.columns[i].root;
      if (passes_.columns[i].pass != pass_) continue;
      out.push_back(MakeAccumulate(column_sums_[i], position, combine(root), operand(root)));
    }
    for (size_t i = 0; i < passes_.members.size(); ++i) {
      const RowMember& m = passes_.members[i];
      if (m.pass != pass_ || !m.per_element) continue;
      const auto& [local, buffer] = storage_.place(i);
      if (local >= 0) {
        out.push_back(MakeAccumulate(local, storage_.OfRow(width_, position), Combine::kSet, b.Build(m.v, {})));
      }
      const BufferId to = c_.stored(m.v) ? b.BufferOf(m.v, true) : buffer;
      if (to >= 0) stores.push_back(MakeStore(to, b.Flat(m.v, b.RowIndex(m.v)), b.Build(m.v, {})));
    }
    Append(std::move(stores), &out);
    AddCost(before);
    if (c_.options.vectorize) Prefetch(position.terms.back().first, before, 2 * pass_ + 1, &out);
    return out;
  }

  // Of an element, whose expressions begin there.
  void AddCost(size_t begin) {
    element_cost_ = 1;
    for (size_t i = begin; i < k_->exprs.size(); ++i) {
      const Expr& e = k_->exprs[i];
      element_cost_ += e.kind == Expr::Kind::kOp && !Info(e.op).Has(ir::kExact) ? 15 : 1;
    }
    cost_ += element_cost_;
  }

  // Of what expressions from `begin` on read and `out` writes, along `lane`, in a loop of this number.
  void Prefetch(AxisId lane, size_t begin, int loop, std::vector<Stmt>* out) {
    const AxisId row = storage_.axes().ids.back();
    prefetch_.Add(Prefetches(*k_, begin, *out, lane, row), pass_, loop, element_cost_, row, storage_.together(), out);
  }

  // All 64 partials at once for light elements, four registers for heavier ones: chains of dependent operations side
  // by side hide each other's latency.
  int64_t Lanes(int64_t n) const {
    if (!c_.options.vectorize) return 1;
    int64_t width = kPartials;
    if (element_cost_ > tuning_.rows_light_cycles) {
      width = std::min(width, VectorWidth(c_, n, ChooseRegisters(c_, 4)));
    }
    while (width > 1 && width / 2 >= n) width /= 2;
    return width;
  }

  void StoreScalars(std::vector<Stmt>* body) {
    c_.builder->SetRow(storage_.row(), {});
    for (const RowMember& m : passes_.members) {
      if (m.per_element || !c_.stored(m.v)) continue;
      const ExprId value = c_.builder->Build(m.v, {});
      body->push_back(c_.Store(m.v, c_.builder->RowIndex(m.v), value));
    }
  }

  void SumRows(std::vector<Stmt> body) {
    std::vector<RowSums> sums;
    for (size_t i = 0; i < passes_.columns.size(); ++i) {
      const auto& [root, partials, reads, pass] = passes_.columns[i];
      sums.push_back({column_sums_[i], c_.builder->BufferOf(partials, true), combine(root), c_.dtype(root)});
    }
    element_cost_ = 1;
    SumOverRows(k_, sums, storage_.axes().ids[0], rows_, storage_.together(), width_, Lanes(width_), std::move(body));
  }

  const ScheduleContext& c_;
  const Tuning& tuning_;
  Kernel* k_;
  const RowPasses passes_;
  const int64_t width_, rows_;
  RowStorage storage_;
  RowPrefetch prefetch_;  // loops: 2 pass + 1, one less for what is computed early
  std::vector<LocalId> column_sums_;  // by column
  std::vector<Stmt> declarations_;  // of rows that wait on the stack: one for all rows of a chunk
  std::pair<Value, LocalId> early_{{}, -1};  // what is computed before the rest of this pass, and where it waits
  int pass_ = 0;
  int64_t element_cost_ = 1, cost_ = 0;
};

}  // namespace

void ScheduleRows(const ScheduleContext& context) { RowSchedule(context).Run(); }

}  // namespace reel::codegen
