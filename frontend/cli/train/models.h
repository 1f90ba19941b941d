#ifndef REEL_FRONTEND_CLI_TRAIN_MODELS_H_
#define REEL_FRONTEND_CLI_TRAIN_MODELS_H_

#include <functional>
#include <string>
#include <vector>

#include "frontend/cli/train/data.h"
#include "reel/reel.h"

namespace reel::cli {

/// A model to train: all that the main job knows of it. Both functions are ordinary user code.
struct Model {
  std::string name;  ///< of files and C functions
  std::string title;
  std::string input_name;  ///< of the first argument
  Dataset data;
  int64_t batch = 64, test_batch = 100;
  int64_t steps = 0;        ///< of the whole run
  double min_accuracy = 0;  ///< after that many steps
  /// One step on [batch, width] inputs and their labels: forward, backward, update; returns the
  /// loss.
  std::function<Tensor(const Tensor& inputs, const Tensor& labels)> train;
  /// [test_batch, classes] logits.
  std::function<Tensor(const Tensor& inputs)> predict;
};

/// MLP 784-128-10 with ReLU, softmax cross-entropy, Adam.
Model MakeMnist(const std::string& data_folder);
/// Convolution net on 28x28 images: 3x3 of 8, pool, 3x3 of 16, pool, dense 10; ReLU, softmax cross-entropy, Adam.
Model MakeMnistConv(const std::string& data_folder);
/// The next character from the last 8: embedding, tanh MLP, SGD with momentum.
Model MakeCharacters(const std::string& data_folder);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_TRAIN_MODELS_H_
