#include <algorithm>
#include <map>
#include <utility>

#include "codegen/plan/cycle_guard.h"
#include "codegen/plan/order.h"
#include "codegen/plan/rules.h"
#include "codegen/plan/storage.h"
#include "codegen/plan/view.h"
#include "ir/budget_scope.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

bool Contains(const std::vector<Value>& list, Value v) { return std::find(list.begin(), list.end(), v) != list.end(); }
bool Contains(const std::vector<int>& list, int g) { return std::find(list.begin(), list.end(), g) != list.end(); }

// Makes kernels of the values that have memory: each value joins the kernel of what it reads, where it may.
class KernelPlanner {
 public:
  KernelPlanner(const ir::Function& f, const MapOptions& options)
      : f_(f),
        options_(options),
        tuning_(options.tuning),
        storage_(PlanStorage(f, options)),
        uses_(storage_.uses),
        out_(storage_.plan),
        readers_(static_cast<size_t>(f.num_values())) {}

  PlanGraph Run() {
    for (const Node& node : f_.nodes()) {
      ir::ChargeVisits(1);
      const Value v = node.result();
      if (IsControl(node.op)) {
        PlaceControl(node);
      } else if (out_.materialized[v.index()] && node.op != Op::kConstant) {
        Place(node, v);
      }
    }
    if (!into_.empty()) DropMergedMaps();
    OrderKernels(f_, readers_, &out_);
    return std::move(out_);
  }

 private:
  // What a value is about to join.
  struct Item {
    const Node& node;
    Value v;
    KernelKind kind;             // what it is the root of
    int nodes = 1;               // ops that are computed with it, itself among them
    std::vector<Leaf> leaves;    // what it reads
    std::vector<int> inputs;     // kernels that compute these, sorted
    bool is_root() const { return kind != KernelKind::kMap; }
  };

  const Shape& shape(Value v) const { return f_.type(v).shape; }
  int kernel_of(Value v) const { return out_.kernel_of[v.index()]; }

  Item ItemOf(const Node& node) const {
    Item item{node, node.result(), RootOf(storage_, node), 1, {}, {}};
    const bool aligned = Info(node.op).Has(ir::kElementwise) || item.kind == KernelKind::kReduce;
    std::vector<Leaf> operands;
    for (Value o : node.operands) {
      operands.push_back({o, aligned});
      if (!out_.views[o.index()]) item.nodes += storage_.nodes[o.index()];
    }
    item.leaves = LeavesOf(f_, out_, std::move(operands));
    for (const Leaf& leaf : item.leaves) {
      if (const int g = kernel_of(leaf.value); g >= 0) item.inputs.push_back(g);
    }
    SortUnique(&item.inputs);
    return item;
  }

  // --- kernels that become one ---

  bool IsPart(int g) const { return static_cast<size_t>(g) < into_.size() && into_[static_cast<size_t>(g)] >= 0; }
  // What a kernel is part of now: itself, if it is none. Shortens the way to it.
  int Present(int g) {
    while (IsPart(g)) {
      int& into = into_[static_cast<size_t>(g)];
      if (IsPart(into)) into = into_[static_cast<size_t>(into)];
      g = into;
    }
    return g;
  }
  bool Reads(const KernelPlan& kernel, int g) {
    return std::any_of(kernel.inputs.begin(), kernel.inputs.end(), [&](int d) { return Present(d) == g; });
  }

  // Whether these kernels and an item may become one that reads `inputs` in all, so that no kernel waits for itself.
  bool MayBecomeOne(const std::vector<int>& parts, std::vector<int> inputs) {
    for (int& d : inputs) d = Present(d);
    return guard_.MayBecomeOne(parts, inputs, [this](int g, const auto& visit) {
      for (int d : out_.kernel(g).inputs) visit(Present(d));
    });
  }

  // Two kernels of maps over one shape whose values one map or reduction reads become one: what both read is read once,
  // and what nobody else reads is not stored. Adam's moments and the update made of them.
  void MergeMaps(const Item& item, int from, int into) {
    if (from == into || shared_.contains(from) || shared_.contains(into)) return;
    const KernelPlan &a = out_.kernel(from), &b = out_.kernel(into);
    if (a.kind() != KernelKind::kMap || b.kind() != KernelKind::kMap || IsJoined(a) || IsJoined(b)) return;
    if (shape(a.epilogue[0]).size() <= tuning_.small_map) return;
    if (a.nodes + b.nodes > tuning_.max_kernel_ops) return;
    for (const Leaf& leaf : item.leaves) {  // read at the same elements, they have one shape, too
      if (kernel_of(leaf.value) == from && !Holds(Rule::kMergeAligned, leaf.aligned)) return;
    }
    if (!Holds(Rule::kMergeApart, !Reads(a, into) && !Reads(b, from))) return;
    std::vector<int> all = item.inputs;  // of the map or reduction, and of both
    all.insert(all.end(), a.inputs.begin(), a.inputs.end());
    all.insert(all.end(), b.inputs.begin(), b.inputs.end());
    if (Holds(Rule::kMergeAcyclic, MayBecomeOne({from, into}, std::move(all)))) Merge(from, into);
  }
  void Merge(int from, int into) {
    KernelPlan &a = out_.kernel(from), &b = out_.kernel(into);
    for (Value v : a.epilogue) out_.kernel_of[v.index()] = into;
    b.epilogue.insert(b.epilogue.end(), a.epilogue.begin(), a.epilogue.end());
    std::sort(b.epilogue.begin(), b.epilogue.end());
    b.nodes += a.nodes;
    b.inputs.insert(b.inputs.end(), a.inputs.begin(), a.inputs.end());
    a.epilogue.clear();
    a.inputs.clear();
    into_.resize(out_.kernels.size(), -1);
    into_[static_cast<size_t>(from)] = into;
  }

  void DropMergedMaps() {
    into_.resize(out_.kernels.size(), -1);
    for (int& into : into_) into = into < 0 ? into : Present(into);
    for (int g = 0; g < static_cast<int>(into_.size()); ++g) {
      std::erase_if(out_.kernel(g).inputs, [&](int d) { return Present(d) == g; });
    }
    const std::vector<int> place = DropMerged(&out_, into_);
    for (std::vector<int>& list : readers_) {
      for (int& g : list) g = place[static_cast<size_t>(g)];
      SortUnique(&list);
    }
  }

  // --- what joins a kernel ---

  static bool MayGrow(KernelKind kind) {
    return kind == KernelKind::kMap || kind == KernelKind::kReduce || kind == KernelKind::kMatmul;
  }

  // A loop for each part: what reads the parts would be in each of them.
  bool IsJoined(const KernelPlan& kernel) const {
    return !kernel.epilogue.empty() && out_.why[kernel.epilogue[0].index()] == Why::kJoined;
  }

  enum class Joins { kNo, kProducer, kEpilogue, kRoot };

  // Whether an item can become part of kernel g, and as what; if not, why.
  Joins CanJoin(const Item& item, int g, Apart* apart) {
    const KernelPlan& kernel = out_.kernel(g);
    const auto no = [apart](Apart why) {
      *apart = why;
      return Joins::kNo;
    };
    if (!Holds(Rule::kJoinOpen, MayGrow(kernel.kind()))) return no(Apart::kClosed);
    if (IsJoined(kernel)) return no(Apart::kClosed);
    if (shared_.contains(g) && (item.is_root() || ReadsUpdated(item))) return no(Apart::kClosed);
    if (kernel.nodes + item.nodes > tuning_.max_kernel_ops) return no(Apart::kLarge);
    bool producer = false, epilogue = false;
    for (const Leaf& leaf : item.leaves) {
      if (kernel_of(leaf.value) != g) continue;
      if (!Holds(Rule::kJoinAligned, leaf.aligned)) return no(Apart::kElsewhere);
      (Contains(kernel.producer, leaf.value) ? producer : epilogue) = true;
    }
    if (!Holds(Rule::kJoinOneSide, producer != epilogue)) return no(Apart::kElsewhere);
    Joins result = producer ? Joins::kProducer : Joins::kEpilogue;
    const auto is_flat = [this](Value v) { return storage_.flat_expr[v.index()]; };
    if (item.is_root()) {
      if (!Holds(Rule::kJoinOneRoot, kernel.kind() == KernelKind::kMap && epilogue)) return no(Apart::kRoots);
      const bool several_axes = ReducedAxes(f_, item.node) > 1;
      for (Value v : kernel.epilogue) {
        if (several_axes && !Holds(Rule::kJoinFlatRoot, is_flat(v))) return no(Apart::kElsewhere);
      }
      result = Joins::kRoot;
    } else if (producer && ReducedAxes(f_, *f_.producer(kernel.root)) > 1 &&
               !Holds(Rule::kJoinFlatProducer, is_flat(item.v))) {
      return no(Apart::kElsewhere);
    }
    return Holds(Rule::kJoinAcyclic, MayBecomeOne({g}, item.inputs)) ? result : no(Apart::kBetween);
  }

  // Whether a map may share a kernel with unrelated ones. What reads a buffer that is updated may not: it must be free
  // to run before the update.
  bool Gathers(const Item& item) const {
    return options_.gather_small && item.kind == KernelKind::kMap && shape(item.v).size() <= tuning_.small_map &&
           !ReadsUpdated(item);
  }
  bool ReadsUpdated(const Item& item) const {
    return std::any_of(item.leaves.begin(), item.leaves.end(), [this](const Leaf& leaf) {
      return uses_.wants_buffer[leaf.value.index()] && shape(leaf.value).size() > tuning_.small_map;
    });
  }
  bool MayShare(const Item& item, int g) {
    const KernelPlan& kernel = out_.kernel(g);
    return kernel.kind() == KernelKind::kMap && kernel.nodes + item.nodes <= tuning_.max_inlined_ops &&
           !Contains(item.inputs, g) && Holds(Rule::kShareAcyclic, MayBecomeOne({g}, item.inputs));
  }

  // --- placing ---

  // Its rank may be its number: what it reads is there.
  KernelPlan& NewKernel() {
    guard_.Add(guard_.size());
    return out_.kernels.emplace_back();
  }

  void PlaceControl(const Node& node) {
    Item item = ItemOf(node);
    const auto g = static_cast<int>(out_.kernels.size());
    for (const Leaf& leaf : item.leaves) {
      out_.stored[leaf.value.index()] = true;
      readers_[leaf.value.index()].push_back(g);
    }
    for (int i = 0; i < node.num_results; ++i) {
      out_.stored[node.result(i).index()] = true;
      out_.kernel_of[node.result(i).index()] = g;
    }
    KernelPlan& kernel = NewKernel();
    kernel.detail = DetailOf(ir::IsCheck(node.op) ? KernelKind::kCheck : KernelKind::kControl);
    kernel.root = node.result();
    kernel.inputs = std::move(item.inputs);
    kernel.last = node.result(node.num_results - 1).id;
    kernel.nodes = 1;
  }

  // The kernel that an item joins, and as what; a new one, if there is none.
  std::pair<int, Joins> TargetOf(const Item& item) {
    const std::vector<int>& inputs = item.inputs;
    const bool joins = options_.fuse && (item.kind == KernelKind::kMap || item.kind == KernelKind::kReduce);
    Apart apart = !options_.fuse ? Apart::kUnfused : Apart::kWhole;  // of the latest kernel it reads
    for (size_t k = inputs.size(); joins && k-- > 0;) {
      Apart why = apart;
      const Joins how = CanJoin(item, inputs[k], &why);
      if (how != Joins::kNo) return {inputs[k], how};
      if (k + 1 == inputs.size()) apart = why;
    }
    const auto number = static_cast<int>(out_.kernels.size());
    if (Gathers(item)) {
      const auto [it, added] = small_.emplace(shape(item.v).dims(), number);
      if (joins && !added && MayShare(item, it->second)) {
        shared_.insert(it->second);
        return {it->second, Joins::kEpilogue};
      }
      it->second = number;
    }
    KernelPlan& kernel = NewKernel();
    if (!inputs.empty()) kernel.apart = apart;
    for (const Leaf& leaf : item.leaves) {
      if (!inputs.empty() && kernel_of(leaf.value) == inputs.back()) kernel.apart_from = leaf.value;
    }
    return {number, Joins::kNo};
  }

  void Place(const Node& node, Value v) {
    const Item item = ItemOf(node);
    const auto [target, how] = TargetOf(item);
    if (how == Joins::kEpilogue || (how == Joins::kRoot && ReducedAxes(f_, node) == 1)) {
      for (int other : item.inputs) MergeMaps(item, other, target);
    }
    Add(item, how, target);
    KernelPlan& kernel = out_.kernel(target);
    for (int d : item.inputs) {
      if (d != target && !Contains(kernel.inputs, d)) kernel.inputs.push_back(d);
    }
    for (const Leaf& leaf : item.leaves) {
      if (kernel_of(leaf.value) == target) continue;
      out_.stored[leaf.value.index()] = true;
      if (uses_.wants_buffer[leaf.value.index()]) readers_[leaf.value.index()].push_back(target);
    }
    if (uses_.is_result[v.index()]) out_.stored[v.index()] = true;
  }

  void Add(const Item& item, Joins how, int target) {
    KernelPlan& kernel = out_.kernel(target);
    out_.kernel_of[item.v.index()] = target;
    kernel.last = std::max(kernel.last, item.v.id);
    kernel.nodes += item.nodes;
    if (how == Joins::kRoot) kernel.producer = std::exchange(kernel.epilogue, {});
    if (how == Joins::kProducer) {
      kernel.producer.push_back(item.v);
    } else if (item.is_root()) {
      kernel.root = item.v;
      kernel.detail = DetailOf(item.kind);
    } else {
      kernel.epilogue.push_back(item.v);
    }
  }

  const ir::Function& f_;
  const MapOptions& options_;
  const Tuning& tuning_;
  Storage storage_;
  const Uses& uses_;
  PlanGraph& out_;
  std::vector<std::vector<int>> readers_;  // kernels, of values that want a buffer
  std::vector<int> into_;  // by kernel: what it became part of; -1, or no entry: nothing
  CycleGuard guard_;
  std::map<std::vector<int64_t>, int> small_;  // by extents: the last kernel of maps of few elements
  HashSet<int> shared_;  // kernels that hold unrelated maps
};

}  // namespace

PlanGraph PlanMaps(const ir::Function& function, const MapOptions& options) {
  return KernelPlanner(function, options).Run();
}

}  // namespace reel::codegen
