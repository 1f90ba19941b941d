#include "codegen/plan/storage.h"

#include <algorithm>

#include "codegen/plan/products.h"
#include "codegen/plan/storage_state.h"
#include "codegen/plan/view.h"
#include "ir/budget_scope.h"
#include "ir/cost.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

// Decides value after value, in their order.
class StoragePlanner : StorageState {
 public:
  StoragePlanner(const ir::Function& f, const MapOptions& options) : StorageState(f, options) {}

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
      ForceNumbers(node);
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

  // What a scatter of numbers, one after the other, reads: maps of several operations are faster with lanes.
  void ForceNumbers(const Node& node) {
    if (!options_.fuse || shape(node.operands[1]).size() != shape(node.operands[2]).size()) return;
    const auto force = [&](Value o, int64_t cycles) {
      if (!view(o) && !IsUniformConstant(f_, o) && cost_[o.index()] > cycles) Force(o);
    };
    force(node.operands[1], tuning_.cheap_cycles);
    force(node.operands[2], tuning_.cheap_cycles_of_array);
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
