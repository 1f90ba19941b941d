#include "codegen/plan/uses.h"

#include <algorithm>

#include "codegen/plan/view.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

// Whether a reshape adds or drops axes of one element alone.
bool KeepsOthers(const ir::Function& f, const Node& reshape) {
  return WithoutOnes(f.type(reshape.operands[0]).shape) == WithoutOnes(f.type(reshape.result()).shape);
}

// The stack an operand of a node belongs to: a chain of select(iota == k, part, rest) lays parts side by side along a
// short axis, which ScheduleMap unrolls. So what only parts of one stack read is computed once, in its kernel.
int32_t StackOf(const ir::Function& f, const Uses& uses, const Node& node, size_t operand) {
  const int32_t above = uses.stack[node.result().index()];
  if (!StackStepOf(f, node)) {
    // Parts are shown with the axis, or repeated along it.
    const bool shows = node.op == Op::kBroadcast || (node.op == Op::kReshape && KeepsOthers(f, node));
    return (shows && above >= 0) || Info(node.op).Has(ir::kElementwise) ? std::max(above, Uses::kNoStack)
                                                                        : Uses::kNoStack;
  }
  if (operand == 0) return Uses::kNoStack;
  return above >= 0 && !uses.is_result[node.result().index()] ? above : node.result().id;
}

// Whether a broadcast repeats each element along the last axis, so few times that the lanes of a loop hold several.
bool Spreads(const ir::Function& f, const Node& node, const Tuning& tuning) {
  if (node.op != Op::kBroadcast) return false;
  const Shape &from = f.type(node.operands[0]).shape, &to = f.type(node.result()).shape;
  const auto& axes = node.attr<std::vector<int64_t>>("axes");
  const int last = to.rank() - 1;
  if (from.size() <= 1 || last < 0 || to.dim(last) == 1 || to.dim(last) > tuning.few_repeats) return false;
  return axes.back() != last || from.dim(from.rank() - 1) == 1;
}

// Notes that a node, whose own readers are known, has an operand.
void Add(const ir::Function& f, const Tuning& tuning, const Node& node, size_t operand, std::vector<bool>* is_read,
         Uses* uses) {
  const size_t o = node.operands[operand].index(), r = node.result().index();
  uses->reader[o] = (*is_read)[o] || uses->is_result[o] ? nullptr : &node;
  (*is_read)[o] = true;
  uses->count[o] = std::min(uses->count[o] + (IsView(node.op) ? uses->count[r] : 1), 1000);
  const bool repeats = node.op == Op::kBroadcast || node.op == Op::kWindow;
  if (repeats && f.type(node.result()).shape.size() > f.type(node.operands[operand]).shape.size())
    uses->broadcast[o] = true;
  if (IsView(node.op) && uses->broadcast[r]) uses->broadcast[o] = true;
  if (IsView(node.op) && (uses->minor_broadcast[r] || Spreads(f, node, tuning))) uses->minor_broadcast[o] = true;
  const bool reshapes = node.op == Op::kReshape && !uses->non_elementwise[r] && KeepsOthers(f, node);
  const bool maps = Info(node.op).Has(ir::kElementwise) || reshapes;
  if (!maps) uses->non_elementwise[o] = true;
  const int32_t stack = StackOf(f, *uses, node, operand);
  uses->stack[o] = uses->stack[o] == Uses::kUnread || uses->stack[o] == stack ? stack : Uses::kNoStack;
  const KernelKind root = RootOf(node.op);
  const bool updated = operand == 0 && (root == KernelKind::kUpdate || root == KernelKind::kScatter);
  if (updated || IsControl(node.op)) uses->wants_buffer[o] = true;
}

}  // namespace

bool IsControl(Op op) { return Info(op).Has(ir::kControl) || ir::IsCheck(op) || ir::IsCall(op); }

KernelKind RootOf(Op op) {
  if (Info(op).Has(ir::kReduction)) return KernelKind::kReduce;
  if (Info(op).Has(ir::kScatter)) return KernelKind::kScatter;
  switch (op) {
    case Op::kContract: return KernelKind::kMatmul;
    case Op::kDynamicUpdate: return KernelKind::kUpdate;
    case Op::kRecurrence: return KernelKind::kScan;
    case Op::kArgsort: return KernelKind::kSort;
    default: return KernelKind::kMap;
  }
}

const Node& SortOf(const ir::Function& f, const KernelPlan& kernel) {
  const Node& root = *f.producer(kernel.root);
  return root.op == Op::kSlice ? *f.producer(root.operands[0]) : root;
}

const Node* SelectionOf(const ir::Function& f, const Uses& uses, const Node& slice, const Tuning& tuning) {
  if (slice.op != Op::kSlice || !f.Is(slice.operands[0], Op::kArgsort)) return nullptr;
  if (uses.reader[slice.operands[0].index()] != &slice) return nullptr;
  const Shape &from = f.type(slice.operands[0]).shape, &to = f.type(slice.result()).shape;
  const int last = to.rank() - 1;
  for (int i = 0; i < last; ++i) {
    if (from.dim(i) != to.dim(i)) return nullptr;
  }
  const auto i = static_cast<size_t>(last);
  const auto at = [&](const char* name) { return slice.attr<std::vector<int64_t>>(name)[i]; };
  const int64_t n = from.dim(last), count = to.dim(last);
  const bool first = at("starts") == 0 && (at("strides") == 1 || count == 1);
  const bool few = count > 0 && count <= tuning.select_most && n / count >= tuning.select_part;
  return first && few ? f.producer(slice.operands[0]) : nullptr;
}

Uses UsesOf(const ir::Function& f, const Tuning& tuning) {
  const auto n = static_cast<size_t>(f.num_values());
  const std::vector<bool> none(n, false);
  Uses uses{std::vector<int>(n, 0),
            std::vector<const Node*>(n, nullptr),
            none,
            none,
            none,
            none,
            none,
            std::vector<int32_t>(n, Uses::kUnread)};
  std::vector<bool> is_read = none;
  for (Value v : f.results()) {
    if (f.is_parameter(v)) continue;
    uses.is_result[v.index()] = true;
    ++uses.count[v.index()];
  }
  constexpr size_t kListed = 8;  // operands that need no set: time alone
  for (size_t i = f.nodes().size(); i-- > 0;) {
    const Node& node = f.nodes()[i];
    if (uses.count[node.result().index()] == 0 && !IsControl(node.op)) continue;  // what Normalize left over
    HashSet<int32_t> seen;  // operands, where they are many
    for (size_t k = 0; k < node.operands.size(); ++k) {
      const auto* here = node.operands.begin() + k;
      const bool counted = node.operands.size() > kListed ? !seen.insert(here->id).second
                                                          : std::find(node.operands.begin(), here, *here) != here;
      if (!counted) Add(f, tuning, node, k, &is_read, &uses);
    }
  }
  return uses;
}

}  // namespace reel::codegen
