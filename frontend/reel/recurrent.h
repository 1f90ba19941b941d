#ifndef REEL_RECURRENT_H_
#define REEL_RECURRENT_H_

#include <cstdint>
#include <vector>

#include "reel/layers.h"

// Recurrent layers over [batch, time, features]. The products with the inputs of all steps are one
// contraction; only the recurrence is stepped through.

namespace reel {

/// Tensors [batch, units] that a recurrent layer carries from step to step, the output first.
using RecurrentState = std::vector<Tensor>;

/// Options of recurrent layers.
struct RecurrentOptions {
  bool sequence = true;  ///< the output of every step; else that of the last
  bool reverse = false;  ///< from the last step to the first; outputs stay at their steps
};

/// What Rnn, Lstm and Gru have: kernel [features, gates units], recurrent_kernel [units, gates
/// units] (both glorot uniform), bias [gates units]; the gates lie side by side.
class Recurrent : public Layer {
 public:
  /// [batch, time, units], or [batch, units] without `sequence`, from a state of zeros.
  Tensor operator()(const Operand& x) const;
  struct Result {
    Tensor output;
    RecurrentState state;  ///< after the last step
  };
  /// The same from a given state.
  Result Run(const Operand& x, const RecurrentState& state) const;
  /// One step: the cell. x is [batch, features].
  RecurrentState Step(const Operand& x, const RecurrentState& state) const;
  RecurrentState ZeroState(Extent batch) const;

 protected:
  explicit Recurrent(std::shared_ptr<internal::LayerData> data) : Layer(std::move(data)) {}
};

/// h = activation(x kernel + h recurrent_kernel + bias). Elman, 1990.
class Rnn : public Recurrent {
 public:
  explicit Rnn(int64_t units, Activation activation = Tanh, RecurrentOptions run = {}, LayerOptions options = {});
};

/// Gates i, f, g, o in the order of PyTorch and Keras, of x kernel + h recurrent_kernel + bias:
///   c = sigmoid(f) c + sigmoid(i) tanh(g);  h = sigmoid(o) tanh(c)
/// State {h, c}. The bias of f is 1 at first. Hochreiter, Schmidhuber, 1997; Gers et al., 2000.
class Lstm : public Recurrent {
 public:
  explicit Lstm(int64_t units, RecurrentOptions run = {}, LayerOptions options = {});
};

/// Gates r, z, n in the order of PyTorch, with recurrent_bias [3 units] beside bias:
///   r, z = sigmoid(x kernel + bias + h recurrent_kernel + recurrent_bias)
///   n = tanh(x kernel + bias + r (h recurrent_kernel + recurrent_bias));  h = (1 - z) n + z h
/// Cho et al., 2014, with the reset after the product (cuDNN's form).
class Gru : public Recurrent {
 public:
  explicit Gru(int64_t units, RecurrentOptions run = {}, LayerOptions options = {});
};

/// The outputs of two layers side by side, the second usually with `reverse`: [batch, time, units
/// of both]. Names: bidirectional/forward/kernel, bidirectional/backward/kernel. Schuster, Paliwal,
/// 1997.
class Bidirectional : public Layer {
 public:
  Bidirectional(const Recurrent& forward, const Recurrent& backward, LayerOptions options = {});
  Tensor operator()(const Operand& x) const;
};

}  // namespace reel

#endif  // REEL_RECURRENT_H_
