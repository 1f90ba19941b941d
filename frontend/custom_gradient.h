#ifndef REEL_FRONTEND_CUSTOM_GRADIENT_H_
#define REEL_FRONTEND_CUSTOM_GRADIENT_H_

#include <vector>

#include "frontend/core.h"
#include "reel/custom_gradient.h"

namespace reel::internal {

/// What a tape needs of a call of a function with its own gradient: the entry's operands are the
/// inputs, then the variables.
struct CustomCall {
  const char* name;
  std::vector<Type> input_types, result_types;
  std::vector<VariablePtr> variables;
  CustomBackward backward;
  std::vector<bool> none;   // per operand: the gradient function returned None for it

  /// The gradients of the operands, by the user's function, checked.
  std::vector<std::optional<Tensor>> Run(const std::vector<Tensor>& dys);
  /// What is left to explain: the name, and what was None.
  std::shared_ptr<CustomCall> WithoutValues() const;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_CUSTOM_GRADIENT_H_
