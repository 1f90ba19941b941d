#ifndef REEL_FRONTEND_OPS_CONTROL_H_
#define REEL_FRONTEND_OPS_CONTROL_H_

#include <functional>
#include <vector>

#include "reel/ops.h"

namespace reel::internal {

/// Adds a loop variable of this type that begins as zeros; the body returns its next value after
/// those of the other variables, in the order of the calls.
using AddCarried = std::function<Tensor(const Type&)>;

/// What a branch or an iteration returns as values of their own, with cotangents of all elements, as in graphs: so
/// these are added up in the same order in eager code. In a trace only what is older than `begin`, a NextId, or
/// returned twice becomes an identity: its function takes the others' cotangents as parameters.
void SeparateResults(std::vector<Tensor>* results, uint64_t begin);
/// The same for the first values of loop variables; the first one's identity is the last op.
void SeparateOperands(std::vector<Tensor>* values);
/// A branch that is taken at once; while something records or traces, with results of their own. Null ones stay null.
std::vector<Tensor> RunBranch(const std::function<std::vector<Tensor>()>& branch);

/// WhileLoop in a trace, for bodies that know some of their variables only when they have run.
std::vector<Tensor> TracedWhile(
    const std::function<Tensor(const std::vector<Tensor>&)>& cond,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&, const AddCarried&)>& body,
    std::vector<Tensor> values, WhileOptions options);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_CONTROL_H_
