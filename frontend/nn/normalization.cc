#include "reel/normalization.h"

#include <algorithm>

#include "frontend/eager/composite.h"
#include "frontend/nn/layer_data.h"
#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"

namespace reel {

using internal::As;
using internal::Compose;
using internal::LayerData;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ResolveAxes;
using internal::ThrowInvalid;
using internal::Wide;  // statistics of halves are taken in f32, and the result rounded once

namespace {

Tensor Floats(const char* op, const Operand& x) {
  const Tensor t = Materialize(x);
  if (!IsFloat(t.dtype()))
    ThrowInvalid(StrCat(op, ": needs floats, got ", t.type().ToString(), "; Cast it to kFloat32"));
  return t;
}

using Operands = absl::Span<const Tensor>;

// A parameter of the shape of some axes of x, shaped so that it broadcasts with x.
Tensor AlongAxes(const char* op, const char* what, const Operand& parameter, const Tensor& x,
                 const std::vector<int64_t>& axes) {
  Shape own, shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  for (const int64_t axis : axes) {
    own.push_back(x.shape()[static_cast<int>(axis)]);
    shape.set(static_cast<int>(axis), x.shape()[static_cast<int>(axis)]);
  }
  const Tensor t = parameter.tensor();
  if (t.shape() != own) {
    ThrowInvalid(StrCat(op, ": ", what, " must have the shape ", own.ToString(), " for an input ", x.type().ToString(),
                        ", got ", t.type().ToString()));
  }
  return Reshape(t, shape);
}

// What normalizes x with the statistics given, all along some axes; what it depends on beside them.
struct Normalizer {
  std::vector<Tensor> operands;  // x, statistics, scale, offset
  std::vector<double> numbers;
  bool has_scale, has_offset;

  // y of the operands, scaled and shifted, in the dtype of x.
  template <typename F>
  Tensor operator()(const char* op, F normalized) const {
    return Compose(op, operands, numbers, [&](Operands in) {
      Tensor y = normalized(in);
      size_t next = in.size() - has_scale - has_offset;
      if (has_scale) y = Mul(y, in[next++]);
      if (has_offset) y = Add(y, in[next]);
      return Cast(y, in[0].dtype());
    });
  }
};

Normalizer MakeNormalizer(const char* op, std::vector<Tensor> operands, const OptionalOperand& scale,
                          const OptionalOperand& offset, const std::vector<int64_t>& axes, double epsilon) {
  Normalizer out{std::move(operands), {epsilon}, scale.has_value(), offset.has_value()};
  const Tensor x = out.operands[0];
  out.numbers.push_back(out.has_scale + 2 * out.has_offset);
  out.numbers.insert(out.numbers.end(), axes.begin(), axes.end());
  if (scale) out.operands.push_back(AlongAxes(op, "scale", *scale, x, axes));
  if (offset) out.operands.push_back(AlongAxes(op, "offset", *offset, x, axes));
  return out;
}

// (x - mean) / sqrt(variance + epsilon) over axes.
Tensor Standardized(const Tensor& x, const Axes& axes, double epsilon) {
  const Tensor centered = Sub(x, ReduceMean(x, axes, {.keepdims = true}));
  const Tensor variance = ReduceMean(Square(centered), axes, {.keepdims = true});
  return Mul(centered, Rsqrt(Add(variance, epsilon)));
}

// All axes but the batch and the channels.
std::vector<int64_t> Others(int rank, std::initializer_list<int64_t> without) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(without.begin(), without.end(), i) == without.end()) out.push_back(i);
  }
  return out;
}

}  // namespace

MeanAndVariance Moments(const Operand& x, const Axes& axes, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor t = Floats("moments", x);
  const Tensor w = Wide(t), mean = ReduceMean(w, axes, {.keepdims = true});
  const Tensor variance = ReduceMean(Square(Sub(w, mean)), axes, options);
  const Tensor shaped = options.keepdims ? mean : Reshape(mean, variance.shape());
  return {Cast(shaped, t.dtype()), Cast(variance, t.dtype())};
}

// The sum of squares is bounded before the root is taken: at 0 the derivative is that of the bound.
Tensor L2Normalize(const Operand& x, const Axes& axes, double epsilon) {
  const LocationScope scope(x);
  const Tensor t = Floats("l2_normalize", x);
  return MakeNormalizer("l2_normalize", {t}, {}, {}, ResolveAxes("l2_normalize", axes, t.rank()), epsilon)(
      "l2_normalize", [&](Operands in) {
        const Tensor w = Wide(in[0]), sum = ReduceSum(Square(w), axes, {.keepdims = true});
        return Mul(w, Rsqrt(Maximum(epsilon * epsilon, sum)));
      });
}

Tensor LayerNormalize(const Operand& x, const OptionalOperand& scale, const OptionalOperand& offset,
                      const LayerNormalizeOptions& options) {
  const char* const op = "layer_normalize";
  const LocationScope location(x);
  const Tensor t = Floats(op, x);
  const std::vector<int64_t> axes = ResolveAxes(op, options.axes, t.rank());
  return MakeNormalizer(op, {t}, scale, offset, axes, options.epsilon)(
      op, [&](Operands in) { return Standardized(Wide(in[0]), axes, options.epsilon); });
}

Tensor RmsNormalize(const Operand& x, const OptionalOperand& scale, const RmsNormalizeOptions& options) {
  const char* const op = "rms_normalize";
  const LocationScope location(x);
  const Tensor t = Floats(op, x);
  const std::vector<int64_t> axes = ResolveAxes(op, options.axes, t.rank());
  return MakeNormalizer(op, {t}, scale, {}, axes, options.epsilon)(op, [&](Operands in) {
    const Tensor w = Wide(in[0]), mean = ReduceMean(Square(w), axes, {.keepdims = true});
    return Mul(w, Rsqrt(Add(mean, options.epsilon)));
  });
}

// [batch, ..., channels, ...] -> [batch, ..., groups, channels / groups, ...]
Tensor GroupNormalize(const Operand& x, int64_t groups, const OptionalOperand& scale, const OptionalOperand& offset,
                      const GroupNormalizeOptions& options) {
  const char* const op = "group_normalize";
  const LocationScope location(x);
  const Tensor t = Floats(op, x);
  const int64_t axis = NormalizeAxis(op, options.axis, t.rank());
  const int64_t channels = t.shape().dim(static_cast<int>(axis));
  if (axis == 0 || groups < 1 || channels % groups != 0) {
    ThrowInvalid(StrCat(op, ": axis ", axis, " of ", t.type().ToString(), " does not divide into ", groups,
                        " groups of channels; axis 0 is the batch"));
  }
  Shape shape = t.shape();
  shape.set(static_cast<int>(axis), groups);
  shape.insert(static_cast<int>(axis) + 1, channels / groups);
  Normalizer normalizer = MakeNormalizer(op, {t}, scale, offset, {axis}, options.epsilon);
  normalizer.numbers.push_back(static_cast<double>(groups));
  return normalizer(op, [&](Operands in) {
    const Tensor split = Reshape(Wide(in[0]), shape);
    const Tensor y = Standardized(split, Others(split.rank(), {0, axis}), options.epsilon);
    return Reshape(y, in[0].shape());
  });
}

Tensor InstanceNormalize(const Operand& x, const OptionalOperand& scale, const OptionalOperand& offset,
                         const GroupNormalizeOptions& options) {
  const LocationScope location(x);
  const Tensor t = Floats("instance_normalize", x);
  const int64_t axis = NormalizeAxis("instance_normalize", options.axis, t.rank());
  return GroupNormalize(t, t.shape().dim(static_cast<int>(axis)), scale, offset, options);
}

Tensor BatchNormalize(const Operand& x, const Operand& mean, const Operand& variance, const OptionalOperand& scale,
                      const OptionalOperand& offset, const BatchNormalizeOptions& options) {
  const char* const op = "batch_normalize";
  const LocationScope location(x);
  const Tensor t = Floats(op, x);
  const std::vector<int64_t> axes = {NormalizeAxis(op, options.axis, t.rank())};
  const Tensor shaped_mean = AlongAxes(op, "mean", mean, t, axes),
               spread = AlongAxes(op, "variance", variance, t, axes);
  return MakeNormalizer(op, {t, shaped_mean, spread}, scale, offset, axes, options.epsilon)(
      op, [&](Operands in) { return Mul(Sub(Wide(in[0]), in[1]), Rsqrt(Add(Wide(in[2]), options.epsilon))); });
}

namespace {

// A scale and an offset of the extent of one axis.
struct NormData : LayerData {
  NormData(const char* kind_, double epsilon_, LayerOptions options_, int64_t axis_ = -1, int64_t groups_ = 1)
      : LayerData(kind_, std::move(options_)), epsilon(epsilon_), axis(axis_), groups(groups_) {}

  void Build(const Tensor& x) {
    BuildOnce([&] {
      const int64_t at = NormalizeAxis(kind.c_str(), axis, x.rank());
      CreateFor({x.shape().dim(static_cast<int>(at))});
    });
  }
  void CreateFor(const Shape& shape) {
    scale = Create("scale", shape, KernelInit(OnesInit()));
    if (options.use_bias) offset = Create("offset", shape, BiasInit());
    BuildMore();
  }
  virtual void BuildMore() {}
  void BuildKept() override {
    if (const Shape* shape = internal::KeptShape("scale", 1)) BuildOnce([&] { CreateFor(*shape); });
  }
  std::string Arguments() const override { return groups > 1 ? StrCat(groups) : ""; }
  OptionalOperand Offset() const { return offset.defined() ? OptionalOperand(offset) : std::nullopt; }

  double epsilon;
  int64_t axis, groups;
  Variable scale, offset;
};

}  // namespace

LayerNorm::LayerNorm(double epsilon, LayerOptions options)
    : Layer(std::make_shared<NormData>("layer_norm", epsilon, std::move(options))) {}

Tensor LayerNorm::operator()(const Operand& x) const {
  const LocationScope location(x);
  auto& d = As<NormData>(data_);
  const Tensor t = Materialize(x);
  d.Build(t);
  return LayerNormalize(t, d.scale, d.Offset(), {.epsilon = d.epsilon});
}

RmsNorm::RmsNorm(double epsilon, LayerOptions options) {
  options.use_bias = false;
  data_ = std::make_shared<NormData>("rms_norm", epsilon, std::move(options));
}

Tensor RmsNorm::operator()(const Operand& x) const {
  const LocationScope location(x);
  auto& d = As<NormData>(data_);
  const Tensor t = Materialize(x);
  d.Build(t);
  return RmsNormalize(t, d.scale, {.epsilon = d.epsilon});
}

GroupNorm::GroupNorm(int64_t groups, GroupNormalizeOptions axis, LayerOptions options)
    : Layer(std::make_shared<NormData>("group_norm", axis.epsilon, std::move(options), axis.axis, groups)) {}

Tensor GroupNorm::operator()(const Operand& x) const {
  const LocationScope location(x);
  auto& d = As<NormData>(data_);
  const Tensor t = Materialize(x);
  d.Build(t);
  return GroupNormalize(t, d.groups, d.scale, d.Offset(), {.axis = d.axis, .epsilon = d.epsilon});
}

InstanceNorm::InstanceNorm(GroupNormalizeOptions axis, LayerOptions options)
    : Layer(std::make_shared<NormData>("instance_norm", axis.epsilon, std::move(options), axis.axis)) {}

Tensor InstanceNorm::operator()(const Operand& x) const {
  const LocationScope location(x);
  auto& d = As<NormData>(data_);
  const Tensor t = Materialize(x);
  d.Build(t);
  return InstanceNormalize(t, d.scale, d.Offset(), {.axis = d.axis, .epsilon = d.epsilon});
}

namespace {

struct BatchNormData : NormData {
  BatchNormData(const BatchNormOptions& batch, LayerOptions options_)
      : NormData("batch_norm", batch.epsilon, std::move(options_), batch.axis), decay(batch.decay) {}

  void BuildMore() override {
    mean = Create("running_mean", scale.shape(), ZerosInit(), false);
    variance = Create("running_variance", scale.shape(), OnesInit(), false);
  }

  void Record(const Variable& running, const Tensor& value) const {
    const Tensor next = Cast(StopGradient(value), running.dtype());
    running.Assign(Add(Mul(running, decay), Mul(next, 1 - decay)));
  }

  double decay;
  Variable mean, variance;
};

}  // namespace

namespace {

// n / (n - 1) for the n elements along axes.
Tensor Unbiased(const Tensor& x, const std::vector<int64_t>& axes, DType dtype) {
  if (x.shape().has_zero()) ThrowInvalid(StrCat("batch_norm: no values in ", x.type().ToString()));
  const Tensor n = internal::CountOf(x, axes);
  if (n.symbolic()) {
    const Tensor less = Maximum(Sub(n, int64_t{1}), int64_t{1});
    return Cast(Div(Cast(n, kFloat64), Cast(less, kFloat64)), dtype);
  }
  const auto count = n.item<double>();
  return internal::ScalarOf(dtype, count / std::max(count - 1, 1.0));
}

}  // namespace

BatchNorm::BatchNorm(BatchNormOptions batch, LayerOptions options)
    : Layer(std::make_shared<BatchNormData>(batch, std::move(options))) {}

Tensor BatchNorm::operator()(const Operand& x) const {
  const LocationScope location(x);
  auto& d = As<BatchNormData>(data_);
  const Tensor t = Floats("batch_norm", x);
  d.Build(t);
  const BatchNormalizeOptions options = {.axis = d.axis, .epsilon = d.epsilon};
  if (!Training()) return BatchNormalize(t, d.mean, d.variance, d.scale, d.Offset(), options);
  const int64_t axis = NormalizeAxis("batch_norm", d.axis, t.rank());
  const auto [mean, variance] = Moments(Wide(t), Others(t.rank(), {axis}));
  d.Record(d.mean, mean);
  d.Record(d.variance, Mul(variance, Unbiased(t, Others(t.rank(), {axis}), variance.dtype())));
  return BatchNormalize(t, mean, variance, d.scale, d.Offset(), options);
}

}  // namespace reel
