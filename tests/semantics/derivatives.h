#ifndef REEL_TESTS_SEMANTICS_DERIVATIVES_H_
#define REEL_TESTS_SEMANTICS_DERIVATIVES_H_

#include <functional>
#include <string>
#include <vector>

#include "tests/frontend/expect.h"

namespace reel {

using Tensors = std::vector<Tensor>;
using Fn = std::function<Tensor(const Tensor&)>;

/// df/dx by a tape.
inline std::optional<Tensor> Derivative(const Fn& f, const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  return tape.Gradient(f(x), x);
}

/// The same by a trace: the value and the derivative, compiled; with it the graph's text.
inline std::vector<Tensor> Compiled(const Fn& f, const Tensor& x, std::string* text = nullptr) {
  const Function step = Trace([&](const Tensor& t) { return Tensors{f(t), Gradients(f(t), {t}).Dense(0)}; }, {Spec(x)});
  if (text) *text = step.ToText();
  const Results results = Compile(step)("main", x);
  return {results[0], results[1]};
}

/// The n-th derivative, by nested tapes.
inline Tensor Nth(const Fn& f, const Tensor& x, int n) {
  if (n == 0) return f(x);
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Nth(f, x, n - 1);
  return tape.Gradient(y, x, {.unconnected_gradients = UnconnectedGradients::kZero}).value();
}

}  // namespace reel

#endif  // REEL_TESTS_SEMANTICS_DERIVATIVES_H_
