#ifndef REEL_PYTHON_TREE_H_
#define REEL_PYTHON_TREE_H_

#include <functional>
#include <vector>

#include "common.h"
#include "reel/tape.h"

// Nested lists, tuples (named ones too) and dicts, as TensorFlow's tf.nest: what is none of them is
// a leaf.

namespace reel::python {

/// The leaves in order; dicts in the order of their sorted keys.
void FlattenTree(nb::handle tree, std::vector<nb::object>* leaves);
/// The same structure with other leaves, taken from the front of `leaves` on.
nb::object RebuildTree(nb::handle tree, const std::vector<nb::object>& leaves);
/// True for what FlattenTree looks into.
bool IsTree(nb::handle x);

/// 'none' or 'zero', or an enumerator with such a value (tape.cc).
UnconnectedGradients ToUnconnected(nb::handle x);

}  // namespace reel::python

#endif  // REEL_PYTHON_TREE_H_
