#ifndef REEL_GRADIENTS_FUNCTION_H_
#define REEL_GRADIENTS_FUNCTION_H_

#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "reel/module.h"
#include "reel/tape.h"

// Functions to functions: of their arguments' gradients, or of those of the variables they read.
// What tfe's gradients_function, value_and_gradients_function, implicit_gradients and
// implicit_value_and_gradients are.

namespace reel {

/// What a function returned, as it returned it, and gradients of the sum of all its elements.
template <typename R>
struct ValueAndGradients {
  R value;
  GradientList gradients;
};

/// Seeds, one per tensor that the function returns; std::nullopt means ones, and so does none.
using Seeds = std::vector<std::optional<Tensor>>;

namespace internal {

/// One call of a function whose arguments are differentiated.
class DifferentiatedCall {
 public:
  /// `params`: positions of arguments; empty: all that are tensors, variables or numbers.
  DifferentiatedCall(const std::vector<int>& params, size_t num_arguments);
  /// What the function gets for its next argument: a new tensor, watched if it is one of params.
  Tensor Take(const Operand& argument);
  /// The next argument is not for differentiation.
  void Skip();
  GradientList Gradients(const NamedTensors& results, const Seeds& dy);

 private:
  bool Wanted(int argument) const;

  std::vector<int> params_;
  bool all_;
  int next_ = 0;
  std::vector<std::optional<Source>> sources_;  // by argument
  GradientTape tape_;
};

GradientList ImplicitGradient(GradientTape* tape, const NamedTensors& results);
/// The gradients that exist, dense.
NamedTensors ResultsOfGradients(const GradientList& gradients);

template <typename R>
NamedTensors TargetsOf(const R& value) {
  static_assert(!std::is_void_v<R>, "the function returns nothing: there is nothing to differentiate");
  if constexpr (std::is_same_v<R, GradientList>)
    return ResultsOfGradients(value);
  else
    return AsResults(value);
}

/// Tensors, variables and numbers arrive as tensors, everything else as it is.
template <typename T>
decltype(auto) TakeArgument(DifferentiatedCall* call, const T& argument) {
  if constexpr (std::convertible_to<const T&, Operand>) {
    return call->Take(argument);
  } else {
    call->Skip();
    return (argument);
  }
}

template <typename F>
class DifferentiatedFunction {
 public:
  DifferentiatedFunction(F function, std::vector<int> params)
      : function_(std::move(function)), params_(std::move(params)) {}

  template <typename... T>
  auto Run(const Seeds& dy, const T&... arguments) const {
    DifferentiatedCall call(params_, sizeof...(T));
    // Braces: from left to right.
    const std::tuple<decltype(TakeArgument(&call, arguments))...> taken{TakeArgument(&call, arguments)...};
    using R = std::decay_t<decltype(std::apply(function_, taken))>;
    static_assert(!std::is_void_v<R>, "the function returns nothing: there is nothing to differentiate");
    R value = std::apply(function_, taken);
    GradientList gradients = call.Gradients(TargetsOf(value), dy);
    return ValueAndGradients<R>{std::move(value), std::move(gradients)};
  }

 private:
  F function_;
  std::vector<int> params_;
};

}  // namespace internal

/// A function of f's arguments that returns f's value and its gradients by the arguments at the
/// positions `params`, in that order; all of them if empty. f takes tensors, in which tensors,
/// variables and numbers arrive, an integer number as f32 where it is differentiated by; arguments of
/// other types it gets as they are. The same tensor for two arguments is two sources. Integer
/// tensors have no gradient. Errors: InvalidArgument for a position that there is no argument for,
/// or if f returns a null tensor.
///
///   auto f = [](const Tensor& x, const Tensor& y) { return x * x * y; };
///   auto [value, gradients] = ValueAndGradientsFunction(f)(3.0, 2.0);   // 18, {12, 9}
///   ValueAndGradientsFunction(f, {0}).WithSeeds({Tensor(2.0)}, 3.0, 2.0);
template <typename F>
class ValueAndGradientsFunction {
 public:
  explicit ValueAndGradientsFunction(F function, std::vector<int> params = {})
      : function_(std::move(function), std::move(params)) {}
  template <typename... T>
  auto operator()(const T&... arguments) const {
    return function_.Run({}, arguments...);
  }
  /// The same with a seed for each result, in the place of ones.
  template <typename... T>
  auto WithSeeds(const Seeds& dy, const T&... arguments) const {
    return function_.Run(dy, arguments...);
  }

 private:
  internal::DifferentiatedFunction<F> function_;
};

/// The same without the value: returns the GradientList. It can be differentiated again:
/// GradientsFunction(GradientsFunction(f)).
template <typename F>
class GradientsFunction {
 public:
  explicit GradientsFunction(F function, std::vector<int> params = {})
      : function_(std::move(function), std::move(params)) {}
  template <typename... T>
  GradientList operator()(const T&... arguments) const {
    return function_.Run({}, arguments...).gradients;
  }
  /// The same with a seed for each result, in the place of ones.
  template <typename... T>
  GradientList WithSeeds(const Seeds& dy, const T&... arguments) const {
    return function_.Run(dy, arguments...).gradients;
  }

 private:
  internal::DifferentiatedFunction<F> function_;
};
template <typename F>
GradientsFunction(GradientsFunction<F>) -> GradientsFunction<GradientsFunction<F>>;
template <typename F>
ValueAndGradientsFunction(ValueAndGradientsFunction<F>) -> ValueAndGradientsFunction<ValueAndGradientsFunction<F>>;

/// A function of f's arguments that returns f's value and its gradients by all trainable variables
/// that f read, in the order of their creation: ready for Optimizer::Apply. A variable that was read
/// but does not count has no gradient. Throws InvalidArgument if f read none.
///
///   auto loss = [&](const Tensor& x, const Tensor& y) { return ReduceMean(Square(model(x) - y)); };
///   auto [value, gradients] = ImplicitValueAndGradients(loss)(x, y);
///   optimizer.Apply(gradients);
template <typename F>
auto ImplicitValueAndGradients(F function) {
  return [function = std::move(function)](const auto&... arguments) {
    GradientTape tape;
    using R = std::decay_t<decltype(function(arguments...))>;
    static_assert(!std::is_void_v<R>, "the function returns nothing: there is nothing to differentiate");
    R value = function(arguments...);
    GradientList gradients = internal::ImplicitGradient(&tape, internal::TargetsOf(value));
    return ValueAndGradients<R>{std::move(value), std::move(gradients)};
  };
}

/// The same without the value.
template <typename F>
auto ImplicitGradients(F function) {
  return [both = ImplicitValueAndGradients(std::move(function))](const auto&... arguments) {
    return both(arguments...).gradients;
  };
}

}  // namespace reel

#endif  // REEL_GRADIENTS_FUNCTION_H_
