#ifndef REEL_FRONTEND_TENSORFLOW_ORDER_H_
#define REEL_FRONTEND_TENSORFLOW_ORDER_H_

#include "frontend/tensorflow/emitter.h"

// TensorFlow's kernels compare NaN as it happens, and take denormal numbers for zeros. Integers have one order.

namespace reel::tensorflow {

/// Signed integers in the order of the floats: -inf < ... < -0 < +0 < ... < inf, and NaN at one end.
Value OrderedBits(Emitter& e, const Value& x, bool nan_largest);
/// Its inverse, of f32 or f64.
Value FromOrderedBits(Emitter& e, const Value& bits, DType dtype);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_ORDER_H_
