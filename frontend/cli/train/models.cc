#include "frontend/cli/train/models.h"

namespace reel::cli {
namespace {

// One step of training and the logits, of any classifier.
void Learn(Model* out, const Sequential& model, const Optimizer& optimizer) {
  out->train = [model, optimizer](const Tensor& input, const Tensor& labels) {
    GradientTape tape;
    Tensor loss = SoftmaxCrossEntropy(model(input), labels);
    optimizer.Apply(tape.Gradient(loss, model.variables()));
    return loss;
  };
  out->predict = [model](const Tensor& input) { return model(input); };
}

}  // namespace

Model MakeMnist(const std::string& data_folder) {
  Model out;
  out.name = "mnist";
  out.title = "MNIST, MLP 784-128-10, ReLU, Adam, batch 64";
  out.input_name = "images";
  out.data = ReadMnist(data_folder);
  out.steps = 16 * (out.data.num_train / out.batch);  // sixteen epochs
  out.min_accuracy = 0.95;

  const Generator generator(1);
  const LayerOptions layer{.generator = generator};
  Sequential model{Dense(784, 128, Relu, layer), Dense(128, 10, {}, layer)};
  Learn(&out, model, Adam({.learning_rate = 2e-3}));
  return out;
}

Model MakeMnistConv(const std::string& data_folder) {
  Model out;
  out.name = "mnist_conv";
  out.title = "MNIST, convolution net 8-16 of 3x3, max pooling, dense 10, ReLU, Adam, batch 64";
  out.input_name = "images";
  out.data = ReadMnist(data_folder);
  out.steps = 3 * (out.data.num_train / out.batch);  // three epochs
  out.min_accuracy = 0.95;

  const Generator generator(3);
  const LayerOptions layer{.generator = generator};
  const ConvOptions same{.padding = Padding::kSame};
  const auto image = [](const Operand& x) { return Reshape(x, {-1, 28, 28, 1}); };
  Sequential model{image,
                   Convolution2D(8, {3, 3}, Relu, same, layer),
                   MaxPooling2D({2, 2}),
                   Convolution2D(16, {3, 3}, Relu, same, layer),
                   MaxPooling2D({2, 2}),
                   Flatten(),
                   Dense(10, {}, layer)};
  Learn(&out, model, Adam({.learning_rate = 3e-3}));
  return out;
}

Model MakeCharacters(const std::string& data_folder) {
  constexpr int64_t kWindow = 8, kDim = 16, kHidden = 128;
  Model out;
  out.name = "shakespeare";
  out.title = "tiny Shakespeare, the next character from the last 8, tanh MLP, SGD with momentum, batch 64";
  out.input_name = "characters";
  out.steps = 4000;
  out.min_accuracy = 0.33;
  out.data = ReadCharacters(data_folder, kWindow, out.steps * out.batch, 2000);

  const Generator generator(2);
  const LayerOptions layer{.generator = generator};
  const auto flatten = [](const Operand& x) { return Reshape(x, {-1, kWindow * kDim}); };
  Sequential model{Embedding(out.data.classes, kDim, layer), flatten, Dense(kWindow * kDim, kHidden, Tanh, layer),
                   Dense(kHidden, out.data.classes, {}, layer)};
  Learn(&out, model, Sgd({.learning_rate = 0.1, .momentum = 0.9}));
  return out;
}

}  // namespace reel::cli
