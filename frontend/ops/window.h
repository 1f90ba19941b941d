#ifndef REEL_FRONTEND_OPS_WINDOW_H_
#define REEL_FRONTEND_OPS_WINDOW_H_

#include <cstdint>
#include <vector>

#include "reel/conv.h"

// What convolution and pooling share: options per spatial axis, padding, layouts.

namespace reel::internal {

/// One entry per spatial axis: a list of `count`, of one for all, or none for `otherwise`.
std::vector<int64_t> PerAxis(const char* op, const char* what, const std::vector<int64_t>& list, int count,
                             int64_t otherwise);

/// The windows of one spatial axis and what is put around it.
struct AxisGeometry {
  int64_t extent = 0, size = 1, stride = 1, dilation = 1;
  int64_t low = 0, high = 0;

  int64_t span() const { return (size - 1) * dilation + 1; }
};
/// Checks size, stride and dilation and computes the padding. `low` and `high` are those of
/// kExplicit.
AxisGeometry MakeGeometry(const char* op, AxisGeometry axis, Padding padding, int64_t low, int64_t high);

/// [n, c, s...] to [n, s..., c] and back.
Tensor ChannelsToLast(const Tensor& x);
Tensor ChannelsToFirst(const Tensor& x);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_WINDOW_H_
