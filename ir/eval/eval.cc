#include "ir/eval/eval.h"

#include "ir/strings.h"

namespace reel::ir {
namespace {

absl::Status Error(std::string_view entry, std::string_view message) {
  return absl::InvalidArgumentError(StrCat("@", entry, ": ", message));
}

// Index of each of the function's state entries in module.variables().
std::vector<size_t> StateIndices(const Module& module, const Function& f) {
  std::vector<size_t> indices;
  for (const std::string& name : f.state()) {
    indices.push_back(static_cast<size_t>(module.FindVariable(name) - module.variables().data()));
  }
  return indices;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> EvaluateLiterals(const Module& module, const Function& function,
                                                      absl::Span<const Literal> parameters,
                                                      const EvalOptions& options) {
  std::vector<EvalTensor> tensors;
  for (const Literal& l : parameters) {
    auto tensor = FromLiteral(l);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  const auto results = Evaluate(module, function, tensors, options);
  if (!results.ok()) return results.status();
  std::vector<Literal> literals;
  for (const EvalTensor& t : *results) {
    literals.push_back(ToLiteral(t));
  }
  return literals;
}

absl::StatusOr<std::vector<Literal>> InitialState(const Module& module, const EvalOptions& options) {
  EvalOptions rounding = options;
  rounding.round_each_op = true;  // every engine starts from these bits
  std::vector<Literal> state;
  for (const Variable& v : module.variables()) {
    if (const auto* literal = std::get_if<Literal>(&v.initial)) {
      state.push_back(*literal);
      continue;
    }
    const Function* init = module.FindFunction(std::get<std::string>(v.initial));
    auto value = EvaluateLiterals(module, *init, {}, rounding);
    if (!value.ok()) return value.status();
    state.push_back((*value)[0]);
  }
  return state;
}

absl::StatusOr<EntryResult> EvaluateEntry(const Module& module, std::string_view name,
                                          absl::Span<const Literal> arguments, absl::Span<const Literal> state,
                                          const EvalOptions& options) {
  const Function* f = module.FindFunction(name);
  if (!f) return Error(name, "there is no such function");
  if (static_cast<int>(arguments.size()) != f->num_arguments()) {
    return Error(name, StrCat("takes ", f->num_arguments(), " arguments, got ", arguments.size()));
  }
  EntryResult result;
  result.state.assign(state.begin(), state.end());
  if (state.empty()) {
    auto initial = InitialState(module, options);
    if (!initial.ok()) return initial.status();
    result.state = *std::move(initial);
  }
  if (result.state.size() != module.variables().size()) {
    return Error(name,
                 StrCat("state has ", result.state.size(), " values for ", module.variables().size(), " variables"));
  }
  const std::vector<size_t> indices = StateIndices(module, *f);
  std::vector<Literal> parameters(arguments.begin(), arguments.end());
  for (size_t index : indices) parameters.push_back(result.state[index]);
  auto values = EvaluateLiterals(module, *f, parameters, options);
  if (!values.ok()) return values.status();
  const auto outputs = static_cast<size_t>(f->num_outputs());
  for (size_t k = 0; k < indices.size(); ++k) result.state[indices[k]] = (*values)[outputs + k];
  values->resize(outputs);
  result.outputs = *std::move(values);
  return result;
}

}  // namespace reel::ir
