#ifndef REEL_LAYERS_H_
#define REEL_LAYERS_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "reel/activations.h"
#include "reel/initializers.h"
#include "reel/ops.h"
#include "reel/random.h"
#include "reel/tensor.h"
#include "reel/variable.h"

// Layers are shared handles: copies share variables. They are called like functions. Their
// variables are named "layer/what": dense/kernel, dense_1/kernel, ...

namespace reel {

/// A function of one tensor that a layer applies to its result; the default is none.
class Activation {
 public:
  Activation() = default;
  Activation(std::nullptr_t) {}                              // NOLINT: implicit
  Activation(Tensor (*f)(const Operand&)) : function_(f) {}  // NOLINT: Relu, Tanh, ...
  Activation(Tensor (*f)(const Operand&, int64_t))           // NOLINT: Softmax, over the last axis
      : function_(OverLastAxis{f}) {}
  template <typename F>
    requires(std::is_class_v<F> && std::is_invocable_r_v<Tensor, const F&, const Operand&>)
  Activation(F f) : function_(std::move(f)) {}  // NOLINT: implicit

  Tensor operator()(const Operand& x) const { return function_ ? function_(x) : x.tensor(); }
  explicit operator bool() const { return function_ != nullptr; }
  /// "Relu", ...; "function" of one that is not Reel's, empty of none.
  std::string name() const;

 private:
  struct OverLastAxis {
    Tensor (*function)(const Operand&, int64_t);
    Tensor operator()(const Operand& x) const { return function(x, -1); }
  };

  std::function<Tensor(const Operand&)> function_;
};

/// Options of all layers.
struct LayerOptions {
  std::string name = "";  ///< prefix of the variables' names; empty: dense, dense_1, ...
  bool use_bias = true;
  Generator generator = Generator::Default();  ///< of the initial values
  DType dtype = kFloat32;                ///< of the variables
  Initializer kernel_init = {};          ///< empty: what the layer says
  Initializer bias_init = {};            ///< empty: zeros
};

/// While it lives, layers of this thread behave as in training: Dropout drops, BatchNorm uses and
/// records the statistics of the batch. Scopes nest; TrainingScope(false) is inference inside of
/// one. A trace keeps what was so when it was made.
class TrainingScope {
 public:
  explicit TrainingScope(bool training = true);
  ~TrainingScope();
  TrainingScope(const TrainingScope&) = delete;
  TrainingScope& operator=(const TrainingScope&) = delete;

 private:
  bool outer_;
};
/// Whether layers train now; false outside of all scopes.
bool Training();

namespace internal {
struct LayerData;
}

/// What all layers have.
class Layer {
 public:
  /// The name that its variables begin with.
  const std::string& name() const;
  /// All that exist, in order; a layer that is built by its first call has none before.
  std::vector<Variable> variables() const;
  /// Those with a gradient: without running statistics.
  std::vector<Variable> trainable_variables() const;

  /// The layer with its arguments; of those with layers inside, a tree of lines. See Summary() for sizes.
  std::string str() const;
  friend std::ostream& operator<<(std::ostream& stream, const Layer& layer);

  const std::shared_ptr<internal::LayerData>& internal_data() const { return data_; }

 protected:
  Layer() = default;
  explicit Layer(std::shared_ptr<internal::LayerData> data) : data_(std::move(data)) {}

  std::shared_ptr<internal::LayerData> data_;
};

/// activation(x kernel + bias): kernel [in, out] glorot uniform, bias [out] zeros.
class Dense : public Layer {
 public:
  /// Builds its variables when it is called first.
  explicit Dense(int64_t units, Activation activation = {}, LayerOptions options = {});
  /// Builds them now.
  Dense(int64_t in, int64_t out, Activation activation = {}, LayerOptions options = {});

  Tensor operator()(const Operand& x) const;

 private:
  void Build(int64_t in) const;
};

/// Rows of a table [vocabulary, dim] at integer indices: adds an axis of dim. Initially uniform in
/// +-0.05.
class Embedding : public Layer {
 public:
  Embedding(int64_t vocabulary, int64_t dim, LayerOptions options = {});
  Tensor operator()(const Operand& indices) const;
};

/// One layer after another. Takes layers and any callable of one tensor. Layers without a name of
/// their own are numbered within it; those of a Sequential inside are called sequential/dense, ...
class Sequential : public Layer {
 public:
  template <typename... Layers>
    requires(sizeof...(Layers) > 0 && (std::is_invocable_r_v<Tensor, const Layers&, const Operand&> && ...) &&
             !(sizeof...(Layers) == 1 && (std::is_same_v<Layers, Sequential> && ...)))
  explicit Sequential(Layers... layers) : Sequential("sequential") {
    (Add(std::move(layers)), ...);
  }

  Tensor operator()(const Operand& x) const;

 protected:
  explicit Sequential(const char* kind);
  template <typename Layer>
  void Add(Layer layer) {
    if constexpr (requires { layer.internal_data(); }) {
      NameLayer(layer.internal_data());
      Append(layer, layer.internal_data());
    } else if constexpr (requires { layer.str(); }) {
      Append(layer, nullptr, layer.str());
    } else if constexpr (std::is_constructible_v<Activation, Layer>) {
      Append(layer, nullptr, Activation(layer).name());
    } else {
      Append(layer, nullptr, "function");
    }
  }

 private:
  void NameLayer(const std::shared_ptr<internal::LayerData>& layer);
  void Append(std::function<Tensor(const Operand&)> step, std::shared_ptr<internal::LayerData> layer,
              std::string label = "");
};

/// x + layers(x), the layers in sequence: He et al., "Deep residual learning", 2016.
class Residual : public Sequential {
 public:
  template <typename... Layers>
    requires(sizeof...(Layers) > 0 && (std::is_invocable_r_v<Tensor, const Layers&, const Operand&> && ...) &&
             !(sizeof...(Layers) == 1 && (std::is_same_v<Layers, Residual> && ...)))
  explicit Residual(Layers... layers) : Sequential("residual") {
    (Add(std::move(layers)), ...);
  }

  Tensor operator()(const Operand& x) const;
};

/// In a TrainingScope: each element is 0 with probability rate, else x / (1 - rate); outside, x.
/// Draws from a generator, null: the default one. Srivastava et al.: "Dropout", 2014.
class Dropout {
 public:
  explicit Dropout(double rate, const Generator& generator = Generator::Default());
  Tensor operator()(const Operand& x) const;
  /// "Dropout(0.1)".
  std::string str() const;

 private:
  double rate_;
  Generator generator_;
};

/// [batch, ...] as [batch, the rest].
class Flatten {
 public:
  Tensor operator()(const Operand& x) const;
  /// "Flatten()".
  std::string str() const { return "Flatten()"; }
};

}  // namespace reel

#endif  // REEL_LAYERS_H_
