#ifndef REEL_FRONTEND_CONTROL_H_
#define REEL_FRONTEND_CONTROL_H_

#include <functional>
#include <vector>

#include "reel/ops.h"

namespace reel::internal {

/// Adds a loop variable of this type that begins as zeros; the body returns its next value after
/// those of the other variables, in the order of the calls.
using AddCarried = std::function<Tensor(const Type&)>;

/// WhileLoop in a trace, for bodies that know some of their variables only when they have run.
std::vector<Tensor> TracedWhile(
    const std::function<Tensor(const std::vector<Tensor>&)>& cond,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&, const AddCarried&)>& body,
    std::vector<Tensor> values, WhileOptions options);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_CONTROL_H_
