#ifndef REEL_FRONTEND_AUTODIFF_CUSTOM_GRADIENT_H_
#define REEL_FRONTEND_AUTODIFF_CUSTOM_GRADIENT_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/values/variable_data.h"
#include "reel/custom_gradient.h"
#include "reel/indexed_slices.h"

namespace reel::internal {

using OptionalTensors = std::vector<std::optional<Tensor>>;

/// What a tape needs of a call of a function with its own gradient: the entry's operands are the
/// inputs, then the variables.
struct CustomCall {
  const char* name;
  std::vector<Type> input_types, result_types;
  std::vector<VariablePtr> variables;
  CustomBackward backward;
  std::vector<bool> none;   // per operand: the gradient function returned None for it
  /// In the place of `backward`, of a compiled function: takes nothing where there is no cotangent.
  std::function<std::vector<std::optional<GradientValue>>(const OptionalTensors& dys)> compiled = {};
  std::vector<Tensor> held = {};  ///< what `compiled` reads; null tensors between
  const char* why_none = "its gradient function returned None";

  /// The gradients of the operands, by the user's function, checked. It gets zeros for what is not there.
  OptionalTensors Run(const OptionalTensors& dys);
  /// What is left to explain: the name, and what was None.
  std::shared_ptr<CustomCall> WithoutValues() const;
};

/// Indices and the rows added there, to zeros of a type, in this order. Not empty.
GradientValue JoinRows(const std::vector<std::pair<Tensor, Tensor>>& parts, const Type& type);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_AUTODIFF_CUSTOM_GRADIENT_H_
