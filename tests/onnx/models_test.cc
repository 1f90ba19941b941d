#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/onnx/reader.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/onnx.h"
#include "reel/ops.h"
#include "reel/optimizers.h"
#include "reel/tape.h"
#include "tests/paths.h"

// Models that PyTorch exported are trained: what a tape says of their weights is the slope of the loss.

namespace reel::onnx {
namespace {

namespace fs = std::filesystem;

std::vector<Tensor> InputsOf(const fs::path& folder) {
  std::vector<Tensor> inputs;
  for (int i = 0;; ++i) {
    std::ifstream file(folder / StrCat("test_data_set_0/input_", i, ".pb"), std::ios::binary);
    if (!file) return inputs;
    std::stringstream bytes;
    bytes << file.rdbuf();
    const std::string text = bytes.str();
    inputs.push_back(internal::FromLiteral(internal::Take(ParseTensor(std::as_bytes(std::span(text)), "input"))));
  }
}

// The mean over all results of (y - 0.3)^2.
Tensor LossOf(const Function& model, const std::vector<Tensor>& inputs) {
  Tensor loss(0.f);
  for (const Tensor& y : model(inputs)) loss = loss + ReduceMean(Square(y - 0.3f));
  return loss;
}

class TrainedExport : public testing::TestWithParam<const char*> {};

TEST_P(TrainedExport, GradientIsTheSlope) {
  const fs::path folder = fs::path(BinaryDir() + "/tests/onnx/cases/exports") / GetParam();
  const Module module = ImportOnnx((folder / "model.onnx").string());
  const Function model = module.function("main");
  const std::vector<Tensor> inputs = InputsOf(folder);
  std::vector<Variable> weights;
  for (const Variable& w : model.variables()) {
    if (w.trainable()) weights.push_back(w);
  }
  ASSERT_FALSE(weights.empty());
  GradientTape tape;
  const Tensor loss = LossOf(model, inputs);
  const auto gradients = tape.Gradient(loss, weights);
  std::vector<Tensor> before, direction;
  double norm = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    before.push_back(Identity(weights[i].value()));
    direction.push_back(gradients[i].gradient ? gradients.Dense(i) : ZerosLike(before[i]));
    norm += double{ReduceSum(Square(direction[i])).item<float>()};
  }
  norm = std::sqrt(norm);
  ASSERT_GT(norm, 0);
  // Along the gradient the loss rises by its norm.
  const auto at = [&](double h) {
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i].Assign(before[i] + direction[i] * static_cast<float>(h / norm));
    return double{LossOf(model, inputs).item<float>()};
  };
  const double h = 1e-2;
  EXPECT_NEAR((at(h) - at(-h)) / (2 * h), norm, 2e-2 * norm + 1e-4);
  at(0);
  Sgd({.learning_rate = 0.01}).Apply(gradients);
  EXPECT_LT(LossOf(model, inputs).item<float>(), loss.item<float>());
}

INSTANTIATE_TEST_SUITE_P(Models, TrainedExport,
                         testing::Values("mlp.dynamo", "conv.dynamo", "conv.script", "conv_transpose.dynamo",
                                         "norm_layers.dynamo", "rms_norm.dynamo", "lstm.dynamo", "gru.script",
                                         "mha.dynamo", "transformer.dynamo", "char_gpt.dynamo", "char_gpt.script",
                                         "resnet.dynamo", "mobilenet.script", "unet.dynamo", "autoencoder.dynamo",
                                         "embedding.dynamo", "rms_norm.dynamo23", "transformer.dynamo23",
                                         "char_gpt.dynamo23"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace reel::onnx
