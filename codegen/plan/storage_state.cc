#include "codegen/plan/storage_state.h"

#include <algorithm>

#include "codegen/plan/view.h"

namespace reel::codegen {

using ir::Node;
using ir::Op;
using ir::Value;

namespace {

constexpr int kMaxPaths = 1 << 16;  // cycles, were nothing shared by a stack's parts: time to walk them

}  // namespace

StorageState::StorageState(const ir::Function& f, const MapOptions& options)
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

std::optional<View> StorageState::Shown(Value v) const {
  std::vector<const Node*> views;
  for (; !view(v) && IsView(f_.producer(v)->op); v = views.back()->operands[0]) views.push_back(f_.producer(v));
  std::optional<View> shown = view(v) ? view(v) : View{v, 0, RowMajorStrides(shape(v))};
  for (; shown && !views.empty(); views.pop_back()) shown = ViewThrough(f_, *views.back(), *shown);
  return shown;
}

bool StorageState::ShowsMap(Value v) const {
  const Node* reader = nullptr;
  for (; !view(v) && f_.Is(v, Op::kReshape); v = reader->operands[0]) reader = f_.producer(v);
  if (view(v) || !reader || s_.uses.reader[v.index()] != reader) return false;
  const Op op = f_.producer(v)->op;
  return Info(op).Has(ir::kElementwise) || op == Op::kDynamicUpdate;
}

// Whether slices of a transpose whose lanes are apart in memory are better read from a copy, which is turned in
// registers: each would gather them.
bool StorageState::IsTurnedOnce(const Node& node, Value v) const {
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

// Whether many joined parts are long enough for loops of their own (schedule/map.cc).
bool StorageState::HasLoops(const Node& node) const {
  const Shape& joined = shape(node.result());
  int64_t n = 1;
  for (int i = static_cast<int>(node.attr<int64_t>("axis")); i < joined.rank(); ++i) n *= joined.dim(i);
  return n >= tuning_.few_parts * tuning_.min_part;
}

// Whether a value is an update at a known place whose only reader writes another part beside it.
bool StorageState::IsJoinedFurther(Value v) const {
  const Node* reader = s_.uses.reader[v.index()];
  return reader && reader->operands[0] == v && KnownStart(f_, *reader) && !s_.uses.is_result[v.index()];
}

bool StorageState::UpdatesInPlace(const Node& node) const {
  if (node.op != Op::kDynamicUpdate || !IsBuffer(node.operands[0])) return false;
  const Uses& uses = s_.uses;
  const size_t i = node.result().index();
  const bool state = f_.is_parameter(view(node.operands[0])->base) && uses.is_result[i];
  const bool most = 2 * shape(node.operands[1]).size() > shape(node.result()).size();
  if (most && (!state || KnownStart(f_, node))) return false;
  return uses.is_result[i] || uses.count[i] > 1 || uses.wants_buffer[i] || !options_.fuse;
}

bool StorageState::IsSelection(const Node& node) const {
  return options_.fuse && SelectionOf(f_, s_.uses, node, tuning_) != nullptr;
}

// Whether a kernel makes the first positions of an argsort's rows alone.
bool StorageState::IsSelected(const Node& node) const {
  const Node* reader = node.op == Op::kArgsort ? s_.uses.reader[node.result().index()] : nullptr;
  return reader != nullptr && IsSelection(*reader);
}

// Whether a value that several read is computed again by each: few operations; more if one array is stored in the
// place of several of its maps, or of one and the array itself.
bool StorageState::IsCheap(Value v) const {
  if (cost_[v.index()] <= tuning_.cheap_cycles) return true;
  const Value array = arrays_.of[v.index()];
  const Node* maker = f_.producer(array);
  const bool needed = !maker || (maker->op == Op::kContract && s_.uses.count[array.index()] > 1);
  return array != v && (arrays_.maps[array.index()] > 1 || needed) && view(array);
}

// Whether a map that is stored takes the place of a product that nothing else reads: a biased product, where each
// reader would add the bias otherwise. Recurses as deep as one expression.
bool StorageState::ReplacesProduct(const Node& node) const {
  if (!Info(node.op).Has(ir::kElementwise)) return false;
  return std::any_of(node.operands.begin(), node.operands.end(), [&](Value o) {
    const Node* inner = f_.producer(o);
    if (!inner || s_.uses.reader[o.index()] != &node || f_.type(o).bytes() < f_.type(node.result()).bytes())
      return false;
    return inner->op == Op::kContract || (!out_.materialized[o.index()] && ReplacesProduct(*inner));
  });
}

// Whether a map reads elements of windows, which lie apart. Recurses as deep as one expression.
bool StorageState::ReadsWindows(const Node& node) const {
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
bool StorageState::IsTurnedPool(const Node& node, Value v) const {
  const Node* reader = s_.uses.reader[v.index()];
  if (!reader || reader->op != Op::kTranspose || shape(v).rank() == 0) return false;
  const int last = shape(v).rank() - 1;
  return shape(v).dim(last) > 1 && reader->attr<std::vector<int64_t>>("permutation").back() != last &&
         ReadsWindows(node);
}

const Node* StorageState::ProductOf(Value v) const {
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

Why StorageState::WhyStored(const Node& node, Value v) const {
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

void StorageState::CountSlices() {
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

}  // namespace reel::codegen
