#ifndef REEL_PYTHON_GRADIENTS_H_
#define REEL_PYTHON_GRADIENTS_H_

#include <vector>

#include "common.h"
#include "reel/tape.h"

// Gradients and variables in structures of Python's.

namespace reel::python {

/// A tensor or variable to differentiate by; throws, naming `what`, for all else (tape.cc).
Source ToSource(nb::handle x, const char* what);
/// A gradient as an object: a Tensor or IndexedSlices; None if there is none.
nb::object WrapGradient(const std::optional<GradientValue>& gradient);
/// Gradients (tensors, IndexedSlices or None) with the variables that they belong to, both of one
/// structure (optim.cc).
GradientList ToGradients(nb::handle gradients, nb::handle variables);
/// The leaves of a structure, all of them variables (variable.cc).
std::vector<Variable> ToVariables(nb::handle tree);
/// Variables as a tuple; None for a null handle.
nb::object VariableTuple(const std::vector<Variable>& variables);

}  // namespace reel::python

#endif  // REEL_PYTHON_GRADIENTS_H_
