#ifndef REEL_TESTS_FRONTEND_COMPOSITION_H_
#define REEL_TESTS_FRONTEND_COMPOSITION_H_

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"

// Tables of compositions: a function of tensors, inputs, and the values another program printed.

namespace reel {

using TensorVector = std::vector<Tensor>;
using Composition = std::function<Tensor(const TensorVector&)>;

/// 2 sin(1.7 i + seed) for element i: inputs that every language computes alike.
inline Tensor Wave(const Shape& shape, double seed = 0, double scale = 2, double shift = 0) {
  std::vector<double> values(static_cast<size_t>(shape.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = scale * std::sin(1.7 * static_cast<double>(i) + seed) + shift;
  }
  return Tensor::FromData(values, shape);
}

struct CompositionCase {
  const char* name;
  Composition function;
  TensorVector inputs;       // f64, integers or bool
  std::vector<double> want;  // elements of the result; empty: not compared
  bool smooth = true;        // two derivatives exist at and around the inputs
  double tolerance = 1e-12;  // of f64 values, relative to 1 + |want|
};

inline void PrintTo(const CompositionCase& c, std::ostream* stream) { *stream << c.name; }

inline std::string CaseName(const testing::TestParamInfo<CompositionCase>& info) { return info.param.name; }

inline void ExpectNear(const Tensor& got, const std::vector<double>& want, double tolerance, const char* what) {
  const std::vector<double> values = Values(got);
  ASSERT_EQ(values.size(), want.size()) << what << " has shape " << got.shape().ToString();
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(values[i], want[i], tolerance * (1 + std::abs(want[i]))) << what << " " << i;
  }
}

/// The float inputs in another dtype, the others as they are.
inline TensorVector FloatsAs(DType dtype, const TensorVector& inputs) {
  TensorVector out;
  for (const Tensor& x : inputs) out.push_back(IsFloat(x.dtype()) ? Cast(x, dtype) : x);
  return out;
}

inline TensorVector FloatsOf(const TensorVector& inputs) {
  TensorVector out;
  for (const Tensor& x : inputs) {
    if (IsFloat(x.dtype())) out.push_back(x);
  }
  return out;
}

inline const GradientOptions kZerosIfUnconnected{.unconnected_gradients = UnconnectedGradients::kZero};

/// Gradients of sum f(inputs) wave by every float input.
inline TensorVector FirstGradients(const Composition& f, const TensorVector& inputs) {
  GradientTape tape;
  tape.Watch(FloatsOf(inputs));
  const Tensor y = f(inputs);
  const Tensor loss = ReduceSum(y * Cast(Wave(y.shape(), 0.3), y.dtype()));
  const GradientList g = tape.Gradient(loss, FloatsOf(inputs), kZerosIfUnconnected);
  TensorVector out;
  for (size_t i = 0; i < g.size(); ++i) out.push_back(g.Dense(i));
  return out;
}

/// The gradients as one composition of the inputs: what a second order differentiates.
inline Tensor JoinedGradients(const Composition& f, const TensorVector& inputs) {
  TensorVector parts;
  for (const Tensor& g : FirstGradients(f, inputs)) parts.push_back(Reshape(g, {-1}));
  return Concat(parts);
}

/// Gradients of f by a five-point stencil, one element at a time.
inline void ExpectGradients(const Composition& f, const TensorVector& inputs, double tolerance, const char* what) {
  const double h = 1e-3;
  const TensorVector gradients = FirstGradients(f, inputs);
  size_t at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsFloat(inputs[i].dtype())) continue;
    const std::vector<double> got = Values(gradients[at++]), x = Values(inputs[i]);
    for (size_t j = 0; j < x.size(); ++j) {
      const auto shifted = [&](double by) {
        std::vector<double> moved = x;
        moved[j] += by;
        TensorVector all = inputs;
        all[i] = Tensor::FromData(moved, inputs[i].shape());
        const Tensor y = f(all);
        return ReduceSum(y * Wave(y.shape(), 0.3)).item<double>();
      };
      const double want = (8 * (shifted(h) - shifted(-h)) - (shifted(2 * h) - shifted(-2 * h))) / (12 * h);
      EXPECT_NEAR(got[j], want, tolerance * (1 + std::abs(want))) << what << " by input " << i << ", element " << j;
    }
  }
}

/// Value and gradients of a traced and compiled run are those of the eager one.
inline void ExpectCompiledBits(const Composition& f, const TensorVector& inputs) {
  const auto both = [&f](std::span<const Tensor> x) {
    const TensorVector in(x.begin(), x.end());
    GradientTape tape;
    tape.Watch(FloatsOf(in));
    const Tensor y = f(in);
    const GradientList g = tape.Gradient(y, FloatsOf(in), kZerosIfUnconnected);
    TensorVector out = {y};
    for (size_t i = 0; i < g.size(); ++i) out.push_back(g.Dense(i));
    return out;
  };
  std::vector<Spec> specs;
  for (const Tensor& x : inputs) specs.emplace_back(x);
  const Executable run = Compile(Trace(both, specs));
  const TensorVector eager = both(inputs);
  TensorVector compiled(eager.size());
  run.Run("main", inputs, compiled);
  for (size_t i = 0; i < eager.size(); ++i) EXPECT_TRUE(SameBits(eager[i], compiled[i])) << "result " << i;
}

/// Everything a case promises, in f64 and f32.
inline void CheckComposition(const CompositionCase& c) {
  const Tensor y = c.function(c.inputs);
  if (!c.want.empty()) ExpectNear(y, c.want, c.tolerance, "f64");
  const TensorVector narrow = FloatsAs(kFloat32, c.inputs);
  const Tensor z = c.function(narrow);
  EXPECT_EQ(z.dtype(), IsFloat(y.dtype()) ? kFloat32 : y.dtype());
  ExpectNear(z, Values(y), 2e-5, "f32");
  if (c.smooth) {
    ExpectGradients(c.function, c.inputs, 1e-8, "gradient");
    ExpectGradients([&](const TensorVector& in) { return JoinedGradients(c.function, in); }, c.inputs, 1e-7,
                    "second gradient");
  }
  ExpectCompiledBits(c.function, narrow);
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_COMPOSITION_H_
