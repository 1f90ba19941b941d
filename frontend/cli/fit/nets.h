#ifndef REEL_FRONTEND_CLI_FIT_NETS_H_
#define REEL_FRONTEND_CLI_FIT_NETS_H_

#include <functional>
#include <string>
#include <vector>

#include "frontend/cli/fit/settings.h"
#include "frontend/cli/fit/source.h"
#include "reel/reel.h"

// The models of `reel train --data`.

namespace reel::cli {

/// A model made for data. The functions are ordinary user code: they run eagerly and are traced.
struct Net {
  std::string title;  ///< "mlp 784-128-10"
  /// Logits [n, classes] (of text [n, length, classes]), or numbers [n, outputs] in units of their deviation.
  std::function<Tensor(const Tensor& features)> forward;
  std::vector<Variable> variables;  ///< trainable
  int64_t parameters() const;
};

/// Status 1 if the model is none for such data.
Net MakeNet(const FitSettings& settings, const FitData& data);

/// mlp of tables and arrays of rank 1, conv of images, gpt of text.
std::string StandardModel(const FitData& data);

/// Mean loss of a batch: cross-entropy of classes, mean squared error of numbers in units of their deviation.
Tensor LossOf(const Net& net, const FitData& data, const Tensor& features, const Tensor& labels);

/// What a batch adds to the figures of an evaluation: {sum of losses, of classes the number of right ones, else the sum
/// of squared errors, number of labels}, f32[] each.
NamedTensors Figures(const Net& net, const FitData& data, const Tensor& features, const Tensor& labels);

/// What the model is for: logits, or numbers in the units of the data.
Tensor Predict(const Net& net, const FitData& data, const Tensor& features);

/// Names of --optimizer.
const std::vector<std::string>& OptimizerNames();
/// The optimizer with its schedule over so many steps.
Optimizer MakeOptimizer(const FitSettings& settings, int64_t steps);
/// The learning rate of the optimizer if none is given.
double StandardRate(const std::string& optimizer);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_FIT_NETS_H_
