#ifndef REEL_CUSTOM_GRADIENT_H_
#define REEL_CUSTOM_GRADIENT_H_

#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "reel/tensor.h"
#include "reel/variable.h"

// Functions whose gradient the user states, or trades for memory.

namespace reel {

/// What a gradient function returns: one per input, of its type, and one per variable it was given;
/// std::nullopt is None.
struct CustomGradients {
  std::vector<std::optional<Tensor>> inputs = {};
  std::vector<std::optional<Tensor>> variables = {};
};

namespace internal {

using CustomBackward =
    std::function<CustomGradients(const std::vector<Tensor>& dys, const std::vector<Variable>& variables)>;
/// Results of a function, and the gradient that stands for its own.
struct CustomForward {
  std::vector<Tensor> results;
  CustomBackward backward;
  bool takes_variables;
  /// Throws for a backward that takes no variables but must, with their names; null: a text for C++.
  void (*refuse)(const std::string& names) = nullptr;
};
using CustomFunction = std::function<CustomForward(const std::vector<Tensor>&)>;
using ListFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Runs the function; tapes, recordings and traces see one call with its gradient.
std::vector<Tensor> CallCustom(const char* name, const CustomFunction& function, const std::vector<Operand>& inputs);
CustomForward ForwardToRecompute(const ListFunction& function, const std::vector<Tensor>& inputs);
CustomForward ForwardToPassThrough(const ListFunction& function, const std::vector<Tensor>& inputs);

/// Throws unless a function gets as many tensors as it takes.
void CheckArity(size_t got, size_t want);

inline std::vector<Tensor> AsList(const Tensor& x) { return {x}; }
inline std::vector<Tensor> AsList(std::vector<Tensor> list) { return list; }
inline std::vector<std::optional<Tensor>> AsGradients(const Tensor& x) { return {x}; }
inline std::vector<std::optional<Tensor>> AsGradients(const std::optional<Tensor>& x) { return {x}; }
inline std::vector<std::optional<Tensor>> AsGradients(const std::vector<Tensor>& list) {
  return {list.begin(), list.end()};
}
inline std::vector<std::optional<Tensor>> AsGradients(std::vector<std::optional<Tensor>> list) { return list; }
inline CustomGradients AsCustomGradients(CustomGradients gradients) { return gradients; }
template <typename X>
CustomGradients AsCustomGradients(const X& inputs) {
  return {AsGradients(inputs), {}};
}
template <typename X, typename V>
CustomGradients AsCustomGradients(const std::pair<X, V>& both) {
  return {AsGradients(both.first), AsGradients(both.second)};
}

/// f(inputs[0], inputs[1], ...), or f(inputs) if it takes a list.
template <typename F>
decltype(auto) ApplyToList(const F& f, const std::vector<Tensor>& inputs) {
  if constexpr (std::is_invocable_v<const F&, const std::vector<Tensor>&> &&
                !std::is_invocable_v<const F&, const Tensor&>) {
    return f(inputs);
  } else if constexpr (std::is_invocable_v<const F&>) {
    CheckArity(inputs.size(), 0);
    return f();
  } else if constexpr (std::is_invocable_v<const F&, const Tensor&>) {
    CheckArity(inputs.size(), 1);
    return f(inputs[0]);
  } else if constexpr (std::is_invocable_v<const F&, const Tensor&, const Tensor&>) {
    CheckArity(inputs.size(), 2);
    return f(inputs[0], inputs[1]);
  } else if constexpr (std::is_invocable_v<const F&, const Tensor&, const Tensor&, const Tensor&>) {
    CheckArity(inputs.size(), 3);
    return f(inputs[0], inputs[1], inputs[2]);
  } else {
    static_assert(std::is_invocable_v<const F&, const Tensor&, const Tensor&, const Tensor&, const Tensor&>,
                  "the function must take one to four tensors, or const std::vector<Tensor>&");
    CheckArity(inputs.size(), 4);
    return f(inputs[0], inputs[1], inputs[2], inputs[3]);
  }
}

/// The gradient function of a user's pair (result, gradient).
template <typename R, typename G>
CustomForward MakeForward(const std::pair<R, G>& made) {
  using Variables = const std::vector<Variable>&;
  using Dy = std::conditional_t<std::is_same_v<R, Tensor>, const Tensor&, const std::vector<Tensor>&>;
  const auto dy = [](const std::vector<Tensor>& dys) -> Dy {
    if constexpr (std::is_same_v<R, Tensor>)
      return dys[0];
    else
      return dys;
  };
  constexpr bool kTakesVariables = std::is_invocable_v<const G&, Dy, Variables>;
  static_assert(kTakesVariables || std::is_invocable_v<const G&, Dy>,
                "the gradient must take (const Tensor& dy), or (const std::vector<Tensor>& dys) if "
                "there are several results, and may take (const std::vector<Variable>&) besides");
  return {AsList(made.first),
          [g = made.second, dy](const std::vector<Tensor>& dys, Variables variables) {
            if constexpr (kTakesVariables)
              return AsCustomGradients(g(dy(dys), variables));
            else
              return AsCustomGradients(g(dy(dys)));
          },
          kTakesVariables};
}

/// A function of tensors, variables and numbers that returns what its F does.
template <typename F, typename R>
class WrappedFunction {
 public:
  WrappedFunction(const char* name, F function, CustomFunction custom)
      : name_(name), function_(std::move(function)), custom_(std::move(custom)) {}

  R operator()() const { return Call({}); }
  R operator()(const Operand& a) const { return Call({a}); }
  R operator()(const Operand& a, const Operand& b) const { return Call({a, b}); }
  R operator()(const Operand& a, const Operand& b, const Operand& c) const { return Call({a, b, c}); }
  R operator()(const Operand& a, const Operand& b, const Operand& c, const Operand& d) const {
    return Call({a, b, c, d});
  }
  R operator()(const std::vector<Tensor>& inputs) const { return Call({inputs.begin(), inputs.end()}); }
  /// The function itself, without what was wrapped around it.
  const F& wrapped() const { return function_; }

 private:
  R Call(const std::vector<Operand>& inputs) const {
    std::vector<Tensor> results = CallCustom(name_, custom_, inputs);
    if constexpr (std::is_same_v<R, Tensor>)
      return std::move(results[0]);
    else
      return results;
  }

  const char* name_;
  F function_;
  CustomFunction custom_;
};

template <typename F>
using ResultOf =
    std::decay_t<decltype(ApplyToList(std::declval<const F&>(), std::declval<const std::vector<Tensor>&>()))>;
template <typename F>
ListFunction AsListFunction(F f) {
  return [f = std::move(f)](const std::vector<Tensor>& inputs) { return AsList(ApplyToList(f, inputs)); };
}

/// x, whose cotangent counts as depending on x: second derivatives are zeros and not missing.
Tensor Connected(const Operand& x);
/// x, whose gradient is the error Unimplemented with this text.
Tensor Refused(const Operand& x, std::string text);

}  // namespace internal

/// A function with a gradient of its own. `f` takes one to four tensors, or a list, and returns the
/// pair of its result (a tensor, or a list) and the gradient function: of dy (or the list of them)
/// to the gradients of the inputs (a tensor, a list, optional ones, or CustomGradients).
///
///   auto log1pexp = CustomGradient([](const Tensor& x) {
///     const Tensor e = Exp(x);
///     return std::pair(Log(1 + e), [=](const Tensor& dy) { return dy * (1 - 1 / (1 + e)); });
///   });
///   Tensor y = log1pexp(x);
///
/// If f uses trainable variables that are not its inputs, the gradient function must also take
/// `const std::vector<Variable>&`, those on the way to the result in the order of creation, and
/// return CustomGradients or a pair of (inputs, variables). Tensors that f captures get none.
/// The gradient function is made of ops, so gradients of gradients go through it and what it
/// captured. Eager: it runs when a tape asks. In a trace or recording: it is traced, and the
/// function becomes a `call` with a vjp. Errors: InvalidArgument for a wrong number or type of
/// gradients, or variables that the gradient function does not take.
template <typename F>
auto CustomGradient(F f) {
  using Made = internal::ResultOf<F>;
  internal::CustomFunction custom = [f](const std::vector<Tensor>& inputs) {
    return internal::MakeForward(internal::ApplyToList(f, inputs));
  };
  return internal::WrappedFunction<F, typename Made::first_type>("custom_gradient", std::move(f), std::move(custom));
}

/// f, whose intermediate values are not kept for its gradient but computed again when that is asked
/// for, from the inputs and the variables: time for memory. Random numbers are drawn as the first
/// time, and what f assigns stays as it is. Gradients equal those of f, except that inputs that f
/// does not use get zeros.
template <typename F>
auto Recompute(F f) {
  internal::CustomFunction custom = [list = internal::AsListFunction(f)](const std::vector<Tensor>& inputs) {
    return internal::ForwardToRecompute(list, inputs);
  };
  return internal::WrappedFunction<F, internal::ResultOf<F>>("recompute", std::move(f), std::move(custom));
}

/// f with the gradient of the identity: the gradient of result i is that of input i; variables that
/// f uses get none. f must return as many tensors, of the same types, as it takes.
template <typename F>
auto GradPassThrough(F f) {
  internal::CustomFunction custom = [list = internal::AsListFunction(f)](const std::vector<Tensor>& inputs) {
    return internal::ForwardToPassThrough(list, inputs);
  };
  return internal::WrappedFunction<F, internal::ResultOf<F>>("grad_pass_through", std::move(f), std::move(custom));
}

}  // namespace reel

#endif  // REEL_CUSTOM_GRADIENT_H_
