#ifndef REEL_TESTS_FRONTEND_CLASSIFIER_H_
#define REEL_TESTS_FRONTEND_CLASSIFIER_H_

#include "reel/reel.h"

namespace reel {

/// A small model and its training step, the same numbers for each object: training depends on all of a batch,
/// prediction goes row by row.
struct Classifier {
  Sequential model{Dense(4, 8, Relu), Dense(8, 3)};
  Adam optimizer{{.learning_rate = 0.01}};
  Tensor Train(const Tensor& x, const Tensor& labels) {
    GradientTape tape;
    const Tensor loss = SoftmaxCrossEntropy(model(x), labels);
    optimizer.Apply(tape.Gradient(loss, model.variables()));
    return loss;
  }
  /// Entries train and predict for batches of b rows.
  Module Lift(const Dim& b) {
    return Module::Lift({{"train",
                          [this](const Tensor& x, const Tensor& y) { return Train(x, y); },
                          {Spec(kFloat32, {b, 4}, "x"), Spec(kInt32, {b}, "labels")}},
                         {"predict", model, {Spec(kFloat32, {b, 4}, "x")}}});
  }
};

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_CLASSIFIER_H_
