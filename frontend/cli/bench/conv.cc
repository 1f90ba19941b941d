#include <cmath>

#include "frontend/cli/bench/family.h"

namespace reel::cli {
namespace {

// He's initial deviation of a filter or kernel that sums over so many inputs.
double He(double inputs) { return std::sqrt(2 / inputs); }

struct Cnn {
  Variable k0, c0, k1, c1, w0, b0, w1, b1;

  // Twice: convolution 5x5, relu, maximum of 2x2; then dense, relu, dense.
  Tensor operator()(const Tensor& images) const {
    const ConvOptions same{.padding = kSame};
    Tensor x = MaxPool2D(Relu(Conv2D(images, k0, same) + c0), {2, 2});
    x = MaxPool2D(Relu(Conv2D(x, k1, same) + c1), {2, 2});
    x = Flatten()(x);
    x = Relu(MatMul(x, w0) + b0);
    return MatMul(x, w1) + b1;
  }
  std::vector<Variable> variables() const { return {k0, c0, k1, c1, w0, b0, w1, b1}; }
};

Workload MakeCnn(const Inputs& in) {
  constexpr int64_t kBatch = 64;
  const auto variable = [&](const char* name, const Shape& shape, double deviation) {
    const std::string file = std::string("params.") + name;
    return Variable(in.Normal(file, shape, {.stddev = deviation}), {.name = name});
  };
  const Cnn model{.k0 = variable("k0", {5, 5, 1, 32}, He(25)),
                  .c0 = variable("c0", {32}, 0.01),
                  .k1 = variable("k1", {5, 5, 32, 64}, He(800)),
                  .c1 = variable("c1", {64}, 0.01),
                  .w0 = variable("w0", {3136, 1024}, He(3136)),
                  .b0 = variable("b0", {1024}, 0.01),
                  .w1 = variable("w1", {1024, 10}, He(1024)),
                  .b1 = variable("b1", {10}, 0.01)};
  const Loss loss = [model](const std::vector<Tensor>& xy) { return SoftmaxCrossEntropy(model(xy[0]), xy[1]); };

  const double size = Size(model.variables());
  const double conv0 = 784 * 25 * 32, conv1 = 196 * 25 * 32 * 64, dense = 3136 * 1024 + 10240;
  const double activations = kBatch * 4 * (784 * 32 * 2 + 196 * 32 + 196 * 64 * 2 + 3136);
  Workload out{.kind = Workload::Kind::kTrain};
  out.flops = 2 * kBatch * (2 * conv0 + 3 * conv1 + 3 * dense) + 12 * size;
  out.bytes = 4 * size * 8 + 2 * activations;
  out.step = TrainStep(loss, model.variables(), Adam({.learning_rate = 1e-4}));
  out.inputs = {in.Uniform("data.x", {kBatch, 28, 28, 1}), in.Labels("data.y", {kBatch}, 10)};
  return out;
}

// By the mean and variance of the batch.
Tensor Normalized(const Tensor& x, const Tensor& scale, const Tensor& offset) {
  const auto [mean, variance] = Moments(x, {0, 1, 2});
  return BatchNormalize(x, mean, variance, scale, offset, {.epsilon = 1e-5});
}

// h = relu(bn(conv(x))), y = relu(bn(conv(h)) + x), the loss is mean(y y). Inputs: x, then filter,
// scale and offset of both layers.
Tensor ResidualLoss(const std::vector<Tensor>& in) {
  const ConvOptions same{.padding = kSame};
  const Tensor& x = in[0];
  const Tensor h = Relu(Normalized(Conv2D(x, in[1], same), in[2], in[3]));
  const Tensor y = Relu(Normalized(Conv2D(h, in[4], same), in[5], in[6]) + x);
  return ReduceMean(Square(y));
}

Workload MakeResidual(const Inputs& in) {
  constexpr int64_t kBatch = 8, kSide = 56, kChannels = 64;
  Workload out{.kind = Workload::Kind::kGrad};
  out.inputs = {in.Normal("params.x", {kBatch, kSide, kSide, kChannels})};
  for (const char* i : {"0", "1"}) {
    const std::string layer = i, p = "params.";
    out.inputs.push_back(in.Normal(p + "k" + layer, {3, 3, kChannels, kChannels}, {.stddev = He(9 * kChannels)}));
    out.inputs.push_back(in.Normal(p + "g" + layer, {kChannels}, {.mean = 1, .stddev = 0.1}));
    out.inputs.push_back(in.Normal(p + "h" + layer, {kChannels}, {.stddev = 0.1}));
  }
  const double n = kBatch * kSide * kSide * kChannels;
  out.flops = 3 * 2 * 2 * n * 9 * kChannels + 60 * n;
  out.bytes = 4 * n * 16;
  out.step = GradientStep(ResidualLoss, out.inputs.size());
  return out;
}

// mean(y y) of a convolution that filters every channel by itself, by image and filter.
Workload MakeDepthwise(const Inputs& in) {
  constexpr int64_t kBatch = 8, kSide = 56, kChannels = 64;
  Workload out{.kind = Workload::Kind::kGrad};
  out.inputs = {in.Normal("params.x", {kBatch, kSide, kSide, kChannels}),
                in.Normal("params.k", {3, 3, kChannels, 1}, {.stddev = He(9)})};
  const double n = kBatch * kSide * kSide * kChannels;
  out.flops = 3 * 2 * n * 9 + 4 * n;
  out.bytes = 4 * n * 5;
  out.step = GradientStep(
      [](const std::vector<Tensor>& xk) {
        return ReduceMean(Square(DepthwiseConv2D(xk[0], xk[1], {.padding = kSame})));
      },
      out.inputs.size());
  return out;
}

}  // namespace

std::vector<Entry> ConvWorkloads() {
  return {{"cnn_mnist", "", MakeCnn}, {"resblock", "", MakeResidual}, {"depthwise", "", MakeDepthwise}};
}

}  // namespace reel::cli
