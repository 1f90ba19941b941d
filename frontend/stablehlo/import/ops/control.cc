#include <algorithm>
#include <optional>

#include "frontend/stablehlo/import/context.h"
#include "ir/strings.h"
#include "reel/loops.h"

namespace reel::stablehlo::reading {
namespace {

// The operation of a region that makes a value, or null.
const Operation* Maker(const Region& region, const std::string& name) {
  for (const Operation& op : region.operations) {
    if (std::find(op.results.begin(), op.results.end(), name) != op.results.end()) return &op;
  }
  return nullptr;
}

int ParameterOf(const Region& region, const std::string& name) {
  for (size_t i = 0; i < region.parameters.size(); ++i) {
    if (region.parameters[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

// The integer that a value of a region is, if it is a constant there or in the scope around.
std::optional<int64_t> KnownInteger(const Context& c, const Region& region, const std::string& name) {
  if (ParameterOf(region, name) >= 0) return {};
  const ir::Literal* element = nullptr;
  if (const Operation* maker = Maker(region, name)) {
    const Attribute* value = maker->name == "stablehlo.constant" ? maker->Find("value") : nullptr;
    if (value && value->dense && value->dense->type.shape.rank() == 0) element = &value->dense->literal;
  } else if (const Value* outer = c.Find(name)) {
    element = outer->element.get();
  }
  if (!element || !IsInteger(element->dtype()) || element->size() != 1) return {};
  return element->AsInt(0);
}

// How often `for (i = start; i < limit; i += step)` runs, if the loop is one: scans and fori_loop are. It bounds the
// loop, so that its gradient knows how much to keep.
std::optional<int64_t> TripCount(const Context& c) {
  const Region &test = c.region(0), &body = c.region(1);
  if (test.operations.empty() || body.operations.empty() || test.operations.back().operands.size() != 1) return {};
  const Operation* compare = Maker(test, test.operations.back().operands[0]);
  if (!compare || compare->name != "stablehlo.compare" || compare->operands.size() != 2) return {};
  const Attribute* direction = compare->Find("comparison_direction");
  const int i = ParameterOf(test, compare->operands[0]);
  const auto limit = KnownInteger(c, test, compare->operands[1]);
  if (!direction || direction->text != "LT" || i < 0 || !limit) return {};
  const auto n = static_cast<size_t>(i);
  if (n >= c.size() || n >= body.operations.back().operands.size() || n >= body.parameters.size()) return {};
  const std::shared_ptr<const ir::Literal>& first = c.Input(n).element;
  const Operation* add = Maker(body, body.operations.back().operands[n]);
  if (!first || !IsInteger(first->dtype()) || IsUnsigned(first->dtype()) || !add || add->name != "stablehlo.add" ||
      add->operands.size() != 2 || add->operands[0] != body.parameters[n].name) {
    return {};
  }
  const auto step = KnownInteger(c, body, add->operands[1]);
  const int64_t start = first->AsInt(0);
  int64_t distance = 0;
  if (!step || *step < 1 || *limit > HighestInt(first->dtype()) - *step ||
      __builtin_sub_overflow(*limit, start, &distance)) {
    return {};
  }
  return distance <= 0 ? 0 : (distance - 1) / *step + 1;
}

Tensor OnlyBool(const Tensors& results) {
  if (results.size() != 1 || results[0].type() != Type{kBool, {}}) Malformed("its condition does not return one i1");
  return results[0];
}

Values AsValues(const Tensors& tensors) { return Values(tensors.begin(), tensors.end()); }

Values ReadWhile(const Context& c) {
  if (c.size() == 0) Refuse("that carries nothing: it never ends, or never begins");
  WhileOptions options;
  if (const auto trips = TripCount(c)) options.maximum_iterations = *trips;
  return AsValues(WhileLoop([&](const Tensors& x) { return OnlyBool(c.Run(c.region(0), x)); },
                            [&](const Tensors& x) { return c.Run(c.region(1), x); }, c.All(), options));
}

Values ReadIf(const Context& c) {
  return AsValues(Cond(c.x(0), [&] { return c.Run(c.region(0), {}); }, [&] { return c.Run(c.region(1), {}); }));
}

Values ReadCase(const Context& c) {
  std::vector<std::function<Tensors()>> branches;
  for (size_t i = 0; i < c.op().regions.size(); ++i) branches.push_back([&c, i] { return c.Run(c.region(i), {}); });
  if (branches.empty()) Malformed("it has no branches");
  if (branches.size() == 1) return AsValues(branches[0]());
  const Tensor index = c.x(0).dtype() == kInt32 ? c.x(0) : Cast(c.x(0), kInt64);
  return AsValues(SwitchCase(index, branches));
}

constexpr ImportRow kControlRows[] = {
    {"stablehlo.case", ReadCase},
    {"stablehlo.if", ReadIf},
    {"stablehlo.while", ReadWhile},
};

}  // namespace

absl::Span<const ImportRow> ControlRows() { return kControlRows; }

}  // namespace reel::stablehlo::reading
