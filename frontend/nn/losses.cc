#include "reel/losses.h"

#include <numbers>

#include "frontend/nn/loss_common.h"
#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/activations.h"
#include "reel/ops.h"

// Losses of regression and of margins; the cross-entropies are in cross_entropy.cc.

namespace reel {

using internal::LocationScope;
using internal::LossOperands;
using internal::Match;
using internal::Reduced;

namespace internal {

Tensor Reduced(const Tensor& values, Reduction reduction) {
  switch (reduction) {
    case kMean: return ReduceMean(values);
    case kSum: return ReduceSum(values);
    default: return values;
  }
}

LossOperands Match(const char* op, const Operand& prediction, const Operand& target, bool over_last_axis) {
  const TensorList t = Promote(ir::Op::kSub, {&prediction, &target});
  const Tensor &x = t[0], &y = t[1];
  if (!IsFloat(x.dtype())) {
    ThrowInvalid(StrCat(op, ": needs floats, got ", x.type().ToString(), " and ", y.type().ToString(),
                        "; Cast them to kFloat32"));
  }
  if (over_last_axis && x.rank() == 0) {
    ThrowInvalid(StrCat(op, ": the prediction is a scalar; give it an axis to sum over"));
  }
  if (y.shape() != x.shape() && (over_last_axis || y.rank() != 0)) {
    ThrowInvalid(StrCat(op, ": the prediction ", x.type().ToString(), " and the target ", y.type().ToString(),
                        " must have one shape; Reshape or BroadcastTo one of them"));
  }
  return {x, BroadcastTensor(y, x.shape())};
}

}  // namespace internal

Tensor MeanSquaredError(const Operand& prediction, const Operand& target, const LossOptions& options) {
  const LocationScope scope(prediction);
  const auto [x, y] = Match("mean_squared_error", prediction, target);
  return Reduced(Square(Sub(x, y)), options.reduction);
}

Tensor MeanAbsoluteError(const Operand& prediction, const Operand& target, const LossOptions& options) {
  const LocationScope scope(prediction);
  const auto [x, y] = Match("mean_absolute_error", prediction, target);
  return Reduced(Abs(Sub(x, y)), options.reduction);
}

Tensor Huber(const Operand& prediction, const Operand& target, const HuberOptions& options) {
  const LocationScope scope(prediction);
  const auto [x, y] = Match("huber", prediction, target);
  if (!(options.delta > 0)) internal::ThrowInvalid(StrCat("huber: delta ", options.delta, " must be positive"));
  const Tensor d = Sub(x, y), size = Abs(d), small = LessEqual(size, options.delta);
  const Tensor parabola = Mul(Square(Where(small, d, 0)), 0.5);
  const Tensor line = Mul(Sub(size, options.delta / 2), options.delta);
  return Reduced(Where(small, parabola, line), options.reduction);
}

// cosh d = 1 + 2 sinh(d / 2)^2, and log cosh d = |d| + log(1 + e^-2|d|) - log 2, which for small d
// would cancel.
Tensor LogCosh(const Operand& prediction, const Operand& target, const LossOptions& options) {
  const LocationScope scope(prediction);
  const auto [x, y] = Match("log_cosh", prediction, target);
  const Tensor d = Sub(x, y), size = Abs(d), small = LessEqual(size, 1);
  const Tensor half = Mul(Where(small, d, 0), 0.5), far = Where(small, 1, size);
  const Tensor near = Log1p(Mul(Square(Sinh(half)), 2.0));
  const Tensor sum = Add(far, Log1p(Exp(Mul(far, -2.0))));
  return Reduced(Where(small, near, Sub(sum, std::numbers::ln2)), options.reduction);
}

Tensor PoissonLoss(const Operand& prediction, const Operand& target, const PoissonOptions& options) {
  const LocationScope scope(prediction);
  const auto [x, y] = Match("poisson_loss", prediction, target);
  Tensor values;
  if (options.log_prediction) {
    values = Sub(Exp(x), Mul(y, x));
  } else {
    const Tensor none = LogicalAnd(Equal(y, 0), Equal(x, 0));  // 0 log 0 = 0
    values = Sub(x, Mul(y, Log(Where(none, 1, x))));
  }
  return Reduced(values, options.reduction);
}

Tensor GaussianLoss(const Operand& mean, const Operand& variance, const Operand& target,
                    const GaussianOptions& options) {
  const LocationScope scope(mean);
  const auto [x, y] = Match("gaussian_loss", mean, target);
  const Tensor v = Maximum(Match("gaussian_loss", x, variance).target, options.epsilon);
  const Tensor values = Mul(Add(Log(v), Div(Square(Sub(x, y)), v)), 0.5);
  return Reduced(values, options.reduction);
}

namespace {

Tensor HingeValues(const char* op, const Operand& prediction, const Operand& target) {
  const auto [x, y] = Match(op, prediction, target);
  return Maximum(Sub(1.0, Mul(y, x)), 0.0);
}

}  // namespace

Tensor Hinge(const Operand& prediction, const Operand& target, const LossOptions& options) {
  const LocationScope scope(prediction);
  return Reduced(HingeValues("hinge", prediction, target), options.reduction);
}

Tensor SquaredHinge(const Operand& prediction, const Operand& target, const LossOptions& options) {
  const LocationScope scope(prediction);
  return Reduced(Square(HingeValues("squared_hinge", prediction, target)), options.reduction);
}

Tensor CategoricalHinge(const Operand& prediction, const Operand& target, const LossOptions& options) {
  const LocationScope scope(prediction);
  const auto [x, y] = Match("categorical_hinge", prediction, target, true);
  const Tensor right = ReduceSum(Mul(y, x), -1);
  const Tensor wrong = ReduceMax(Mul(Sub(1.0, y), x), -1);
  return Reduced(Maximum(Add(Sub(wrong, right), 1.0), 0.0), options.reduction);
}

// The squares' sum is bounded before the root is taken: at 0 the derivative is that of the bound.
Tensor CosineSimilarity(const Operand& a, const Operand& b, int64_t axis, double epsilon) {
  const LocationScope scope(a);
  const internal::TensorList t = internal::Promote(ir::Op::kMul, {&a, &b});
  const Tensor x = internal::Wide(t[0]), y = internal::Wide(t[1]);
  const auto norm = [&](const Tensor& v) {
    const Tensor sum = ReduceSum(Square(v), axis);
    return Sqrt(Where(LessEqual(sum, epsilon * epsilon), epsilon * epsilon, sum));
  };
  const Tensor dot = ReduceSum(Mul(x, y), axis);
  const Tensor left = norm(x);
  return Cast(Div(dot, Mul(left, norm(y))), t[0].dtype());
}

Tensor CosineLoss(const Operand& prediction, const Operand& target, const LossOptions& options) {
  const LocationScope scope(prediction);
  const auto [x, y] = Match("cosine_loss", prediction, target, true);
  return Reduced(Sub(1.0, CosineSimilarity(x, y)), options.reduction);
}

Tensor TripletLoss(const Operand& anchor, const Operand& positive, const Operand& negative,
                   const TripletOptions& options) {
  const LocationScope scope(anchor);
  const auto distance = [&](const Operand& other) {
    const auto [x, y] = Match("triplet_loss", anchor, other, true);
    const Tensor wide = internal::Wide(x), d = Sub(wide, internal::Wide(y));
    return Cast(Sqrt(ReduceSum(Square(Add(d, options.epsilon)), -1)), x.dtype());
  };
  const Tensor near = distance(positive), far = distance(negative);
  return Reduced(Maximum(Add(Sub(near, far), options.margin), 0.0), options.reduction);
}

}  // namespace reel
