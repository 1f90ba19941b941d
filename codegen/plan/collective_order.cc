#include "codegen/plan/collective_order.h"

#include <algorithm>
#include <utility>

#include "codegen/plan/order.h"
#include "codegen/plan/view.h"
#include "ir/budget_scope.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Op;
using ir::Value;

constexpr size_t kMostOrdered = 1024;  // collectives, time alone: more of them stay in program order

// Some of the collectives, by number in program order.
class Set {
 public:
  bool empty() const { return words_.empty(); }
  bool contains(size_t i) const { return i / 64 < words_.size() && (words_[i / 64] >> (i % 64) & 1) != 0; }
  void insert(size_t i) {
    if (words_.size() <= i / 64) words_.resize(i / 64 + 1);
    words_[i / 64] |= uint64_t{1} << (i % 64);
  }
  void insert(const Set& other) {
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (size_t w = 0; w < other.words_.size(); ++w) words_[w] |= other.words_[w];
  }
  bool Meets(const Set& other) const {
    for (size_t w = 0; w < std::min(words_.size(), other.words_.size()); ++w) {
      if ((words_[w] & other.words_[w]) != 0) return true;
    }
    return false;
  }
  friend bool operator==(const Set&, const Set&) = default;

 private:
  std::vector<uint64_t> words_;  // the last is not 0
};

// Branches and loops may have collectives in them, and are done when they end.
bool Communicates(const ir::Node& node) {
  return ir::Info(node.op).Has(ir::kControl) || (ir::IsCollective(node.op) && node.op != Op::kGroupRank);
}

// Made element by element: it takes little time.
bool IsLight(const ir::Node& node) {
  const bool moves = IsView(node.op) || node.op == Op::kDynamicSlice || node.op == Op::kDynamicUpdate;
  const bool made = node.op == Op::kConstant || node.op == Op::kIota || ir::IsCollective(node.op);
  return moves || made || (ir::Info(node.op).Has(ir::kElementwise) && !ir::IsCheck(node.op));
}

// By collective: the others that it needs, directly or not, and whether it takes little but these and parameters.
class Needs {
 public:
  explicit Needs(const ir::Function& f)
      : of_(static_cast<size_t>(f.num_values()), -1), is_light_(static_cast<size_t>(f.num_values()), true) {
    for (const ir::Node& node : f.nodes()) {
      ir::ChargeVisits(1);
      int set = -1;
      bool light = IsLight(node);
      for (Value v : node.operands) {
        set = Union(set, of_[v.index()]);
        light = light && is_light_[v.index()];
      }
      if (Communicates(node)) {
        results.push_back(node.result());
        needs.push_back(set < 0 ? Set() : sets_[static_cast<size_t>(set)]);
        follows.push_back(light && set >= 0);
        sets_.push_back(needs.back());
        sets_.back().insert(results.size() - 1);
        set = static_cast<int>(sets_.size()) - 1;
        light = true;  // once it is there
      }
      for (int k = 0; k < node.num_results; ++k) {
        of_[node.result(k).index()] = set;
        is_light_[node.result(k).index()] = light;
      }
    }
  }

  std::vector<Value> results;
  std::vector<Set> needs;
  std::vector<bool> follows;  // it is made of others' results, and that takes little

 private:
  // Most values need what one of their operands does.
  int Union(int a, int b) {
    if (a == b || b < 0) return a;
    if (a < 0) return b;
    Set both = sets_[static_cast<size_t>(a)];
    both.insert(sets_[static_cast<size_t>(b)]);
    if (both == sets_[static_cast<size_t>(b)]) return b;
    if (both == sets_[static_cast<size_t>(a)]) return a;
    sets_.push_back(std::move(both));
    return static_cast<int>(sets_.size()) - 1;
  }

  std::vector<int> of_;  // by value: its set; -1: empty
  std::vector<bool> is_light_;  // by value
  std::vector<Set> sets_;
};

class Sequence {
 public:
  Sequence(const ir::Function& f, const Needs& of)
      : f_(f), of_(of), place_(of.results.size(), -1), readers_after_(place_), at_once_after_(place_) {}

  CollectiveOrder Run() {
    for (size_t c = 0; c < place_.size(); ++c) {
      if (place_[c] >= 0) continue;
      if (of_.needs[c].Meets(Unsettled()) && OneIsFreeBehind(c)) {
        waiting_.push_back(c);
        continue;
      }
      while (of_.needs[c].Meets(SetOf(waiting_))) StartFirst();
      Start(c);
    }
    while (!waiting_.empty()) StartFirst();
    CollectiveOrder out;
    const auto place = [&](int c) { return c < 0 ? -1 : place_[static_cast<size_t>(c)]; };
    for (const size_t c : order_) {
      out.entries.push_back({of_.results[c], place(readers_after_[c]), place(at_once_after_[c])});
    }
    return out;
  }

 private:
  static Set SetOf(const std::vector<size_t>& list) {
    Set set;
    for (const size_t c : list) set.insert(c);
    return set;
  }
  Set Unsettled() const {
    Set set = SetOf(waiting_);
    set.insert(SetOf(under_way_));
    return set;
  }
  // Whether a later one needs neither c nor what is not finished: its start is worth waiting for.
  bool OneIsFreeBehind(size_t c) const {
    Set busy = Unsettled();
    busy.insert(c);
    for (size_t r = c + 1; r < place_.size(); ++r) {
      if (place_[r] < 0 && !of_.needs[r].Meets(busy)) return true;
    }
    return false;
  }

  void Append(size_t c) {
    place_[c] = static_cast<int>(order_.size());
    order_.push_back(c);
    started_.insert(c);
    if (MayBeUnderWay(*f_.producer(of_.results[c]))) under_way_.push_back(c);
  }

  // Those that were under way before have had their time; then those start that waited for them.
  void Start(size_t c) {
    for (const size_t d : std::exchange(under_way_, {})) {
      if (!of_.needs[c].contains(d)) readers_after_[d] = static_cast<int>(c);
    }
    Append(c);
    for (const size_t w : std::exchange(waiting_, {})) {
      of_.needs[w].Meets(Unsettled()) ? waiting_.push_back(w) : AppendBehind(w, c);
    }
    for (size_t r = c + 1; r < place_.size(); ++r) {
      const bool waits = std::find(waiting_.begin(), waiting_.end(), r) != waiting_.end();
      if (place_[r] < 0 && !waits && of_.follows[r] && AreDone(of_.needs[r])) AppendBehind(r, c);
    }
  }
  void AppendBehind(size_t c, size_t root) {
    Append(c);
    at_once_after_[c] = static_cast<int>(root);
  }
  // All of them have started, and none is under way.
  bool AreDone(const Set& set) const {
    Set all = started_;
    all.insert(set);
    return all == started_ && !set.Meets(SetOf(under_way_));
  }
  void StartFirst() {
    const size_t c = waiting_.front();
    waiting_.erase(waiting_.begin());
    Start(c);
  }

  const ir::Function& f_;
  const Needs& of_;
  std::vector<int> place_, readers_after_, at_once_after_;  // by collective
  std::vector<size_t> order_, under_way_, waiting_;
  Set started_;
};

// Kernels that one is made of get its key, if theirs are larger.
void LowerKeys(const PlanGraph& plan, int kernel, int32_t key, std::vector<int32_t>* keys) {
  std::vector<int> stack{kernel};
  while (!stack.empty()) {
    const auto g = static_cast<size_t>(stack.back());
    stack.pop_back();
    if ((*keys)[g] <= key) continue;
    (*keys)[g] = key;
    stack.insert(stack.end(), plan.kernels[g].inputs.begin(), plan.kernels[g].inputs.end());
  }
}

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
  for (size_t i = 0; i < kernels.size(); ++i) {
    const int root = order.entries[i].at_once_after;
    if (root >= 0) LowerKeys(*plan, kernels[i], kernels[static_cast<size_t>(root)], &keys);
  }
  ChainCollectives(kernels, &needs);
  ReorderKernels(TopologicalOrder(needs, keys, after), plan);
}

}  // namespace reel::codegen
