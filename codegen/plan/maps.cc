#include "codegen/plan/plan.h"

#include <algorithm>
#include <map>

#include "codegen/plan/arrays.h"
#include "codegen/plan/cycle_guard.h"
#include "codegen/plan/layout.h"
#include "codegen/plan/merge.h"
#include "codegen/plan/order.h"
#include "codegen/plan/rules.h"
#include "codegen/plan/uses.h"
#include "codegen/plan/view.h"
#include "codegen/plan/widen.h"
#include "ir/budget_scope.h"
#include "ir/cost.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

// It does something else than to compute its result in a kernel.
bool IsControl(const Node& node) {
  return Info(node.op).Has(ir::kControl) || ir::IsCheck(node.op) || node.op == Op::kCallback;
}

// How an item reads a stored value: aligned = at the item's own indices.
struct Leaf {
  Value value;
  bool aligned;
};

class Grouper {
 public:
  Grouper(const ir::Function& f, const MapOptions& options)
      : f_(f),
        options_(options),
        tuning_(options_.tuning),
        uses_(UsesOf(f, tuning_)),
        arrays_(FindArrays(f, uses_.count, tuning_)) {
    const auto n = static_cast<size_t>(f.num_values());
    out_.materialized.assign(n, false);
    out_.views.resize(n);
    out_.kernel_of.assign(n, -1);
    out_.stored.assign(n, false);
    out_.why.assign(n, Why::kNone);
    cost_.assign(n, 0);
    whole_cost_.assign(n, 0);
    nodes_.assign(n, 0);
    flat_.assign(n, false);
    flat_expr_.assign(n, false);
    in_place_.assign(n, false);
    readers_.resize(n);
  }

  PlanGraph Run() {
    for (int i = 0; i < f_.num_parameters(); ++i) Materialize({i}, Why::kNone);
    for (const Node& node : f_.nodes()) {
      ir::ChargeVisits(1);
      Decide(node);
    }
    for (const Node& node : f_.nodes()) {
      ir::ChargeVisits(1);
      const Value v = node.result();
      if (IsControl(node)) {
        PlaceControl(node);
        continue;
      }
      if (out_.materialized[v.index()] && node.op != Op::kConstant) Place(node, v);
    }
    merged_.Drop(&out_, &readers_);
    OrderGroups(f_, readers_, &out_);
    out_.readers = std::move(uses_.count);
    out_.cost = std::move(whole_cost_);
    return std::move(out_);
  }

 private:
  const Shape& shape(Value v) const { return f_.type(v).shape; }

  void Materialize(Value v, Why why) {
    out_.materialized[v.index()] = true;
    out_.why[v.index()] = why;
    whole_cost_[v.index()] = cost_[v.index()];
    out_.views[v.index()] = View{v, 0, RowMajorStrides(shape(v))};
    flat_[v.index()] = true;
    cost_[v.index()] = nodes_[v.index()] = 0;
  }
  void Force(Value v) {
    if (!out_.materialized[v.index()]) Materialize(v, Why::kOperand);
  }
  void ForceView(Value v) {
    if (!out_.views[v.index()]) Force(v);
  }

  bool IsWidened(Value v) const { return f_.type(out_.views[v.index()]->base).dtype != f_.type(v).dtype; }

  // As a view of memory with any strides: what is not a view gets memory, not the view of it. `widen`: the memory may
  // be that of a widening cast's operand.
  void ForceMemory(Value v, bool widen) {
    std::vector<const Node*> views;
    const auto is_memory = [&] { return out_.views[v.index()] && (widen || !IsWidened(v)); };
    while (!is_memory() && (IsView(f_.producer(v)->op) || (widen && IsWidening(f_, *f_.producer(v))))) {
      views.push_back(f_.producer(v));
      v = views.back()->operands[0];
    }
    if (!is_memory()) Force(v);
    for (; !views.empty(); views.pop_back()) {
      const Node& node = *views.back();
      const auto i = node.result().index();
      out_.views[i] = ViewThrough(f_, node, *out_.views[node.operands[0].index()]);
      if (!out_.views[i]) Materialize(node.result(), Why::kOperand);
    }
  }

  void ForceFactors(const Node& node) {
    const Value a = node.operands[0], b = node.operands[1];
    const auto widened = [this](Value v) { return options_.fuse ? WidenedView(f_, out_, v) : std::nullopt; };
    const std::optional<View> x = widened(a), w = widened(b);
    const bool pairs = options_.pairs && x && w && MultipliesPairs(f_, node, *x, *w, tuning_);
    ForceMemory(a, pairs);
    const auto in_place = [&](const View& view) { return MakesLanes(f_, node, view, tuning_); };
    if (w && (pairs || in_place(*w))) return ForceMemory(b, true);
    ForceView(b);
    if (!in_place(*out_.views[b.index()])) Force(b);
  }

  void ForceOperands(const Node& node) {
    if (Info(node.op).Has(ir::kReduction)) {
      if (ReducedAxes(node) > 1 && !flat_[node.operands[0].index()]) Force(node.operands[0]);
      return;
    }
    if (Info(node.op).Has(ir::kScatter)) {
      if (IsUniformConstant(f_, node.operands[0])) return;
      if (!IsBuffer(node.operands[0])) Force(node.operands[0]);
      return ForceOthers(node);
    }
    switch (node.op) {
      case Op::kContract: ForceFactors(node); break;
      case Op::kGather:
      case Op::kDynamicSlice:
      case Op::kPad: ForceView(node.operands[0]); break;
      case Op::kArgsort:
        ForceView(node.operands[0]);
        if (IsWidened(node.operands[0])) Force(node.operands[0]);
        break;
      case Op::kDynamicUpdate:
        if (in_place_[node.result().index()]) {
          ForceOthers(node);
          break;
        }
        ForceView(node.operands[1]);  // operand 0 is read at the result's own indices
        break;
      default: break;
    }
  }

  // Memory, as a whole and in order.
  bool IsBuffer(Value v) const {
    const auto& view = out_.views[v.index()];
    return view && IsWhole(f_, v, *view);
  }

  // An update in place that reads elsewhere what it writes over would write over a copy of that (memory.in_place).
  void ForceOthers(const Node& node) {
    const Value base = out_.views[node.operands[0].index()]->base;
    for (size_t k = 1; k < node.operands.size(); ++k) {
      const Value o = node.operands[k];
      for (const Leaf& leaf : LeavesOf({{o, false}})) {
        if (leaf.value == base && o != base) Force(o);
      }
    }
  }

  // Whether a dynamic_update only writes the update, over operand 0 or a copy of it. Where nothing stores the result
  // otherwise, a select at its users is better.
  bool UpdatesInPlace(const Node& node) const {
    if (node.op != Op::kDynamicUpdate || !IsBuffer(node.operands[0])) return false;
    const Value v = node.result();
    if (2 * shape(node.operands[1]).size() > shape(v).size()) return false;
    return uses_.is_result[v.index()] || uses_.count[v.index()] > 1 || uses_.wants_buffer[v.index()] || !options_.fuse;
  }

  const Node* Selection(const Node& node) const { return options_.fuse ? SelectionOf(f_, uses_, node) : nullptr; }
  // Whether a kernel makes the first positions of an argsort's rows alone.
  bool IsSelected(const Node& node) const {
    const Node* reader = node.op == Op::kArgsort ? uses_.reader[node.result().index()] : nullptr;
    return reader != nullptr && Selection(*reader) != nullptr;
  }

  KernelKind RootOf(const Node& node) const {
    if (node.op == Op::kDynamicUpdate && !in_place_[node.result().index()]) return KernelKind::kMap;
    if (Selection(node) != nullptr) return KernelKind::kSort;
    return codegen::RootOf(node.op);
  }
  bool IsRoot(const Node& node) const { return RootOf(node) != KernelKind::kMap; }

  int ReducedAxes(const Node& node) const {
    int n = 0;
    for (int64_t a : node.attr<std::vector<int64_t>>("axes"))
      n += shape(node.operands[0]).dim(static_cast<int>(a)) != 1;
    return n;
  }

  // Whether a value that several read is computed again by each: few operations; more if one array is stored in the
  // place of several of its maps, or of one and the array itself.
  bool IsCheap(Value v) const {
    if (cost_[v.index()] <= tuning_.cheap_cycles) return true;
    const Value array = arrays_.of[v.index()];
    const Node* maker = f_.producer(array);
    const bool needed = !maker || (maker->op == Op::kContract && uses_.count[array.index()] > 1);
    return array != v && (arrays_.maps[array.index()] > 1 || needed) && out_.views[array.index()];
  }

  // Whether a map that is stored takes the place of a product that nothing else reads: a biased product, where each
  // reader would add the bias otherwise. Recurses as deep as one expression.
  bool ReplacesProduct(const Node& node) const {
    if (!Info(node.op).Has(ir::kElementwise)) return false;
    return std::any_of(node.operands.begin(), node.operands.end(), [&](Value o) {
      const Node* inner = f_.producer(o);
      if (!inner || uses_.reader[o.index()] != &node || f_.type(o).bytes() < f_.type(node.result()).bytes())
        return false;
      return inner->op == Op::kContract || (!out_.materialized[o.index()] && ReplacesProduct(*inner));
    });
  }

  // Operands and results of control ops are whole buffers.
  void DecideControl(const Node& node) {
    for (Value v : node.operands) {
      if (!f_.Is(v, Op::kConstant) && !IsBuffer(v)) Force(v);
    }
    for (int i = 0; i < node.num_results; ++i) Materialize(node.result(i), Why::kRoot);
  }

  void Decide(const Node& node) {
    if (IsControl(node)) return DecideControl(node);
    const Value v = node.result();
    const size_t i = v.index();
    if (node.op == Op::kConstant) {
      if (!IsUniformConstant(f_, v)) Materialize(v, Why::kNone);
      flat_[i] = true;
      return;
    }
    if (IsUniformConstant(f_, v)) {
      flat_[i] = flat_expr_[i] = true;
      if (uses_.is_result[i]) Materialize(v, Why::kResult);
      return;
    }
    if (IsView(node.op)) DecideView(node, v);
    in_place_[i] = UpdatesInPlace(node);
    ForceOperands(node);
    flat_expr_[i] = flat_[i];
    if (Info(node.op).Has(ir::kElementwise)) {
      flat_expr_[i] =
          std::all_of(node.operands.begin(), node.operands.end(), [this](Value o) { return flat_[o.index()]; });
      flat_[i] = flat_expr_[i];
    }
    cost_[i] = ir::CyclesOf(node.op);
    nodes_[i] = 1;
    for (Value o : node.operands) {
      if (out_.views[o.index()]) continue;
      cost_[i] += cost_[o.index()];
      nodes_[i] += nodes_[o.index()];
    }
    if (const Why why = WhyStored(node, v); why != Why::kNone) Materialize(v, why);
    if (node.op == Op::kContract) LayOut(node);
  }

  // A product that only a transpose reads is stored as that has it.
  void LayOut(const Node& node) {
    const Node* reader = uses_.reader[node.result().index()];
    if (!options_.fuse || !reader || reader->op != Op::kTranspose) return;
    const auto &x = out_.views[node.operands[0].index()], &w = out_.views[node.operands[1].index()];
    if (auto strides = ProductLayout(f_, node, *reader, *x, *w)) {
      out_.views[node.result().index()]->strides = *std::move(strides);
    }
  }

  Why WhyStored(const Node& node, Value v) const {
    const size_t i = v.index();
    const bool map = (!IsView(node.op) || !out_.views[i]) && uses_.stack[i] < 0;
    if (uses_.is_result[i]) return Why::kResult;
    if (IsSelected(node)) return Why::kNone;
    if (IsRoot(node)) return Why::kRoot;
    if (!options_.fuse && !IsView(node.op)) return Why::kUnfused;
    if (nodes_[i] > tuning_.max_inlined_ops) return Why::kLong;
    if (map && uses_.count[i] > 1 && (!IsCheap(v) || (uses_.non_elementwise[i] && ReplacesProduct(node))))
      return Why::kRead;
    const int64_t cheap = (uses_.minor_broadcast[i] ? 1 : 2) *
                          tuning_.cheap_cycles;  // a loop over a long row computes once what is one for it
    return map && uses_.broadcast[i] && cost_[i] > cheap ? Why::kRepeated : Why::kNone;
  }

  void DecideView(const Node& node, Value v) {
    const Value x = node.operands[0];
    const auto& view = out_.views[x.index()];
    if (view) out_.views[v.index()] = ViewThrough(f_, node, *view);
    if (!out_.views[v.index()] && node.op == Op::kReshape && !IsSplit(shape(x), shape(v))) {
      Force(x);
      out_.views[v.index()] = ViewThrough(f_, node, *out_.views[x.index()]);
    }
    const auto& own = out_.views[v.index()];
    flat_[v.index()] = own && IsWhole(f_, v, *own);
  }

  // The stored values an item reads.
  std::vector<Leaf> Leaves(const Node& node) const {
    const bool aligned = Info(node.op).Has(ir::kElementwise) || RootOf(node) == KernelKind::kReduce;
    std::vector<Leaf> operands;
    for (Value o : node.operands) operands.push_back({o, aligned});
    return LeavesOf(std::move(operands));
  }

  std::vector<Leaf> LeavesOf(std::vector<Leaf> stack) const {
    std::vector<Leaf> leaves;
    HashSet<int64_t> seen;
    while (!stack.empty()) {
      const Leaf leaf = stack.back();
      stack.pop_back();
      if (!seen.insert(int64_t{leaf.value.id} * 2 + leaf.aligned).second) continue;
      if (out_.materialized[leaf.value.index()]) {
        leaves.push_back(leaf);
      } else if (const auto& view = out_.views[leaf.value.index()]) {
        leaves.push_back({view->base, false});
      } else if (!IsUniformConstant(f_, leaf.value)) {
        const Node& inner = *f_.producer(leaf.value);
        const bool keeps = leaf.aligned && Info(inner.op).Has(ir::kElementwise);
        for (Value o : inner.operands) stack.push_back({o, keeps});
      }
    }
    std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return a.value < b.value; });
    return leaves;
  }

  static bool Contains(const std::vector<Value>& list, Value v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  }

  // Whether these groups and an item may become one that reads `inputs` in all, so that no group waits for itself.
  bool MayBecomeOne(const std::vector<int>& parts, std::vector<int> inputs) {
    for (int& d : inputs) d = merged_.Present(d);
    return guard_.MayBecomeOne(parts, inputs, [this](int g, const auto& visit) {
      for (int d : out_.kernels[static_cast<size_t>(g)].inputs) visit(merged_.Present(d));
    });
  }

  static bool MayGrow(KernelKind kind) {
    return kind == KernelKind::kMap || kind == KernelKind::kReduce || kind == KernelKind::kMatmul;
  }

  enum class Joins { kNo, kPre, kPost, kRoot };

  // Whether an item that reads `leaves` can become part of group g, and as what; if not, why.
  Joins CanJoin(const Node& node, const std::vector<Leaf>& leaves, const std::vector<int>& inputs, int g,
                Apart* apart) {
    const KernelPlan& group = out_.kernels[static_cast<size_t>(g)];
    const auto no = [apart](Apart why) {
      *apart = why;
      return Joins::kNo;
    };
    if (!Holds(Rule::kJoinOpen, MayGrow(group.kind()))) return no(Apart::kClosed);
    if (shared_.contains(g) && (IsRoot(node) || ReadsUpdated(leaves))) return no(Apart::kClosed);
    if (group.nodes + nodes_of(node) > tuning_.max_kernel_ops) return no(Apart::kLarge);
    bool pre = false, post = false;
    for (const Leaf& leaf : leaves) {
      if (out_.kernel_of[leaf.value.index()] != g) continue;
      if (!Holds(Rule::kJoinAligned, leaf.aligned)) return no(Apart::kElsewhere);
      (Contains(group.producer, leaf.value) ? pre : post) = true;
    }
    if (!Holds(Rule::kJoinOneSide, pre != post)) return no(Apart::kElsewhere);
    Joins result = pre ? Joins::kPre : Joins::kPost;
    if (IsRoot(node)) {
      if (!Holds(Rule::kJoinOneRoot, group.kind() == KernelKind::kMap && post)) return no(Apart::kRoots);
      if (ReducedAxes(node) > 1) {
        for (Value v : group.epilogue) {
          if (!Holds(Rule::kJoinFlatRoot, flat_expr_[v.index()])) return no(Apart::kElsewhere);
        }
      }
      result = Joins::kRoot;
    } else if (pre && ReducedAxes(*f_.producer(group.root)) > 1 &&
               !Holds(Rule::kJoinFlatProducer, flat_expr_[node.result().index()])) {
      return no(Apart::kElsewhere);
    }
    return Holds(Rule::kJoinAcyclic, MayBecomeOne({g}, inputs)) ? result : no(Apart::kBetween);
  }

  int nodes_of(const Node& node) const {
    int n = 1;
    for (Value o : node.operands) {
      if (!out_.views[o.index()]) n += nodes_[o.index()];
    }
    return n;
  }

  // Groups that compute the leaves, sorted.
  std::vector<int> GroupsOf(const std::vector<Leaf>& leaves) const {
    std::vector<int> inputs;
    for (const Leaf& leaf : leaves) {
      const int g = out_.kernel_of[leaf.value.index()];
      if (g >= 0) inputs.push_back(g);
    }
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    return inputs;
  }

  void PlaceControl(const Node& node) {
    const std::vector<Leaf> leaves = Leaves(node);
    KernelPlan group;
    group.detail = DetailOf(ir::IsCheck(node.op) ? KernelKind::kCheck : KernelKind::kControl);
    group.root = node.result();
    group.inputs = GroupsOf(leaves);
    group.last = node.result(node.num_results - 1).id;
    group.nodes = 1;
    for (const Leaf& leaf : leaves) {
      out_.stored[leaf.value.index()] = true;
      readers_[leaf.value.index()].push_back(static_cast<int>(out_.kernels.size()));
    }
    for (int i = 0; i < node.num_results; ++i) {
      out_.stored[node.result(i).index()] = true;
      out_.kernel_of[node.result(i).index()] = static_cast<int>(out_.kernels.size());
    }
    NewGroup() = std::move(group);
  }

  // Its rank may be its number: what it reads is there.
  KernelPlan& NewGroup() {
    guard_.Add(guard_.size());
    return out_.kernels.emplace_back();
  }

  void Place(const Node& node, Value v) {
    const std::vector<Leaf> leaves = Leaves(node);
    const std::vector<int> inputs = GroupsOf(leaves);
    int target = -1;
    Joins how = Joins::kNo;
    const KernelKind kind = RootOf(node);
    const bool joins = options_.fuse && (kind == KernelKind::kMap || kind == KernelKind::kReduce);
    Apart apart = !options_.fuse ? Apart::kUnfused : Apart::kWhole;  // of the latest group it reads
    for (size_t k = inputs.size(); joins && k-- > 0 && how == Joins::kNo;) {
      target = inputs[k];
      Apart why = apart;
      how = CanJoin(node, leaves, inputs, target, &why);
      if (k + 1 == inputs.size()) apart = why;
    }
    if (how == Joins::kNo && joins && Gathers(v, kind, leaves)) {
      const auto it = small_.find(Extents(v));
      if (it != small_.end() && MayShare(node, inputs, it->second)) {
        target = it->second;
        how = Joins::kPost;
        shared_.insert(target);
      }
    }
    if (how == Joins::kNo) {
      target = static_cast<int>(out_.kernels.size());
      KernelPlan& group = NewGroup();
      if (!inputs.empty()) group.apart = apart;
      for (const Leaf& leaf : leaves) {
        if (!inputs.empty() && out_.kernel_of[leaf.value.index()] == inputs.back()) group.apart_from = leaf.value;
      }
      if (Gathers(v, kind, leaves)) small_[Extents(v)] = target;
    }
    if (how == Joins::kPost || (how == Joins::kRoot && ReducedAxes(node) == 1)) {
      for (int other : inputs) MergeMaps(leaves, inputs, other, target);
    }
    Add(node, v, how, target);
    KernelPlan& group = out_.kernels[static_cast<size_t>(target)];
    for (int d : inputs) {
      if (d != target && std::find(group.inputs.begin(), group.inputs.end(), d) == group.inputs.end()) {
        group.inputs.push_back(d);
      }
    }
    for (const Leaf& leaf : leaves) {
      if (out_.kernel_of[leaf.value.index()] == target) continue;
      out_.stored[leaf.value.index()] = true;
      if (uses_.wants_buffer[leaf.value.index()]) readers_[leaf.value.index()].push_back(target);
    }
    if (uses_.is_result[v.index()]) out_.stored[v.index()] = true;
  }

  // Two groups of maps over one shape whose values one map or reduction reads become one: what both read is read once,
  // and what nobody else reads is not stored. Adam's moments and the update made of them.
  void MergeMaps(const std::vector<Leaf>& leaves, const std::vector<int>& inputs, int from, int into) {
    if (from == into || shared_.contains(from) || shared_.contains(into)) return;
    KernelPlan &a = out_.kernels[static_cast<size_t>(from)], &b = out_.kernels[static_cast<size_t>(into)];
    if (a.kind() != KernelKind::kMap || b.kind() != KernelKind::kMap) return;
    if (shape(a.epilogue[0]).size() <= tuning_.small_map) return;
    if (a.nodes + b.nodes > tuning_.max_kernel_ops) return;
    for (const Leaf& leaf : leaves) {  // read at the same elements, they have one shape, too
      if (out_.kernel_of[leaf.value.index()] == from && !Holds(Rule::kMergeAligned, leaf.aligned)) return;
    }
    if (!Holds(Rule::kMergeApart, !Reads(a, into) && !Reads(b, from))) return;
    std::vector<int> all = inputs;  // of the map or reduction, and of both
    all.insert(all.end(), a.inputs.begin(), a.inputs.end());
    all.insert(all.end(), b.inputs.begin(), b.inputs.end());
    if (Holds(Rule::kMergeAcyclic, MayBecomeOne({from, into}, std::move(all)))) merged_.Merge(from, into, &out_);
  }
  bool Reads(const KernelPlan& group, int g) const {
    return std::any_of(group.inputs.begin(), group.inputs.end(), [&](int d) { return merged_.Present(d) == g; });
  }

  std::vector<int64_t> Extents(Value v) const { return shape(v).dims(); }

  // Whether a map may share a kernel with unrelated ones. What reads a buffer that is updated may not: it must be free
  // to run before the update.
  bool Gathers(Value v, KernelKind kind, const std::vector<Leaf>& leaves) const {
    return options_.gather_small && kind == KernelKind::kMap && shape(v).size() <= tuning_.small_map &&
           !ReadsUpdated(leaves);
  }
  bool ReadsUpdated(const std::vector<Leaf>& leaves) const {
    return std::any_of(leaves.begin(), leaves.end(), [this](const Leaf& leaf) {
      return uses_.wants_buffer[leaf.value.index()] && shape(leaf.value).size() > tuning_.small_map;
    });
  }
  bool MayShare(const Node& node, const std::vector<int>& inputs, int g) {
    const KernelPlan& group = out_.kernels[static_cast<size_t>(g)];
    return group.kind() == KernelKind::kMap && group.nodes + nodes_of(node) <= tuning_.max_inlined_ops &&
           std::find(inputs.begin(), inputs.end(), g) == inputs.end() &&
           Holds(Rule::kShareAcyclic, MayBecomeOne({g}, inputs));
  }

  void Add(const Node& node, Value v, Joins how, int target) {
    KernelPlan& group = out_.kernels[static_cast<size_t>(target)];
    out_.kernel_of[v.index()] = target;
    group.last = std::max(group.last, v.id);
    group.nodes += nodes_of(node);
    if (how == Joins::kRoot) group.producer = std::move(group.epilogue);
    if (how == Joins::kRoot) group.epilogue.clear();
    if (how == Joins::kPre) {
      group.producer.push_back(v);
    } else if (IsRoot(node)) {
      group.root = v;
      group.detail = DetailOf(RootOf(node));
    } else {
      group.epilogue.push_back(v);
    }
  }

  const ir::Function& f_;
  const MapOptions options_;
  const Tuning& tuning_;
  PlanGraph out_;
  Uses uses_;
  const Arrays arrays_;
  std::vector<int> cost_, nodes_, whole_cost_;
  std::vector<bool> flat_, flat_expr_;
  std::vector<bool> in_place_;  // a dynamic_update that is a root
  std::vector<std::vector<int>> readers_;  // groups, of values that want a buffer
  MergedGroups merged_;
  CycleGuard guard_;
  std::map<std::vector<int64_t>, int> small_;  // by extents: the last group of maps of few elements
  HashSet<int> shared_;  // groups that hold unrelated maps
};

}  // namespace

PlanGraph PlanMaps(const ir::Function& function, const MapOptions& options) { return Grouper(function, options).Run(); }

}  // namespace reel::codegen
