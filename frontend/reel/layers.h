#ifndef REEL_LAYERS_H_
#define REEL_LAYERS_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reel/ops.h"
#include "reel/tensor.h"
#include "reel/variable.h"

// Layers are shared handles: copies share variables. They are called like functions.

namespace reel {

class Generator;

/// A function of one tensor that a layer applies to its result; the default is none.
class Activation {
 public:
  Activation() = default;
  Activation(std::nullptr_t) {}                              // NOLINT: implicit
  Activation(Tensor (*f)(const Operand&)) : function_(f) {}  // NOLINT: Relu, Tanh, ...
  Activation(Tensor (*f)(const Operand&, int64_t))           // NOLINT: Softmax, over the last axis
      : function_([f](const Operand& x) { return f(x, -1); }) {}
  template <typename F>
    requires(std::is_class_v<F> && std::is_invocable_r_v<Tensor, const F&, const Operand&>)
  Activation(F f) : function_(std::move(f)) {}  // NOLINT: implicit

  Tensor operator()(const Operand& x) const { return function_ ? function_(x) : x.tensor(); }
  explicit operator bool() const { return function_ != nullptr; }

 private:
  std::function<Tensor(const Operand&)> function_;
};

/// Uniform in +-sqrt(6 / (fan_in + fan_out)): Glorot and Bengio, "Understanding the difficulty of
/// training deep feedforward neural networks", 2010.
Tensor GlorotUniform(int64_t fan_in, int64_t fan_out, const Shape& shape,
                     const Generator* generator = nullptr);

struct LayerOptions {
  std::string name = "";  ///< prefix of the variables' names; empty: dense, dense_1, ...
  bool use_bias = true;
  const Generator* generator = nullptr;  ///< of the initial values; null: the default one
};

namespace internal {
struct LayerData;
}

/// activation(x kernel + bias): kernel [in, out] glorot uniform, bias [out] zeros.
class Dense {
 public:
  /// Builds its variables when it is called first.
  explicit Dense(int64_t units, Activation activation = {}, LayerOptions options = {});
  /// Builds them now.
  Dense(int64_t in, int64_t out, Activation activation = {}, LayerOptions options = {});

  Tensor operator()(const Operand& x) const;
  /// kernel, bias; empty before it is built.
  std::vector<Variable> variables() const;

  const std::shared_ptr<internal::LayerData>& internal_data() const { return data_; }

 private:
  void Build(int64_t in) const;
  std::shared_ptr<internal::LayerData> data_;
};

/// Rows of a table [vocabulary, dim] at integer indices: adds an axis of dim. Initially uniform in
/// +-0.05.
class Embedding {
 public:
  Embedding(int64_t vocabulary, int64_t dim, LayerOptions options = {});
  Tensor operator()(const Operand& indices) const;
  std::vector<Variable> variables() const;

  const std::shared_ptr<internal::LayerData>& internal_data() const { return data_; }

 private:
  std::shared_ptr<internal::LayerData> data_;
};

/// One layer after another. Takes layers and any callable of one tensor.
class Sequential {
 public:
  template <typename... Layers>
    requires(sizeof...(Layers) > 0 &&
             (std::is_invocable_r_v<Tensor, const Layers&, const Operand&> && ...) &&
             !(sizeof...(Layers) == 1 && (std::is_same_v<Layers, Sequential> && ...)))
  explicit Sequential(Layers... layers) {
    (Add(std::move(layers)), ...);
  }

  Tensor operator()(const Operand& x) const;
  /// Those of all layers, in order; lazy layers have them once they were called.
  std::vector<Variable> variables() const;

 private:
  struct Step {
    std::function<Tensor(const Operand&)> call;
    std::function<std::vector<Variable>()> variables;
  };
  template <typename Layer>
  void Add(Layer layer) {
    if constexpr (requires { layer.internal_data(); }) NameLayer(layer.internal_data());
    Step step;
    if constexpr (requires { layer.variables(); })
      step.variables = [layer] { return layer.variables(); };
    step.call = std::move(layer);
    Append(std::move(step));
  }
  void NameLayer(const std::shared_ptr<internal::LayerData>& layer);
  void Append(Step step);

  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace reel

#endif  // REEL_LAYERS_H_
