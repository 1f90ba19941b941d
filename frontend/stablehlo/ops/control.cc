#include "frontend/stablehlo/operators.h"
#include "ir/strings.h"

namespace reel::stablehlo {
namespace {

Values CallOf(const OpContext& c, std::string_view attribute, const Values& operands) {
  const auto [symbol, types] = c.callee(c.node.attr<std::string>(attribute));
  return c.e.EmitAll("func.call", operands, types, StrCat("callee = @", symbol));
}

}  // namespace

HANDLER(Call) { return CallOf(c, "callee", c.x); }

HANDLER(If) {
  const Values operands(c.x.begin() + 1, c.x.end());
  const auto branch = [&](std::string_view attribute) -> Region {
    return {{}, [&c, &operands, attribute](const Values&) { return CallOf(c, attribute, operands); }};
  };
  return c.e.EmitAll(c.said, {c.x[0]}, c.types, {}, {branch("then"), branch("else")});
}

HANDLER(While) {
  Emitter& e = c.e;
  const ir::AttrValue* limit = c.node.attrs().Find("maximum_iterations");
  Values start = c.x;
  if (limit) start.push_back(e.ScalarInt(kInt64, 0));
  const auto cond = [&](const Values& v) {
    const Value more = CallOf(c, "cond", Values(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(c.x.size())))[0];
    return limit ? e.And(more, e.Compare("LT", v.back(), e.ScalarInt(kInt64, std::get<int64_t>(*limit)))) : more;
  };
  const auto body = [&](const Values& v) {
    Values next = CallOf(c, "body", Values(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(c.x.size())));
    if (limit) next.push_back(e.Add(v.back(), e.ScalarInt(kInt64, 1)));
    return next;
  };
  Values results = e.While(start, cond, body);
  results.resize(c.types.size());
  return results;
}

}  // namespace reel::stablehlo
