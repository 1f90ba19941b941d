#ifndef REEL_PYTHON_DLPACK_H_
#define REEL_PYTHON_DLPACK_H_

#include "common.h"

// DLPack both ways: https://dmlc.github.io/dlpack, the unversioned and the versioned capsule.

namespace reel::python {

/// Tensor.__dlpack__: a capsule that shares the elements, marked read only if the consumer knows
/// versions.
nb::object ToDLPack(const Tensor& x, nb::handle stream, nb::handle max_version, nb::handle device, nb::handle copy);
/// reel.from_dlpack.
Tensor FromDLPack(nb::handle x, nb::handle device, nb::handle copy);

}  // namespace reel::python

#endif  // REEL_PYTHON_DLPACK_H_
