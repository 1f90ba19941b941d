#ifndef REEL_TESTS_FRONTEND_SYMBOLIC_UTIL_H_
#define REEL_TESTS_FRONTEND_SYMBOLIC_UTIL_H_

#include <cstring>

#include "tests/frontend/expect.h"

namespace reel {

/// Numbers that are the same in every run: floats in (-2, 2), integers 0, 1, 2.
inline Tensor Argument(const Type& type, int seed) {
  const Tensor i = Iota({type.shape.size()}, 0);
  if (!IsFloat(type.dtype)) return Reshape(Cast(i * 7 + seed - (i * 7 + seed) / 3 * 3, type.dtype), type.shape);
  return Reshape(Cast(Sin(Cast(i * 37 + seed * 11, kFloat64)) * 2.0, type.dtype), type.shape);
}

inline bool SameBits(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return false;
  const auto bytes = static_cast<size_t>(a.type().bytes());
  return bytes == 0 || std::memcmp(a.raw_data(), b.raw_data(), bytes) == 0;
}

/// A model whose training depends on all of a batch, and whose prediction goes row by row.
struct Classifier {
  Sequential model{Dense(4, 8, Relu), Dense(8, 3)};
  Adam optimizer{{.learning_rate = 0.01}};
  Tensor Train(const Tensor& x, const Tensor& labels) {
    GradientTape tape;
    const Tensor loss = SoftmaxCrossEntropy(model(x), labels);
    optimizer.Apply(tape.Gradient(loss, model.variables()));
    return loss;
  }
  Module Lift(const Dim& b) {
    return Module::Lift({{"train",
                          [this](const Tensor& x, const Tensor& y) { return Train(x, y); },
                          {Spec(kFloat32, {b, 4}, "x"), Spec(kInt32, {b}, "labels")}},
                         {"predict", model, {Spec(kFloat32, {b, 4}, "x")}}});
  }
};

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_SYMBOLIC_UTIL_H_
