#ifndef REEL_TRANSFORMS_H_
#define REEL_TRANSFORMS_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "reel/compile.h"
#include "reel/module.h"
#include "reel/tensor.h"
#include "reel/variable.h"

// Functions to functions. A callable is traced on the types of its arguments and transformed as a graph, whose
// ops then run as ordinary ones: tapes, recordings, traces and other transforms around see them, so transforms
// compose. It takes tensors and returns a tensor, or a tuple or vector of them; tensors and variables of its
// surroundings that it uses stay what they are, differentiable too. Inside a callable branches and loops are
// those of a trace: Cond, WhileLoop, Scan. Each transform also takes a Function and gives one, so that a loaded
// module can be transformed, saved and compiled.

namespace reel {

namespace internal {

/// What a callable returns for n tensors.
template <typename F, typename Indices>
struct CallResult;
template <typename F, size_t... kIndex>
struct CallResult<F, std::index_sequence<kIndex...>> : std::invoke_result<F&, AnyTensor<kIndex>...> {};
template <typename F, size_t kCount>
using ResultOfTensors = std::decay_t<typename CallResult<F, std::make_index_sequence<kCount>>::type>;
template <typename F, size_t kCount>
concept TakesTensors = requires { typename ResultOfTensors<F, kCount>; };
template <typename F>
concept Callable = !std::same_as<std::decay_t<F>, Function>;

/// Tensors as a callable that returns R would return them.
template <typename R>
R FromList(std::vector<Tensor> list) {
  if constexpr (std::is_same_v<R, std::vector<Tensor>>) {
    return list;
  } else if constexpr (IsTuple<R>::value) {
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      return R{std::move(list[kIndex])...};
    }(std::make_index_sequence<std::tuple_size_v<R>>());
  } else {
    static_assert(std::is_same_v<R, Tensor>, "the function must return a Tensor, or a tuple or vector of them");
    return std::move(list[0]);
  }
}

std::vector<Tensor> MaterializeAll(const std::vector<Operand>& operands);

using TensorFunction = std::function<std::vector<Tensor>(const TracedFunction&, const std::vector<Tensor>&)>;

/// f transformed: takes as many tensors as f, returns what f returns.
template <typename F>
class Transformed {
 public:
  Transformed(F f, TensorFunction transform) : f_(std::move(f)), transform_(std::move(transform)) {}

  template <typename... T>
    requires((std::convertible_to<const T&, Operand> && ...) && TakesTensors<F, sizeof...(T)>)
  ResultOfTensors<F, sizeof...(T)> operator()(const T&... arguments) const {
    // Braces: from left to right. Numbers become tensors of their default dtype.
    return FromList<ResultOfTensors<F, sizeof...(T)>>(
        transform_(MakeTraced(f_), MaterializeAll({Operand(arguments)...})));
  }

 private:
  F f_;
  TensorFunction transform_;
};

}  // namespace internal

// --- batches ---

/// Where the rows are: an axis per argument and per result (negative ones count from the end); std::nullopt: an
/// argument that all rows share, a result that does not depend on the row. Empty: axis 0 of all.
struct MapOptions {
  std::vector<std::optional<int64_t>> in_axes = {}, out_axes = {};
};

namespace internal {
std::vector<Tensor> MapRows(const TracedFunction& f, const std::vector<Tensor>& arguments, const MapOptions& options);
}  // namespace internal

/// A function of batches that gives for each row what f gives for that row alone, stacked: f written for one
/// example runs once, on larger ops, not in a loop. Rows have the bits of f on them, sums over several axes
/// aside. Branches on a row's value compute both sides; loops run until all rows are done. Draws from a generator
/// that f advances are a stream of its own for each row. Errors: InvalidArgument if arguments differ in their
/// number of rows or have no such axis, if none has rows, or if f assigns a variable a value per row.
///
///   auto distances = VectorizedMap(Distance, {.in_axes = {0, std::nullopt}});
///   Tensor d = distances(points, center);   // f32[n,3], f32[3] -> f32[n]
template <internal::Callable F>
auto VectorizedMap(F f, MapOptions options = {}) {
  return internal::Transformed(std::move(f), [options = std::move(options)](const internal::TracedFunction& traced,
                                                                            const std::vector<Tensor>& arguments) {
    return internal::MapRows(traced, arguments, options);
  });
}
/// The same of a graph, for so many rows.
Function VectorizedMap(const Function& function, int64_t rows, const MapOptions& options = {});

// --- forward and reverse mode ---

/// What a function returned and how it moves: dy = J dx.
struct JvpResult {
  Results values, tangents;
};
/// What a function returned, and its transposed Jacobian: `pullback` takes one seed per result (none: ones; a null
/// tensor: zeros) and returns a gradient per argument, std::nullopt where no result depends on it. It computes the
/// function again.
struct VjpResult {
  Results values;
  std::function<std::vector<std::optional<Tensor>>(const std::vector<Tensor>& seeds)> pullback;
};

namespace internal {
JvpResult RunJvp(const TracedFunction& f, const std::vector<Tensor>& primals, const std::vector<Tensor>& tangents);
VjpResult RunVjp(const TracedFunction& f, const std::vector<Tensor>& primals);
std::vector<Tensor> RunJacobian(const TracedFunction& f, const std::vector<Tensor>& arguments, int argument);
Results RunHvp(const TracedFunction& f, const std::vector<Tensor>& xs, const std::vector<Tensor>& vs);
}  // namespace internal

/// f(primals) and the directional derivatives of its results along `tangents`, one per primal and of its type; a
/// null tensor is a zero tangent (the only one of integers). Forward mode: one pass, no memory of the way, loops of
/// any length. Results that cannot move get zeros.
///
///   auto [y, dy] = Jvp(f, {x}, {dx});
template <internal::Callable F>
JvpResult Jvp(F f, const std::vector<Tensor>& primals, const std::vector<Tensor>& tangents) {
  return internal::RunJvp(internal::MakeTraced(std::move(f)), primals, tangents);
}
/// A function of the arguments, then of the tangents of the floating ones at positions `arguments` (all if empty);
/// returns the results, then the tangents of the floating ones.
Function Jvp(const Function& function, const std::vector<int>& arguments = {});

/// f(primals), and the function from seeds to gradients.
///
///   auto [y, pullback] = Vjp(f, {x, w});
///   auto gradients = pullback({dy});
template <internal::Callable F>
VjpResult Vjp(F f, const std::vector<Tensor>& primals) {
  return internal::RunVjp(internal::MakeTraced(std::move(f)), primals);
}
/// A function of the arguments, then of a seed per floating result; returns the gradients of the floating arguments.
Function Vjp(const Function& function);

// --- matrices of derivatives ---

/// A function that returns, for each result y of f, dy/dx of shape y.shape + x.shape, where x is the argument at a
/// position: all rows of the Jacobian at once, by vectorized forward or reverse mode, whichever has fewer. Zeros
/// where y does not depend on x. Errors: InvalidArgument for integers and missing arguments.
///
///   Tensor j = Jacobian(f)(x);
template <internal::Callable F>
auto Jacobian(F f, int argument = 0) {
  return internal::Transformed(
      std::move(f), [argument](const internal::TracedFunction& traced, const std::vector<Tensor>& arguments) {
        return internal::RunJacobian(traced, arguments, argument);
      });
}
/// A function of the same arguments that returns the Jacobians of its floating results.
Function Jacobian(const Function& function, int argument = 0);

/// The Jacobian of the Jacobian: for a scalar y of shape x.shape + x.shape.
template <internal::Callable F>
auto Hessian(F f, int argument = 0) {
  return Jacobian(Jacobian(std::move(f), argument), argument);
}
Function Hessian(const Function& function, int argument = 0);

/// H v of the sum of f's results, one per x: the gradient's derivative along v, at the cost of a few gradients.
///
///   Tensor hv = HessianVectorProduct(loss, {w}, {v});
template <internal::Callable F>
Results HessianVectorProduct(F f, const std::vector<Tensor>& xs, const std::vector<Tensor>& vs) {
  return internal::RunHvp(internal::MakeTraced(std::move(f)), xs, vs);
}
/// A function of the arguments, then of v, of the type of the argument at a position.
Function HessianVectorProduct(const Function& function, int argument = 0);

}  // namespace reel

#endif  // REEL_TRANSFORMS_H_
