#ifndef REEL_FRONTEND_OPS_COMMON_H_
#define REEL_FRONTEND_OPS_COMMON_H_

#include <vector>

#include "reel/ops.h"

// What compositions of ops share.

namespace reel::internal {

/// Halves as f32, in which a sum of many neither overflows nor stands still; others as they are.
inline Tensor Wide(const Tensor& x) { return IsHalf(x.dtype()) ? Cast(x, kFloat32) : x; }

/// Elements begin .. end along one axis, counted from 0.
inline Tensor SliceAxis(const Tensor& x, int64_t axis, int64_t begin, int64_t end) {
  const auto a = static_cast<size_t>(axis);
  std::vector<int64_t> starts(static_cast<size_t>(x.rank()), 0), limits(starts.size(), kEnd);
  starts[a] = begin;
  limits[a] = end;
  return Slice(x, starts, limits);
}

/// How many elements some axes of x span, as an i64 scalar: a constant, or from symbolic extents when
/// the function runs (ops/shape.cc).
Tensor CountOf(const Tensor& x, const std::vector<int64_t>& axes);

/// Sorted, distinct, non-negative axes (ops/reduce.cc).
std::vector<int64_t> ResolveAxes(const char* op, const Axes& axes, int rank);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_COMMON_H_
