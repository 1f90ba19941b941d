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

// Tensors of another library by the C functions of its type (`type.__dlpack_c_exchange_api__`, a capsule), without
// copies where they are row-major.
class Exchange {
 public:
  explicit Exchange(nb::handle capsule);
  Tensor From(nb::handle x) const;
  // Its library may write to what it gets: elements that somebody else sees are copied.
  nb::object To(Tensor x) const;

 private:
  const void* table_;
};

}  // namespace reel::python

#endif  // REEL_PYTHON_DLPACK_H_
