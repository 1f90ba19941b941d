#ifndef REEL_FRONTEND_TENSORFLOW_SLICES_H_
#define REEL_FRONTEND_TENSORFLOW_SLICES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "frontend/tensorflow/emitter.h"

namespace reel::tensorflow {

/// Every axis in turn, as the middle one of three; `change` gives the three back if nothing changes.
Value OneByOne(Emitter& e, const Value& x, const std::function<Value(const Value& three, int axis)>& change);
/// The elements along axes in the opposite order.
Value ReverseOf(Emitter& e, const Value& x, const std::vector<int64_t>& axes);
/// x[starts:limits:strides]; a symbolic axis stays whole, whatever its limit.
Value SliceOf(Emitter& e, const Value& x, const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
              const std::vector<int64_t>& strides);
/// `size` elements along an axis from a scalar of any integer dtype, moved into range.
Value DynamicSliceAxis(Emitter& e, const Value& x, const Value& start, int axis, int64_t size);
/// x with `part` written over it along an axis.
Value DynamicUpdateAxis(Emitter& e, const Value& x, const Value& part, const Value& start, int axis);

/// x's axis i becomes axis axes[i] of a shape; extents of 1 stretch, missing axes repeat.
Value SpreadOf(Emitter& e, const Value& x, const Shape& shape, const std::vector<int64_t>& axes);

struct Padding {
  std::vector<int64_t> low, high, interior;  ///< of each axis; low and high below 0 cut
};
/// x with copies of a scalar around and between its elements; a symbolic axis has none.
Value PadOf(Emitter& e, const Value& x, const Value& scalar, const Padding& padding);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_SLICES_H_
