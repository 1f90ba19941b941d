#include <cmath>

#include "frontend/core.h"
#include "reel/ops.h"

// Compositions of primitives, without gradients of their own.

namespace reel {

using internal::LocationScope;
using internal::Materialize;

Tensor Relu(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Where(LessEqual(t, 0), 0,
               t);  // NaN stays NaN; the derivative at 0 is that of the constant
}

Tensor Gelu(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Mul(Mul(t, 0.5), Add(Erf(Mul(t, 1 / std::sqrt(2.0))), 1.0));
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
Tensor Softplus(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Add(Relu(t), Log(Add(Exp(Neg(Abs(t))), 1.0)));
}

namespace {

// x - max(x): at most 0, and the maximum cancels out of every gradient.
Tensor Shifted(const Tensor& x, int64_t axis) {
  return Sub(x, StopGradient(ReduceMax(x, axis, {.keepdims = true})));
}

}  // namespace

Tensor Softmax(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  const Tensor e = Exp(Shifted(Materialize(x), axis));
  return Div(e, ReduceSum(e, axis, {.keepdims = true}));
}

Tensor LogSoftmax(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  const Tensor z = Shifted(Materialize(x), axis);
  return Sub(z, Log(ReduceSum(Exp(z), axis, {.keepdims = true})));
}

}  // namespace reel
