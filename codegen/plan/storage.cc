#include "codegen/plan/storage.h"

#include <algorithm>

#include "codegen/plan/products.h"
#include "codegen/plan/view.h"
#include "ir/budget_scope.h"
#include "ir/cost.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

constexpr int kMaxPaths = 1 << 16;  // cycles, were nothing shared by a stack's parts: time to walk them

class StoragePlanner {
 public:
  StoragePlanner(const ir::Function& f, const MapOptions& options)
      : f_(f),
        options_(options),
        tuning_(options_.tuning),
        s_{{}, UsesOf(f, tuning_), {}, {}, {}, {}},
        arrays_(FindArrays(f, s_.uses.count, tuning_)) {
    const auto n = static_cast<size_t>(f.num_values());
    out_.materialized.assign(n, false);
    out_.views.resize(n);
    out_.kernel_of.assign(n, -1);
    out_.stored.assign(n, false);
    out_.why.assign(n, Why::kNone);
    out_.cost.assign(n, 0);
    s_.nodes.assign(n, 0);
    s_.flat_expr.assign(n, false);
    s_.in_place.assign(n, false);
    s_.selects.assign(n, false);
    cost_.assign(n, 0);
    flat_.assign(n, false);
    counted_.assign(n, false);
    CountSlices();
    parts_.assign(n, 0);
  }

  Storage Run() {
    for (int i = 0; i < f_.num_parameters(); ++i) Materialize({i}, Why::kNone);
    for (const Node& node : f_.nodes()) {
      ir::ChargeVisits(1);
      IsControl(node.op) ? DecideControl(node) : Decide(node);
    }
    out_.readers = s_.uses.count;
    return std::move(s_);
  }

 private:
  const Shape& shape(Value v) const { return f_.type(v).shape; }
  const std::optional<View>& view(Value v) const { return out_.views[v.index()]; }

  void Materialize(Value v, Why why) {
    const size_t i = v.index();
    out_.materialized[i] = true;
    out_.why[i] = why;
    out_.cost[i] = cost_[i];
    out_.views[i] = View{v, 0, RowMajorStrides(shape(v))};
    flat_[i] = true;
    cost_[i] = s_.nodes[i] = 0;
  }
  void Force(Value v) {
    if (!out_.materialized[v.index()]) Materialize(v, Why::kOperand);
  }
  void ForceView(Value v) {
    if (!view(v)) Force(v);
  }

  bool IsWidened(Value v) const { return f_.type(view(v)->base).dtype != f_.type(v).dtype; }

  // As a view of memory with any strides: what is not a view gets memory, not the view of it. `widen`: the memory may
  // be that of a widening cast's operand.
  void ForceMemory(Value v, bool widen) {
    std::vector<const Node*> views;
    const auto is_memory = [&] { return view(v) && (widen || !IsWidened(v)); };
    while (!is_memory() && (IsView(f_.producer(v)->op) || (widen && IsWidening(f_, *f_.producer(v))))) {
      views.push_back(f_.producer(v));
      v = views.back()->operands[0];
    }
    if (!is_memory()) {
      Force(v);
      LayOutMap(v);
    }
    for (; !views.empty(); views.pop_back()) {
      const Node& node = *views.back();
      auto& through = out_.views[node.result().index()];
      through = ViewThrough(f_, node, *view(node.operands[0]));
      if (!through) Materialize(node.result(), Why::kOperand);
    }
  }

  // v as a view of what it shows, if that had memory.
  std::optional<View> Shown(Value v) const {
    std::vector<const Node*> views;
    for (; !view(v) && IsView(f_.producer(v)->op); v = views.back()->operands[0]) views.push_back(f_.producer(v));
    std::optional<View> shown = view(v) ? view(v) : View{v, 0, RowMajorStrides(shape(v))};
    for (; shown && !views.empty(); views.pop_back()) shown = ViewThrough(f_, *views.back(), *shown);
    return shown;
  }

  void ForceFactors(const Node& node) {
    const Value a = node.operands[0], b = node.operands[1];
    const auto widened = [this](Value v) { return options_.fuse ? WidenedView(f_, out_, v) : std::nullopt; };
    const std::optional<View> x = widened(a), w = widened(b);
    const bool pairs = options_.pairs && x && w && MultipliesPairs(f_, node, *x, *w, tuning_);
    ForceMemory(a, pairs);
    const auto in_place = [&](const View& of) { return MakesLanes(f_, node, of, tuning_); };
    if (w && (pairs || in_place(*w))) return ForceMemory(b, true);
    // Windows and broadcasts show elements many times: these are stored once.
    if (const std::optional<View> shown = Shown(b);
        shown && shape(shown->base).size() < shape(b).size() && in_place(*shown)) {
      return ForceMemory(b, false);
    }
    ForceView(b);
    if (!in_place(*view(b))) Force(b);
  }

  void ForceOperands(const Node& node) {
    const Value x = node.operands.empty() ? Value() : node.operands[0];
    if (Info(node.op).Has(ir::kReduction)) {
      if (ReducedAxes(f_, node) > 1 && !flat_[x.index()]) Force(x);
      return;
    }
    if (Info(node.op).Has(ir::kScatter)) {
      if (IsUniformConstant(f_, x)) return;
      if (!IsBuffer(x)) Force(x);
      return ForceOthers(node);
    }
    switch (node.op) {
      case Op::kContract: return ForceFactors(node);
      case Op::kGather:
      case Op::kDynamicSlice: return ForceView(x);
      case Op::kPad: return ForcePadded(x);
      case Op::kArgsort: ForceView(x); return IsWidened(x) ? Force(x) : void();
      case Op::kDynamicUpdate:
        // Where it is not in place, operand 0 is read at the result's own indices.
        return s_.in_place[node.result().index()] ? ForceOthers(node) : ForceUpdate(node);
      default: return;
    }
  }

  // Whether v is what a map, or a join, makes for it alone, but for its shape: that had better have memory, where its
  // kernel is.
  bool ShowsMap(Value v) const {
    const Node* reader = nullptr;
    for (; !view(v) && f_.Is(v, Op::kReshape); v = reader->operands[0]) reader = f_.producer(v);
    if (view(v) || !reader || s_.uses.reader[v.index()] != reader) return false;
    const Op op = f_.producer(v)->op;
    return Info(op).Has(ir::kElementwise) || op == Op::kDynamicUpdate;
  }

  void CountSlices() {
    largest_slice_.assign(flat_.size(), 0);
    slices_.assign(flat_.size(), 0);
    for (size_t i = f_.nodes().size(); i-- > 0;) {
      const Node& node = f_.nodes()[i];
      if (!IsView(node.op) || s_.uses.count[node.result().index()] == 0) continue;
      const size_t x = node.operands[0].index();
      const int64_t own = node.op == Op::kSlice ? 1 : slices_[node.result().index()];
      slices_[x] = std::min(slices_[x] + own, tuning_.turned_slices);  // more do not count
      if (node.op == Op::kSlice) largest_slice_[x] = std::max(largest_slice_[x], shape(node.result()).size());
    }
  }

  // Whether slices of a transpose whose lanes are apart in memory are better read from a copy, which is turned in
  // registers: each would gather them.
  bool IsTurnedOnce(const Node& node, Value v) const {
    if (!options_.fuse || node.op != Op::kTranspose || slices_[v.index()] < tuning_.turned_slices || !view(v))
      return false;
    int last = shape(v).rank() - 1;
    while (last > 0 && shape(v).dim(last) == 1) --last;
    const std::vector<int64_t>& strides = view(v)->strides;
    const auto least = static_cast<int64_t>(kMaxUnrolled);
    bool neighbours = false;
    for (int i = 0; i < last; ++i) neighbours |= strides[static_cast<size_t>(i)] == 1 && shape(v).dim(i) >= least;
    return neighbours && shape(v).dim(last) >= least && !IsWidened(v);
  }

  // A view. Where slices take most of a map that several read, that is stored, and not each of the slices: the gradient
  // of a roll pads them all.
  void ForcePadded(Value x) {
    const Node* slice = view(x) ? nullptr : f_.producer(x);
    if (!slice || slice->op != Op::kSlice) return ShowsMap(x) ? ForceMemory(x, false) : ForceView(x);
    const size_t of = slice->operands[0].index();
    const bool most = 2 * largest_slice_[of] > shape(slice->operands[0]).size();
    if (most && s_.uses.count[of] > 1) return ForceMemory(x, false);
    Force(x);
  }

  // Memory, as a whole and in order.
  bool IsBuffer(Value v) const { return view(v) && IsWhole(f_, v, *view(v)); }

  // An update in place that reads elsewhere what it writes over would write over a copy of that (memory.in_place).
  void ForceOthers(const Node& node) {
    const Value base = view(node.operands[0])->base;
    for (size_t k = 1; k < node.operands.size(); ++k) {
      const Value o = node.operands[k];
      for (const Leaf& leaf : LeavesOf(f_, out_, {{o, false}})) {
        if (leaf.value == base && o != base) Force(o);
      }
    }
  }

  // What is read where it may not be: memory, a number, or padding along the axis, which asks where it is itself.
  void ForceUpdate(const Node& node) {
    const Value update = node.operands[1];
    if (IsUniformConstant(f_, update)) return;
    if (f_.Is(update, Op::kPad) && KnownStart(f_, node) && !out_.materialized[update.index()]) {
      const auto axis = static_cast<size_t>(node.attr<int64_t>("axis"));
      const auto pads = [&](const char* side) {
        return f_.producer(update)->attr<std::vector<int64_t>>(side)[axis] != 0;
      };
      if (pads("low") || pads("high")) return;
    }
    ForceView(update);
  }

  // Whether many joined parts are long enough for loops of their own (schedule/map.cc).
  bool HasLoops(const Node& node) const {
    const Shape& joined = shape(node.result());
    int64_t n = 1;
    for (int i = static_cast<int>(node.attr<int64_t>("axis")); i < joined.rank(); ++i) n *= joined.dim(i);
    return n >= tuning_.few_parts * tuning_.min_part;
  }

  // Whether a value is an update at a known place whose only reader writes another part beside it.
  bool IsJoinedFurther(Value v) const {
    const Node* reader = s_.uses.reader[v.index()];
    return reader && reader->operands[0] == v && KnownStart(f_, *reader) && !s_.uses.is_result[v.index()];
  }

  // Whether a dynamic_update only writes the update, over operand 0 or a copy of it. Where nothing stores the result
  // otherwise, a select at its users is better; and where most of it is written, unless it is likely in its place.
  bool UpdatesInPlace(const Node& node) const {
    if (node.op != Op::kDynamicUpdate || !IsBuffer(node.operands[0])) return false;
    const Uses& uses = s_.uses;
    const size_t i = node.result().index();
    const bool state = f_.is_parameter(view(node.operands[0])->base) && uses.is_result[i];
    const bool most = 2 * shape(node.operands[1]).size() > shape(node.result()).size();
    if (most && (!state || KnownStart(f_, node))) return false;
    return uses.is_result[i] || uses.count[i] > 1 || uses.wants_buffer[i] || !options_.fuse;
  }

  bool IsSelection(const Node& node) const {
    return options_.fuse && SelectionOf(f_, s_.uses, node, tuning_) != nullptr;
  }
  // Whether a kernel makes the first positions of an argsort's rows alone.
  bool IsSelected(const Node& node) const {
    const Node* reader = node.op == Op::kArgsort ? s_.uses.reader[node.result().index()] : nullptr;
    return reader != nullptr && IsSelection(*reader);
  }

  // Whether a value that several read is computed again by each: few operations; more if one array is stored in the
  // place of several of its maps, or of one and the array itself.
  bool IsCheap(Value v) const {
    if (cost_[v.index()] <= tuning_.cheap_cycles) return true;
    const Value array = arrays_.of[v.index()];
    const Node* maker = f_.producer(array);
    const bool needed = !maker || (maker->op == Op::kContract && s_.uses.count[array.index()] > 1);
    return array != v && (arrays_.maps[array.index()] > 1 || needed) && view(array);
  }

  // Whether a map that is stored takes the place of a product that nothing else reads: a biased product, where each
  // reader would add the bias otherwise. Recurses as deep as one expression.
  bool ReplacesProduct(const Node& node) const {
    if (!Info(node.op).Has(ir::kElementwise)) return false;
    return std::any_of(node.operands.begin(), node.operands.end(), [&](Value o) {
      const Node* inner = f_.producer(o);
      if (!inner || s_.uses.reader[o.index()] != &node || f_.type(o).bytes() < f_.type(node.result()).bytes())
        return false;
      return inner->op == Op::kContract || (!out_.materialized[o.index()] && ReplacesProduct(*inner));
    });
  }

  // Whether a map reads elements of windows, which lie apart. Recurses as deep as one expression.
  bool ReadsWindows(const Node& node) const {
    if (!Info(node.op).Has(ir::kElementwise)) return false;
    return std::any_of(node.operands.begin(), node.operands.end(), [&](Value o) {
      const Node* inner = f_.producer(o);
      while (inner && IsView(inner->op) && inner->op != Op::kWindow) inner = f_.producer(inner->operands[0]);
      if (!inner || inner->op == Op::kWindow) return inner != nullptr;
      return inner->result() == o && s_.uses.reader[o.index()] == &node && !out_.materialized[o.index()] &&
             ReadsWindows(*inner);
    });
  }

  // Whether only a transpose of its last axis reads a pooled value: it would gather each number of each window, while
  // what is stored is turned in registers.
  bool IsTurnedPool(const Node& node, Value v) const {
    const Node* reader = s_.uses.reader[v.index()];
    if (!reader || reader->op != Op::kTranspose || shape(v).rank() == 0) return false;
    const int last = shape(v).rank() - 1;
    return shape(v).dim(last) > 1 && reader->attr<std::vector<int64_t>>("permutation").back() != last &&
           ReadsWindows(node);
  }

  // Operands and results of control ops are whole buffers.
  void DecideControl(const Node& node) {
    for (Value v : node.operands) {
      if (!f_.Is(v, Op::kConstant) && !IsBuffer(v)) Force(v);
    }
    for (int i = 0; i < node.num_results; ++i) Materialize(node.result(i), Why::kRoot);
  }

  void Decide(const Node& node) {
    const Value v = node.result();
    const size_t i = v.index();
    if (node.op == Op::kConstant) {
      if (!IsUniformConstant(f_, v)) Materialize(v, Why::kNone);
      flat_[i] = true;
      return;
    }
    if (IsUniformConstant(f_, v)) {
      flat_[i] = s_.flat_expr[i] = true;
      if (s_.uses.is_result[i]) Materialize(v, Why::kResult);
      return;
    }
    if (IsView(node.op)) DecideView(node, v);
    s_.in_place[i] = UpdatesInPlace(node);
    s_.selects[i] = IsSelection(node);
    ForceOperands(node);
    if (Info(node.op).Has(ir::kElementwise)) {
      const auto is_flat = [this](Value o) { return flat_[o.index()]; };
      // A part of a stack asks where it is, though its condition may be memory.
      flat_[i] = std::all_of(node.operands.begin(), node.operands.end(), is_flat) && !StackStepOf(f_, node);
    }
    s_.flat_expr[i] = flat_[i];
    cost_[i] = ir::CyclesOf(node.op);
    s_.nodes[i] = 1;
    if (KnownStart(f_, node)) parts_[i] = 1 + (view(node.operands[0]) ? 0 : parts_[node.operands[0].index()]);
    for (Value o : node.operands) {
      if (view(o)) continue;
      cost_[i] += cost_[o.index()];
      // What only parts of one stack read is computed once.
      if (!counted_[o.index()]) s_.nodes[i] += s_.nodes[o.index()];
      counted_[o.index()] = s_.uses.stack[o.index()] >= 0;
    }
    if (const Why why = WhyStored(node, v); why != Why::kNone) Materialize(v, why);
    if (node.op == Op::kContract)
      LayOut(node, node);
    else if (out_.materialized[i])
      LayOutMap(v);
  }

  // The only product whose elements a map computes its own from, where nothing else reads it; null: there is none.
  const Node* ProductOf(Value v) const {
    const Node* found = nullptr;
    std::vector<Value> open{v};
    for (size_t i = 0; i < open.size() && open.size() <= static_cast<size_t>(tuning_.max_inlined_ops); ++i) {
      const Node* node = f_.producer(open[i]);
      if (!node || !Info(node->op).Has(ir::kElementwise)) continue;
      for (Value o : node->operands) {
        const Node* maker = f_.producer(o);
        if (!maker) continue;
        if (maker->op == Op::kContract && s_.uses.reader[o.index()] == node) {
          if (found) return nullptr;
          found = maker;
        } else if (!out_.materialized[o.index()]) {
          open.push_back(o);
        }
      }
    }
    return found;
  }

  void LayOutMap(Value v) {
    if (!Info(f_.producer(v)->op).Has(ir::kElementwise)) return;
    if (const Node* product = ProductOf(v)) LayOut(*f_.producer(v), *product);
  }

  // A product, or a map of one, that only a transpose reads, or views one of the other, is stored as that, or the last
  // of them, has it.
  void LayOut(const Node& node, const Node& product) {
    constexpr size_t kMaxViews = 8;  // each may be the last: time
    std::vector<const Node*> views;
    const auto next = [&] { return s_.uses.reader[(views.empty() ? node : *views.back()).result().index()]; };
    const auto is_layout = [](const Node* n) { return n && (n->op == Op::kTranspose || n->op == Op::kReshape); };
    while (options_.fuse && views.size() < kMaxViews && is_layout(next())) views.push_back(next());
    const auto &x = view(product.operands[0]), &w = view(product.operands[1]);
    for (; !views.empty(); views.pop_back()) {
      if (auto strides = ProductLayout(f_, product, views, *x, *w)) {
        out_.views[node.result().index()]->strides = *std::move(strides);
        return;
      }
    }
  }

  Why WhyStored(const Node& node, Value v) const {
    const size_t i = v.index();
    const Uses& uses = s_.uses;
    const bool map = (!IsView(node.op) || !view(v)) && uses.stack[i] < 0;
    if (uses.is_result[i]) return Why::kResult;
    if (IsSelected(node)) return Why::kNone;
    if (RootOf(s_, node) != KernelKind::kMap) return Why::kRoot;
    if (!options_.fuse && !IsView(node.op)) return Why::kUnfused;
    if (s_.nodes[i] > tuning_.max_inlined_ops || cost_[i] > kMaxPaths || parts_[i] + 1 >= tuning_.map_parts)
      return Why::kLong;
    if (parts_[i] >= tuning_.joined_parts && HasLoops(node) && !IsJoinedFurther(v)) return Why::kJoined;
    if (map && uses.count[i] > 1 && (!IsCheap(v) || (uses.non_elementwise[i] && ReplacesProduct(node))))
      return Why::kRead;
    if ((map && IsTurnedPool(node, v)) || IsTurnedOnce(node, v)) return Why::kOperand;
    // A loop over a long row computes once what is one for it.
    const int64_t cheap = (uses.minor_broadcast[i] ? 1 : 2) * tuning_.cheap_cycles;
    return map && uses.broadcast[i] && cost_[i] > cheap ? Why::kRepeated : Why::kNone;
  }

  void DecideView(const Node& node, Value v) {
    const Value x = node.operands[0];
    auto& own = out_.views[v.index()];
    if (view(x)) own = ViewThrough(f_, node, *view(x));
    if (!own && node.op == Op::kReshape && !IsSplit(shape(x), shape(v))) {
      Force(x);
      own = ViewThrough(f_, node, *view(x));
    }
    flat_[v.index()] = own && IsWhole(f_, v, *own);
  }

  const ir::Function& f_;
  const MapOptions options_;
  const Tuning& tuning_;
  Storage s_;
  PlanGraph& out_ = s_.plan;
  const Arrays arrays_;
  std::vector<int> cost_;  // of what is computed in a value's place
  std::vector<int> parts_;  // that updates at known places lay side by side in a value's expression
  std::vector<int64_t> largest_slice_, slices_;  // of each value: elements; how many there are, of views of it too
  std::vector<bool> counted_;  // what only parts of one stack read: one of them has it
  std::vector<bool> flat_;  // it is memory in order, or computed of such
};

}  // namespace

Storage PlanStorage(const ir::Function& function, const MapOptions& options) {
  return StoragePlanner(function, options).Run();
}

KernelKind RootOf(const Storage& storage, const Node& node) {
  if (node.op == Op::kDynamicUpdate && !storage.in_place[node.result().index()]) return KernelKind::kMap;
  return storage.selects[node.result().index()] ? KernelKind::kSort : RootOf(node.op);
}

int ReducedAxes(const ir::Function& f, const Node& node) {
  int n = 0;
  for (int64_t a : node.attr<std::vector<int64_t>>("axes"))
    n += f.type(node.operands[0]).shape.dim(static_cast<int>(a)) != 1;
  return n;
}

}  // namespace reel::codegen
