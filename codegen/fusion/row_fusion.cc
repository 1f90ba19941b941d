#include "codegen/fusion/row_fusion.h"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/fusion/renumber.h"
#include "codegen/loop/ceil.h"
#include "codegen/plan/cycle_guard.h"
#include "codegen/plan/rules.h"
#include "codegen/plan/view.h"
#include "codegen/schedule/expr_builder.h"
#include "codegen/schedule/schedule.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

int64_t Product(const Ints& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

// How a group walks rows: once a row, or once an element of a row.
struct Form {
  bool ok = false;
  bool column = false;  // a reduction over the rows themselves
  Ints rows;
  int64_t width = 0;
};

struct Region {
  Form form;
  std::vector<int> parts;  // groups; of those that sum over rows only what makes the partial sums
  HashSet<int32_t> reads;  // values
  int last = 0;
  int nodes = 0;
  bool reduces = false;
  bool flat = true;  // every access walks the rows as one axis
  int64_t column_bytes = 0;
};

class RowFuser {
 public:
  RowFuser(ir::Function* f, const Tuning& tuning, PlanGraph* plan)
      : f_(*f), tuning_(tuning), out_(*plan), mutable_f_(f) {
    const size_t n = out_.kernels.size();
    leaves_.resize(n);
    post_leaves_.resize(n);
    summed_.assign(n, false);
    for (size_t g = 0; g < n; ++g) FindLeaves(g);
    for (size_t g = 0; g < n; ++g) guard_.Add(static_cast<int>(g));
  }

  void Run() {
    const auto n = static_cast<int>(out_.kernels.size());
    for (int g = 0; g < n; ++g) Place(g);
    const bool any = std::any_of(regions_.begin(), regions_.end(), [this](const Region& r) { return Worthwhile(r); });
    for (size_t r = 0; r < regions_.size(); ++r) Worthwhile(regions_[r]) ? Make(r) : Dissolve(r);
    if (!any) return;
    FindStored();
    Order();
  }

 private:
  const KernelPlan& group(int g) const { return out_.kernels[static_cast<size_t>(g)]; }
  const Shape& shape(Value v) const { return f_.type(v).shape; }
  Value OperandOf(Value root) const { return f_.producer(root)->operands[0]; }

  void FindLeaves(size_t g) {
    const KernelPlan& group = out_.kernels[g];
    const auto add = [&](Value v, std::vector<Value>* to) {
      for (Value leaf : LeavesOf(f_, out_, v)) to->push_back(leaf);
    };
    const bool column = FormOf(group).column;
    for (Value v : group.producer) add(v, &leaves_[g]);
    if (group.root.valid()) add(group.root, &leaves_[g]);
    for (Value v : group.epilogue) add(v, column ? &post_leaves_[g] : &leaves_[g]);
  }

  Form FormOf(const KernelPlan& group) const {
    Form form;
    if (group.kind() == KernelKind::kReduce) {
      const Shape& from = shape(OperandOf(group.root));
      const auto& axes = f_.producer(group.root)->attr<Ints>("axes");
      Ints dims, reduced;
      for (int i = 0; i < from.rank(); ++i) {
        if (from.dim(i) == 1) continue;
        dims.push_back(from.dim(i));
        reduced.push_back(std::binary_search(axes.begin(), axes.end(), i));
      }
      if (dims.size() < 2) return form;
      const bool last = reduced.back();
      for (size_t i = 0; i + 1 < dims.size(); ++i) {
        if (static_cast<bool>(reduced[i]) == last) return form;
      }
      form = {true, !last, dims, dims.back()};
    } else if (group.kind() == KernelKind::kMap && !group.epilogue.empty()) {
      const Ints dims = WithoutOnes(shape(group.epilogue[0]));
      if (dims.size() < 2) return form;
      form = {true, false, dims, dims.back()};
    }
    if (!form.ok) return form;
    form.rows.pop_back();
    const int64_t rows = Product(form.rows), bytes = form.width * 8;
    form.ok = form.width >= tuning_.rows_min_width && bytes <= tuning_.rows_max_bytes &&
              (rows >= tuning_.rows_min_rows || rows * form.width <= tuning_.rows_small);
    if (form.column && (rows < tuning_.row_sums_min_rows || rows * form.width < tuning_.row_sums_min_elements))
      form.ok = false;
    return form;
  }

  // The region or group that computes a value, as a number; -1: nothing.
  int Owner(Value v) const { return out_.kernel_of[v.index()]; }
  int RegionNumber(int r) const { return static_cast<int>(out_.kernels.size()) + r; }
  int RegionOf(int owner) const { return owner - static_cast<int>(out_.kernels.size()); }

  template <typename Visit>
  void VisitInputs(int owner, Visit visit) const {
    const auto all = [&](const std::vector<Value>& leaves) {
      for (Value v : leaves) {
        if (Owner(v) >= 0 && Owner(v) != owner) visit(Owner(v));
      }
    };
    if (const int r = RegionOf(owner); r >= 0) {
      for (int part : regions_[static_cast<size_t>(r)].parts) all(leaves_[static_cast<size_t>(part)]);
      return;
    }
    const auto g = static_cast<size_t>(owner);
    if (summed_[g]) visit(RegionNumber(region_of_part_.at(owner)));
    if (!summed_[g]) all(leaves_[g]);
    all(post_leaves_[g]);
  }

  int LastOf(int owner) const {
    const int r = RegionOf(owner);
    return r >= 0 ? regions_[static_cast<size_t>(r)].last : owner;
  }

  // Whether these regions, and these groups, may become one.
  bool MayBecomeOne(std::vector<int> regions, const std::vector<int>& parts) {
    std::vector<int> inputs;
    for (int g : parts) {
      for (Value v : leaves_[static_cast<size_t>(g)]) {
        if (Owner(v) >= 0 && Owner(v) != g) inputs.push_back(Owner(v));
      }
    }
    for (int& r : regions) r = RegionNumber(r);
    return guard_.MayBecomeOne(regions, inputs, [this](int owner, auto visit) { VisitInputs(owner, visit); });
  }

  // What the accesses of group g, which still owns its values, are like as part of region r (-1: alone).
  struct Accesses {
    bool in_row = true;  // of the region's values: at the own row and position only
    bool flat = true;
    bool contiguous = true;  // lanes along the row are neighbours in memory
  };
  Accesses Probe(int g, const Form& form, int r) const {
    const KernelPlan& group = out_.kernels[static_cast<size_t>(g)];
    Kernel kernel;
    ExprBuilder builder(f_, out_, g, &kernel);
    RowAxes axes{&kernel, form.rows};
    const auto dims = [this](Value v) { return WithoutOnes(shape(v)).size(); };
    const auto build = [&](Value v) {
      if (v == group.root) {
        builder.BuildOperand(v, 0, axes.IndexOf(shape(OperandOf(v))));
        builder.SetRoot(v, builder.Constant(f_.type(v).dtype, 0));
      } else if (dims(v) >= form.rows.size()) {
        builder.Build(v, axes.IndexOf(shape(v)));
      }
    };
    for (Value v : group.producer) build(v);
    if (group.root.valid()) build(group.root);
    if (!form.column) {
      for (Value v : group.epilogue) build(v);
    }
    Accesses out;
    for (const Expr& e : kernel.exprs) {
      for (size_t i = 1; i < form.rows.size(); ++i) {
        const int64_t outer = e.index.coefficient(axes.rows[i - 1]), inner = e.index.coefficient(axes.rows[i]);
        out.flat = out.flat && outer == inner * form.rows[i];
      }
      if (e.kind != Expr::Kind::kLoad) continue;
      const int64_t step = e.index.coefficient(axes.inner);
      out.contiguous = out.contiguous && (step == 0 || step == 1);
      if (r < 0) continue;
      const Value base = builder.bound()[static_cast<size_t>(e.buffer)];
      if (Owner(base) != RegionNumber(r)) continue;
      const bool own = e.dynamic < 0 && e.guard < 0 && e.index == builder.Flat(base, axes.IndexOf(shape(base)));
      out.in_row = out.in_row && own;
    }
    return out;
  }

  // Axes of rows and of the elements of a row, for Probe.
  struct RowAxes {
    RowAxes(Kernel* kernel, const Ints& extents) {
      for (size_t i = 0; i < extents.size(); ++i) rows.push_back(kernel->AddAxis("r"));
      inner = kernel->AddAxis("i");
    }
    codegen::Index IndexOf(const Shape& shape) const {
      codegen::Index index;
      size_t next = 0;
      for (int64_t n : shape.dims()) {
        index.emplace_back();
        if (n == 1) continue;
        index.back() = AxisAffine(next < rows.size() ? rows[next] : inner);
        ++next;
      }
      return index;
    }
    std::vector<AxisId> rows;
    AxisId inner;
  };

  void Place(int g) {
    const KernelPlan& group = out_.kernels[static_cast<size_t>(g)];
    if (group.kind() != KernelKind::kMap && group.kind() != KernelKind::kReduce) return;
    const Form form = FormOf(group);
    std::set<int> candidates;
    for (Value v : leaves_[static_cast<size_t>(g)]) {
      if (Owner(v) >= 0 && RegionOf(Owner(v)) >= 0) candidates.insert(RegionOf(Owner(v)));
    }
    if (form.ok) {
      const auto it = latest_.find({form.rows, form.width});
      if (it != latest_.end() && ReadsTheSame(it->second, g)) candidates.insert(it->second);
    }
    for (auto it = candidates.rbegin(); it != candidates.rend(); ++it) {
      if (!Join(*it, g, form)) continue;
      for (auto other = std::next(it); other != candidates.rend(); ++other) Unite(*other, *it);
      return;
    }
    if (!form.ok) return;
    const Accesses alone = Probe(g, form, -1);
    if (!alone.contiguous || (form.column && !alone.flat)) return;
    Region region;
    region.form = form;
    regions_.push_back(std::move(region));
    guard_.Add(guard_.rank(g));
    latest_[{form.rows, form.width}] = static_cast<int>(regions_.size()) - 1;
    Add(static_cast<int>(regions_.size()) - 1, g, form.column, alone.flat);
  }

  bool ReadsTheSame(int r, int g) const {
    const HashSet<int32_t>& read = regions_[static_cast<size_t>(r)].reads;
    const std::vector<Value>& leaves = leaves_[static_cast<size_t>(g)];
    return std::any_of(leaves.begin(), leaves.end(), [&read](Value v) { return read.contains(v.id); });
  }

  // A map of one value per row fits too.
  bool Fits(const Region& region, const KernelPlan& group, const Form& form) const {
    if (form.ok && form.rows == region.form.rows && form.width == region.form.width) return true;
    if (group.kind() != KernelKind::kMap) return false;
    return Holds(Rule::kRowsExtents, WithoutOnes(shape(group.epilogue[0])) == region.form.rows);
  }

  bool Join(int r, int g, const Form& form) {
    const Region& region = regions_[static_cast<size_t>(r)];
    const KernelPlan& group = out_.kernels[static_cast<size_t>(g)];
    if (!Fits(region, group, form) || region.nodes + group.nodes > tuning_.max_kernel_ops) return false;
    Form as = region.form;
    as.column = form.ok && form.column;
    const int64_t bytes = as.column ? ColumnBytes(g, as) : 0;
    if (region.column_bytes + bytes > tuning_.row_sums_max_bytes) return false;
    if (!Holds(Rule::kRowsAcyclic, MayBecomeOne({r}, {g}))) return false;
    const Accesses accesses = Probe(g, as, r);
    if (!Holds(Rule::kRowsOwnRow, accesses.in_row) || !accesses.contiguous) return false;
    if (region.column_bytes + bytes > 0 && !Holds(Rule::kRowsFlat, region.flat && accesses.flat)) return false;
    Add(r, g, as.column, accesses.flat);
    return true;
  }

  // Makes region q, which now has a part in common with r, a part of r.
  bool Unite(int r, int q) {
    Region &to = regions_[static_cast<size_t>(r)], &from = regions_[static_cast<size_t>(q)];
    const int64_t bytes = to.column_bytes + from.column_bytes;
    if (to.form.rows != from.form.rows || to.form.width != from.form.width ||
        to.nodes + from.nodes > tuning_.max_kernel_ops || bytes > tuning_.row_sums_max_bytes ||
        (bytes > 0 && !(to.flat && from.flat))) {
      return false;
    }
    std::vector<int> parts = to.parts;
    parts.insert(parts.end(), from.parts.begin(), from.parts.end());
    if (!Holds(Rule::kRowsUniteAcyclic, MayBecomeOne({r, q}, parts))) return false;
    for (int g : from.parts) Own(g, RegionNumber(r));
    for (int g : parts) {
      Form as = to.form;
      as.column = summed_[static_cast<size_t>(g)];
      Own(g, g);
      const bool in_row = Holds(Rule::kRowsUniteOwnRow, Probe(g, as, r).in_row);
      Own(g, RegionNumber(r));
      if (in_row) continue;
      for (int back : from.parts) Own(back, RegionNumber(q));
      return false;
    }
    std::sort(parts.begin(), parts.end());
    for (int g : from.parts) region_of_part_[g] = r;
    to.parts = std::move(parts);
    to.reads.insert(from.reads.begin(), from.reads.end());
    to.last = std::max(to.last, from.last);
    to.nodes += from.nodes;
    to.reduces = to.reduces || from.reduces;
    to.flat = to.flat && from.flat;
    to.column_bytes = bytes;
    from = {};
    latest_[{to.form.rows, to.form.width}] = r;
    return true;
  }

  int64_t ColumnBytes(int g, const Form& form) const {
    return form.width * SizeOf(f_.type(out_.kernels[static_cast<size_t>(g)].root).dtype);
  }

  void Add(int r, int g, bool column, bool flat) {
    Region& region = regions_[static_cast<size_t>(r)];
    const KernelPlan& group = out_.kernels[static_cast<size_t>(g)];
    region.parts.push_back(g);
    region.last = g;
    region.nodes += group.nodes;
    for (Value v : leaves_[static_cast<size_t>(g)]) region.reads.insert(v.id);
    region.reduces = region.reduces || group.root.valid();
    region.flat = region.flat && flat;
    region_of_part_[g] = r;
    if (column) {
      region.column_bytes += ColumnBytes(g, region.form);
      summed_[static_cast<size_t>(g)] = true;
    }
    Own(g, RegionNumber(r));
  }

  // What group g computes, or of a sum over rows what makes its partial sums, belongs to `owner`.
  void Own(int g, int owner) {
    const KernelPlan& group = out_.kernels[static_cast<size_t>(g)];
    for (Value v : group.producer) out_.kernel_of[v.index()] = owner;
    if (summed_[static_cast<size_t>(g)]) return;
    if (group.root.valid()) out_.kernel_of[group.root.index()] = owner;
    for (Value v : group.epilogue) out_.kernel_of[v.index()] = owner;
  }

  bool Worthwhile(const Region& region) const {
    return region.reduces && (region.parts.size() > 1 || region.column_bytes > 0);
  }

  void Dissolve(size_t r) {
    for (int part : regions_[r].parts) {
      summed_[static_cast<size_t>(part)] = false;
      Own(part, part);
    }
    regions_[r].parts.clear();
  }

  void Make(size_t r) {
    Region& region = regions_[r];
    KernelPlan merged;
    RowWiseKernel rows{region.form.rows, region.form.width, {}};
    merged.nodes = region.nodes;
    for (int part : region.parts) {
      KernelPlan& from = out_.kernels[static_cast<size_t>(part)];
      merged.last = std::max(merged.last, from.last);
      std::vector<Value>& members = merged.epilogue;
      members.insert(members.end(), from.producer.begin(), from.producer.end());
      from.producer.clear();
      if (summed_[static_cast<size_t>(part)]) {
        const int64_t groups = Ceil(Product(rows.extents), kPartials);
        const Value to = AddPartials(mutable_f_, &out_, from.root, {groups, rows.width});
        from.detail = ReduceKernel{ReduceKernel::Stage::kFinal, to};
        rows.reductions.push_back({from.root, to});
        continue;
      }
      if (from.root.valid()) members.push_back(from.root);
      members.insert(members.end(), from.epilogue.begin(), from.epilogue.end());
    }
    merged.detail = std::move(rows);
    std::sort(merged.epilogue.begin(), merged.epilogue.end());
    merged_[static_cast<int>(r)] = std::move(merged);
  }

  // A value of a region is stored if others read it, or it is a result.
  void FindStored() {
    std::vector<bool> needed(out_.stored.size(), false);
    for (Value v : f_.results()) needed[v.index()] = true;
    const auto n = static_cast<int>(leaves_.size());
    for (int g = 0; g < n; ++g) {
      const auto read = [&](const std::vector<Value>& leaves, int reader) {
        for (Value v : leaves) needed[v.index()] = needed[v.index()] || Owner(v) != reader;
      };
      const auto it = region_of_part_.find(g);
      const bool merged = it != region_of_part_.end() && merged_.contains(it->second);
      read(leaves_[static_cast<size_t>(g)], merged ? RegionNumber(it->second) : g);
      read(post_leaves_[static_cast<size_t>(g)], g);
    }
    for (const auto& [r, merged] : merged_) {
      for (Value v : merged.epilogue) out_.stored[v.index()] = needed[v.index()];
    }
  }

  // Topological order with the regions in the place of their last part; ties as before.
  void Order() {
    std::vector<int> owners;
    for (int g = 0; g < static_cast<int>(leaves_.size()); ++g) {
      const auto it = region_of_part_.find(g);
      const bool merged = it != region_of_part_.end() && merged_.contains(it->second);
      if (!merged || summed_[static_cast<size_t>(g)]) owners.push_back(g);
    }
    for (const auto& [r, merged] : merged_) owners.push_back(RegionNumber(r));
    std::vector<int> place(out_.kernels.size() + regions_.size(), -1);
    std::map<int, int> missing;
    std::map<int, std::vector<int>> users, inputs;
    std::set<std::pair<int, int>> ready;
    for (int o : owners) {
      HashSet<int> seen;
      VisitInputs(o, [&](int d) {
        if (!seen.insert(d).second) return;
        users[d].push_back(o);
        inputs[o].push_back(d);
      });
      missing[o] = static_cast<int>(seen.size());
      if (missing[o] == 0) ready.insert({LastOf(o), o});
    }
    std::vector<KernelPlan> ordered;
    const auto append = [&](int o) {
      place[static_cast<size_t>(o)] = static_cast<int>(ordered.size());
      KernelPlan& group = RegionOf(o) >= 0 ? merged_.at(RegionOf(o)) : out_.kernels[static_cast<size_t>(o)];
      ordered.push_back(std::move(group));
      ordered.back().inputs = std::move(inputs[o]);
      for (const auto& [root, to] : ordered.back().Partials()) out_.kernel_of[to.index()] = o;
    };
    while (!ready.empty()) {
      const int o = ready.begin()->second;
      ready.erase(ready.begin());
      append(o);
      for (int u : users[o]) {
        if (--missing[u] == 0) ready.insert({LastOf(u), u});
      }
    }
    for (int o : owners) {  // that wait for each other, which VerifyPlan refuses
      if (place[static_cast<size_t>(o)] < 0) append(o);
    }
    ReplaceKernels(&out_, std::move(ordered), place);
  }

  const ir::Function& f_;
  const Tuning& tuning_;
  PlanGraph& out_;
  ir::Function* mutable_f_;
  CycleGuard guard_;  // of owners
  std::vector<Region> regions_;
  std::map<std::pair<Ints, int64_t>, int> latest_;          // by rows and width: the last region
  std::map<int, int> region_of_part_;                       // by group
  std::map<int, KernelPlan> merged_;                             // by region
  std::vector<bool> summed_;                                // by group: a region makes its partial sums
  std::vector<std::vector<Value>> leaves_, post_leaves_;    // by group; those of what follows a sum over rows
};

}  // namespace

Value AddPartials(ir::Function* f, PlanGraph* plan, Value root, const Shape& shape) {
  const Node& node = *f->producer(root);
  const Value operand = node.operands[0];  // before the nodes move
  const Op op = node.op == Op::kContract ? Op::kReduceSum : node.op;
  const Value v = f->AddNode(op, {operand}, nullptr, {{f->type(root).dtype, shape}}).result();
  plan->materialized.push_back(true);
  plan->views.push_back(View{v, 0, RowMajorStrides(shape)});
  plan->kernel_of.push_back(-1);
  plan->stored.push_back(true);
  return v;
}

void FuseRows(ir::Function* f, const Tuning& tuning, PlanGraph* plan) { RowFuser(f, tuning, plan).Run(); }

}  // namespace reel::codegen
