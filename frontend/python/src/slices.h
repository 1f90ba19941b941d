#ifndef REEL_PYTHON_SLICES_H_
#define REEL_PYTHON_SLICES_H_

#include "common.h"
#include "reel/indexed_slices.h"

// IndexedSlices: taken where tensors are, made dense.

namespace reel::python {

/// What DefineMembers asks for: the whole.
inline Tensor ValueOf(const IndexedSlices& x) { return x.Dense(std::source_location{}); }
inline Type TypeOf(const IndexedSlices& x) {
  return x.dense_shape() ? Type{x.dtype(), *x.dense_shape()} : ValueOf(x).type();
}

/// Null if it is none.
const IndexedSlices* SlicesOf(nb::handle x);

void RegisterSlices(nb::module_& m);

}  // namespace reel::python

#endif  // REEL_PYTHON_SLICES_H_
