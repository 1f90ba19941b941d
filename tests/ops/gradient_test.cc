#include "passes/gradient/gradient.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "tests/ops/op_cases.h"

// Gradients of every differentiable case against a five-point central stencil, evaluated in double:
// d/dt phi(x + t d) at 0 must be <grad phi, d> for random directions d, where
//   first order:  phi(x) = <u, y(x)>
//   second order: phi(x) = <v, gradient of <u, y> at x>
// with random u and v.

namespace reel::optable {
namespace {

using ir::EvalTensor;
using ir::Value;

constexpr double kStep = 1e-3;           // truncation ~ step^4, cancellation ~ 1e-16 / step
constexpr double kRelative = 1e-8;       // of the sum of |gradient * direction|
constexpr double kCancellation = 1e-11;  // of the sum of |u * y|

// @main's nodes with the seeds as further parameters: (x..., u..., v...) and values renumbered.
class Differentiated {
 public:
  explicit Differentiated(const OpCase& c) : module_(c.module), function_("checked") {
    const ir::Function& main = c.main();
    for (int n = 0; n < main.num_parameters(); ++n) {
      const Value x = function_.AddParameter(StrCat("x", n), main.parameter(n).type);
      if (main.parameter(n).type.dtype == kFloat64) xs_.push_back(x);
    }
    for (size_t n = 0; n < main.results().size(); ++n) {
      u_.push_back(function_.AddParameter(StrCat("u", n), main.type(main.results()[n])));
    }
    for (size_t n = 0; n < xs_.size(); ++n) {
      v_.push_back(function_.AddParameter(StrCat("v", n), function_.type(xs_[n])));
    }
    const int parameters = main.num_parameters(), added = function_.num_parameters() - parameters;
    const auto renumber = [&](Value v) { return v.id < parameters ? v : Value{v.id + added}; };
    for (const ir::Node& node : main.nodes()) {
      ir::ValueList operands;
      for (Value v : node.operands) operands.push_back(renumber(v));
      ir::TypeList types;
      for (int n = 0; n < node.num_results; ++n) types.push_back(main.type(node.result(n)));
      function_.AddNode(node.op, operands, node.attributes, types);
    }
    for (Value v : main.results()) ys_.push_back(renumber(v));
  }

  // Sets results to y..., gradients..., second gradients... .
  absl::Status Build() {
    std::vector<Value> results = ys_;
    const auto first = passes::Gradients(&function_, &module_, ys_, xs_,
                                         {.grad_ys = u_, .zero_unconnected = true});
    if (!first.ok()) return first.status();
    ir::Builder b(&function_, &module_);
    std::vector<Value> products;  // g * v: with ones as seeds, their gradient is that of <g, v>
    for (size_t n = 0; n < xs_.size(); ++n) products.push_back(b.Mul((*first)[n], v_[n]));
    if (!b.status().ok()) return b.status();
    const auto second =
        passes::Gradients(&function_, &module_, products, xs_, {.zero_unconnected = true});
    if (!second.ok()) return second.status();
    results.insert(results.end(), first->begin(), first->end());
    results.insert(results.end(), second->begin(), second->end());
    function_.SetResults(std::move(results));
    module_.AddFunction(std::move(function_));
    return ir::Verify(module_);
  }

  absl::StatusOr<std::vector<EvalTensor>> Evaluate(
      const std::vector<EvalTensor>& parameters) const {
    return ir::Evaluate(module_, *module_.FindFunction("checked"), parameters);
  }
  size_t num_ys() const { return ys_.size(); }
  size_t num_us() const { return u_.size(); }
  const std::vector<Value>& xs() const { return xs_; }
  const ir::Module& module() const { return module_; }

 private:
  ir::Module module_;
  ir::Function function_;
  std::vector<Value> xs_, u_, v_, ys_;
};

EvalTensor Random(const Type& type, Rng& rng) {
  return *ir::FromLiteral(Sample(type, Domain{-1, 1}, rng));
}

double Dot(const EvalTensor& a, const EvalTensor& b, bool absolute = false) {
  double sum = 0;
  for (size_t k = 0; k < a.f.size(); ++k)
    sum += absolute ? std::fabs(a.f[k] * b.f[k]) : a.f[k] * b.f[k];
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
    return (Phi(-2 * kStep, order) - 8 * Phi(-kStep, order) + 8 * Phi(kStep, order) -
            Phi(2 * kStep, order)) /
           (12 * kStep);
  }

  // <gradient, direction> of the order, and the error allowed in the stencil.
  void Compare(int order, const std::vector<EvalTensor>& results) const {
    const size_t first = d.num_ys() + (order == 1 ? 0 : d.xs().size());
    double product = 0, scale = 0;
    for (size_t n = 0; n < directions.size(); ++n) {
      product += Dot(results[first + n], directions[n]);
      scale += Dot(results[first + n], directions[n], true);
    }
    const double allowed = kRelative * scale + kCancellation * Phi(0, order, true) + 1e-13;
    EXPECT_NEAR(product, Stencil(order), allowed) << "order " << order;
  }
};

class EveryGradient : public testing::TestWithParam<ir::Op> {};

TEST_P(EveryGradient, IsTheStencils) {
  int checked = 0;
  for (const OpCase& c : CasesFor(GetParam())) {
    if (!c.differentiable) continue;
    SCOPED_TRACE(c.name);
    Differentiated d(c);
    const absl::Status built = d.Build();
    ASSERT_TRUE(built.ok()) << built;
    Rng rng(20240517);
    Check check{d, {}, {}, c.inputs.size()};
    for (const ir::Literal& l : c.inputs) check.parameters.push_back(*ir::FromLiteral(l));
    for (size_t n = 0; n < c.main().results().size(); ++n) {
      check.parameters.push_back(Random(c.main().type(c.main().results()[n]), rng));
    }
    for (Value x : d.xs()) check.parameters.push_back(Random(c.main().type(x), rng));
    const auto results = d.Evaluate(check.parameters);
    ASSERT_TRUE(results.ok()) << results.status();
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
                         [](const auto& info) {
                           return std::string(ir::Info(info.param).enum_name);
                         });

}  // namespace
}  // namespace reel::optable
