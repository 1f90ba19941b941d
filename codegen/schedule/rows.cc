#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "codegen/loop/ceil.h"
#include "codegen/plan/view.h"
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

class RowSchedule {
 public:
  explicit RowSchedule(const ScheduleContext& c)
      : c_(c),
        tuning_(c.target.tuning),
        k_(c.kernel),
        group_(c.kernel_plan()),
        rows_plan_(*group_.As<RowWiseKernel>()),
        width_(rows_plan_.width),
        extents_(rows_plan_.extents) {
    for (size_t i = 0; i < rows_plan_.extents.size(); ++i) {
      rows_.push_back(k_->AddAxis("i" + std::to_string(i)));
      row_.push_back(AxisAffine(rows_.back()));
    }
  }

  void Run() {
    FindMembers();
    FindPasses();
    TakeTogether();
    FindWaiting();
    std::vector<Stmt> body;
    for (pass_ = 0; pass_ <= last_pass_; ++pass_) {
      std::vector<Stmt> pass;
      Pass(&pass);
      if (pass_ == last_pass_) StoreScalars(&pass);
      if (together_ > 1) pass = {MakeLoop(one_, together_, LoopKind::kSerial, 1, std::move(pass))};
      body.insert(body.end(), pass.begin(), pass.end());
    }
    CollapseAxes(k_, &body, &rows_, &extents_);
    const int64_t rows = Count(rows_plan_.extents), cost = width_ * Ceil(cost_, 1) + 64;
    k_->why.push_back(StrCat("row kernel: ", last_pass_ + 1, last_pass_ > 0 ? " passes over " : " pass over ", width_,
                             " elements of each of ", rows, " rows",
                             columns_.empty() ? "" : ", and sums over the rows"));
    if (columns_.empty()) {
      k_->body = Nest(rows_, extents_, 1, std::move(body));
    } else {
      SumRows(rows, std::move(body));
    }
    if (c_.options.vectorize) Parallelize(c_, rows, cost);
    const bool parallel = k_->body[0].loop_kind == LoopKind::kParallel;
    std::vector<Stmt>& chunk = parallel ? k_->body[0].body : k_->body;
    chunk.insert(chunk.begin(), declarations_.begin(), declarations_.end());
  }

 private:
  struct Member {
    Value v;
    bool per_element = false, reduces = false;
    std::vector<size_t> reads;   // members
    int pass = 0;                // in which it is computed, or accumulated
    int last_use = -1;           // pass of the last reader
    LocalId local = -1;          // where it waits for passes after its own
    BufferId buffer = -1;
    std::vector<LocalId> sums;   // by level of the reduction
  };
  struct Column {
    Value root, partials;
    int pass = 0;
    LocalId sums = -1;
  };

  static int64_t Count(const std::vector<int64_t>& dims) {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    return n;
  }
  DType dtype(Value v) const { return c_.f.type(v).dtype; }
  Combine combine(Value root) const { return CombineOf(c_.f.producer(root)->op); }
  // Pass after which a member's value may be read: a reduction's is complete after its own.
  static int Available(const Member& m) { return m.pass + (m.reduces ? 1 : 0); }

  std::vector<size_t> Reads(Value v) const {
    std::vector<size_t> reads;
    for (Value leaf : LeavesOf(c_.f, c_.plan, v)) {
      if (const auto it = member_of_.find(leaf.id); it != member_of_.end()) reads.push_back(it->second);
    }
    return reads;
  }

  void FindMembers() {
    for (Value v : group_.epilogue) {
      Member m;
      m.v = v;
      m.per_element = WithoutOnes(c_.f.type(v).shape).size() > rows_plan_.extents.size();
      m.reduces = !m.per_element && ir::Info(c_.f.producer(v)->op).Has(ir::kReduction);
      m.reads = Reads(v);
      for (size_t r : m.reads) m.pass = std::max(m.pass, Available(members_[r]));
      member_of_[v.id] = members_.size();
      members_.push_back(std::move(m));
    }
    for (const auto& [root, to] : rows_plan_.reductions) {
      Column column{root, to};
      for (size_t r : Reads(root)) column.pass = std::max(column.pass, Available(members_[r]));
      columns_.push_back(column);
    }
  }

  // What nobody needs early is computed where it is first read.
  void FindPasses() {
    std::vector<int> first_use(members_.size(), -1);
    const auto use = [&](size_t r, int pass) {
      first_use[r] = first_use[r] < 0 ? pass : std::min(first_use[r], pass);
      members_[r].last_use = std::max(members_[r].last_use, pass);
    };
    for (const Column& column : columns_) {
      for (size_t r : Reads(column.root)) use(r, column.pass);
      last_pass_ = std::max(last_pass_, column.pass);
    }
    for (size_t i = members_.size(); i-- > 0;) {
      Member& m = members_[i];
      if (m.per_element && first_use[i] > m.pass) m.pass = first_use[i];
      for (size_t r : m.reads) use(r, m.pass);
      if (m.per_element || m.reduces) last_pass_ = std::max(last_pass_, m.pass);
    }
  }

  // Short rows are taken two at a time, pass after pass: what a pass of one waits for comes while the other is at work.
  void TakeTogether() {
    if (!c_.options.vectorize || last_pass_ == 0 || extents_.empty()) return;
    const auto power = [](int64_t n) { return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n))); };
    const auto divides = [&](int64_t n) { return extents_.back() % n == 0; };
    int64_t most = kMaxTogether, usual = power(tuning_.rows_together);
    while (!divides(most)) most /= 2;
    for (const Member& m : members_) {
      if (m.per_element && width_ * SizeOf(dtype(m.v)) > tuning_.rows_together_bytes) usual = 1;
    }
    const int64_t together = power(c_.choices->Choose("together", divides(usual) ? usual : 1, 1, most, {1, 2, 4, 8}));
    if (together == 1) return;
    together_ = together;
    extents_.back() /= together_;
    one_ = k_->AddAxis("u");
    row_.back() = AxisAffine(rows_.back(), together_);
    row_.back().Add(one_, 1);
  }

  // `position` of the row at hand, where each row of a step has `size` elements.
  Affine OfRow(int64_t size, Affine position = {}) const {
    if (together_ > 1) position.Add(one_, size);
    return position;
  }

  // Gives each value that is read after its pass a row of memory.
  void FindWaiting() {
    for (const Column& column : columns_) stack_ += width_ * SizeOf(dtype(column.root));
    std::map<size_t, int> host_until;  // by member: the last pass that reads who waits in its buffer
    for (size_t i = 0; i < members_.size(); ++i) {
      Member& m = members_[i];
      if (!m.per_element || m.last_use <= m.pass) continue;
      if (c_.stored(m.v)) {
        m.buffer = c_.builder->BufferOf(m.v, true);
        continue;
      }
      for (size_t h = 0; h < members_.size() && m.buffer < 0; ++h) {
        const Member& host = members_[h];
        const bool fits = host.per_element && c_.stored(host.v) && dtype(host.v) == dtype(m.v) &&
                          host.pass >= m.last_use && (!host_until.contains(h) || host_until[h] <= m.pass);
        if (!fits) continue;
        host_until[h] = m.last_use;
        m.buffer = c_.builder->BufferOf(host.v, true);
      }
      const int64_t bytes = together_ * width_ * SizeOf(dtype(m.v));
      if (m.buffer >= 0) continue;
      if (stack_ + bytes > tuning_.rows_stack_bytes) continue;  // computed again
      stack_ += bytes;
      m.local = k_->AddLocal("w" + std::to_string(i), dtype(m.v), together_ * width_);
      declarations_.push_back(MakeLocal(m.local, 0));
    }
  }

  // --- one pass ---

  void Pass(std::vector<Stmt>* body) {
    std::vector<size_t> sums;
    bool any = false;
    for (size_t i = 0; i < members_.size(); ++i) {
      Member& m = members_[i];
      if (m.pass != pass_) continue;
      any = any || (m.per_element && (c_.stored(m.v) || m.local >= 0 || m.buffer >= 0));
      if (!m.reduces) continue;
      int64_t n = width_;
      for (int level = 0;; ++level, n = Ceil(n, kReducedBlock)) {
        int64_t size = 1;
        while (size < std::min(n, kPartials)) size *= 2;
        m.sums.push_back(
            k_->AddLocal("p" + std::to_string(i) + (level ? "_" + std::to_string(level) : ""), dtype(m.v), size));
        if (n <= kReducedBlock) break;
      }
      sums.push_back(i);
    }
    for (Column& column : columns_) {
      if (column.pass != pass_) continue;
      any = true;
      column.sums = k_->AddLocal("s" + std::to_string(column.root.id), dtype(column.root), width_);
    }
    if (sums.empty() && !any) return;
    if (c_.options.vectorize) ComputeEarly(sums, body);
    if (sums.empty()) return Parts(body);
    size_t top = members_[sums[0]].sums.size() - 1;
    for (Stmt& s : Block(sums, top, {}, Elements(top))) body->push_back(std::move(s));
    for (size_t i : sums) c_.builder->SetValue(members_[i].v, LocalExpr(k_, members_[i].sums.back(), {}));
    if (together_ > 1) KeepScalars(body);
  }

  // What is now known of the row, for the passes after this one.
  void KeepScalars(std::vector<Stmt>* body) {
    c_.builder->SetRow(row_, {});
    std::vector<Member*> kept;
    for (Member& m : members_) {
      if (!m.per_element && (m.reduces ? m.pass == pass_ : m.pass == pass_ + 1)) kept.push_back(&m);
    }
    std::vector<ExprId> values;
    for (const Member* m : kept) values.push_back(c_.builder->Build(m->v, {}));
    for (size_t i = 0; i < kept.size(); ++i) {
      const Value v = kept[i]->v;
      const LocalId local = k_->AddLocal("q" + std::to_string(v.id), dtype(v), together_);
      declarations_.push_back(MakeScratch(local));
      body->push_back(MakeAccumulate(local, OfRow(1), Combine::kSet, values[i]));
      c_.builder->SetValue(v, LocalExpr(k_, local, OfRow(1)));
    }
  }

  // The only function in the midst of a long pass, in a loop of its own: its chain of dependent operations needs many
  // registers side by side, which the rest of the pass does not leave it.
  void ComputeEarly(const std::vector<size_t>& sums, std::vector<Stmt>* body) {
    early_ = {{}, -1};
    const std::vector<Value> computed = ComputedFor(Results(sums));
    const auto is_function = [this](Value v) { return !Info(c_.f.producer(v)->op).Has(ir::kExact); };
    const auto it = std::find_if(computed.begin(), computed.end(), is_function);
    if (std::ssize(computed) < tuning_.rows_long_pass ||
        std::count_if(computed.begin(), computed.end(), is_function) != 1)
      return;
    if (2 * ComputedFor({*it}).size() > computed.size()) return;
    const int64_t bytes = width_ * SizeOf(dtype(*it));
    if (width_ < 4 * kPartials || stack_ + bytes > tuning_.rows_stack_bytes) return;
    if (!c_.choices->Flag("early", true)) return;
    stack_ += bytes;
    const LocalId local = k_->AddLocal("f" + std::to_string(it->id), dtype(*it), width_);
    const Affine position = AxisAffine(k_->AddAxis("e"));
    const size_t before = k_->exprs.size();
    SetElement(position);
    const ExprId value = c_.builder->Build(*it, c_.builder->RowIndex(*it));
    AddCost(before);
    std::vector<Stmt> set{MakeAccumulate(local, position, Combine::kSet, value)};
    PrefetchRow(position, before, 2 * pass_, &set);
    const int64_t lanes = VectorWidth(*k_, c_.target, width_, 8);
    body->push_back(MakeLoop(position.terms[0].first, width_, LoopKind::kVector, lanes, std::move(set)));
    declarations_.push_back(MakeLocal(local, 0));
    early_ = {*it, local};
  }

  // What this pass accumulates or stores.
  std::vector<Value> Results(const std::vector<size_t>& sums) const {
    std::vector<Value> open;
    for (size_t i : sums) open.push_back(c_.f.producer(members_[i].v)->operands[0]);
    for (const Column& c : columns_) {
      if (c.pass == pass_) open.push_back(c_.f.producer(c.root)->operands[0]);
    }
    for (const Member& m : members_) {
      if (m.pass == pass_ && m.per_element) open.push_back(m.v);
    }
    return open;
  }

  // The values, one per element, of elementwise ops that this pass evaluates for these.
  std::vector<Value> ComputedFor(std::vector<Value> open) const {
    std::vector<Value> out;
    std::set<int32_t> seen;
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      const auto member = member_of_.find(v.id);
      const Member* m = member == member_of_.end() ? nullptr : &members_[member->second];
      const bool known = m != nullptr && (m->pass != pass_ || m->reduces);
      const bool own = c_.plan.kernel_of[static_cast<size_t>(v.id)] == c_.group_index;
      const bool loaded = !own && c_.plan.views[static_cast<size_t>(v.id)].has_value();
      const ir::Node* node = c_.f.producer(v);
      if (known || loaded || node == nullptr || !seen.insert(v.id).second) continue;
      open.insert(open.end(), node->operands.begin(), node->operands.end());
      const bool per_element = WithoutOnes(c_.f.type(v).shape).size() > rows_plan_.extents.size();
      if (per_element && Info(node->op).Has(ir::kElementwise)) out.push_back(v);
    }
    return out;
  }

  // From now on values are those of the element at `position`.
  void SetElement(const Affine& position) {
    c_.builder->SetRow(row_, position);
    for (const Member& m : members_) {
      if (m.pass >= pass_ || m.last_use < pass_ || (m.local < 0 && m.buffer < 0)) continue;
      c_.builder->SetValue(m.v, Waiting(m, position));
    }
    if (early_.second >= 0) c_.builder->SetValue(early_.first, LocalExpr(k_, early_.second, position));
  }

  // A pass without reductions over the row: a loop for each part that padding cuts it into.
  void Parts(std::vector<Stmt>* body) {
    const std::vector<int64_t> bounds = Cuts();
    for (size_t p = 1; p < bounds.size(); ++p) {
      const AxisId e = k_->AddAxis("e");
      const int64_t count = bounds[p] - bounds[p - 1];
      Affine position = AxisAffine(e);
      position.constant = bounds[p - 1];
      if (bounds.size() > 2) c_.builder->SetExtent(e, count);
      std::vector<Stmt> elements = Element({}, position, {});
      cost_ += element_cost_ * count / width_ - element_cost_;  // of an element of the whole row
      body->push_back(MakeLoop(e, count, LoopKind::kVector, Lanes(count), std::move(elements)));
    }
  }

  // Where parts of a row begin, and its end. One part if there is more than one pass, or parts are short.
  std::vector<int64_t> Cuts() const {
    std::vector<int64_t> bounds{0};
    if (last_pass_ == 0 && c_.options.vectorize) {
      Kernel scratch;
      ExprBuilder builder(c_.f, c_.plan, c_.group_index, &scratch);
      Index row;
      for (size_t i = 0; i < rows_.size(); ++i) row.push_back(AxisAffine(scratch.AddAxis("i")));
      const AxisId inner = scratch.AddAxis("e");
      builder.SetExtent(inner, width_);
      builder.SetRow(row, AxisAffine(inner));
      for (const Member& m : members_) builder.Build(m.v, {});
      for (const Column& column : columns_) {
        const Value x = c_.f.producer(column.root)->operands[0];
        builder.Build(x, builder.RowIndex(x));
      }
      const auto it = builder.cuts().find(inner);
      if (it != builder.cuts().end()) bounds.insert(bounds.end(), it->second.begin(), it->second.end());
    }
    bounds.push_back(width_);
    for (size_t p = 1; p < bounds.size(); ++p) {
      if (bounds[p] - bounds[p - 1] < tuning_.min_part) return {0, width_};
    }
    return static_cast<int64_t>(bounds.size()) > kMaxUnrolled ? std::vector<int64_t>{0, width_} : bounds;
  }

  // Elements of level l: those of the row, then sums of blocks.
  int64_t Elements(size_t level) const {
    int64_t n = width_;
    for (size_t l = 0; l < level; ++l) n = Ceil(n, kReducedBlock);
    return n;
  }

  // Reduces `count` elements of level l from base on; both are multiples of kReducedBlock but in the last block.
  std::vector<Stmt> Block(const std::vector<size_t>& sums, size_t l, const Affine& base, int64_t count) {
    std::vector<Stmt> out;
    for (size_t i : sums) {
      const Member& m = members_[i];
      out.push_back(MakeLocal(m.sums[l], IdentityBits(combine(m.v), dtype(m.v))));
    }
    // All elements below level 0 are whole blocks but perhaps the very last.
    const bool last = base.terms.empty() && base.constant + count == Elements(l);
    const bool ragged = l > 0 && last && Elements(l - 1) % kReducedBlock != 0;
    const int64_t whole = ragged ? count - 1 : count;
    const auto position = [&](const Affine& from, AxisId axis) {
      Affine a = from;
      a.Add(axis, 1);
      return a;
    };
    const auto lanes = [&](const Affine& from, int64_t n) {
      const AxisId j = k_->AddAxis("j");
      if (l == 0) {
        std::vector<Stmt> elements = Element(sums, position(from, j), AxisAffine(j));
        return MakeLoop(j, n, LoopKind::kVector, Lanes(n), std::move(elements));
      }
      return MakeLoop(j, n, LoopKind::kSerial, 1, Below(sums, l, position(from, j), AxisAffine(j), kReducedBlock));
    };
    const int64_t full = whole / kPartials, rest = whole % kPartials;
    if (full == 1) out.push_back(lanes(base, kPartials));
    if (full > 1) {
      const AxisId r = k_->AddAxis("r");
      Affine from = base;
      from.Add(r, kPartials);
      std::vector<Stmt> body;
      body.push_back(lanes(from, kPartials));
      out.push_back(MakeLoop(r, full, LoopKind::kSerial, 1, std::move(body)));
    }
    Affine from = base;
    from.constant += full * kPartials;
    if (rest > 0) out.push_back(lanes(from, rest));
    if (ragged) {
      Affine at, partial;
      at.constant = base.constant + whole;
      partial.constant = whole % kPartials;
      for (Stmt& s : Below(sums, l, at, partial, Elements(l - 1) % kReducedBlock)) out.push_back(std::move(s));
    }
    for (size_t i : sums) {
      const LocalId p = members_[i].sums[l];
      if (k_->locals[static_cast<size_t>(p)].size > 1) out.push_back(MakeTree(p, combine(members_[i].v)));
    }
    return out;
  }

  // Block `at` of the level below, of `count` elements, into one partial.
  std::vector<Stmt> Below(const std::vector<size_t>& sums, size_t l, const Affine& at, const Affine& partial,
                          int64_t count) {
    Affine base;
    base.Add(at, kReducedBlock);
    std::vector<Stmt> out = Block(sums, l - 1, base, count);
    for (size_t i : sums) {
      const Member& m = members_[i];
      out.push_back(MakeAccumulate(m.sums[l], partial, combine(m.v), LocalExpr(k_, m.sums[l - 1], {})));
    }
    return out;
  }

  // What the pass does with the element at `position`, whose partial sums are `partial`.
  std::vector<Stmt> Element(const std::vector<size_t>& sums, const Affine& position, const Affine& partial) {
    ExprBuilder& b = *c_.builder;
    const size_t before = k_->exprs.size();
    SetElement(position);
    std::vector<Stmt> out, stores;
    const auto operand = [&](Value root) {
      const Value x = c_.f.producer(root)->operands[0];
      return b.Build(x, b.RowIndex(x));
    };
    for (size_t i : sums) {
      const Member& m = members_[i];
      out.push_back(MakeAccumulate(m.sums[0], partial, combine(m.v), operand(m.v)));
    }
    for (const Column& c : columns_) {
      if (c.pass == pass_) out.push_back(MakeAccumulate(c.sums, position, combine(c.root), operand(c.root)));
    }
    for (const Member& m : members_) {
      if (m.pass != pass_ || !m.per_element) continue;
      if (m.local >= 0) {
        out.push_back(MakeAccumulate(m.local, OfRow(width_, position), Combine::kSet, b.Build(m.v, {})));
      }
      const BufferId to = c_.stored(m.v) ? b.BufferOf(m.v, true) : m.buffer;
      if (to >= 0) stores.push_back(MakeStore(to, b.Flat(m.v, b.RowIndex(m.v)), b.Build(m.v, {})));
    }
    for (Stmt& s : stores) out.push_back(std::move(s));
    AddCost(before);
    if (c_.options.vectorize) PrefetchRow(position, before, 2 * pass_ + 1, &out);
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

  // While a heavy pass works on a row, what it touches in a following one, each buffer in one loop. Of long rows only
  // what a first pass will read: the hardware fetches what a pass walks along. Past the end of a row it sees too late,
  // unless rows are short.
  void PrefetchRow(const Affine& position, size_t begin, int loop, std::vector<Stmt>* out) {
    const int64_t l2 = c_.target.machine.l2_bytes;
    for (Stmt& s : Prefetches(*k_, begin, *out, position.terms.back().first, rows_.back())) {
      const KernelBuffer& buffer = k_->buffers[static_cast<size_t>(s.buffer)];
      if (pass_ == 0 && !buffer.is_output) first_read_.insert(s.buffer);
      if (pass_ == 0 || element_cost_ <= tuning_.rows_light_cycles) continue;
      const int64_t bytes = width_ * SizeOf(buffer.dtype);
      const bool far = bytes < tuning_.rows_prefetch_max_bytes ? Count(rows_plan_.extents) * bytes > l2
                                                               : first_read_.contains(s.buffer) && bytes <= l2 / 4;
      if (!far || bytes < tuning_.rows_prefetch_min_bytes || !c_.choices->Flag("prefetch", true) ||
          prefetched_.emplace(s.buffer, loop).first->second != loop)
        continue;
      s.index.constant += Ceil(tuning_.rows_prefetch_distance, together_ * bytes) * s.index.coefficient(rows_.back());
      out->push_back(std::move(s));
    }
  }

  // A member that an earlier pass computed.
  ExprId Waiting(const Member& m, const Affine& position) {
    if (m.local >= 0) return LocalExpr(k_, m.local, OfRow(width_, position));
    Expr e;
    e.kind = Expr::Kind::kLoad;
    e.dtype = dtype(m.v);
    e.buffer = m.buffer;
    e.index = c_.builder->Flat(m.v, c_.builder->RowIndex(m.v));
    return k_->AddExpr(std::move(e));
  }

  // All 64 partials at once for light elements, four registers for heavier ones: chains of dependent operations side
  // by side hide each other's latency.
  int64_t Lanes(int64_t n) const {
    if (!c_.options.vectorize) return 1;
    int64_t width = kPartials;
    if (element_cost_ > tuning_.rows_light_cycles) {
      const auto registers = static_cast<uint64_t>(c_.choices->Choose("registers", 4, 1, 8, {1, 2, 4, 8}));
      width = std::min(width, VectorWidth(*k_, c_.target, n, static_cast<int>(std::bit_floor(registers))));
    }
    while (width > 1 && width / 2 >= n) width /= 2;
    return width;
  }

  void StoreScalars(std::vector<Stmt>* body) {
    c_.builder->SetRow(row_, {});
    for (const Member& m : members_) {
      if (m.per_element || !c_.stored(m.v)) continue;
      const ExprId value = c_.builder->Build(m.v, {});
      const Affine at = c_.builder->Flat(m.v, c_.builder->RowIndex(m.v));
      body->push_back(MakeStore(c_.builder->BufferOf(m.v, true), at, value));
    }
  }

  void SumRows(int64_t rows, std::vector<Stmt> body) {
    std::vector<RowSums> sums;
    for (const Column& c : columns_) {
      sums.push_back({c.sums, c_.builder->BufferOf(c.partials, true), combine(c.root), dtype(c.root)});
    }
    element_cost_ = 1;
    SumOverRows(k_, sums, rows_[0], rows, together_, width_, Lanes(width_), std::move(body));
  }

  const ScheduleContext& c_;
  const Tuning& tuning_;
  Kernel* k_;
  const KernelPlan& group_;
  const RowWiseKernel& rows_plan_;
  const int64_t width_;
  std::vector<AxisId> rows_;
  std::vector<int64_t> extents_;  // of steps, along these
  int64_t together_ = 1;  // rows in each step
  AxisId one_ = -1;  // of these
  Index row_;
  std::vector<Member> members_;
  std::map<int32_t, size_t> member_of_;  // by value
  std::vector<Column> columns_;
  std::vector<Stmt> declarations_;  // of rows that wait on the stack: one for all rows of a chunk
  std::pair<Value, LocalId> early_{{}, -1};  // what is computed before the rest of this pass, and where it waits
  std::set<BufferId> first_read_;  // by the first pass
  std::map<BufferId, int> prefetched_;  // by which loop: 2 pass + 1, one less for what is computed early
  int pass_ = 0, last_pass_ = 0;
  int64_t element_cost_ = 1, cost_ = 0;
  int64_t stack_ = 0;  // bytes of rows that wait there
};

}  // namespace

void ScheduleRows(const ScheduleContext& context) { RowSchedule(context).Run(); }

}  // namespace reel::codegen
