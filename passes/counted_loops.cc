#include "passes/counted_loops.h"

#include <algorithm>
#include <optional>
#include <string>

#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Function;
using ir::Node;
using ir::Op;
using ir::Value;

constexpr int kMaxIndexDepth = 4;  // of index arithmetic; of loops that count on from each other

std::optional<int64_t> NumberOf(const Function& f, Value v) {
  const DType dtype = f.type(v).dtype;
  if ((dtype != kInt64 && dtype != kInt32) || f.type(v).shape.rank() != 0) return std::nullopt;
  const auto literal = SplatOf(f, v);
  return literal ? std::optional<int64_t>(literal->AsInt(0)) : std::nullopt;
}

// Numbers may be as far apart as numbers can be.
std::optional<int64_t> Sum(std::optional<int64_t> a, int64_t sign, int64_t b) {
  int64_t product, sum;
  if (!a || __builtin_mul_overflow(sign, b, &product) || __builtin_add_overflow(*a, product, &sum)) return std::nullopt;
  return sum;
}

// sign * parameter + offset
struct Counted {
  int parameter = -1;
  int64_t sign = 1, offset = 0;
};

std::optional<Counted> CountedFrom(const Function& f, Value v) {
  Counted c;
  for (int depth = 0; depth < kMaxIndexDepth; ++depth) {
    if (f.is_parameter(v)) {
      c.parameter = v.id;
      return c;
    }
    const Node& node = *f.producer(v);
    if (node.op != Op::kAdd && node.op != Op::kSub) return std::nullopt;
    const auto a = NumberOf(f, node.operands[0]), b = NumberOf(f, node.operands[1]);
    const int64_t flip = node.op == Op::kSub ? -1 : 1;
    if (!a && !b) return std::nullopt;
    const auto offset = Sum(c.offset, b ? c.sign * flip : c.sign, b ? *b : *a);
    if (!offset) return std::nullopt;
    c.offset = *offset;
    if (!b) c.sign *= flip;
    v = node.operands[b ? 0 : 1];
  }
  return std::nullopt;
}

class Loop {
 public:
  Loop(const Function& f, const Node& node, const ir::Module& m, int depth)
      : f_(f),
        node_(node),
        m_(m),
        depth_(depth),
        body_(*m.FindFunction(node.attr<std::string>("body"))),
        cond_(*m.FindFunction(node.attr<std::string>("cond"))) {}

  // How often the body runs, if a counter says so.
  std::optional<int64_t> Trips() const {
    const auto wanted = WantedTrips();
    const auto* most = node_.attrs().Find("maximum_iterations");
    return wanted && most ? std::min(*wanted, std::get<int64_t>(*most)) : wanted;
  }

  // How often the condition holds.
  std::optional<int64_t> WantedTrips() const {
    const Node* test = cond_.producer(cond_.results()[0]);
    if (test == nullptr || (test->op != Op::kLess && test->op != Op::kGreater)) return std::nullopt;
    const auto limit = NumberOf(cond_, test->operands[1]);
    if (!limit || !cond_.is_parameter(test->operands[0])) return std::nullopt;
    const int counter = test->operands[0].id;
    const int64_t step = test->op == Op::kLess ? 1 : -1;
    const auto start = Start(counter);
    if (!start || Step(counter) != step) return std::nullopt;
    if (step > 0 ? *limit <= *start : *limit >= *start) return 0;
    return step > 0 ? Sum(*limit, -1, *start) : Sum(*start, -1, *limit);
  }

  // 1 or -1 for a value that counts up or down, else 0.
  int64_t Step(int parameter) const {
    const auto next = CountedFrom(body_, body_.results()[static_cast<size_t>(parameter)]);
    const bool counts = next && next->parameter == parameter && next->sign == 1;
    return counts && (next->offset == 1 || next->offset == -1) ? next->offset : 0;
  }

  // What a counter starts with: a number, or what an earlier loop counted to.
  std::optional<int64_t> Start(int parameter) const {
    const Value v = node_.operands[static_cast<size_t>(parameter)];
    if (const auto number = NumberOf(f_, v)) return number;
    const Node* before = f_.producer(v);
    if (depth_ == 0 || before == nullptr || before->op != Op::kWhile) return std::nullopt;
    const Loop earlier(f_, *before, m_, depth_ - 1);
    const int k = v.id - before->first_result;
    const auto trips = earlier.Trips(), start = earlier.Start(k);
    const int64_t step = earlier.Step(k);
    if (!trips || !start || step == 0) return std::nullopt;
    return Sum(*start, step, *trips);
  }

  // For Overwrites().
  void CountUses() {
    body_uses_ = CountReads(body_);
    cond_uses_ = CountReads(cond_);
  }

  // Every row of parameter i is written, one in each step, and the body reads none.
  bool Overwrites(int i, int64_t trips) const {
    const Node* update = body_.producer(body_.results()[static_cast<size_t>(i)]);
    if (update == nullptr || update->op != Op::kDynamicUpdate || update->operands[0] != Value{i}) return false;
    const int axis = static_cast<int>(update->attr<int64_t>("axis"));
    const Shape& shape = body_.type({i}).shape;
    if (body_.type(update->operands[1]).shape[axis] != Extent(1) || !shape[axis].is_constant()) return false;
    const auto v = static_cast<size_t>(i);
    if (body_uses_[v] != 1 || body_uses_[update->result().index()] != 1 || cond_uses_[v] != 0) return false;
    const auto index = CountedFrom(body_, update->operands[2]);
    if (!index) return false;
    const auto start = Start(index->parameter);
    const int64_t step = index->sign * Step(index->parameter), rows = shape.dim(axis);
    if (!start || step == 0 || trips < rows) return false;
    return Sum(index->offset, index->sign, *start) == (step > 0 ? 0 : rows - 1);
  }

 private:
  const Function& f_;
  const Node& node_;
  const ir::Module& m_;
  const int depth_;
  const Function &body_, &cond_;
  std::vector<int> body_uses_, cond_uses_;  // by value
};

}  // namespace

std::optional<int64_t> CountedIterations(const Function& f, const Node& node, const ir::Module& m) {
  return Loop(f, node, m, kMaxIndexDepth).WantedTrips();
}

std::vector<bool> OverwrittenOperands(const Function& f, const Node& node, const ir::Module& m) {
  std::vector<bool> overwritten(node.operands.size());
  Loop loop(f, node, m, kMaxIndexDepth);
  const auto trips = loop.Trips();
  if (!trips) return overwritten;
  loop.CountUses();
  for (size_t i = 0; i < overwritten.size(); ++i) overwritten[i] = loop.Overwrites(static_cast<int>(i), *trips);
  return overwritten;
}

}  // namespace reel::passes
