#include "codegen/fusion/row_regions.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "codegen/plan/cycle_guard.h"
#include "codegen/plan/rules.h"
#include "codegen/plan/view.h"

namespace reel::codegen {
namespace {

using ir::Value;

class RegionFinder {
 public:
  RegionFinder(const ir::Function& f, const Tuning& tuning, PlanGraph* plan)
      : f_(f), tuning_(tuning), plan_(*plan), out_{*plan, {}, {}, {}, {}, {}} {
    const size_t n = plan->kernels.size();
    out_.summed.assign(n, false);
    out_.leaves.resize(n);
    out_.post_leaves.resize(n);
    for (int g = 0; g < out_.num_kernels(); ++g) {
      FindLeaves(g);
      guard_.Add(g);
    }
  }

  RowRegions Run() {
    for (int g = 0; g < out_.num_kernels(); ++g) Place(g);
    for (RowRegion& r : out_.regions) {
      if (!r.Worthwhile()) Dissolve(&r);
    }
    return std::move(out_);
  }

 private:
  RowRegion& region(int r) { return out_.regions[static_cast<size_t>(r)]; }
  const std::vector<Value>& leaves(int g) const { return out_.leaves[static_cast<size_t>(g)]; }

  void FindLeaves(int g) {
    const KernelPlan& kernel = plan_.kernel(g);
    const auto i = static_cast<size_t>(g);
    const auto add = [&](Value v, std::vector<Value>* to) {
      for (Value leaf : LeavesOf(f_, plan_, v)) to->push_back(leaf);
    };
    const bool column = RowFormOf(f_, kernel, tuning_).column;
    for (Value v : kernel.producer) add(v, &out_.leaves[i]);
    if (kernel.root.valid()) add(kernel.root, &out_.leaves[i]);
    for (Value v : kernel.epilogue) add(v, column ? &out_.post_leaves[i] : &out_.leaves[i]);
  }

  // Whether these regions, and these kernels, may become one.
  bool MayBecomeOne(std::vector<int> regions, const std::vector<int>& parts) {
    std::vector<int> inputs;
    for (int g : parts) {
      for (Value v : leaves(g)) {
        if (out_.OwnerOf(v) >= 0 && out_.OwnerOf(v) != g) inputs.push_back(out_.OwnerOf(v));
      }
    }
    for (int& r : regions) r = out_.NumberOf(r);
    return guard_.MayBecomeOne(regions, inputs, [this](int owner, auto visit) { out_.VisitInputs(owner, visit); });
  }

  // As part of region r, or with -1 alone.
  RowAccesses AccessesOf(int g, const RowForm& form, int r) const {
    return RowAccessesOf(f_, plan_, g, form, [&](Value v) { return r >= 0 && out_.OwnerOf(v) == out_.NumberOf(r); });
  }

  // Regions whose values kernel g reads, and the last one that walks the same rows and reads the same.
  std::vector<int> CandidatesFor(int g, const RowForm& form) const {
    std::set<int> candidates;
    for (Value v : leaves(g)) {
      if (out_.OwnerOf(v) >= 0 && out_.RegionOf(out_.OwnerOf(v)) >= 0)
        candidates.insert(out_.RegionOf(out_.OwnerOf(v)));
    }
    const auto it = form.ok ? latest_.find({form.rows, form.width}) : latest_.end();
    if (it != latest_.end()) {
      const HashSet<int32_t>& read = out_.regions[static_cast<size_t>(it->second)].reads;
      const auto reads_it = [&read](Value v) { return read.contains(v.id); };
      if (std::any_of(leaves(g).begin(), leaves(g).end(), reads_it)) candidates.insert(it->second);
    }
    return {candidates.rbegin(), candidates.rend()};
  }

  void Place(int g) {
    const KernelPlan& kernel = plan_.kernel(g);
    if (kernel.kind() != KernelKind::kMap && kernel.kind() != KernelKind::kReduce) return;
    const RowForm form = RowFormOf(f_, kernel, tuning_);
    const std::vector<int> candidates = CandidatesFor(g, form);
    for (auto it = candidates.begin(); it != candidates.end(); ++it) {
      if (!Join(*it, g, form)) continue;
      for (auto other = std::next(it); other != candidates.end(); ++other) Unite(*other, *it);
      return;
    }
    if (!form.ok) return;
    const RowAccesses alone = AccessesOf(g, form, -1);
    if (!alone.contiguous || (form.column && !alone.flat)) return;
    const auto r = static_cast<int>(out_.regions.size());
    out_.regions.emplace_back().form = form;
    guard_.Add(guard_.rank(g));
    latest_[{form.rows, form.width}] = r;
    Add(r, g, form.column, alone.flat);
  }

  // A map of one value per row fits too.
  bool Fits(const RowRegion& region, const KernelPlan& kernel, const RowForm& form) const {
    if (form.ok && form.rows == region.form.rows && form.width == region.form.width) return true;
    if (kernel.kind() != KernelKind::kMap) return false;
    return Holds(Rule::kRowsExtents, WithoutOnes(f_.type(kernel.epilogue[0]).shape) == region.form.rows);
  }

  bool Join(int r, int g, const RowForm& form) {
    const RowRegion& region = out_.regions[static_cast<size_t>(r)];
    const KernelPlan& kernel = plan_.kernel(g);
    if (!Fits(region, kernel, form) || region.nodes + kernel.nodes > tuning_.max_kernel_ops) return false;
    RowForm as = region.form;
    as.column = form.ok && form.column;
    const int64_t bytes = region.column_bytes + (as.column ? ColumnBytes(g, as) : 0);
    if (bytes > tuning_.row_sums_max_bytes) return false;
    if (!Holds(Rule::kRowsAcyclic, MayBecomeOne({r}, {g}))) return false;
    const RowAccesses accesses = AccessesOf(g, as, r);
    if (!Holds(Rule::kRowsOwnRow, accesses.in_row) || !accesses.contiguous) return false;
    if (bytes > 0 && !Holds(Rule::kRowsFlat, region.flat && accesses.flat)) return false;
    Add(r, g, as.column, accesses.flat);
    return true;
  }

  bool MayUnite(const RowRegion& to, const RowRegion& from) const {
    const int64_t bytes = to.column_bytes + from.column_bytes;
    return to.form.rows == from.form.rows && to.form.width == from.form.width &&
           to.nodes + from.nodes <= tuning_.max_kernel_ops && bytes <= tuning_.row_sums_max_bytes &&
           (bytes == 0 || (to.flat && from.flat));
  }

  // Whether these kernels, which region r owns, read each other's values in their own row.
  bool ReadInRow(int r, const std::vector<int>& parts) {
    for (int g : parts) {
      RowForm as = region(r).form;
      as.column = out_.IsSummed(g);
      Own(g, g);
      const bool in_row = Holds(Rule::kRowsUniteOwnRow, AccessesOf(g, as, r).in_row);
      Own(g, out_.NumberOf(r));
      if (!in_row) return false;
    }
    return true;
  }

  // Makes region q, which now has a part in common with r, a part of r.
  bool Unite(int r, int q) {
    RowRegion &to = region(r), &from = region(q);
    if (!MayUnite(to, from)) return false;
    std::vector<int> parts = to.parts;
    parts.insert(parts.end(), from.parts.begin(), from.parts.end());
    if (!Holds(Rule::kRowsUniteAcyclic, MayBecomeOne({r, q}, parts))) return false;
    for (int g : from.parts) Own(g, out_.NumberOf(r));
    if (!ReadInRow(r, parts)) {
      for (int back : from.parts) Own(back, out_.NumberOf(q));
      return false;
    }
    std::sort(parts.begin(), parts.end());
    for (int g : from.parts) out_.region_of_part[g] = r;
    to.parts = std::move(parts);
    to.reads.insert(from.reads.begin(), from.reads.end());
    to.last = std::max(to.last, from.last);
    to.nodes += from.nodes;
    to.reduces = to.reduces || from.reduces;
    to.flat = to.flat && from.flat;
    to.column_bytes += from.column_bytes;
    from = {};
    latest_[{to.form.rows, to.form.width}] = r;
    return true;
  }

  int64_t ColumnBytes(int g, const RowForm& form) const {
    return form.width * SizeOf(f_.type(plan_.kernel(g).root).dtype);
  }

  void Add(int r, int g, bool column, bool flat) {
    RowRegion& to = region(r);
    const KernelPlan& kernel = plan_.kernel(g);
    to.parts.push_back(g);
    to.last = g;
    to.nodes += kernel.nodes;
    for (Value v : leaves(g)) to.reads.insert(v.id);
    to.reduces = to.reduces || kernel.root.valid();
    to.flat = to.flat && flat;
    out_.region_of_part[g] = r;
    if (column) {
      to.column_bytes += ColumnBytes(g, to.form);
      out_.summed[static_cast<size_t>(g)] = true;
    }
    Own(g, out_.NumberOf(r));
  }

  // What kernel g computes, or of a sum over rows what makes its partial sums, belongs to `owner`.
  void Own(int g, int owner) {
    const KernelPlan& kernel = plan_.kernel(g);
    for (Value v : kernel.producer) plan_.kernel_of[v.index()] = owner;
    if (out_.IsSummed(g)) return;
    if (kernel.root.valid()) plan_.kernel_of[kernel.root.index()] = owner;
    for (Value v : kernel.epilogue) plan_.kernel_of[v.index()] = owner;
  }

  void Dissolve(RowRegion* region) {
    for (int part : region->parts) {
      out_.summed[static_cast<size_t>(part)] = false;
      Own(part, part);
    }
    region->parts.clear();
  }

  const ir::Function& f_;
  const Tuning& tuning_;
  PlanGraph& plan_;
  RowRegions out_;
  CycleGuard guard_;  // of owners
  std::map<std::pair<std::vector<int64_t>, int64_t>, int> latest_;  // by rows and width: the last region
};

}  // namespace

int RowRegions::RegionOfPart(int g) const {
  const auto it = region_of_part.find(g);
  const bool is_part = it != region_of_part.end() && !regions[static_cast<size_t>(it->second)].parts.empty();
  return is_part ? it->second : -1;
}

RowRegions FindRowRegions(const ir::Function& f, const Tuning& tuning, PlanGraph* plan) {
  return RegionFinder(f, tuning, plan).Run();
}

}  // namespace reel::codegen
