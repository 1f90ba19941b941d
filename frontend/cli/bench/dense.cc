#include <cmath>

#include "frontend/cli/bench/family.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

struct DenseLayer {
  Variable w, b;
};

// Mean softmax cross-entropy of x w0 + b0, relu, x w1 + b1, ...
Tensor MlpLoss(const std::vector<DenseLayer>& layers, const Tensor& images, const Tensor& labels) {
  Tensor x = images;
  for (size_t i = 0; i < layers.size(); ++i) {
    x = MatMul(x, layers[i].w) + layers[i].b;
    if (i + 1 < layers.size()) x = Relu(x);
  }
  return SoftmaxCrossEntropy(x, labels);
}

Workload MakeMlp(const Inputs& in, const std::vector<int64_t>& dims, int64_t batch, bool adam) {
  std::vector<DenseLayer> layers;
  std::vector<Variable> variables;
  double macs = 0;
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    const int64_t m = dims[i], n = dims[i + 1];
    const double deviation = std::sqrt(2.0 / static_cast<double>(m));
    const std::string w = StrCat("w", i), b = StrCat("b", i);
    layers.push_back({Variable(in.Normal("params." + w, {m, n}, {.stddev = deviation}), {.name = w}),
                      Variable(in.Normal("params." + b, {n}, {.stddev = 0.01}), {.name = b})});
    variables.insert(variables.end(), {layers.back().w, layers.back().b});
    macs += static_cast<double>(m * n);
  }
  const Loss loss = [layers](const std::vector<Tensor>& xy) { return MlpLoss(layers, xy[0], xy[1]); };
  const Optimizer optimizer = adam ? Optimizer(Adam({.learning_rate = 1e-4})) : Optimizer(Sgd({.learning_rate = 0.02}));

  const auto rows = static_cast<double>(batch), inputs = static_cast<double>(dims[0]);
  const double first = inputs * static_cast<double>(dims[1]);
  Workload out{.kind = Workload::Kind::kTrain};
  out.flops = 2 * rows * (3 * macs - first) + (adam ? 12 : 2) * Size(variables);
  out.bytes = 4 * Size(variables) * (adam ? 8 : 4) + 4 * rows * inputs;
  out.step = TrainStep(loss, variables, optimizer);
  out.inputs = {in.Uniform("data.x", {batch, dims[0]}), in.Labels("data.y", {batch}, 10)};
  return out;
}

}  // namespace

std::vector<Entry> DenseWorkloads() {
  const std::vector<int64_t> small = {784, 128, 10}, mnist = {784, 512, 512, 10}, rows = {32, 64, 64, 10};
  return {{"mlp_small", "mlp", [=](const Inputs& in) { return MakeMlp(in, small, 32, false); }},
          {"mlp_mnist", "mlp", [=](const Inputs& in) { return MakeMlp(in, mnist, 128, false); }},
          {"mlp_mnist_adam", "mlp", [=](const Inputs& in) { return MakeMlp(in, mnist, 128, true); }},
          {"mlp_rows", "mlp", [=](const Inputs& in) { return MakeMlp(in, rows, 16384, false); }}};
}

}  // namespace reel::cli
