#ifndef REEL_MODULE_H_
#define REEL_MODULE_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/budget.h"
#include "reel/results.h"
#include "reel/tape.h"
#include "reel/tensor.h"
#include "reel/variable.h"

namespace reel {

namespace internal {
struct ModuleData;
}

/// A tensor with the name it gets as an argument or result: {"loss", loss}.
struct NamedTensor {
  NamedTensor(const Tensor& tensor_) : tensor(tensor_) {}  // NOLINT: implicit
  NamedTensor(std::string name_, const Tensor& tensor_) : name(std::move(name_)), tensor(tensor_) {}
  std::string name;  ///< empty: a default such as "result0"
  Tensor tensor;
};
using NamedTensors = std::vector<NamedTensor>;

/// A graph with one entry point and the variables it touches: what Lift and Trace give.
class Function {
 public:
  Function() = default;

  /// Its name, and how many arguments and results it has.
  const std::string& name() const;
  int num_arguments() const;
  int num_results() const;
  /// The variables it reads or writes, in the order of their creation.
  std::vector<Variable> variables() const;
  /// Runs it on tensors of its arguments' types, compiled at the first call, on the live Variables: reads and updates
  /// them, where a call of an Executable has values of its own. Tapes see one op with a gradient, compiled too, by the
  /// arguments and the variables it reads; gradients of gradients go through it, those of lookups stay rows. A value
  /// that it assigned and reads again is to the gradient what it was computed from. In a trace it is a call; a
  /// Recording or ForwardAccumulator sees its ops one by one. A call that fails leaves the variables as they were,
  /// unless what fails is communication with a group of processes, when some may be new. Throws kInvalidArgument for
  /// arguments that it does not take.
  template <typename... Arguments>
    requires(std::is_constructible_v<Operand, const Arguments&, std::source_location> && ...)
  Results operator()(const Arguments&... arguments) const {
    return Call({Operand(arguments, std::source_location{}).tensor()...});
  }
  Results operator()(const std::vector<Tensor>& arguments) const { return Call(arguments); }
  /// Its text form.
  std::string ToText() const;
  /// Graphviz source of its graph.
  std::string ToDot() const;
  /// An HTML fragment for notebooks: arguments, results, variables and ops in tables, and the graph, forward beside
  /// gradient, as SVG if it has at most 200 nodes. No scripts, nothing from the network.
  std::string ToHtml() const;
  /// Equal for structurally equal functions; names of values do not count.
  uint64_t Fingerprint() const;

  explicit Function(std::shared_ptr<const internal::ModuleData> data) : data_(std::move(data)) {}
  const std::shared_ptr<const internal::ModuleData>& internal_data() const { return data_; }

 private:
  Results Call(const std::vector<Tensor>& arguments) const;

  std::shared_ptr<const internal::ModuleData> data_;
};

namespace internal {

using TracedFunction = std::function<NamedTensors(std::span<const Tensor>)>;

template <typename T>
struct IsTuple : std::false_type {};
template <typename... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <typename A, typename B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

// What a callable returned, as a list: a tensor, a named one, a tuple or a vector of them, or
// nothing.
template <typename R>
NamedTensors AsResults(const R& result) {
  if constexpr (std::is_same_v<R, Results>) {
    return NamedTensors(result.begin(), result.end());
  } else if constexpr (std::is_constructible_v<NamedTensor, const R&>) {
    return {NamedTensor(result)};
  } else if constexpr (IsTuple<R>::value) {
    return std::apply([](const auto&... parts) { return NamedTensors{NamedTensor(parts)...}; }, result);
  } else {
    return NamedTensors(std::begin(result), std::end(result));
  }
}

template <size_t>
using AnyTensor = const Tensor&;

// Calls f with n tensors if it can take as many.
template <typename F, size_t kCount = 0>
NamedTensors CallWith(F& f, std::span<const Tensor> arguments) {
  constexpr size_t kMaxArguments = 12;
  if constexpr (kCount > kMaxArguments) {
    throw Error(ErrorCode::kInvalidArgument,
                "trace: the function does not take as many tensors as there are specs; give one "
                "spec per argument");
  } else {
    if (arguments.size() != kCount) return CallWith<F, kCount + 1>(f, arguments);
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) -> NamedTensors {
      if constexpr (std::is_invocable_v<F&, AnyTensor<kIndex>...>) {
        using Result = std::decay_t<decltype(f(arguments[kIndex]...))>;
        if constexpr (std::is_void_v<Result>) {
          f(arguments[kIndex]...);
          return {};
        } else {
          return AsResults<Result>(f(arguments[kIndex]...));
        }
      } else {
        return CallWith<F, kMaxArguments + 1>(f, arguments);
      }
    }(std::make_index_sequence<kCount>());
  }
}

template <typename F>
TracedFunction MakeTraced(F f) {
  if constexpr (std::is_invocable_v<F&, std::span<const Tensor>> && !std::is_invocable_v<F&, const Tensor&>) {
    return [f](std::span<const Tensor> arguments) mutable { return AsResults(f(arguments)); };
  } else {
    return [f](std::span<const Tensor> arguments) mutable { return CallWith<F>(f, arguments); };
  }
}

Function TraceFunction(std::string name, const TracedFunction& function, const std::vector<Spec>& specs);

}  // namespace internal

/// Runs a callable once on symbolic tensors of these types and returns the graph of what it did,
/// variable reads, assigns and random draws included. It returns a Tensor, a tuple or vector of
/// them, or nothing.
template <typename F>
Function Trace(F function, const std::vector<Spec>& specs, std::string name = "main") {
  return internal::TraceFunction(std::move(name), internal::MakeTraced(std::move(function)), specs);
}

/// Symbolic gradients with the meaning of tf.gradients, inside a trace: of the sum of ys by each x.
struct SymbolicGradientOptions {
  std::vector<std::optional<Tensor>> grad_ys = {};  ///< seeds; empty optionals mean ones
  std::vector<Tensor> stop_gradients = {};  ///< no gradient flows back through these
  UnconnectedGradients unconnected_gradients = UnconnectedGradients::kNone;
};
GradientList Gradients(const Targets& ys, const Sources& xs, const SymbolicGradientOptions& options = {},
                       std::source_location location = std::source_location::current());
/// The function that computes the gradients of results `ys` (all if empty) by parameters or
/// variables `xs` (all floating ones if empty) of a function; with grad_ys, it takes one seed per y
/// as a further argument.
struct FunctionGradientOptions {
  std::vector<std::string> ys = {}, xs = {};
  bool grad_ys = false;
  Budget budget = {};  ///< of the graph that is made; more throws kResourceExhausted
};
Function Gradients(const Function& function, const FunctionGradientOptions& options = {});

/// One entry point of a module: a callable to trace with its specs, or a function that exists.
struct EntrySpec {
  template <typename F>
    requires(!std::is_same_v<std::decay_t<F>, Function>)
  EntrySpec(std::string name_, F callable, std::vector<Spec> specs_)
      : name(std::move(name_)), traced(internal::MakeTraced(std::move(callable))), specs(std::move(specs_)) {}
  EntrySpec(std::string name_, Function function_) : name(std::move(name_)), function(std::move(function_)) {}

  /// The entry point: what is traced with which specs, or a function that there is.
  std::string name;
  internal::TracedFunction traced;
  std::vector<Spec> specs;
  Function function;
};

/// Entry points that share variables, with a snapshot of their values: what a .reel file holds.
class Module {
 public:
  Module() = default;

  /// Traces callables, or takes functions that were lifted or traced:
  ///   Module::Lift({{"train", step}, {"predict", model, {Spec(kFloat32, {64, 784})}}})
  static Module Lift(std::vector<EntrySpec> entries, std::string name = "module");

  /// Reads and verifies a file of either form.
  static Module Load(const std::string& path, const Budget& budget = {});
  static Module FromText(std::string_view text, const Budget& budget = {});
  /// Writes the binary form, or the text form if the name ends in .txt. Equal modules give equal
  /// bytes.
  void Save(const std::string& path) const;
  std::string ToText() const;
  /// Graphviz source of all entry points.
  std::string ToDot() const;
  /// The same as an HTML fragment, as Function::ToHtml.
  std::string ToHtml() const;
  /// Throws the first thing that is wrong.
  void Verify() const;

  /// What it was lifted as.
  const std::string& name() const;
  /// Names of the entry points.
  std::vector<std::string> entries() const;
  /// An entry point as a function of its own: to be called and differentiated like one that was traced, transformed, or
  /// lifted again. The functions of a module that was loaded share Variables, which begin with the module's values: a
  /// loaded training step goes on training, an imported model is trained.
  Function function(std::string_view entry) const;
  /// Names of the variables.
  std::vector<std::string> variables() const;
  /// The value that the module holds for a variable. Throws kFailedPrecondition if an init function computes it, or if
  /// members of a group have parts of it (DataParallelOptions::shard_optimizer).
  Tensor value(std::string_view variable) const;
  /// The same module with the values that its Variables have now, to be saved.
  Module Snapshot() const;

  explicit Module(std::shared_ptr<const internal::ModuleData> data) : data_(std::move(data)) {}
  const std::shared_ptr<const internal::ModuleData>& internal_data() const { return data_; }

 private:
  std::shared_ptr<const internal::ModuleData> data_;
};

}  // namespace reel

#endif  // REEL_MODULE_H_
