#include "codegen/plan/view.h"

#include <algorithm>
#include <cstring>

#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

}  // namespace

bool IsView(Op op) { return ir::Info(op).Has(ir::kView); }

bool IsUniformConstant(const ir::Function& f, ir::Value v) {
  const Node* node = f.producer(v);
  // Broadcast of a constant is one hop in practice; longer chains are folded before.
  if (node && (node->op == Op::kBroadcast || node->op == Op::kReshape)) node = f.producer(node->operands[0]);
  if (!node || node->op != Op::kConstant) return false;
  const auto& literal = node->attr<ir::Literal>("value");
  const auto bytes = literal.bytes();
  const auto size = static_cast<size_t>(SizeOf(literal.dtype()));
  for (size_t i = size; i < bytes.size(); i += size) {
    if (std::memcmp(bytes.data(), bytes.data() + i, size) != 0) return false;
  }
  return !bytes.empty();
}

bool IsSplit(const Shape& from, const Shape& to) {
  int t = 0;
  for (Extent e : from) {
    int64_t n = 1;
    while (n < e.value() && t < to.rank()) n *= to.dim(t++);
    if (n != e.value()) return false;
  }
  while (t < to.rank() && to.dim(t) == 1) ++t;
  return t == to.rank();
}

// NumPy's reshape without a copy: runs of source axes with collapsing strides, cut anew.
std::optional<Ints> ReshapeStrides(const Shape& from, const Ints& strides, const Shape& to) {
  if (from.size() == 0) return RowMajorStrides(to);
  Ints extents, steps;  // source without unit axes
  for (int i = 0; i < from.rank(); ++i) {
    if (from.dim(i) == 1) continue;
    extents.push_back(from.dim(i));
    steps.push_back(strides[static_cast<size_t>(i)]);
  }
  Ints out(static_cast<size_t>(to.rank()), 0);
  size_t s = 0;
  int t = 0;
  while (t < to.rank()) {
    if (to.dim(t) == 1) {
      ++t;
      continue;
    }
    const size_t s0 = s;
    const int t0 = t;
    int64_t have = extents[s++], want = to.dim(t++);
    while (have != want) {
      if (have < want) {
        have *= extents[s++];
      } else {
        want *= to.dim(t++);
      }
    }
    for (size_t i = s0; i + 1 < s; ++i) {
      if (steps[i] != steps[i + 1] * extents[i + 1]) return std::nullopt;
    }
    int64_t step = steps[s - 1];
    for (int i = t - 1; i >= t0; --i) {
      if (to.dim(i) == 1) continue;
      out[static_cast<size_t>(i)] = step;
      step *= to.dim(i);
    }
  }
  return out;
}

std::optional<View> ViewThrough(const ir::Function& f, const Node& node, const View& x) {
  const Shape& from = f.type(node.operands[0]).shape;
  const Shape& to = f.type(node.result()).shape;
  View out{x.base, x.offset, {}};
  switch (node.op) {
    case Op::kCast: out.strides = x.strides; return out;
    case Op::kReshape: {
      auto strides = ReshapeStrides(from, x.strides, to);
      if (!strides) return std::nullopt;
      out.strides = std::move(*strides);
      return out;
    }
    case Op::kTranspose:
      for (int64_t a : node.attr<Ints>("permutation")) out.strides.push_back(x.strides[static_cast<size_t>(a)]);
      return out;
    case Op::kSlice: {
      const auto &starts = node.attr<Ints>("starts"), &steps = node.attr<Ints>("strides");
      for (size_t i = 0; i < starts.size(); ++i) {
        out.offset += starts[i] * x.strides[i];
        out.strides.push_back(x.strides[i] * steps[i]);
      }
      return out;
    }
    case Op::kBroadcast: {
      const auto& axes = node.attr<Ints>("axes");
      out.strides.assign(static_cast<size_t>(to.rank()), 0);
      for (size_t i = 0; i < axes.size(); ++i) {
        if (from.dim(static_cast<int>(i)) != 1) out.strides[static_cast<size_t>(axes[i])] = x.strides[i];
      }
      return out;
    }
    case Op::kReverse:
      out.strides = x.strides;
      for (int64_t a : node.attr<Ints>("axes")) {
        int64_t& stride = out.strides[static_cast<size_t>(a)];
        out.offset += (from.dim(static_cast<int>(a)) - 1) * stride;
        stride = -stride;
      }
      return out;
    case Op::kWindow: {
      const auto& axes = node.attr<Ints>("axes");
      const auto &steps = node.attr<Ints>("strides"), &dilations = node.attr<Ints>("dilations");
      out.strides = x.strides;
      for (size_t i = 0; i < axes.size(); ++i) {
        // Steps that are never taken may be too large to multiply.
        const int64_t stride = out.strides[static_cast<size_t>(axes[i])];
        const bool one = to.dim(static_cast<int>(axes[i])) == 1;
        out.strides.push_back(to.dim(from.rank() + static_cast<int>(i)) == 1 ? 0 : stride * dilations[i]);
        out.strides[static_cast<size_t>(axes[i])] = one ? 0 : stride * steps[i];
      }
      return out;
    }
    default: return std::nullopt;
  }
}

bool IsRowMajor(const View& view, const Shape& shape) {
  if (view.offset != 0) return false;
  const Ints want = RowMajorStrides(shape);
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) != 1 && view.strides[static_cast<size_t>(i)] != want[static_cast<size_t>(i)]) return false;
  }
  return true;
}

std::optional<int64_t> KnownStart(const ir::Function& f, const Node& node) {
  if (node.op != Op::kDynamicUpdate || !f.Is(node.operands[2], Op::kConstant)) return std::nullopt;
  const auto& start = f.producer(node.operands[2])->attr<ir::Literal>("value");
  if (start.dtype() == kUInt64) return std::nullopt;  // may be more than an int64 holds
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));
  const int64_t last = f.type(node.result()).shape.dim(axis) - f.type(node.operands[1]).shape.dim(axis);
  return std::clamp<int64_t>(start.AsInt(0), 0, last);
}

std::optional<StackStep> StackStepOf(const ir::Function& f, const Node& node) {
  const Node* here = node.op == Op::kSelect ? f.producer(node.operands[0]) : nullptr;
  if (!here || here->op != Op::kEqual || !IsUniformConstant(f, here->operands[1])) return std::nullopt;
  const Node* iota = f.producer(here->operands[0]);
  if (!iota || iota->op != Op::kIota) return std::nullopt;
  const auto axis = iota->attr<int64_t>("axis");
  const auto& [dtype, shape] = f.type(iota->result());
  if (shape.dim(static_cast<int>(axis)) > kMaxUnrolled || IsComplex(dtype)) return std::nullopt;
  const Node* constant = f.producer(here->operands[1]);
  if (constant->op != Op::kConstant) constant = f.producer(constant->operands[0]);
  const auto& value = constant->attr<ir::Literal>("value");
  const bool whole = !IsFloat(dtype) || static_cast<double>(value.AsInt(0)) == value.AsDouble(0);
  return StackStep{axis, whole ? value.AsInt(0) : -1};
}

bool IsWhole(const ir::Function& function, ir::Value v, const View& view) {
  const auto& [dtype, shape] = function.type(v);
  const auto& [stored, base] = function.type(view.base);
  return dtype == stored && IsRowMajor(view, shape) && shape.size() == base.size();
}

int64_t Product(const Ints& extents) {
  int64_t n = 1;
  for (int64_t d : extents) n *= d;
  return n;
}

std::vector<Leaf> LeavesOf(const ir::Function& f, const PlanGraph& plan, std::vector<Leaf> open) {
  std::vector<Leaf> leaves;
  HashSet<int64_t> seen;
  while (!open.empty()) {
    const Leaf leaf = open.back();
    open.pop_back();
    const size_t i = leaf.value.index();
    if (!seen.insert(int64_t{leaf.value.id} * 2 + leaf.aligned).second) continue;
    if (plan.materialized[i]) {
      leaves.push_back(leaf);
    } else if (const auto& view = plan.views[i]) {
      leaves.push_back({view->base, false});
    } else if (!IsUniformConstant(f, leaf.value)) {
      const Node& node = *f.producer(leaf.value);
      const bool keeps = leaf.aligned && Info(node.op).Has(ir::kElementwise);
      for (Value o : node.operands) open.push_back({o, keeps});
    }
  }
  std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return a.value < b.value; });
  return leaves;
}

std::vector<Value> LeavesOf(const ir::Function& f, const PlanGraph& plan, Value v) {
  std::vector<Leaf> operands;
  for (Value o : f.producer(v)->operands) operands.push_back({o, false});
  std::vector<Value> leaves;
  for (const Leaf& leaf : LeavesOf(f, plan, std::move(operands))) leaves.push_back(leaf.value);
  return leaves;
}

std::vector<std::vector<int>> ReadersOf(const ir::Function& f, const PlanGraph& plan) {
  std::vector<std::vector<int>> readers(plan.stored.size());
  const auto read = [&](Value v, int g) {
    std::vector<int>& list = readers[v.index()];
    if (list.empty() || list.back() != g) list.push_back(g);
  };
  const auto n = static_cast<int>(plan.kernels.size());
  for (int g = 0; g < n; ++g) {
    const KernelPlan& kernel = plan.kernel(g);
    const auto visit = [&](Value member) {
      for (Value leaf : LeavesOf(f, plan, member)) read(leaf, g);
    };
    kernel.VisitMembers([&](Value v) {
      if (v != kernel.root || !kernel.BeginsWith().valid()) visit(v);
    });
    for (const auto& [root, to] : kernel.Partials()) visit(root);
  }
  for (Value v : f.results()) {
    const auto& view = plan.views[v.index()];
    read(view ? view->base : v, n);
  }
  return readers;
}

}  // namespace reel::codegen
