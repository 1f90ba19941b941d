#ifndef REEL_LOSSES_H_
#define REEL_LOSSES_H_

#include "reel/tensor.h"
#include "reel/variable.h"

namespace reel {

/// How a loss combines the values of a batch.
enum class Reduction { kNone, kMean, kSum };
using enum Reduction;

struct LossOptions {
  Reduction reduction = kMean;
};

/// -log softmax(logits)[label] over the last axis; labels are integers (i32 or i64) of the shape of
/// the logits without that axis. Eager calls check the labels' range.
Tensor SoftmaxCrossEntropy(const Operand& logits, const Operand& labels,
                           const LossOptions& options = {});

/// (prediction - target)^2, over all elements.
Tensor MeanSquaredError(const Operand& prediction, const Operand& target,
                        const LossOptions& options = {});

}  // namespace reel

#endif  // REEL_LOSSES_H_
