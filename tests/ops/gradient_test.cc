#include <gtest/gtest.h>

#include <cmath>

#include "ir/eval/eval.h"
#include "ir/text/printer.h"
#include "tests/ops/differentiated.h"

// Gradients of every differentiable case against a five-point central stencil, evaluated in double:
// d/dt phi(x + t d) at 0 must be <grad phi, d> for random directions d, where
//   first order:  phi(x) = <u, y(x)>
//   second order: phi(x) = <v, gradient of <u, y> at x>
// with random u and v. Reverse over reverse and forward over reverse must agree, and so must <u, J v> and <J'u, v>.

namespace reel::optable {
namespace {

using ir::EvalTensor;
using ir::Value;

constexpr double kStep = 1e-3;           // truncation ~ step^4, cancellation ~ 1e-16 / step
constexpr double kRelative = 1e-8;       // of the sum of |gradient * direction|
constexpr double kCancellation = 1e-11;  // of the sum of |u * y|

EvalTensor Random(const Type& type, Rng& rng) { return *ir::FromLiteral(Sample(type, Domain{-1, 1}, rng)); }

// Of complex numbers the product of their parts: the cotangent of x + iy is dL/dx + i dL/dy.
double Dot(const EvalTensor& a, const EvalTensor& b, bool absolute = false) {
  double sum = 0;
  const auto add = [&](double x, double y) { sum += absolute ? std::fabs(x * y) : x * y; };
  for (size_t k = 0; k < a.f.size(); ++k) add(a.f[k], b.f[k]);
  for (size_t k = 0; k < a.c.size(); ++k) {
    add(a.c[k].real(), b.c[k].real());
    add(a.c[k].imag(), b.c[k].imag());
  }
  return sum;
}

struct Check {
  const Differentiated& d;
  std::vector<EvalTensor> parameters;  // x..., u..., v...
  std::vector<EvalTensor> directions;  // one per xs()
  size_t num_inputs;                   // x...

  // The tensors of phi at x + t * directions, to be weighed with u (order 1) or v (order 2).
  std::vector<EvalTensor> At(double t, int order) const {
    std::vector<EvalTensor> moved = parameters;
    for (size_t n = 0; n < directions.size(); ++n) {
      EvalTensor& x = moved[static_cast<size_t>(d.xs()[n].id)];
      for (size_t k = 0; k < x.f.size(); ++k) x.f[k] += t * directions[n].f[k];
      for (size_t k = 0; k < x.c.size(); ++k) x.c[k] += t * directions[n].c[k];
    }
    auto all = *d.Evaluate(moved);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(order == 1 ? 0 : d.num_ys());
    const size_t count = order == 1 ? d.num_ys() : d.xs().size();
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
  const EvalTensor& Weight(int order, size_t n) const {
    return parameters[num_inputs + n + (order == 1 ? 0 : d.num_us())];
  }
  double Phi(double t, int order, bool absolute = false) const {
    const auto values = At(t, order);
    double sum = 0;
    for (size_t n = 0; n < values.size(); ++n) sum += Dot(values[n], Weight(order, n), absolute);
    return sum;
  }
  double Stencil(int order) const {
    return (Phi(-2 * kStep, order) - 8 * Phi(-kStep, order) + 8 * Phi(kStep, order) - Phi(2 * kStep, order)) /
           (12 * kStep);
  }

  // <gradient, direction> of the order, and the error allowed in the stencil.
  void Compare(int order, const std::vector<EvalTensor>& results) const {
    const size_t first = order == 1 ? d.gradient() : d.reverse_reverse();
    double product = 0, scale = 0;
    for (size_t n = 0; n < directions.size(); ++n) {
      product += Dot(results[first + n], directions[n]);
      scale += Dot(results[first + n], directions[n], true);
    }
    const double allowed = kRelative * scale + kCancellation * Phi(0, order, true) + 1e-13;
    EXPECT_NEAR(product, Stencil(order), allowed) << "order " << order;
  }

  // Forward mode against reverse mode.
  void CompareModes(const std::vector<EvalTensor>& results) const {
    double forward = 0, reverse = 0, scale = 0;
    for (size_t n = 0; n < d.num_ys(); ++n) {
      forward += Dot(results[d.tangent() + n], parameters[num_inputs + n]);
      scale += Dot(results[d.tangent() + n], parameters[num_inputs + n], true);
    }
    for (size_t n = 0; n < d.xs().size(); ++n) {
      const EvalTensor& v = parameters[num_inputs + d.num_us() + n];
      reverse += Dot(results[d.gradient() + n], v);
      scale += Dot(results[d.gradient() + n], v, true);
      const EvalTensor &rr = results[d.reverse_reverse() + n], &fr = results[d.forward_reverse() + n];
      double largest = 0;
      for (double h : rr.f) largest = std::max(largest, std::fabs(h));
      for (const auto& h : rr.c) largest = std::max(largest, std::abs(h));
      for (size_t k = 0; k < rr.f.size(); ++k) {
        EXPECT_NEAR(fr.f[k], rr.f[k], 1e-10 * largest) << "H v, x" << n << "[" << k << "]";
      }
      for (size_t k = 0; k < rr.c.size(); ++k) {
        EXPECT_LE(std::abs(fr.c[k] - rr.c[k]), 1e-10 * largest) << "H v, x" << n << "[" << k << "]";
      }
    }
    EXPECT_NEAR(forward, reverse, 1e-12 * scale + 1e-13) << "<u, J v> and <J'u, v>";
  }
};

// The stencil needs double.
bool IsWide(const OpCase& c) {
  return std::none_of(c.inputs.begin(), c.inputs.end(),
                      [](const ir::Literal& l) { return RealOf(l.dtype()) == kFloat32; });
}

class EveryGradient : public testing::TestWithParam<ir::Op> {};

TEST_P(EveryGradient, IsTheStencils) {
  int checked = 0;
  for (const OpCase& c : CasesFor(GetParam())) {
    if (!c.differentiable || !IsWide(c)) continue;
    SCOPED_TRACE(c.name);
    Differentiated d(c);
    const absl::Status built = d.Build();
    ASSERT_TRUE(built.ok()) << built;
    Rng rng(20240517);
    Check check{d, {}, {}, c.inputs.size()};
    for (const ir::Literal& l : d.Parameters(c, rng)) {
      check.parameters.push_back(*ir::FromLiteral(l));
    }
    const auto results = d.Evaluate(check.parameters);
    ASSERT_TRUE(results.ok()) << results.status();
    check.CompareModes(*results);
    for (int round = 0; round < 3; ++round) {
      check.directions.clear();
      for (Value x : d.xs()) check.directions.push_back(Random(c.main().type(x), rng));
      check.Compare(1, *results);
      check.Compare(2, *results);
    }
    if (HasFailure()) {
      FAIL() << ir::Print(d.module(), {.elide_large_constants = true}).substr(0, 4000);
    }
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

std::vector<ir::Op> DifferentiableOps() {
  std::vector<ir::Op> ops;
  for (ir::Op op : ir::AllOps()) {
    if (RowOf(op).differentiable) ops.push_back(op);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryGradient, testing::ValuesIn(DifferentiableOps()),
                         [](const auto& info) { return std::string(ir::Info(info.param).enum_name); });

}  // namespace
}  // namespace reel::optable
