#ifndef REEL_TESTS_FRONTEND_TRAINING_STEPS_H_
#define REEL_TESTS_FRONTEND_TRAINING_STEPS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "reel/distributed.h"
#include "reel/reel.h"

// TrainingStep steps for groups: written for one machine, with the batches that it would get.

namespace reel {

// A step on a global batch, and batches for it.
struct TrainingStep {
  Module module;  // of the step as it was written
  Function step;
  std::vector<Spec> specs;
  std::function<std::vector<Tensor>(int64_t)> batch;
};

template <typename Model, typename Loss>
TrainingStep MakeTraining(Model model, Loss loss, std::vector<Spec> specs,
                          std::function<std::vector<Tensor>(int64_t)> batch) {
  auto optimizer = std::make_shared<Adam>(AdamOptions{.learning_rate = 0.01});
  const auto train = [model, loss, optimizer](const Tensor& x, const Tensor& y) {
    const TrainingScope training;
    GradientTape tape;
    const Tensor value = loss(model(x), y);
    optimizer->Apply(tape.Gradient(value, model.trainable_variables()));
    return value;
  };
  const std::vector<Tensor> first = batch(-1);
  train(first[0], first[1]);  // makes the variables
  TrainingStep out;
  out.step = Trace(train, specs, "train");
  out.module = Module::Lift({{"train", out.step}});
  out.specs = std::move(specs);
  out.batch = std::move(batch);
  return out;
}

inline Tensor Labels(int64_t n, int64_t classes, int64_t step) {
  return Cast(Rem(Iota({n}, 0, kInt64) * 7 + (step + 3), classes), kInt32);
}
inline Tensor Inputs(const Shape& shape, int64_t step) {
  return Sin(Cast(Reshape(Iota({shape.size()}, 0, kInt64), shape), kFloat32) * 0.37 + static_cast<double>(step));
}

inline constexpr int64_t kBatch = 32;

// Three layers whose gradients are exchanged twice each; biases and the loss travel together, in one exchange.
inline TrainingStep Wide() {
  const Sequential model{Dense(80, 80, Tanh), Dense(80, 80, Tanh), Dense(80, 64)};
  return MakeTraining(
      model, [](const Tensor& z, const Tensor& y) { return SoftmaxCrossEntropy(z, y); },
      {Spec(kFloat32, {kBatch, 80}, "x"), Spec(kInt32, {kBatch}, "y")},
      [](int64_t i) { return std::vector<Tensor>{Inputs({kBatch, 80}, i), Labels(kBatch, 64, i)}; });
}

// Of an instance's variables, of some of which each member has a part: all members call it.
inline std::vector<Tensor> WholeValues(const Executable& run, const Module& written) {
  std::vector<Tensor> out;
  for (const std::string& name : run.variables()) {
    const Tensor own = run.variable(name);
    out.push_back(own.type() == written.value(name).type() ? own : AllGather(own));
  }
  return out;
}

// A member's rows of a batch.
inline Tensor RowsOf(const Tensor& x, int64_t rank, int64_t members) {
  const int64_t n = x.shape().dim(0) / members;
  std::vector<int64_t> starts(static_cast<size_t>(x.rank()), 0), limits(starts.size(), kEnd);
  starts[0] = rank * n;
  limits[0] = (rank + 1) * n;
  return Slice(x, starts, limits);
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_TRAINING_STEPS_H_
