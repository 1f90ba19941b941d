#ifndef REEL_LOSSES_H_
#define REEL_LOSSES_H_

#include "reel/tensor.h"
#include "reel/variable.h"

// Losses: compositions on floats. Predictions come first, targets second; both have one shape, or
// the target is a scalar (nothing else broadcasts: [n,1] against [n] is an error). Where a loss
// has a kink, the derivative there is TensorFlow's and stated.

namespace reel {

/// How a loss combines the values of a batch.
enum class Reduction { kNone, kMean, kSum };
using enum Reduction;

/// Options of losses that have no others.
struct LossOptions {
  Reduction reduction = kMean;
};

// --- classification: one value per row, over the last axis ---

/// Options of SoftmaxCrossEntropy.
struct CrossEntropyOptions {
  Reduction reduction = kMean;
  /// Replaces a target distribution t over n classes by (1 - label_smoothing) t + label_smoothing /
  /// n: Szegedy et al., "Rethinking the Inception architecture", 2016.
  double label_smoothing = 0;
};

/// -sum t log softmax(logits) over the last axis. The target t is either an integer label (i32 or
/// i64, of the shape of the logits without that axis: t is 1 there) or, as floats of the shape of
/// the logits, the distribution itself. Classes with a logit of -inf and no target are left out.
/// Eager calls check the labels' range.
Tensor SoftmaxCrossEntropy(const Operand& logits, const Operand& labels, const CrossEntropyOptions& options = {});

/// -log_probabilities[label] over the last axis; labels as in SoftmaxCrossEntropy.
Tensor NegativeLogLikelihood(const Operand& log_probabilities, const Operand& labels, const LossOptions& options = {});

/// max(0, 1 + max (1 - t) x - sum t x) over the last axis for a one-hot target t; derivatives at
/// the outer kink are those inside. Weston, Watkins, 1999.
Tensor CategoricalHinge(const Operand& prediction, const Operand& target, const LossOptions& options = {});

/// Options of CtcLoss.
struct CtcOptions {
  Reduction reduction = kMean;
  int64_t blank = 0;
  Tensor logit_lengths = {};  ///< integers [batch]: steps that count; null: all
  Tensor label_lengths = {};  ///< integers [batch]; null: all
};
/// -log of the probability of the labels [batch, length] (i32 or i64, without blanks) under logits
/// [batch, time, classes], summed over all ways to put them in order on the steps with repetitions
/// and blanks; infinite, with gradient 0, if there is none. Graves et al.: "Connectionist temporal
/// classification", 2006.
Tensor CtcLoss(const Operand& logits, const Operand& labels, const CtcOptions& options = {});

/// Options of KlDivergence.
struct KlDivergenceOptions {
  Reduction reduction = kMean;
  bool log_prediction = false;  ///< the prediction is log q, as PyTorch has it
};
/// sum t (log t - log q) over the last axis, target t, prediction q; t = 0 counts 0.
Tensor KlDivergence(const Operand& prediction, const Operand& target, const KlDivergenceOptions& options = {});

/// 1 - cos(a, b) over the last axis; see CosineSimilarity.
Tensor CosineLoss(const Operand& prediction, const Operand& target, const LossOptions& options = {});
/// sum ab / (|a| |b|) along axis, each norm at least epsilon; finite at 0.
Tensor CosineSimilarity(const Operand& a, const Operand& b, int64_t axis = -1, double epsilon = 1e-8);

/// Options of TripletLoss.
struct TripletOptions {
  Reduction reduction = kMean;
  double margin = 1;
  double epsilon = 1e-6;  ///< added to every difference: the distance of equal points has a gradient
};
/// max(0, |anchor - positive| - |anchor - negative| + margin) over the last axis. Schroff,
/// Kalenichenko, Philbin: "FaceNet", 2015, with PyTorch's epsilon.
Tensor TripletLoss(const Operand& anchor, const Operand& positive, const Operand& negative,
                   const TripletOptions& options = {});

// --- two classes: one value per element ---

/// Options of SigmoidCrossEntropy and BinaryCrossEntropy.
struct BinaryCrossEntropyOptions {
  Reduction reduction = kMean;
  double label_smoothing = 0;  ///< target t becomes (1 - label_smoothing) t + label_smoothing / 2
};
/// -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)) = max(x, 0) - x t + log(1 + e^-|x|).
Tensor SigmoidCrossEntropy(const Operand& logits, const Operand& target, const BinaryCrossEntropyOptions& options = {});
/// -t log p - (1 - t) log(1 - p) for probabilities p in [0, 1]; each logarithm is at least -100 (as
/// in PyTorch), with derivative 0 there.
Tensor BinaryCrossEntropy(const Operand& probabilities, const Operand& target,
                          const BinaryCrossEntropyOptions& options = {});
/// max(0, 1 - t x), target t -1 or 1; the derivative at the kink is -t.
Tensor Hinge(const Operand& prediction, const Operand& target, const LossOptions& options = {});
/// max(0, 1 - t x)^2.
Tensor SquaredHinge(const Operand& prediction, const Operand& target, const LossOptions& options = {});

// --- regression: one value per element ---

/// (prediction - target)^2.
Tensor MeanSquaredError(const Operand& prediction, const Operand& target, const LossOptions& options = {});
/// |prediction - target|; the derivative at 0 is 0.
Tensor MeanAbsoluteError(const Operand& prediction, const Operand& target, const LossOptions& options = {});

/// Options of Huber.
struct HuberOptions {
  Reduction reduction = kMean;
  double delta = 1;
};
/// d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2), d = prediction - target. Huber, 1964.
Tensor Huber(const Operand& prediction, const Operand& target, const HuberOptions& options = {});
/// log cosh(prediction - target), without overflow.
Tensor LogCosh(const Operand& prediction, const Operand& target, const LossOptions& options = {});

/// Options of PoissonLoss.
struct PoissonOptions {
  Reduction reduction = kMean;
  bool log_prediction = false;  ///< the prediction is the logarithm of the rate
};
/// rate - target log rate: -log of a Poisson probability, without the term of the target alone.
/// 0 log 0 counts 0.
Tensor PoissonLoss(const Operand& prediction, const Operand& target, const PoissonOptions& options = {});

/// Options of GaussianLoss.
struct GaussianOptions {
  Reduction reduction = kMean;
  double epsilon = 1e-6;  ///< least variance
};
/// (log v + (mean - target)^2 / v) / 2, v = max(variance, epsilon): -log of a normal density,
/// without its constant.
Tensor GaussianLoss(const Operand& mean, const Operand& variance, const Operand& target,
                    const GaussianOptions& options = {});

}  // namespace reel

#endif  // REEL_LOSSES_H_
