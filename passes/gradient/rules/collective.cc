#include <string>

#include "passes/gradient/rule.h"

// What a group computes is one function of all members' operands, and what is differentiated is the sum of the
// members' targets: a cotangent of one member's operand collects from all members' results. So the transpose of a
// gather is a scattered sum, that of a sum is a sum.

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

ir::Attributes GroupOf(const ir::Node& node) { return {{"size", node.attr<int64_t>("size")}}; }

Value Reduced(ir::Builder& b, const ir::Node& node, Op op, Value x, std::string kind) {
  ir::Attributes attributes = GroupOf(node);
  attributes.Set("kind", std::move(kind));
  return b.Emit(op, {x}, std::move(attributes));
}

// The sum of all members' x; real numbers are what is summed.
Value Sum(ir::Builder& b, const ir::Node& node, Op op, Value x) {
  if (!IsComplex(b.function()->type(x).dtype)) return Reduced(b, node, op, x, "sum");
  const Value re = Reduced(b, node, op, b.Real(x), "sum");
  return b.Complex(re, Reduced(b, node, op, b.Imag(x), "sum"));
}

// Of a maximum: equal shares to the members that have it.
Value ShareOfMaximum(ir::Builder& b, const ir::Node& node, Value x, Value y, Value dy) {
  const Value zero = b.ScalarLike(x, 0), one = b.ScalarLike(x, 1);
  const Value has = b.Equal(x, y);
  const Value count = Reduced(b, node, Op::kAllReduce, b.Select(has, one, zero), "sum");
  const Value share = b.Div(dy, count);
  return b.Select(has, share, zero);
}

}  // namespace

GRAD(AllReduce, kX, kY) {
  const auto& kind = g.node().attr<std::string>("kind");
  const Value dy = Reduced(b, g.node(), Op::kAllReduce, g.dy(), kind == "max" ? "sum" : kind);
  g.Set(0, kind == "max" ? ShareOfMaximum(b, g.node(), g.x(), g.y(), dy) : dy);
}

GRAD(AllGather, kNone, kNone) { g.Set(0, Sum(b, g.node(), Op::kReduceScatter, g.dy())); }

GRAD(ReduceScatter, kX, kY) {
  const auto& kind = g.node().attr<std::string>("kind");
  const Value dy = b.Emit(Op::kAllGather, {g.dy()}, GroupOf(g.node()));
  if (kind == "sum") return g.Set(0, dy);
  if (kind == "mean") {
    return g.Set(0, b.Div(dy, b.ScalarLike(dy, static_cast<double>(g.node().attr<int64_t>("size")))));
  }
  const Value y = b.Emit(Op::kAllGather, {g.y()}, GroupOf(g.node()));
  g.Set(0, ShareOfMaximum(b, g.node(), g.x(), y, dy));
}

GRAD(AllToAll, kNone, kNone) { g.Set(0, b.Emit(Op::kAllToAll, {g.dy()}, GroupOf(g.node()))); }

// All of it goes to the root.
GRAD(BroadcastFrom, kNone, kNone) {
  const Value sum = Sum(b, g.node(), Op::kAllReduce, g.dy());
  const Value rank = b.Emit(Op::kGroupRank, {}, GroupOf(g.node()));
  const Value is_root = b.Equal(rank, b.Scalar(kInt64, static_cast<double>(g.node().attr<int64_t>("root"))));
  const Value zero = b.ScalarLike(sum, 0);
  g.Set(0, b.Select(b.BroadcastTo(is_root, b.shape(sum)), sum, zero));
}

NOT_DIFFERENTIABLE(GroupRank)

}  // namespace reel::passes
