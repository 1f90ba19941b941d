#include "codegen/plan/collective_order.h"

#include <algorithm>
#include <utility>

#include "codegen/plan/order.h"
#include "ir/budget_scope.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Op;
using ir::Value;

constexpr size_t kMostOrdered = 4096;  // collectives, time alone: more of them stay in program order

// Some of the collectives, by number in program order; as long as its largest member needs.
using Set = std::vector<bool>;

bool Has(const Set& set, size_t i) { return i < set.size() && set[i]; }
void Insert(Set* set, size_t i) {
  if (set->size() <= i) set->resize(i + 1);
  (*set)[i] = true;
}
bool Meet(const Set& a, const Set& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] && b[i]) return true;
  }
  return false;
}

// Branches and loops may have collectives in them, and are done when they end.
bool Communicates(const ir::Node& node) {
  return ir::Info(node.op).Has(ir::kControl) || (ir::IsCollective(node.op) && node.op != Op::kGroupRank);
}

// By collective: the others that it needs, directly or not.
class Needs {
 public:
  explicit Needs(const ir::Function& f) : of_(static_cast<size_t>(f.num_values()), -1) {
    for (const ir::Node& node : f.nodes()) {
      ir::ChargeVisits(1);
      int set = -1;
      for (Value v : node.operands) set = Union(set, of_[v.index()]);
      if (Communicates(node)) {
        results.push_back(node.result());
        needs.push_back(set < 0 ? Set() : sets_[static_cast<size_t>(set)]);
        sets_.push_back(needs.back());
        Insert(&sets_.back(), results.size() - 1);
        set = static_cast<int>(sets_.size()) - 1;
      }
      for (int k = 0; k < node.num_results; ++k) of_[node.result(k).index()] = set;
    }
  }

  std::vector<Value> results;
  std::vector<Set> needs;

 private:
  // Most values need what one of their operands does.
  int Union(int a, int b) {
    if (a == b || b < 0) return a;
    if (a < 0) return b;
    Set both = sets_[static_cast<size_t>(a)];
    const Set& other = sets_[static_cast<size_t>(b)];
    for (size_t i = 0; i < other.size(); ++i) {
      if (other[i]) Insert(&both, i);
    }
    if (both == other) return b;
    if (both == sets_[static_cast<size_t>(a)]) return a;
    sets_.push_back(std::move(both));
    return static_cast<int>(sets_.size()) - 1;
  }

  std::vector<int> of_;  // by value: its set; -1: empty
  std::vector<Set> sets_;
};

class Sequence {
 public:
  Sequence(const ir::Function& f, const Needs& of) : f_(f), of_(of), readers_after_(of.results.size(), -1) {}

  CollectiveOrder Run() {
    for (size_t c = 0; c < of_.results.size(); ++c) {
      if (Meet(of_.needs[c], Unsettled()) && OneIsFreeBehind(c)) {
        waiting_.push_back(c);
        continue;
      }
      while (!waiting_.empty() && Meet(of_.needs[c], SetOf(waiting_))) StartFirst();
      Start(c);
    }
    while (!waiting_.empty()) StartFirst();
    CollectiveOrder out;
    std::vector<int> place(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) place[order_[i]] = static_cast<int>(i);
    for (const size_t c : order_) {
      const int after = readers_after_[c];
      out.entries.push_back({of_.results[c], after < 0 ? -1 : place[static_cast<size_t>(after)]});
    }
    return out;
  }

 private:
  static Set SetOf(const std::vector<size_t>& list) {
    Set set;
    for (const size_t c : list) Insert(&set, c);
    return set;
  }
  Set Unsettled() const {
    Set set = SetOf(waiting_);
    for (const size_t c : under_way_) Insert(&set, c);
    return set;
  }
  // Whether a later one needs neither c nor what is not finished: its start is worth waiting for.
  bool OneIsFreeBehind(size_t c) const {
    Set busy = Unsettled();
    Insert(&busy, c);
    for (size_t r = c + 1; r < of_.results.size(); ++r) {
      if (!Meet(of_.needs[r], busy)) return true;
    }
    return false;
  }

  void Append(size_t c) {
    order_.push_back(c);
    if (MayBeUnderWay(*f_.producer(of_.results[c]))) under_way_.push_back(c);
  }

  // Those that were under way before have had their time; then those start that waited for them.
  void Start(size_t c) {
    for (const size_t d : std::exchange(under_way_, {})) {
      if (!Has(of_.needs[c], d)) readers_after_[d] = static_cast<int>(c);
    }
    Append(c);
    for (const size_t w : std::exchange(waiting_, {})) {
      Meet(of_.needs[w], Unsettled()) ? waiting_.push_back(w) : Append(w);
    }
  }
  void StartFirst() {
    const size_t c = waiting_.front();
    waiting_.erase(waiting_.begin());
    Start(c);
  }

  const ir::Function& f_;
  const Needs& of_;
  std::vector<int> readers_after_;  // by collective
  std::vector<size_t> order_, under_way_, waiting_;
};

}  // namespace

bool MayBeUnderWay(const ir::Node& node) {
  return (node.op == Op::kAllToAll || node.op == Op::kAllGather) && node.attr<int64_t>("size") > 1;
}

CollectiveOrder OrderCollectives(const ir::Function& f) {
  const bool any =
      std::any_of(f.nodes().begin(), f.nodes().end(), [](const ir::Node& node) { return ir::IsCollective(node.op); });
  if (!any) return {};
  const Needs needs(f);
  if (needs.results.size() <= kMostOrdered) return Sequence(f, needs).Run();
  CollectiveOrder out;
  for (Value v : needs.results) out.entries.push_back({v});
  return out;
}

void ReadCollectivesLate(const ir::Function& f, PlanGraph* plan) {
  const CollectiveOrder order = OrderCollectives(f);
  if (order.entries.empty()) return;
  std::vector<int> kernels;  // by entry
  HashMap<int, int> after_of;  // by kernel of a collective: that behind which its readers run
  for (const auto& entry : order.entries) kernels.push_back(plan->kernel_of[entry.result.index()]);
  for (size_t i = 0; i < kernels.size(); ++i) {
    const int after = order.entries[i].readers_after;
    if (after >= 0) after_of[kernels[i]] = kernels[static_cast<size_t>(after)];
  }
  std::vector<std::vector<int>> needs, after;
  std::vector<int32_t> keys;
  for (size_t g = 0; g < plan->kernels.size(); ++g) {
    needs.push_back(plan->kernels[g].inputs);
    keys.push_back(static_cast<int32_t>(g));
    std::vector<int>& list = after.emplace_back();
    for (const int d : needs.back()) {
      if (const auto it = after_of.find(d); it != after_of.end()) list.push_back(it->second);
    }
    SortUnique(&list);
    std::erase(list, static_cast<int>(g));
  }
  ChainCollectives(kernels, &needs);
  ReorderKernels(TopologicalOrder(needs, keys, after), plan);
}

}  // namespace reel::codegen
