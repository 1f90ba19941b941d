#ifndef REEL_FRONTEND_PROGRAM_LIVE_FUNCTION_BINDING_H_
#define REEL_FRONTEND_PROGRAM_LIVE_FUNCTION_BINDING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reel/module.h"

// Compiled functions on live variables, for a binding to another language.

namespace reel::internal {

class LiveFunction;  // live_function.h

/// Traces a callable on tensors of these types, which may have symbols. What it uses of its surroundings stays what it
/// is: variables are read and assigned at each call, tensors may have gradients. Gradients are those that a tape around
/// the callable finds.
std::shared_ptr<LiveFunction> TraceLive(const std::string& name, const TracedFunction& function,
                                        const std::vector<Spec>& specs);
/// The same on tensors whose symbols are those of the trace that is in progress.
std::shared_ptr<LiveFunction> TraceLive(const std::string& name, const TracedFunction& function,
                                        const std::vector<Type>& types);
/// Runs it as a call of a Function; see there.
std::vector<Tensor> CallLive(LiveFunction& function, const std::vector<Tensor>& arguments);
/// About how much a call computes, in elements of cheap ops; more than any number if that is not known.
int64_t WorkOf(const LiveFunction& function);
/// The variables it reads or assigns.
std::vector<Variable> VariablesOf(const LiveFunction& function);
/// Its graph: variables are state, tensors from outside constants.
Function GraphOf(const LiveFunction& function, const std::string& name);

/// Whether something on this thread sees what a compiled function would do op by op: a trace, a recording, an
/// accumulator; tapes do not.
bool OpsAreObserved();
/// Whether an accumulator follows what is computed.
bool TangentsAreFollowed();

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_LIVE_FUNCTION_BINDING_H_
