#ifndef REEL_FRONTEND_NN_LOSS_COMMON_H_
#define REEL_FRONTEND_NN_LOSS_COMMON_H_

#include "reel/losses.h"
#include "reel/tensor.h"

// What all losses share.

namespace reel::internal {

/// The values of a batch, combined.
Tensor Reduced(const Tensor& values, Reduction reduction);

/// Prediction and target as floats of one dtype and shape.
struct LossOperands {
  Tensor prediction, target;
};
/// Checks the shapes; a scalar target is broadcast. Losses over the last axis need one.
LossOperands Match(const char* op, const Operand& prediction, const Operand& target, bool over_last_axis = false);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_NN_LOSS_COMMON_H_
