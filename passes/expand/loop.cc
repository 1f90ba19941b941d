#include "passes/expand/loop.h"

#include "ir/strings.h"
#include "passes/matrix.h"

namespace reel::passes {
namespace {

// Parameters i, carried..., fixed... with the types of the loop's operands.
ir::ValueList AddParameters(ir::Function* f, const ir::TypeList& types) {
  ir::ValueList out;
  for (const Type& type : types) {
    out.push_back(f->AddParameter(StrCat("x", f->num_parameters()), type));
  }
  return out;
}

}  // namespace

ir::ValueList Loops::For(ir::Builder& b, int64_t count, Values carried, Values fixed, const Body& body,
                         const Condition& condition) {
  ir::ValueList operands{Index(b, 0)};
  operands.insert(operands.end(), carried.begin(), carried.end());
  operands.insert(operands.end(), fixed.begin(), fixed.end());
  if (!b.status().ok()) return {};
  const ir::TypeList types = ir::OperandTypes(*b.function(), operands);

  ir::Function step("");  // named at the end: loops inside it take names first
  const ir::ValueList in = AddParameters(&step, types);
  ir::Builder s(&step, module_);
  const Values inside(in);
  const ir::ValueList next = body(s, in[0], inside.subspan(1, carried.size()), inside.subspan(1 + carried.size()));
  std::vector<ir::Value> results{s.Add(in[0], Index(s, 1))};
  results.insert(results.end(), next.begin(), next.end());
  results.insert(results.end(), in.begin() + static_cast<std::ptrdiff_t>(1 + carried.size()), in.end());
  step.SetResults(std::move(results));

  ir::Function test(module_->UniqueFunctionName(StrCat(name_, ".cond")));
  const ir::ValueList seen = AddParameters(&test, types);
  ir::Builder t(&test, module_);
  ir::Value more = t.Less(seen[0], Index(t, count));
  if (condition) more = t.And(more, condition(t, Values(seen).subspan(1, carried.size())));
  test.SetResults({more});

  for (const absl::Status& status : {s.status(), t.status()}) {
    if (status.ok()) continue;
    b.Fail(status);
    return {};
  }
  step.set_name(module_->UniqueFunctionName(StrCat(name_, ".body")));
  const std::string step_name = step.name(), test_name = test.name();
  module_->AddFunction(std::move(step));
  module_->AddFunction(std::move(test));
  const ir::ValueList all = b.While(test_name, step_name, operands, count);
  if (all.empty()) return {};
  return ir::ValueList(all.begin() + 1, all.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()));
}

}  // namespace reel::passes
