#include "reel/losses.h"

#include "frontend/core.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {
namespace {

Tensor Reduced(const Tensor& values, const LossOptions& options) {
  switch (options.reduction) {
    case kMean:
      return ReduceMean(values);
    case kSum:
      return ReduceSum(values);
    default:
      return values;
  }
}

template <typename T>
void CheckRange(const Tensor& labels, int64_t classes) {
  for (const T label : labels.data<T>()) {
    if (label >= 0 && label < classes) continue;
    internal::ThrowError(ErrorCode::kOutOfRange, StrCat("softmax_cross_entropy: label ", label,
                                                        " is not one of ", classes, " classes"));
  }
}

void CheckLabels(const Tensor& logits, const Tensor& labels) {
  const Shape batch = logits.rank() == 0
                          ? Shape()
                          : Shape(std::span(logits.shape().begin(), logits.shape().end() - 1));
  const bool integers = labels.dtype() == kInt32 || labels.dtype() == kInt64;
  if (logits.rank() == 0 || !IsFloat(logits.dtype()) || !integers || labels.shape() != batch) {
    internal::ThrowInvalid(StrCat(
        "softmax_cross_entropy: logits ", logits.type().ToString(), " and labels ",
        labels.type().ToString(),
        " do not fit; labels are i32 or i64 of the shape of the logits without the last axis"));
  }
  if (labels.symbolic()) return;
  const int64_t classes = logits.shape().dim(logits.rank() - 1);
  if (labels.dtype() == kInt32)
    CheckRange<int32_t>(labels, classes);
  else
    CheckRange<int64_t>(labels, classes);
}

}  // namespace

// log sum exp(z) - z[label], z = logits - max
Tensor SoftmaxCrossEntropy(const Operand& logits, const Operand& labels,
                           const LossOptions& options) {
  const internal::LocationScope scope(logits);
  const Tensor x = internal::Materialize(logits), y = internal::Materialize(labels);
  CheckLabels(x, y);
  const Tensor z = Sub(x, StopGradient(ReduceMax(x, -1, {.keepdims = true})));
  const Tensor chosen = Equal(ExpandDims(y, -1), Iota(x.shape(), -1, y.dtype()));
  const Tensor picked = ReduceSum(Where(chosen, z, 0), -1);
  return Reduced(Sub(Log(ReduceSum(Exp(z), -1)), picked), options);
}

Tensor MeanSquaredError(const Operand& prediction, const Operand& target,
                        const LossOptions& options) {
  const internal::LocationScope scope(prediction);
  return Reduced(Square(Sub(prediction, target)), options);
}

}  // namespace reel
