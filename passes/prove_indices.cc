#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/check.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

// All elements of an i32 or i64 are in [low, high]; bool counts as 0 and 1.
struct Interval {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  bool within(int64_t least, int64_t most) const { return low >= least && high <= most; }
};

Interval Union(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Interval AllOf(DType dtype) {
  if (dtype == kBool) return {0, 1};
  if (dtype == kInt32) return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  return {};
}

class Ranges {
 public:
  explicit Ranges(const ir::Function& f) : f_(f), all_(static_cast<size_t>(f.num_values())) {
    ir::ChargeVisits(static_cast<size_t>(f.num_values()));
    for (int v = 0; v < f.num_values(); ++v) all_[static_cast<size_t>(v)] = AllOf(f.type({v}).dtype);
    for (const Node& node : f.nodes()) {
      if (node.num_results != 1) continue;
      const DType dtype = f.type(node.result()).dtype;
      if (dtype != kInt32 && dtype != kInt64) continue;
      const Interval found = Of(node), most = AllOf(dtype);
      if (found.within(most.low, most.high)) all_[static_cast<size_t>(node.result().id)] = found;  // else it may wrap
    }
  }
  Interval operator[](Value v) const { return all_[static_cast<size_t>(v.id)]; }

 private:
  Interval in(const Node& node, size_t k) const { return (*this)[node.operands[k]]; }

  Interval Of(const Node& node) const {
    switch (node.op) {
      case Op::kConstant: return OfConstant(node.attr<ir::Literal>("value"));
      case Op::kIota: return UpTo(node.attr<Shape>("shape"), node.attr<int64_t>("axis"));
      case Op::kArgsort: return UpTo(f_.type(node.result()).shape, node.attr<int64_t>("axis"));
      case Op::kAdd: return Add(in(node, 0), in(node, 1));
      case Op::kSub: return Sub(in(node, 0), in(node, 1));
      case Op::kMul: return Mul(in(node, 0), in(node, 1));
      case Op::kRem: return Rem(in(node, 0), in(node, 1));
      case Op::kMin: return {std::min(in(node, 0).low, in(node, 1).low), std::min(in(node, 0).high, in(node, 1).high)};
      case Op::kMax: return {std::max(in(node, 0).low, in(node, 1).low), std::max(in(node, 0).high, in(node, 1).high)};
      case Op::kSelect: return Union(Branch(node, 1), Branch(node, 2));
      case Op::kCast:
        return IsInteger(f_.type(node.operands[0]).dtype) || f_.type(node.operands[0]).dtype == kBool ? OfCast(node)
                                                                                                      : Interval();
      case Op::kCheckIndex: return Checked(node);
      case Op::kCheckInteger: return Accepted(node.attr<bool>("negative"), in(node, 0));
      case Op::kGather: return Union(in(node, 0), {0, 0});  // out of range
      case Op::kPad: return Union(in(node, 0), in(node, 1));
      case Op::kDynamicUpdate: return Union(in(node, 0), in(node, 1));
      case Op::kIdentity:
      case Op::kStopGradient:
      case Op::kReshape:
      case Op::kTranspose:
      case Op::kSlice:
      case Op::kBroadcast:
      case Op::kReverse:
      case Op::kWindow:
      case Op::kDynamicSlice: return in(node, 0);
      default: return {};
    }
  }

  Interval OfConstant(const ir::Literal& literal) const {
    const int64_t n = literal.shape().size();
    if (n == 0) return {};
    Interval out{literal.AsInt(0), literal.AsInt(0)};
    for (int64_t i = 1; i < n; ++i) out = Union(out, {literal.AsInt(i), literal.AsInt(i)});
    return out;
  }

  static Interval UpTo(const Shape& shape, int64_t axis) {
    const Extent n = shape[static_cast<int>(axis)];
    if (!n.is_constant()) return {0, std::numeric_limits<int64_t>::max()};
    return {0, std::max<int64_t>(n.value() - 1, 0)};
  }

  static Interval Add(Interval a, Interval b) {
    Interval out;
    const bool wraps =
        __builtin_add_overflow(a.low, b.low, &out.low) || __builtin_add_overflow(a.high, b.high, &out.high);
    return wraps ? Interval() : out;
  }
  static Interval Sub(Interval a, Interval b) {
    Interval out;
    const bool wraps =
        __builtin_sub_overflow(a.low, b.high, &out.low) || __builtin_sub_overflow(a.high, b.low, &out.high);
    return wraps ? Interval() : out;
  }
  static Interval Mul(Interval a, Interval b) {
    int64_t corners[4];
    const bool wraps =
        __builtin_mul_overflow(a.low, b.low, &corners[0]) || __builtin_mul_overflow(a.low, b.high, &corners[1]) ||
        __builtin_mul_overflow(a.high, b.low, &corners[2]) || __builtin_mul_overflow(a.high, b.high, &corners[3]);
    if (wraps) return {};
    return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  }
  // The sign of a, smaller than b; 0 by 0.
  static Interval Rem(Interval a, Interval b) {
    if (b.low < 0) return {};
    const int64_t most = std::max<int64_t>(b.high - 1, 0);
    return {std::min<int64_t>(0, std::max(a.low, -most)), std::max<int64_t>(0, std::min(a.high, most))};
  }

  Interval OfCast(const Node& node) const {
    const DType from = f_.type(node.operands[0]).dtype;
    return from == kInt32 || from == kInt64 || from == kBool ? in(node, 0) : Interval();
  }

  // A branch of select(x < 0, x + n, x): there x is known to be negative, or not.
  Interval Branch(const Node& node, size_t k) const {
    const Node* condition = f_.producer(node.operands[0]);
    const Interval plain = in(node, k);
    if (!condition || condition->op != Op::kLess || !IsZero(condition->operands[1])) return plain;
    const Value x = condition->operands[0];
    const Interval all = (*this)[x];
    const Interval there =
        k == 1 ? Interval{all.low, std::min<int64_t>(all.high, -1)} : Interval{std::max<int64_t>(all.low, 0), all.high};
    if (there.low > there.high) return k == 1 ? in(node, 2) : in(node, 1);  // not taken
    if (node.operands[k] == x) return there;
    const Node* made = f_.producer(node.operands[k]);
    if (made && made->op == Op::kAdd && made->operands[0] == x) return Add(there, (*this)[made->operands[1]]);
    if (made && made->op == Op::kAdd && made->operands[1] == x) return Add(there, (*this)[made->operands[0]]);
    return plain;
  }
  bool IsZero(Value v) const { return (*this)[v].within(0, 0) && f_.type(v).dtype != kBool; }

  Interval Checked(const Node& node) const {
    const Interval x = in(node, 0);
    if (!node.attr<Shape>("shape").is_constant()) return {std::max<int64_t>(x.low, 0), x.high};
    return {std::max<int64_t>(x.low, 0), std::min(x.high, std::max<int64_t>(ir::CheckedExtent(node.attrs()) - 1, 0))};
  }

  // What a check_integer leaves.
  static Interval Accepted(bool negative, Interval x) {
    if (negative) return {std::max<int64_t>(x.low, 0), std::max<int64_t>(x.high, 0)};
    return {x.low == 0 ? 1 : x.low, x.high == 0 ? -1 : x.high};
  }

  const ir::Function& f_;
  std::vector<Interval> all_;
};

bool HasChecks(const ir::Function& f) {
  return std::any_of(f.nodes().begin(), f.nodes().end(), [](const Node& n) { return ir::IsCheck(n.op); });
}

// Whether the check cannot fail.
bool IsProven(const Node& node, Interval x) {
  if (node.op == Op::kCheckIndex) {
    return node.attr<Shape>("shape").is_constant() && x.within(0, ir::CheckedExtent(node.attrs()) - 1);
  }
  return node.attr<bool>("negative") ? x.low >= 0 : x.low > 0 || x.high < 0;
}

}  // namespace

absl::StatusOr<bool> ProveIndices(ir::Module* m, const PassContext& context) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    if (!HasChecks(*f)) continue;
    const Ranges ranges(*f);
    const auto visit = [&](const Node& node, Copier& copier, ir::Builder&) {
      if (!ir::IsCheck(node.op)) return false;
      if (context.check_bounds && !IsProven(node, ranges[node.operands[0]])) return false;
      copier.Map(node.result(), copier(node.operands[0]));
      return true;
    };
    const auto rewritten = Rewrite(f.get(), m, visit);
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
