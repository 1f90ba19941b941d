#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "passes/check_numerics.h"
#include "reel/complex.h"
#include "reel/debugging.h"
#include "reel/ops.h"
#include "reel/tape.h"

namespace reel {
namespace internal {
namespace {

// Numbers in [0.5, 1.5) that no symmetry of a function matches: fractions of multiples of the golden ratio.
Tensor Weights(const Type& type, int64_t seed) {
  std::vector<double> weights(static_cast<size_t>(type.shape.size()));
  for (size_t i = 0; i < weights.size(); ++i) {
    const double x = static_cast<double>(seed + static_cast<int64_t>(i) + 1) * 0.6180339887498949;
    weights[i] = 0.5 + x - std::floor(x);
  }
  return Cast(Tensor::FromData<double>(weights, type.shape), type.dtype);
}

// A real number: the sum of the elements with weights, of complex ones of both parts.
Tensor WeightedSum(const Tensor& y, int64_t seed) {
  if (!IsComplex(y.dtype())) return ReduceSum(y * Weights(y.type(), seed));
  const Tensor weights = Weights({RealOf(y.dtype()), y.shape()}, seed);
  return ReduceSum(Real(y) * weights) + ReduceSum(Imag(y) * Weights(weights.type(), seed + 7));
}

class GradientChecker {
 public:
  GradientChecker(const TracedFunction& function, const std::vector<Tensor>& inputs,
                  const GradientCheckOptions& options)
      : function_(function), options_(options) {
    if (!IsFloat(options.dtype)) {
      ThrowInvalid(StrCat("check_gradients: dtype must be a float, got ", Name(options.dtype)));
    }
    if (options.order < 1) ThrowInvalid(StrCat("check_gradients: order must be 1 or more, got ", options.order));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& x = inputs[i];
      if (!x.defined()) ThrowInvalid(StrCat("check_gradients: input ", i, " is a null tensor"));
      if (IsDifferentiable(x.dtype())) moving_.push_back(i);
      inputs_.push_back(IsFloat(x.dtype())     ? Cast(x, options.dtype)
                        : IsComplex(x.dtype()) ? Cast(x, options.dtype == kFloat64 ? kComplex128 : kComplex64)
                                               : x);
    }
    if (moving_.empty()) ThrowInvalid("check_gradients: no input is of floats; there is nothing to differentiate by");
    const double epsilon = std::ldexp(1.0, options.dtype == kFloat64    ? -52
                                           : options.dtype == kFloat32  ? -23
                                           : options.dtype == kBFloat16 ? -7
                                                                        : -10);
    step_ = options.step > 0 ? options.step : std::cbrt(epsilon);
    tolerance_ = options.tolerance > 0 ? options.tolerance : 1000 * std::pow(epsilon, 2.0 / 3);
  }

  double Run() {
    double worst = 0;
    for (int order = 1; order <= options_.order; ++order) worst = std::max(worst, Compare(order));
    return worst;
  }

 private:
  // Of order 0 the weighted sum of the function; of order n that of the gradients of order n - 1.
  Tensor Value(int order, const std::vector<Tensor>& x) const {
    Tensor sum = ScalarOf(options_.dtype, 0);
    if (order == 0) {
      int64_t seed = 0;
      for (const NamedTensor& y : function_(x)) {
        if (IsDifferentiable(y.tensor.dtype())) sum = sum + WeightedSum(y.tensor, ++seed);
      }
      return sum;
    }
    for (const auto& [i, gradient] : Gradients(order, x)) {
      if (gradient) sum = sum + WeightedSum(*gradient, 1000 * order + static_cast<int64_t>(i));
    }
    return sum;
  }

  std::vector<std::pair<size_t, std::optional<Tensor>>> Gradients(int order, const std::vector<Tensor>& x) const {
    GradientTape tape;
    std::vector<Tensor> sources;
    for (size_t i : moving_) sources.push_back(x[i]);
    tape.Watch(sources);
    const GradientList list = tape.Gradient(Value(order - 1, x), sources);
    std::vector<std::pair<size_t, std::optional<Tensor>>> out;
    for (size_t k = 0; k < moving_.size(); ++k) {
      out.emplace_back(moving_[k], list[k].gradient ? std::optional(list.Dense(k)) : std::nullopt);
    }
    return out;
  }

  double Number(int order, const std::vector<Tensor>& x) const {
    return Cast(Value(order, x), kFloat64).item<double>();
  }

  double Compare(int order) const {
    const double value = Number(order - 1, inputs_), again = Number(order - 1, inputs_);
    if (!(value == again) && !(std::isnan(value) && std::isnan(again))) {
      ThrowInvalid(StrCat("check_gradients: the function gives ", value, ", then ", again,
                          " for the same inputs; it must not draw from the default generator or update variables"));
    }
    double worst = 0;
    for (const auto& [input, gradient] : Gradients(order, inputs_)) {
      const Tensor& x = inputs_[input];
      const int parts = IsComplex(x.dtype()) ? 2 : 1;
      for (int64_t k = 0; k < x.size() * parts; ++k) {
        const double computed = gradient ? Part(*gradient, k) : 0, measured = Difference(order - 1, input, k);
        const double scale = std::max({1.0, std::abs(computed), std::abs(value)});
        const double error = std::abs(computed - measured) / scale;
        if (!(error <= tolerance_)) Fail(order, input, k, computed, measured, gradient.has_value());
        worst = std::max(worst, error);
      }
    }
    return worst;
  }

  // Number k of a tensor; complex elements are two.
  static double Part(const Tensor& t, int64_t k) {
    const ir::Literal values = ToLiteral(IsComplex(t.dtype()) ? Cast(t, kComplex128) : Cast(t, kFloat64));
    return reinterpret_cast<const double*>(values.bytes().data())[k];
  }

  std::vector<Tensor> Moved(size_t input, int64_t k, double by) const {
    const DType wide = IsComplex(inputs_[input].dtype()) ? kComplex128 : kFloat64;
    const ir::Literal values = ToLiteral(Cast(inputs_[input], wide));
    std::vector<std::byte> bytes(values.bytes().begin(), values.bytes().end());
    reinterpret_cast<double*>(bytes.data())[k] += by;
    std::vector<Tensor> out = inputs_;
    out[input] = Cast(Tensor::FromBytes(wide, inputs_[input].shape(), bytes.data()), inputs_[input].dtype());
    return out;
  }

  double Difference(int order, size_t input, int64_t k) const {
    const double x = Part(inputs_[input], k), h = step_ * std::max(1.0, std::abs(x));
    const std::vector<Tensor> up = Moved(input, k, h), down = Moved(input, k, -h);
    return (Number(order, up) - Number(order, down)) / (Part(up[input], k) - Part(down[input], k));  // h as rounded
  }

  [[noreturn]] void Fail(int order, size_t input, int64_t k, double computed, double measured, bool connected) const {
    const Type& type = inputs_[input].type();
    const bool complex = IsComplex(type.dtype);
    const std::string index = passes::IndexText(type.shape, complex ? k / 2 : k);
    ThrowError(
        ErrorCode::kFailedPrecondition,
        StrCat("check_gradients: order ", order, ", input ", input, " ", type.ToString(), ", element [", index, "]",
               !complex     ? ""
               : k % 2 == 0 ? " (real part)"
                            : " (imaginary part)",
               ": the gradient is ", computed, connected ? "" : " (None)", ", the central difference is ", measured,
               "; look at the custom gradients on the way, or move the input off a kink"));
  }

  const TracedFunction& function_;
  const GradientCheckOptions options_;
  std::vector<Tensor> inputs_;
  std::vector<size_t> moving_;  // inputs that have gradients
  double step_ = 0, tolerance_ = 0;
};

}  // namespace

double RunCheckGradients(const TracedFunction& function, const std::vector<Tensor>& inputs,
                         const GradientCheckOptions& options, std::source_location location) {
  const LocationScope scope(location);
  const SuspendScope eager;
  return GradientChecker(function, inputs, options).Run();
}

}  // namespace internal
}  // namespace reel
