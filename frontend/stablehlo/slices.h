#ifndef REEL_FRONTEND_STABLEHLO_SLICES_H_
#define REEL_FRONTEND_STABLEHLO_SLICES_H_

#include "frontend/stablehlo/emitter.h"

namespace reel::stablehlo {

/// x[starts:limits:strides]; a symbolic axis stays whole, whatever its limit.
Value SliceOf(Emitter& e, const Value& x, std::vector<int64_t> starts, std::vector<int64_t> limits,
              std::vector<int64_t> strides);

struct Range {
  int64_t start, limit, stride = 1;
};
/// The elements of a range along one axis.
Value SliceAxis(Emitter& e, const Value& x, int axis, const Range& range);

/// `size` elements along an axis from a scalar of any integer dtype, moved into range.
Value DynamicSliceAxis(Emitter& e, const Value& x, const Value& start, int axis, int64_t size);
/// x with `part` written over it along an axis.
Value DynamicUpdateAxis(Emitter& e, const Value& x, const Value& part, const Value& start, int axis);

}  // namespace reel::stablehlo

#endif  // REEL_FRONTEND_STABLEHLO_SLICES_H_
