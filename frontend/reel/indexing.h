#ifndef REEL_INDEXING_H_
#define REEL_INDEXING_H_

#include <cstdint>
#include <vector>

#include "reel/ops.h"

// Reading and writing at indices, sorting and searching. Indices are i32 or i64. One that is out of
// range throws in eager calls; compiled code reads 0 there and does not write.

namespace reel {

/// x with `updates` written along axis at the indices; of equal indices the last in row-major order
/// stays. Gradients: what was overwritten gets 0, updates that were overwritten too.
Tensor ScatterSet(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis = 0);
/// The larger (smaller) of x and the updates along axis at the indices. Ties share the gradient
/// equally.
Tensor ScatterMax(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis = 0);
Tensor ScatterMin(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis = 0);
/// x times the updates along axis at the indices.
Tensor ScatterMul(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis = 0);

/// How an update meets what is there.
enum class ScatterMode : uint8_t { kSet, kAdd, kMul, kMax, kMin };

/// result[i..., r...] = x[indices[i..., 0], ..., indices[i..., k - 1], r...].
Tensor GatherNd(const Operand& x, const Operand& indices);
/// x with the slices `updates` at those indices; for kSet TensorFlow's tensor_scatter_nd_update.
Tensor TensorScatter(const Operand& x, const Operand& indices, const Operand& updates,
                     ScatterMode mode = ScatterMode::kSet);
/// Zeros of a shape with the updates added (or set, ...) at the indices.
Tensor ScatterNd(const Operand& indices, const Operand& updates, const Shape& shape,
                 ScatterMode mode = ScatterMode::kAdd);

/// result[..., i, ...] = x[..., indices[..., i, ...], ...]: indices have x's rank; other extents
/// broadcast.
Tensor TakeAlongAxis(const Operand& x, const Operand& indices, int64_t axis);
/// x with values written (added, ...) at those places; values broadcast to the indices.
Tensor PutAlongAxis(const Operand& x, const Operand& indices, const Operand& values, int64_t axis,
                    ScatterMode mode = ScatterMode::kSet);

/// Positions (i64) that sort x along an axis; equal elements stay in order, also descending. -0
/// equals +0. NaN is the largest: last, or first if descending.
Tensor Argsort(const Operand& x, int64_t axis = -1, bool descending = false);
/// x in that order.
Tensor Sort(const Operand& x, int64_t axis = -1, bool descending = false);
struct TopKResult {
  Tensor values, indices;
};
/// The k largest (smallest) elements along an axis, in order, and their positions (i64).
TopKResult TopK(const Operand& x, int64_t k, int64_t axis = -1, bool largest = true);
enum class Side : uint8_t { kLeft, kRight };
/// Positions (i64) in the sorted vector where the values belong: before (kLeft) or after (kRight)
/// what equals them.
Tensor SearchSorted(const Operand& sorted, const Operand& values, Side side = Side::kLeft);
/// Whether elements of x are among those of `values`. NaN never is.
Tensor IsIn(const Operand& x, const Operand& values);

/// Number (i64) of times that 0, 1, ..., length - 1 occur; others do not count.
Tensor Bincount(const Operand& x, int64_t length);
/// Sums of weights instead.
Tensor Bincount(const Operand& x, int64_t length, const Operand& weights);
/// result[s] = sum (product, ...) of the rows x[i] with segments[i] == s, in order; without rows 0
/// (1, lowest, ...).
Tensor SegmentSum(const Operand& x, const Operand& segments, int64_t count);
Tensor SegmentProd(const Operand& x, const Operand& segments, int64_t count);
Tensor SegmentMax(const Operand& x, const Operand& segments, int64_t count);
Tensor SegmentMin(const Operand& x, const Operand& segments, int64_t count);
Tensor SegmentMean(const Operand& x, const Operand& segments, int64_t count);

/// `on` at the index, `off` elsewhere, along a new axis of the result.
Tensor OneHot(const Operand& indices, int64_t depth, const Operand& on, const Operand& off, int64_t axis = -1);

/// Their shapes depend on values, which compiled code cannot have: these throw and name what to use
/// instead.
Tensor Nonzero(const Operand& x);
Tensor Unique(const Operand& x);

}  // namespace reel

#endif  // REEL_INDEXING_H_
