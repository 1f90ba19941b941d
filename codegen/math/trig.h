// What sine and cosine share.
#ifndef REEL_CODEGEN_MATH_TRIG_H_
#define REEL_CODEGEN_MATH_TRIG_H_

#include "codegen/math/common.h"

namespace reel::codegen::math::internal {

/// |x| = quadrant * pi/2 + (r.hi + r.lo) with |r| <= pi/4 (and a little); low two bits of quadrant
/// count.
struct ReducedAngle {
  Int quadrant;
  Pair r;
};

/// Reduces size >= 0 of any magnitude: Cody-Waite for small elements; if an element is beyond, a
/// branch to a loop over the elements that multiplies by the right window of the bits of 2/pi
/// (Payne and Hanik). Which of the two an element takes depends on that element only.
ReducedAngle ReduceAngle(Emitter& e, Fp size);

/// The Payne-Hanik step for one scalar beyond the Cody-Waite range.
ReducedAngle ReduceLargeAngle(Emitter& e, Fp size);

/// sin of a reduced angle.
Fp SinOfReduced(Emitter& e, const ReducedAngle& angle);

}  // namespace reel::codegen::math::internal

#endif  // REEL_CODEGEN_MATH_TRIG_H_
