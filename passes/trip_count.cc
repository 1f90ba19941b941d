#include "passes/trip_count.h"

#include <algorithm>
#include <cstdint>

#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

std::optional<int64_t> Constant(const ir::Function& f, Value v) {
  const auto literal = SplatOf(f, v);
  if (!literal || (literal->dtype() != kInt32 && literal->dtype() != kInt64)) return std::nullopt;
  return literal->AsInt(0);
}

// The value of a carried value at the loop's start, if the function's value v is a parameter.
std::optional<int64_t> Resolve(const ir::Function& inner, Value v, const ir::Function& f, const ir::Node& loop,
                               const ir::Function& body) {
  if (!inner.is_parameter(v)) return Constant(inner, v);
  const auto i = static_cast<size_t>(v.id);
  if (body.results()[i] != v) return std::nullopt;  // it changes
  return Constant(f, loop.operands[i]);
}

}  // namespace

std::optional<int64_t> StepOf(const ir::Function& body, Value i) {
  const Value next = body.results()[static_cast<size_t>(i.id)];
  if (!body.Is(next, Op::kAdd)) return std::nullopt;
  const auto& operands = body.producer(next)->operands;
  if (operands[0] == i) return Constant(body, operands[1]);
  if (operands[1] == i) return Constant(body, operands[0]);
  return std::nullopt;
}

namespace {

// How often a loop runs that counts from a constant to a constant, without its maximum.
std::optional<int64_t> Count(const ir::Function& f, const ir::Node& loop, const ir::Module& m) {
  const ir::Function& cond = *m.FindFunction(loop.attr<std::string>("cond"));
  const ir::Function& body = *m.FindFunction(loop.attr<std::string>("body"));
  const ir::Node* compare = cond.producer(cond.results()[0]);
  if (!compare || (compare->op != Op::kLess && compare->op != Op::kLessEqual)) return std::nullopt;
  const Value i = compare->operands[0];
  if (!cond.is_parameter(i)) return std::nullopt;
  const auto start = Constant(f, loop.operands[static_cast<size_t>(i.id)]);
  const auto limit = Resolve(cond, compare->operands[1], f, loop, body);
  const auto step = StepOf(body, i);
  if (!start || !limit || !step || *step < 1) return std::nullopt;
  // Runs while start + n * step < end. An i that passes its dtype's maximum would wrap: no bound
  // then.
  const auto largest =
      f.type(loop.operands[static_cast<size_t>(i.id)]).dtype == kInt32 ? int64_t{INT32_MAX} : INT64_MAX;
  int64_t end = 0, distance = 0, last = 0;
  if (__builtin_add_overflow(*limit, compare->op == Op::kLessEqual ? 1 : 0, &end) ||
      __builtin_sub_overflow(end, *start, &distance) || __builtin_add_overflow(end, *step - 1, &last) ||
      last > largest) {
    return std::nullopt;
  }
  return distance <= 0 ? 0 : (distance - 1) / *step + 1;
}

std::optional<int64_t> Maximum(const ir::Node& loop) {
  const auto* n = loop.attrs().Find("maximum_iterations");
  return n ? std::optional(std::get<int64_t>(*n)) : std::nullopt;
}

}  // namespace

std::optional<int64_t> BoundIterations(const ir::Function& f, const ir::Node& loop, const ir::Module& m) {
  const auto maximum = Maximum(loop);
  return maximum ? maximum : Count(f, loop, m);
}

int64_t LeastIterations(const ir::Function& f, const ir::Node& loop, const ir::Module& m) {
  const auto count = Count(f, loop, m), maximum = Maximum(loop);
  return count ? std::min(*count, maximum.value_or(*count)) : 0;
}

}  // namespace reel::passes
