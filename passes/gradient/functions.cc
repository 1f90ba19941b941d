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

std::string FunctionGradients::Name(const GradientKey& key, const Mask& keep) {
  std::string& name = names_[{key, keep}];
  if (name.empty()) {
    const ir::Function& full = Find(key)->function;
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
