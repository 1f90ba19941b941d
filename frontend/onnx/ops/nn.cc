#include <algorithm>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"
#include "reel/activations.h"
#include "reel/functions.h"
#include "reel/normalization.h"
#include "reel/random.h"
#include "reel/shapes.h"

namespace reel::onnx {
namespace {

// --- activations ---

template <Tensor (*kOp)(const Operand&)>
Tensors Unary(const NodeContext& c) {
  return {kOp(c.In(0))};
}
Tensors ImportLeakyRelu(const NodeContext& c) { return {LeakyRelu(c.In(0), c.Float("alpha", 0.01f))}; }
Tensors ImportPRelu(const NodeContext& c) {
  const Tensor x = c.In(0);
  Tensor slope = c.In(1);
  if (c.opset() < 7 && slope.size() > 1) slope = Along(slope, 1, x.rank());  // one a channel
  return {Where(x < ScalarLike(x, 0), x * slope, x)};
}
Tensors ImportElu(const NodeContext& c) { return {Elu(c.In(0), c.Float("alpha", 1))}; }
Tensors ImportCelu(const NodeContext& c) { return {Celu(c.In(0), c.Float("alpha", 1))}; }
Tensors ImportSelu(const NodeContext& c) {
  const double alpha = c.Float("alpha", 1.67326319217681884765625f);
  return {Elu(c.In(0), alpha) * c.Float("gamma", 1.05070102214813232421875f)};
}
Tensors ImportGelu(const NodeContext& c) {
  const std::string approximate = c.String("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    Wrong(StrCat("approximate ", approximate, "; it must be none or tanh"));
  return {approximate == "tanh" ? GeluTanh(c.In(0)) : Gelu(c.In(0))};
}
Tensor Swished(const NodeContext& c) {
  const Tensor x = c.In(0);
  return x * Sigmoid(x * ScalarLike(x, c.Float("alpha", 1)));
}
Tensors ImportSwish(const NodeContext& c) { return {Swished(c)}; }
Tensors ImportSwiGlu(const NodeContext& c) { return {Swished(c) * c.In(1)}; }
Tensors ImportThresholdedRelu(const NodeContext& c) {
  const Tensor x = c.In(0);
  return {Where(x > ScalarLike(x, c.Float("alpha", 1)), x, ScalarLike(x, 0))};
}
Tensors ImportHardSigmoid(const NodeContext& c) {
  const Tensor x = c.In(0);
  return {Minimum(Maximum(x * c.Float("alpha", 0.2f) + c.Float("beta", 0.5), 0.0), 1.0)};
}
Tensors ImportShrink(const NodeContext& c) {
  const Tensor x = c.In(0), zero = ScalarLike(x, 0);
  const Tensor bound = ScalarLike(x, c.Float("lambd", 0.5)), bias = ScalarLike(x, c.Float("bias", 0));
  return {Where(x < -bound, x + bias, Where(x > bound, x - bias, zero))};
}

// Before opset 13 all axes from `axis` on are one.
template <Tensor (*kOp)(const Operand&, int64_t)>
Tensors AlongAxis(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = AxisOf(c, "axis", c.opset() < 13 ? 1 : -1, x.rank());
  if (c.opset() >= 13) return {kOp(x, axis)};
  const int64_t rows = Product(Dims(x.shape(), 0, static_cast<int>(axis)));
  const Tensor flat = Reshape(x, {rows, rows == 0 ? 0 : x.size() / rows});
  return {Reshape(kOp(flat, 1), x.shape().dims())};
}
// 1 at the first maximum along axis, else 0.
Tensor Hardmax(const Operand& x, int64_t axis) {
  const Shape& shape = x.type().shape;
  return Cast(ExpandDims(ArgMax(x, axis), axis) == Iota(shape, axis), x.type().dtype);
}

// --- normalization ---

std::vector<int64_t> AxesFrom(int first, int rank) {
  std::vector<int64_t> axes;
  for (int i = first; i < rank; ++i) axes.push_back(i);
  return axes;
}

Tensor Normalized(const Tensor& x, const MeanAndVariance& m, double epsilon) {
  return (x - m.mean) / Sqrt(m.variance + epsilon);
}

// In training, the batch's own moments, and running ones that move towards them.
Tensors ImportBatchNormalization(const NodeContext& c) {
  const Tensor x = c.In(0);
  const double epsilon = c.Float("epsilon", 1e-5f), momentum = c.Float("momentum", 0.9f);
  const bool training = c.Int("training_mode", 0) != 0;
  if (c.opset() < 7 && c.Int("is_test", 0) == 0) Refuse("training of opset 6");
  if (c.Int("spatial", 1) == 0) Refuse("spatial = 0");
  if (x.rank() < 2) Wrong(StrCat("a channel axis is needed, got ", x.type().ToString()));
  const auto wide = [&](const Tensor& t) { return Along(t, 1, x.rank()); };
  MeanAndVariance moments{wide(c.In(3)), wide(c.In(4))};
  Tensors out(1);
  if (training) {
    std::vector<int64_t> axes = AxesFrom(2, x.rank());
    axes.insert(axes.begin(), 0);
    const MeanAndVariance batch = Moments(x, axes, {.keepdims = true});
    const auto moved = [&](const Tensor& old, const Tensor& now) {
      return old * momentum + Reshape(now, {-1}) * (1 - momentum);
    };
    out.push_back(moved(c.In(3), batch.mean));
    out.push_back(moved(c.In(4), batch.variance));
    moments = batch;
  }
  out[0] = Normalized(x, moments, epsilon) * wide(c.In(1)) + wide(c.In(2));
  return out;
}

Tensors ImportInstanceNormalization(const NodeContext& c) {
  const Tensor x = c.In(0);
  const auto wide = [&](const Tensor& t) { return Along(t, 1, x.rank()); };
  const MeanAndVariance moments = Moments(x, AxesFrom(2, x.rank()), {.keepdims = true});
  return {Normalized(x, moments, c.Float("epsilon", 1e-5f)) * wide(c.In(1)) + wide(c.In(2))};
}

Tensors ImportLayerNormalization(const NodeContext& c) {
  const Tensor x = c.In(0);
  const auto axes = AxesFrom(static_cast<int>(AxisOf(c, "axis", -1, x.rank())), x.rank());
  c.Ignore("stash_type");
  const MeanAndVariance m = Moments(x, axes, {.keepdims = true});
  const Tensor inverse = 1.0 / Sqrt(m.variance + c.Float("epsilon", 1e-5f));
  Tensor y = (x - m.mean) * inverse * c.In(1);
  if (c.Has(2)) y = y + c.In(2);
  return {y, m.mean, inverse};
}

// The mean square is computed in f32 at least, whatever stash_type says.
Tensors ImportRmsNormalization(const NodeContext& c) {
  const Tensor x = c.In(0);
  c.Ignore("stash_type");
  const auto axes = AxesFrom(static_cast<int>(AxisOf(c, "axis", -1, x.rank())), x.rank());
  return {RmsNormalize(x, {}, {.axes = axes, .epsilon = c.Float("epsilon", 1e-5f)}) * c.In(1)};
}

// Scale and bias are one a group before opset 21, then one a channel.
Tensors ImportGroupNormalization(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t groups = c.Int("num_groups");
  c.Ignore("stash_type");
  if (x.rank() < 2 || groups < 1 || x.shape().dim(1) % groups != 0)
    Wrong(StrCat(groups, " groups of the channels of ", x.type().ToString()));
  const auto each = [&](size_t i) {
    return Along(c.opset() < 21 ? Repeat(c.In(i), x.shape().dim(1) / groups, 0) : c.In(i), 1, x.rank());
  };
  const Tensor y = GroupNormalize(x, groups, {}, {}, {.axis = 1, .epsilon = c.Float("epsilon", 1e-5f)});
  return {y * each(1) + each(2)};
}

Tensors ImportMeanVarianceNormalization(const NodeContext& c) {
  const Tensor x = c.In(0);
  const MeanAndVariance m = Moments(x, c.Ints("axes", {0, 2, 3}), {.keepdims = true});
  return {(x - m.mean) / (Sqrt(m.variance) + 1e-9)};
}

Tensors ImportLpNormalization(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = AxisOf(c, "axis", -1, x.rank()), p = c.Int("p", 2);
  if (p != 1 && p != 2) Refuse(StrCat("p = ", p));
  const ReduceOptions keep{.keepdims = true};
  const Tensor norm = p == 1 ? ReduceSum(Abs(x), axis, keep) : Sqrt(ReduceSum(Square(x), axis, keep));
  return {DivNoNan(x, norm)};  // zeros stay zeros
}

// In inference x itself; in training elements are kept with probability 1 - ratio and scaled.
Tensors ImportDropout(const NodeContext& c) {
  const Tensor x = c.In(0);
  const bool training = c.Has(2) && c.KnownInt(2) != 0;
  const double ratio = c.opset() < 12 ? c.Float("ratio", 0.5) : training && c.Has(1) ? c.KnownFloat(1) : 0.5;
  const int64_t seed = c.Int("seed", 0);
  if (!training || ratio == 0) {
    return {Identity(x), c.opset() < 10 ? OnesLike(x) : Full(x.shape(), 1, kBool)};
  }
  const Generator generator(seed, "dropout");
  const Tensor keep = RandomUniform(x.shape(), {.generator = generator}) >= static_cast<float>(ratio);
  return {Where(keep, x / (1 - ratio), ScalarLike(x, 0)), keep};
}

// --- losses: classes are axis 1 ---

// -w[t] x[t]; 0 where t is ignore_index. mean divides by the sum of the weights.
Tensor ClassLoss(const NodeContext& c, const Tensor& log_probability) {
  const Tensor& x = log_probability;
  const Tensor target = Cast(c.In(1), kInt64);
  const std::string reduction = c.String("reduction", "mean");
  Tensor label = target, weight = Ones(target.shape(), x.dtype());
  if (c.HasAttribute("ignore_index")) {
    const Tensor kept = target != c.Int("ignore_index");
    label = Where(kept, target, int64_t{0});
    weight = Cast(kept, x.dtype());
    if (c.Has(2)) weight = Where(kept, Gather(c.In(2), label), ScalarLike(x, 0));
  } else if (c.Has(2)) {
    weight = Gather(c.In(2), label);
  }
  const Tensor picked = Reshape(TakeAlong(x, ExpandDims(label, 1), 1), label.shape().dims());
  const Tensor loss = Where(weight == ScalarLike(x, 0), ScalarLike(x, 0), -picked * weight);
  if (reduction == "none") return loss;
  if (reduction == "sum") return ReduceSum(loss);
  if (reduction == "mean") return ReduceSum(loss) / ReduceSum(weight);
  Wrong(StrCat("reduction ", reduction, "; it must be none, sum or mean"));
}

Tensors ImportNegativeLogLikelihoodLoss(const NodeContext& c) { return {ClassLoss(c, c.In(0))}; }
Tensors ImportSoftmaxCrossEntropyLoss(const NodeContext& c) {
  const Tensor log_probability = LogSoftmax(c.In(0), 1);
  return {ClassLoss(c, log_probability), log_probability};
}

constexpr OpRow kRows[] = {
    {"BatchNormalization", 6, ImportBatchNormalization},
    {"Celu", 12, ImportCelu},
    {"Dropout", 7, ImportDropout, false},
    {"Elu", 6, ImportElu},
    {"Gelu", 20, ImportGelu},
    {"GroupNormalization", 18, ImportGroupNormalization},
    {"HardSigmoid", 6, ImportHardSigmoid},
    {"HardSwish", 14, Unary<HardSwish>},
    {"Hardmax", 1, AlongAxis<Hardmax>},
    {"InstanceNormalization", 6, ImportInstanceNormalization},
    {"LayerNormalization", 17, ImportLayerNormalization},
    {"LeakyRelu", 6, ImportLeakyRelu},
    {"LogSoftmax", 1, AlongAxis<LogSoftmax>},
    {"LpNormalization", 1, ImportLpNormalization},
    {"MeanVarianceNormalization", 9, ImportMeanVarianceNormalization},
    {"Mish", 18, Unary<Mish>},
    {"NegativeLogLikelihoodLoss", 12, ImportNegativeLogLikelihoodLoss},
    {"PRelu", 6, ImportPRelu},
    {"RMSNormalization", 23, ImportRmsNormalization},
    {"Relu", 6, Unary<Relu>},
    {"Selu", 6, ImportSelu},
    {"Shrink", 9, ImportShrink},
    {"Softmax", 1, AlongAxis<Softmax>},
    {"SoftmaxCrossEntropyLoss", 12, ImportSoftmaxCrossEntropyLoss},
    {"Softplus", 1, Unary<Softplus>},
    {"Softsign", 1, Unary<Softsign>},
    {"SwiGLU", 28, ImportSwiGlu},
    {"Swish", 24, ImportSwish},
    {"ThresholdedRelu", 10, ImportThresholdedRelu},
};

}  // namespace

absl::Span<const OpRow> NnOps() { return kRows; }

}  // namespace reel::onnx
