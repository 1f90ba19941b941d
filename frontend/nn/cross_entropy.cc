#include <limits>

#include "frontend/eager/composite.h"
#include "frontend/nn/loss_common.h"
#include "frontend/ops/common.h"
#include "frontend/ops/index.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/activations.h"
#include "reel/elementary.h"
#include "reel/losses.h"
#include "reel/ops.h"

namespace reel {

using internal::LocationScope;
using internal::Match;
using internal::Materialize;
using internal::Reduced;

namespace {

using Operands = absl::Span<const Tensor>;

template <typename Options>
std::vector<double> NumbersOf(const Options& options) {
  return {options.label_smoothing, static_cast<double>(options.reduction)};
}

// Integer labels for scores [..., classes], checked.
Tensor CheckLabels(const char* op, const Tensor& scores, const Tensor& labels) {
  const Shape batch = scores.rank() == 0 ? Shape() : Shape(std::span(scores.shape().begin(), scores.shape().end() - 1));
  const bool integers = labels.dtype() == kInt32 || labels.dtype() == kInt64;
  if (scores.rank() == 0 || !IsFloat(scores.dtype()) || !integers || labels.shape() != batch) {
    internal::ThrowInvalid(
        StrCat(op, ": scores ", scores.type().ToString(), " and labels ", labels.type().ToString(),
               " do not fit; labels are i32 or i64 of the shape of the scores without the last axis"));
  }
  return internal::CheckLabelRange(op, labels, scores.shape().dim(scores.rank() - 1));
}

// x[label] over the last axis.
Tensor Picked(const Tensor& x, const Tensor& labels) {
  const Tensor chosen = Equal(ExpandDims(labels, -1), Iota(x.shape(), -1, labels.dtype()));
  return ReduceSum(Where(chosen, x, 0), -1);
}

// sum t z over the last axis, where 0 * -inf is 0.
Tensor Weighted(const Tensor& target, const Tensor& z) {
  const Tensor impossible = Equal(z, -std::numeric_limits<double>::infinity());
  const Tensor left_out = LogicalAnd(impossible, Equal(target, 0));
  return ReduceSum(Mul(target, Where(left_out, 0, z)), -1);
}

void CheckSmoothing(const char* op, double amount) {
  if (amount >= 0 && amount <= 1) return;
  internal::ThrowInvalid(StrCat(op, ": label_smoothing ", amount, " is not in [0, 1]"));
}

}  // namespace

namespace {

// Log sum exp(z) weighted by the sum of the targets: they need not be a distribution.
Tensor DenseCrossEntropy(const Tensor& z, const Tensor& target, double smoothing) {
  const double n = static_cast<double>(z.shape().dim(z.rank() - 1));
  const Tensor t = smoothing == 0 ? target : Add(Mul(target, 1 - smoothing), smoothing / n);
  const Tensor weighted = Weighted(t, z);
  return Sub(Mul(Log(ReduceSum(Exp(z), -1)), ReduceSum(t, -1)), weighted);
}

Tensor SparseCrossEntropy(const Tensor& z, const Tensor& labels, double smoothing) {
  Tensor picked = Picked(z, labels);
  if (smoothing != 0) picked = Add(Mul(picked, 1 - smoothing), Mul(ReduceMean(z, -1), smoothing));
  return Sub(Log(ReduceSum(Exp(z), -1)), picked);
}

}  // namespace

// log sum exp(z) - sum t z, z = logits - max
Tensor SoftmaxCrossEntropy(const Operand& logits, const Operand& labels, const CrossEntropyOptions& options) {
  const char* const op = "softmax_cross_entropy";
  const LocationScope scope(logits);
  const Tensor given = Materialize(logits);
  Tensor y = Materialize(labels);
  const bool dense = IsFloat(y.dtype()) && given.rank() > 0 && y.shape() == given.shape();
  if (!dense) y = CheckLabels(op, given, y);
  CheckSmoothing(op, options.label_smoothing);
  return internal::Compose(op, {given, y}, NumbersOf(options), [&](Operands in) {
    const Tensor x = internal::Wide(in[0]), z = Sub(x, StopGradient(ReduceMax(x, -1, {.keepdims = true})));
    const Tensor values = dense ? DenseCrossEntropy(z, internal::Wide(in[1]), options.label_smoothing)
                                : SparseCrossEntropy(z, in[1], options.label_smoothing);
    return Cast(Reduced(values, options.reduction), in[0].dtype());
  });
}

Tensor NegativeLogLikelihood(const Operand& log_probabilities, const Operand& labels, const LossOptions& options) {
  const LocationScope scope(log_probabilities);
  const Tensor x = Materialize(log_probabilities);
  const Tensor y = CheckLabels("negative_log_likelihood", x, Materialize(labels));
  return Reduced(Neg(Picked(x, y)), options.reduction);
}

Tensor KlDivergence(const Operand& prediction, const Operand& target, const KlDivergenceOptions& options) {
  const LocationScope scope(prediction);
  const auto [q, t] = Match("kl_divergence", prediction, target, true);
  const Tensor none = Equal(t, 0);
  const Tensor log_t = Log(Where(none, 1, t));
  const Tensor log_q = options.log_prediction ? Where(none, 0, q) : Log(Where(none, 1, q));
  return Reduced(ReduceSum(Mul(t, Sub(log_t, log_q)), -1), options.reduction);
}

namespace {

Tensor Smooth(const char* op, const Tensor& target, double amount) {
  CheckSmoothing(op, amount);
  return amount == 0 ? target : Add(Mul(target, 1 - amount), amount / 2);
}

// max(log p, -100); the constant has derivative 0, NaN stays NaN.
Tensor BoundedLog(const Tensor& p) {
  constexpr double kLeast = 3.7200759760208356e-44;  // e^-100
  const Tensor low = LessEqual(p, kLeast);
  return Where(low, -100.0, Log(Where(low, 1, p)));
}

}  // namespace

// max(x, 0) - x t + log(1 + e^-|x|), with the branches of Softplus.
Tensor SigmoidCrossEntropy(const Operand& logits, const Operand& target, const BinaryCrossEntropyOptions& options) {
  const char* const op = "sigmoid_cross_entropy";
  const LocationScope scope(logits);
  const auto [prediction, wanted] = Match(op, logits, target);
  return internal::Compose(op, {prediction, wanted}, NumbersOf(options), [&](Operands in) {
    const Tensor &x = in[0], negative = Less(x, 0), below = Where(negative, x, Neg(x));
    const Tensor linear = Sub(Where(negative, 0, x), Mul(x, Smooth(op, in[1], options.label_smoothing)));
    return Reduced(Add(linear, Log1p(Exp(below))), options.reduction);
  });
}

Tensor BinaryCrossEntropy(const Operand& probabilities, const Operand& target,
                          const BinaryCrossEntropyOptions& options) {
  const char* const op = "binary_cross_entropy";
  const LocationScope scope(probabilities);
  const auto [p, y] = Match(op, probabilities, target);
  const Tensor t = Smooth(op, y, options.label_smoothing);
  const Tensor yes = Mul(t, BoundedLog(p)), no = Mul(Sub(1.0, t), BoundedLog(Sub(1.0, p)));
  return Reduced(Neg(Add(yes, no)), options.reduction);
}

}  // namespace reel
