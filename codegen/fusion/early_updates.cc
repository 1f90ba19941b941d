#include <algorithm>
#include <set>

#include "codegen/fusion/fusion.h"
#include "codegen/plan/order.h"
#include "codegen/plan/view.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Value;

class EarlyUpdates {
 public:
  EarlyUpdates(const ir::Function& f, const std::vector<InPlace>& in_place, const Tuning& tuning, PlanGraph* plan)
      : f_(f),
        tuning_(tuning),
        out_(*plan),
        early_(out_.kernels.size()),
        missing_(early_.size()),
        users_(early_.size()),
        successors_(early_.size()),
        updates_(in_place),
        is_state_(static_cast<size_t>(f.num_values()), false) {
    for (int i = f.num_arguments(); i < f.num_parameters(); ++i) {
      updates_.push_back({i, i - f.num_arguments() + f.num_outputs()});
    }
    for (const InPlace& update : updates_) is_state_[NewValue(update).index()] = true;
  }

  void Run() {
    for (size_t g = 0; g < early_.size(); ++g) {
      if (out_.kernels[g].kind() == KernelKind::kControl) return;  // effects keep their place
      for (int d : out_.kernels[g].inputs) users_[static_cast<size_t>(d)].push_back(g);
    }
    FindOverwritten();
    for (size_t g = early_.size(); g-- > 0;) early_[g] = IsEarly(g);
    FindMissing();
    AppendChecks();
    AppendReady();
    for (size_t g = 0; g < early_.size(); ++g) {
      if (early_[g] || done_.contains(g)) continue;
      Append(g);
      AppendReady();
    }
    for (size_t g = 0; g < early_.size(); ++g) {  // those that wait for each other
      if (early_[g] && !done_.contains(g)) Append(g);
    }
    ReorderKernels(order_, &out_);
  }

 private:
  Value NewValue(const InPlace& update) const { return f_.results()[static_cast<size_t>(update.result)]; }

  std::vector<Value> Leaves(const KernelPlan& kernel) const {
    std::vector<Value> leaves;
    const auto add = [&](Value v) {
      for (Value leaf : LeavesOf(f_, out_, v)) leaves.push_back(leaf);
    };
    kernel.VisitMembers(add);
    for (const auto& [root, to] : kernel.Partials()) add(root);
    SortUnique(&leaves);
    return leaves;
  }

  // Values that others write a part of: what reads them stays in front of that.
  void FindOverwritten() {
    for (const KernelPlan& kernel : out_.kernels) {
      if (!kernel.WritesPart()) continue;
      const Value to = f_.producer(kernel.root)->operands[0];
      const auto& view = out_.views[to.index()];
      overwritten_.insert(view ? view->base.id : to.id);
    }
  }

  // Updates of variables, and what only these read if it is little beside what it is made of: sums.
  bool IsEarly(size_t g) const {
    const KernelPlan& kernel = out_.kernels[g];
    if (kernel.WritesPart()) return false;
    if (!std::all_of(users_[g].begin(), users_[g].end(), [this](size_t u) { return early_[u]; })) return false;
    const std::vector<Value> leaves = Leaves(kernel);
    if (std::any_of(leaves.begin(), leaves.end(), [this](Value v) { return overwritten_.contains(v.id); }))
      return false;
    int64_t stored = 0, read = 0;
    bool updates = true;
    const auto visit = [&](Value v) {
      if (!out_.stored[v.index()]) return;
      stored += f_.type(v).bytes();
      updates = updates && is_state_[v.index()];
    };
    kernel.VisitMembers(visit);
    if (users_[g].empty()) return updates;
    for (const auto& [root, to] : kernel.Partials()) visit(to);
    for (Value v : leaves) read += f_.type(v).bytes();
    return tuning_.early_update_ratio * stored <= std::max(read, tuning_.early_update_bytes);
  }

  // What early kernels wait for: their inputs, and readers of the variables that they write over.
  void FindMissing() {
    std::vector<std::vector<size_t>> readers(static_cast<size_t>(f_.num_parameters()));
    for (size_t g = 0; g < early_.size(); ++g) {
      for (Value v : Leaves(out_.kernels[g])) {
        if (f_.is_parameter(v)) readers[v.index()].push_back(g);
      }
    }
    for (size_t g = 0; g < early_.size(); ++g) {
      if (!early_[g]) continue;
      for (int d : out_.kernels[g].inputs) After(g, static_cast<size_t>(d));
    }
    for (const InPlace& update : updates_) {
      const int g = out_.kernel_of[NewValue(update).index()];
      if (g < 0 || !early_[static_cast<size_t>(g)]) continue;
      for (size_t r : readers[static_cast<size_t>(update.parameter)]) After(static_cast<size_t>(g), r);
    }
    for (size_t g = 0; g < early_.size(); ++g) {
      if (early_[g] && missing_[g] == 0) ready_.insert(g);
    }
  }
  void After(size_t g, size_t other) {
    if (g == other) return;
    ++missing_[g];
    successors_[other].push_back(g);
  }

  void Append(size_t g) {
    order_.push_back(static_cast<int>(g));
    done_.insert(g);
    for (size_t s : successors_[g]) {
      if (--missing_[s] == 0) ready_.insert(s);
    }
  }
  // A call that fails had better not have changed a variable.
  void AppendChecks() {
    std::vector<bool> first(early_.size());
    for (size_t g = early_.size(); g-- > 0;) {
      first[g] = first[g] || out_.kernels[g].kind() == KernelKind::kCheck;
      if (!first[g]) continue;
      for (int d : out_.kernels[g].inputs) first[static_cast<size_t>(d)] = true;
    }
    for (size_t g = 0; g < early_.size(); ++g) {
      if (first[g]) Append(g);
    }
  }
  void AppendReady() {
    while (!ready_.empty()) {
      const size_t g = *ready_.begin();
      ready_.erase(ready_.begin());
      if (!done_.contains(g)) Append(g);
    }
  }

  const ir::Function& f_;
  const Tuning& tuning_;
  PlanGraph& out_;
  HashSet<int32_t> overwritten_;
  std::vector<bool> early_;
  std::vector<int> missing_;  // by early kernel: what it still waits for
  std::vector<std::vector<size_t>> users_, successors_;
  std::vector<InPlace> updates_;  // a variable's parameter and its new value
  std::vector<bool> is_state_;  // by value: a variable's new value
  std::vector<int> order_;
  std::set<size_t> ready_;
  HashSet<size_t> done_;
};

}  // namespace

void RunUpdatesEarly(const ir::Function& function, const std::vector<InPlace>& in_place, const Tuning& tuning,
                     PlanGraph* plan) {
  EarlyUpdates(function, in_place, tuning, plan).Run();
}

}  // namespace reel::codegen
