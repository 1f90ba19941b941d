#ifndef REEL_PYTHON_CALLBACK_H_
#define REEL_PYTHON_CALLBACK_H_

#include <functional>
#include <memory>
#include <vector>

#include "common.h"
#include "tree.h"

// Python callables as C++ functions of tensors.

namespace reel::python {

/// A Python object that C++ owns: dropped with the GIL, whatever thread drops it.
std::shared_ptr<nb::object> SharedObject(nb::handle x);

/// The leaves of a structure as tensors.
std::vector<Tensor> LeafTensors(nb::handle tree);
/// Tensors as a list of Python's.
nb::list TensorObjects(const std::vector<Tensor>& tensors);
/// The structure with these tensors as leaves.
nb::object TreeOf(nb::handle tree, const std::vector<Tensor>& leaves);

/// TensorSpecs, or tensors in their place, in any structure; open extents get names.
std::vector<Spec> ToSpecs(nb::handle tree);

/// function(*arguments) as tensors; `structure`, unless null, becomes what it returned.
std::vector<Tensor> CallForTensors(const nb::object& function, const nb::tuple& arguments, nb::object* structure);

}  // namespace reel::python

#endif  // REEL_PYTHON_CALLBACK_H_
