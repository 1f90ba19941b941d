#ifndef REEL_FRONTEND_RECORD_CLOSURE_H_
#define REEL_FRONTEND_RECORD_CLOSURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/record/event_log.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "reel/module.h"

// What the function transforms are made of: a callable traced as an ir::Function that takes all it
// uses as parameters, passes on that function, and its nodes sent through Dispatch: tapes, recordings
// and traces around see ordinary ops.

namespace reel::internal {

/// A traced callable. Its function takes the arguments, then `outer`, then the values of `variables`;
/// it returns the results, then the new values of `assigned`.
struct ClosedFunction {
  std::shared_ptr<ir::Module> module;  ///< the trace's, if one is in progress
  std::string name;
  size_t num_arguments = 0, num_results = 0;
  std::vector<Tensor> outer;  ///< tensors from outside that it uses
  std::vector<VariablePtr> variables, assigned;

  const ir::Function& function() const { return *module->FindFunction(name); }
  /// The arguments, then what the function takes from outside, variables as they are now.
  TensorList Operands(std::vector<Tensor> arguments) const;
  /// Gives `assigned` their new values: those at the end of what the function returned.
  void Assign(const std::vector<Tensor>& returned) const;
};

/// Traces a callable on tensors of these types, whose symbols are those of the trace around, or of these specs. Names
/// in errors: `what`. With `tape_reads`, gradients of the function are those that a tape around the callable finds:
/// BuildRequest::reads.
ClosedFunction TraceClosed(std::string_view what, const TracedFunction& function, const std::vector<Type>& types,
                           bool tape_reads = false);
ClosedFunction TraceClosed(std::string_view what, const TracedFunction& function, const std::vector<Spec>& specs,
                           bool tape_reads);

/// Runs a function without state through Dispatch. Eager: branches and loops are taken as they come,
/// a call with a vjp is a custom gradient. In a trace (whose module it must be): control ops stay.
std::vector<Tensor> RunThroughDispatch(const std::shared_ptr<ir::Module>& module, const std::string& name,
                                       absl::Span<const Tensor> operands);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_CLOSURE_H_
