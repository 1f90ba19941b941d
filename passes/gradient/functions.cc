#include "passes/gradient/functions.h"

#include "passes/rewrite.h"

namespace reel::passes {

const BuiltGradient* FunctionGradients::Find(const GradientKey& key) const {
  const auto it = built_.find(key);
  return it == built_.end() ? nullptr : it->second.get();
}

void FunctionGradients::Add(const GradientKey& key, BuiltGradient built) {
  built_.emplace(key, std::make_unique<BuiltGradient>(std::move(built)));
}

ir::Function WithPresent(const GradientKey& key, const BuiltGradient& built, const Mask& present) {
  ir::Function f = built.function;
  std::vector<ir::Value> results = f.results();
  const size_t count = results.size() / 2;
  std::vector<ir::Value> out(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count));
  size_t next = count;
  for (size_t i = 0; i < key.parameters.size(); ++i) {
    if (!key.parameters[i]) continue;
    if (Has(present, i)) out.push_back(results[next]);
    ++next;
  }
  f.SetResults(std::move(out));
  return f;
}

std::string FunctionGradients::Name(const GradientKey& key, const Mask& keep, const Mask& present) {
  std::string& name = names_[{key, keep, present}];
  if (name.empty()) {
    const ir::Function full = WithPresent(key, *Find(key), present);
    Mask parameters = keep;
    parameters.resize(static_cast<size_t>(full.num_parameters()), true);  // the cotangents stay
    name = AddFunction(WithoutDeadNodes(full, &parameters));
  }
  return name;
}

std::string FunctionGradients::AddFunction(ir::Function function) {
  std::string name = module_->UniqueFunctionName(function.name());
  function.set_name(name);
  module_->AddFunction(std::move(function));
  return name;
}

}  // namespace reel::passes
