#ifndef REEL_FRONTEND_OPS_COMPLEX_H_
#define REEL_FRONTEND_OPS_COMPLEX_H_

#include <optional>

#include "ir/graph.h"
#include "reel/tensor.h"

namespace reel::internal {

/// An op of one operand on a complex tensor as a composition; nothing if it takes complex numbers itself, takes
/// none at all, or z is real.
std::optional<Tensor> ComplexForm(ir::Op op, const Tensor& z);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_COMPLEX_H_
