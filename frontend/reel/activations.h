#ifndef REEL_ACTIVATIONS_H_
#define REEL_ACTIVATIONS_H_

#include <cstdint>

#include "reel/tensor.h"
#include "reel/variable.h"

// Activations: compositions of elementwise ops on floats of any shape; the result has x's type.
// Finite input gives finite values and gradients, however large. Where a function has a kink, the
// derivative there is TensorFlow's and stated here. Those with a parameter are overloads, so that a
// layer takes the name alone: Dense(8, Elu).

namespace reel {

Tensor Relu(const Operand& x);   ///< max(x, 0); its derivative at 0 is 0
Tensor Relu6(const Operand& x);  ///< min(max(x, 0), 6); its derivative at 0 and 6 is 0
/// x above 0, else slope x; its derivative at 0 is slope. A slope tensor (PReLU) broadcasts and has
/// a gradient. Maas, Hannun, Ng: "Rectifier nonlinearities improve neural network acoustic models",
/// 2013.
Tensor LeakyRelu(const Operand& x, const Operand& slope);
inline Tensor LeakyRelu(const Operand& x) { return LeakyRelu(x, 0.2); }
/// x from 0 on, else alpha (e^x - 1); its derivative at 0 is 1. Clevert, Unterthiner, Hochreiter:
/// "Fast and accurate deep network learning by exponential linear units", 2016.
Tensor Elu(const Operand& x, double alpha);
inline Tensor Elu(const Operand& x) { return Elu(x, 1.0); }
/// 1.0507 Elu(x, 1.6733), with the constants that keep mean 0 and variance 1; its derivative at 0
/// is 1.0507. Klambauer et al.: "Self-normalizing neural networks", 2017.
Tensor Selu(const Operand& x);
/// x from 0 on, else alpha (e^(x / alpha) - 1): smooth to first order for every alpha. Barron:
/// "Continuously differentiable exponential linear units", 2017.
Tensor Celu(const Operand& x, double alpha);
inline Tensor Celu(const Operand& x) { return Celu(x, 1.0); }
/// x/2 (1 + erf(x / sqrt 2)). Hendrycks, Gimpel: "Gaussian error linear units", 2016.
Tensor Gelu(const Operand& x);
/// x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): its approximation.
Tensor GeluTanh(const Operand& x);
/// x sigmoid(x). Elfwing, Uchibe, Doya: "Sigmoid-weighted linear units", 2018.
Tensor Silu(const Operand& x);
/// x sigmoid(beta x): Silu if beta is 1. Ramachandran, Zoph, Le: "Searching for activation
/// functions", 2017.
Tensor Swish(const Operand& x, const Operand& beta);
inline Tensor Swish(const Operand& x) { return Swish(x, 1.0); }
Tensor Softplus(const Operand& x);    ///< log(1 + e^x), without overflow
Tensor LogSigmoid(const Operand& x);  ///< log(sigmoid(x)) = -Softplus(-x)
Tensor Softsign(const Operand& x);    ///< x / (1 + |x|)
/// x tanh(Softplus(x)). Misra: "Mish: a self regularized non-monotonic activation function", 2020.
Tensor Mish(const Operand& x);
Tensor HardSigmoid(const Operand& x);  ///< Relu6(x + 3) / 6; its derivative at +-3 is 0
Tensor HardSwish(const Operand& x);    ///< x HardSigmoid(x)
Tensor HardTanh(const Operand& x);     ///< min(max(x, -1), 1); its derivative at +-1 is 1
Tensor TanhShrink(const Operand& x);   ///< x - tanh(x)
/// x where |x| > bound, else 0; its derivative at +-bound is 0.
Tensor HardShrink(const Operand& x, double bound);
inline Tensor HardShrink(const Operand& x) { return HardShrink(x, 0.5); }
/// x moved towards 0 by bound: sign(x) max(|x| - bound, 0); its derivative at +-bound is 0.
Tensor SoftShrink(const Operand& x, double bound);
inline Tensor SoftShrink(const Operand& x) { return SoftShrink(x, 0.5); }
/// The first half of x along axis times the sigmoid of the second. Dauphin et al.: "Language
/// modeling with gated convolutional networks", 2017.
Tensor Glu(const Operand& x, int64_t axis = -1);

/// e^x / sum e^x along axis, computed from x - max(x).
Tensor Softmax(const Operand& x, int64_t axis = -1);
/// x - max(x) - log sum e^(x - max(x)).
Tensor LogSoftmax(const Operand& x, int64_t axis = -1);

}  // namespace reel

#endif  // REEL_ACTIVATIONS_H_
