#include <cmath>
#include <numbers>

#include "frontend/eager/composite.h"
#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/activations.h"
#include "reel/ops.h"
#include "reel/special.h"

// Compositions of primitives, without gradients of their own. A branch of Where that is not taken
// is computed from a harmless argument, so that its derivative is finite.

namespace reel {

using internal::Compose;
using internal::LocationScope;
using internal::Materialize;
using Operands = absl::Span<const Tensor>;

Tensor Relu(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Where(LessEqual(t, 0), 0,
               t);  // NaN stays NaN; the derivative at 0 is that of the constant
}

Tensor Relu6(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Where(LessEqual(t, 0), 0, Where(GreaterEqual(t, 6), 6, t));
}

Tensor LeakyRelu(const Operand& x, const Operand& slope) {
  const LocationScope scope(x);
  const internal::TensorList t = internal::Promote(ir::Op::kMul, {&x, &slope});
  return Where(Greater(t[0], 0), t[0], Mul(t[0], t[1]));
}

namespace {

// x from 0 on, else alpha (e^(x / width) - 1).
Tensor ExponentialUnit(const Operand& x, double alpha, double width) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const Tensor negative = Less(t, 0);
  const Tensor below = Where(negative, t, 0);
  return Where(negative, Mul(Expm1(width == 1 ? below : Div(below, width)), alpha), t);
}

void CheckAlpha(const char* op, double alpha) {
  if (alpha > 0) return;
  internal::ThrowInvalid(StrCat(op, ": alpha ", alpha, " must be positive"));
}

}  // namespace

Tensor Elu(const Operand& x, double alpha) { return ExponentialUnit(x, alpha, 1); }

Tensor Selu(const Operand& x) {
  constexpr double kScale = 1.0507009873554804934193349852946;
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  const LocationScope scope(x);
  return Mul(ExponentialUnit(x, kAlpha, 1), kScale);
}

Tensor Celu(const Operand& x, double alpha) {
  CheckAlpha("celu", alpha);
  return ExponentialUnit(x, alpha, alpha);
}

// In double, where erfc of floats is computed anyway: the rounding of x / sqrt(2) counts x^2 times in the tail.
Tensor Gelu(const Operand& x) {
  const LocationScope scope(x);
  return Compose("gelu", {Materialize(x)}, {}, [](Operands in) {
    const Tensor t = Cast(in[0], kFloat64), scaled = Mul(t, -1 / std::numbers::sqrt2);
    return Cast(Mul(Mul(t, 0.5), Erfc(scaled)), in[0].dtype());
  });
}

// x (1 + tanh(u)) / 2 = x sigmoid(2 u), which keeps its digits where x is negative. From |x| = 32 on, where it
// is 0 or x in every dtype, the cube may overflow.
Tensor GeluTanh(const Operand& x) {
  const LocationScope scope(x);
  return Compose("gelu_tanh", {Materialize(x)}, {}, [](Operands in) {
    const double slope = 2 * std::sqrt(2 / std::numbers::pi);
    const Tensor &all = in[0], far = GreaterEqual(Abs(all), 32), t = Where(far, 0, all);
    const Tensor inner = Mul(t, Add(Mul(Square(t), 0.044715 * slope), slope));
    return Where(far, Relu(all), Mul(t, Sigmoid(inner)));
  });
}

Tensor Silu(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Mul(t, Sigmoid(t));
}

Tensor Swish(const Operand& x, const Operand& beta) {
  const LocationScope scope(x);
  const internal::TensorList t = internal::Promote(ir::Op::kMul, {&x, &beta});
  return Mul(t[0], Sigmoid(Mul(t[0], t[1])));
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), where both branches of |x| and of max are the same
// analytic function: derivatives of every order are right at 0 too.
Tensor Softplus(const Operand& x) {
  const LocationScope scope(x);
  return Compose("softplus", {Materialize(x)}, {}, [](Operands in) {
    const Tensor &t = in[0], negative = Less(t, 0), below = Where(negative, t, Neg(t));
    return Add(Where(negative, 0, t), Log1p(Exp(below)));
  });
}

Tensor LogSigmoid(const Operand& x) {
  const LocationScope scope(x);
  return Neg(Softplus(Neg(x)));
}

Tensor Softsign(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Div(t, Add(Abs(t), 1.0));
}

Tensor Mish(const Operand& x) {
  const LocationScope scope(x);
  return Compose("mish", {Materialize(x)}, {}, [](Operands in) { return Mul(in[0], Tanh(Softplus(in[0]))); });
}

Tensor HardSigmoid(const Operand& x) {
  const LocationScope scope(x);
  return Div(Relu6(Add(x, 3.0)), 6.0);
}

Tensor HardSwish(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Mul(t, HardSigmoid(t));
}

Tensor HardTanh(const Operand& x) {
  const LocationScope scope(x);
  return Minimum(Maximum(x, -1.0), 1.0);
}

Tensor TanhShrink(const Operand& x) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Sub(t, Tanh(t));
}

Tensor HardShrink(const Operand& x, double bound) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Where(LessEqual(Abs(t), bound), 0, t);
}

Tensor SoftShrink(const Operand& x, double bound) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return Where(LessEqual(Abs(t), bound), 0, Sub(t, Mul(StopGradient(Sign(t)), bound)));
}

Tensor Glu(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const int64_t a = internal::NormalizeAxis("glu", axis, t.rank());
  const int64_t extent = t.shape().dim(static_cast<int>(a));
  if (extent % 2 != 0) {
    internal::ThrowInvalid(
        StrCat("glu: axis ", axis, " of ", t.type().ToString(), " has no halves; its extent must be even"));
  }
  const Tensor gate = Sigmoid(internal::SliceAxis(t, a, extent / 2, extent));
  return Mul(internal::SliceAxis(t, a, 0, extent / 2), gate);
}

namespace {

// x - max(x): at most 0, and the maximum cancels out of every gradient.
Tensor Shifted(const Tensor& x, int64_t axis) { return Sub(x, StopGradient(ReduceMax(x, axis, {.keepdims = true}))); }

}  // namespace

// Halves are computed in f32 and rounded once: a sum of 65,520 ones is infinite in f16.
Tensor Softmax(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  return Compose("softmax", {Materialize(x)}, {static_cast<double>(axis)}, [axis](Operands in) {
    const Tensor e = Exp(Shifted(internal::Wide(in[0]), axis));
    return Cast(Div(e, ReduceSum(e, axis, {.keepdims = true})), in[0].dtype());
  });
}

Tensor LogSoftmax(const Operand& x, int64_t axis) {
  const LocationScope scope(x);
  return Compose("log_softmax", {Materialize(x)}, {static_cast<double>(axis)}, [axis](Operands in) {
    const Tensor z = Shifted(internal::Wide(in[0]), axis);
    return Cast(Sub(z, Log(ReduceSum(Exp(z), axis, {.keepdims = true}))), in[0].dtype());
  });
}

}  // namespace reel
