#ifndef REEL_FRONTEND_OPTIM_ROW_SUMS_H_
#define REEL_FRONTEND_OPTIM_ROW_SUMS_H_

#include "reel/indexed_slices.h"
#include "reel/tensor.h"

// What steps by sparse gradients work on: the rows that a gradient has, each once.

namespace reel::internal {

/// The rows of slices, those of one index added up, in their order, as Dense() does. Their number is not known: places
/// left over have the index -1, which gathers read as 0 and scatters drop.
struct RowSums {
  explicit RowSums(const IndexedSlices& g);
  Tensor rows, values;
};

/// The rows of x at indices along its first axis; zeros for indices out of range.
Tensor RowsAt(const Tensor& x, const Tensor& indices);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPTIM_ROW_SUMS_H_
