#ifndef REEL_IR_CALLS_H_
#define REEL_IR_CALLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace reel::ir {

/// Names of the functions a node calls (callee, vjp, then, else, cond, body that are present).
absl::InlinedVector<std::string_view, 2> CalledFunctions(const Node& node);
/// The roots and what they call, directly or not, each once; linear in their nodes. Names of no function are passed
/// over.
std::vector<const Function*> ReachedFunctions(const Module& module, std::vector<const Function*> roots);
/// Functions that compute initial values of variables.
std::vector<const Function*> InitFunctions(const Module& module);
/// Functions that no function calls and that compute no initial value, in the module's order: what users call.
std::vector<const Function*> EntryFunctions(const Module& module);
/// Removes the functions that neither these nor the initial values reach. Returns whether there were any.
bool KeepReached(Module* module, std::vector<const Function*> roots);
/// Adds the functions of `from` that f calls, directly or not, to `to`, but for names that `to` has.
void CopyCallees(const Function& f, const Module& from, Module* to);

/// The names of all functions, callees before their callers.
std::vector<std::string> CalleesFirst(const Module& module);

}  // namespace reel::ir

#endif  // REEL_IR_CALLS_H_
