#include "reel/gradients_function.h"

#include <algorithm>

#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel::internal {

DifferentiatedCall::DifferentiatedCall(const std::vector<int>& params, size_t num_arguments)
    : params_(params), all_(params.empty()), sources_(num_arguments) {
  const auto n = static_cast<int>(num_arguments);
  for (int p : params) {
    if (p >= 0 && p < n) continue;
    ThrowInvalid(StrCat("gradients_function: params has position ", p, ", the function got ", n,
                        " arguments; positions count from 0"));
  }
}

bool DifferentiatedCall::Wanted(int argument) const {
  return all_ || std::find(params_.begin(), params_.end(), argument) != params_.end();
}

Tensor DifferentiatedCall::Take(const Operand& argument) {
  const int at = next_++;
  Tensor x = Materialize(argument);
  if (!Wanted(at)) return x;
  x = argument.weak() && IsInteger(x.dtype()) ? Cast(x, kFloat32) : Identity(x);
  if (IsDifferentiable(x.dtype())) tape_.Watch(x);
  sources_[static_cast<size_t>(at)] = x;
  return x;
}

void DifferentiatedCall::Skip() {
  const int at = next_++;
  if (all_ || !Wanted(at)) return;
  ThrowInvalid(StrCat("gradients_function: params has position ", at,
                      ", whose argument is not a tensor; leave it out of params"));
}

namespace {

std::vector<Tensor> CheckedTargets(const NamedTensors& results) {
  std::vector<Tensor> targets;
  for (const NamedTensor& y : results) {
    if (!y.tensor.defined()) {
      ThrowInvalid(
          "Cannot differentiate a function that returns None; did you forget to return a value "
          "from fn?");
    }
    targets.push_back(y.tensor);
  }
  return targets;
}

}  // namespace

GradientList DifferentiatedCall::Gradients(const NamedTensors& results, const Seeds& dy) {
  std::vector<Source> sources;
  if (all_) {
    for (const auto& s : sources_) {
      if (s) sources.push_back(*s);
    }
  }
  for (int p : params_) sources.push_back(*sources_[static_cast<size_t>(p)]);
  return tape_.Gradient(CheckedTargets(results), sources, {.output_gradients = dy});
}

GradientList ImplicitGradient(GradientTape* tape, const NamedTensors& results) {
  const std::vector<Tensor> targets = CheckedTargets(results);
  const std::vector<Variable> variables = tape->WatchedVariables();
  if (variables.empty()) {
    ThrowInvalid("No trainable variables were accessed while the function was being computed.");
  }
  return tape->Gradient(targets, variables);
}

NamedTensors ResultsOfGradients(const GradientList& gradients) {
  NamedTensors out;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].gradient) out.emplace_back(gradients.Dense(i));
  }
  return out;
}

}  // namespace reel::internal
