#include "tests/passes/gradient_testing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/strings.h"
#include "ir/verifier.h"

namespace reel::passes {
namespace {

// A fixed sequence of numbers in [-1, 1] without small ones.
class Random {
 public:
  double Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const double unit = static_cast<double>(state_ >> 11) * 0x1p-53;
    return (unit < 0.5 ? -1 : 1) * (0.2 + 0.8 * unit);
  }

 private:
  uint64_t state_ = 42;
};

}  // namespace

Type F64(const Shape& shape) { return {kFloat64, shape}; }
Type I32(const Shape& shape) { return {kInt32, shape}; }

ir::Function& Define(ir::Module* m, const std::string& name, const std::vector<Type>& parameters, const Body& body) {
  ir::Function f(name);
  Values values;
  for (size_t i = 0; i < parameters.size(); ++i) {
    values.push_back(f.AddParameter(StrCat("p", i), parameters[i]));
  }
  ir::Builder b(&f, m);
  f.SetResults(body(b, values));
  EXPECT_TRUE(b.status().ok()) << b.status();
  return m->AddFunction(std::move(f));
}

ir::EvalTensor Fill(const Type& type, const Doubles& values) {
  ir::EvalTensor t = ir::ZeroTensor(type);
  for (size_t i = 0; i < t.size(); ++i) {
    const double v = values.size() == 1 ? values[0] : values.at(i);
    if (IsFloat(type.dtype)) {
      t.f[i] = v;
    } else {
      t.i[i] = static_cast<int64_t>(v);
    }
  }
  return t;
}

Doubles Numbers(const ir::EvalTensor& t) { return IsFloat(t.type.dtype) ? t.f : Doubles(t.i.begin(), t.i.end()); }

std::vector<Doubles> RunFunction(const ir::Module& m, std::string_view function,
                                 const std::vector<Doubles>& parameters) {
  const ir::Function& f = *m.FindFunction(function);
  const absl::Status verified = ir::Verify(m);
  EXPECT_TRUE(verified.ok()) << verified;
  if (!verified.ok()) return {};
  std::vector<ir::EvalTensor> in;
  for (int i = 0; i < f.num_parameters(); ++i) {
    in.push_back(Fill(f.parameter(i).type, parameters.at(static_cast<size_t>(i))));
  }
  const auto results = ir::Evaluate(m, f, in);
  EXPECT_TRUE(results.ok()) << results.status();
  std::vector<Doubles> out;
  if (results.ok()) {
    for (const ir::EvalTensor& t : *results) out.push_back(Numbers(t));
  }
  return out;
}

std::vector<Doubles> RunGradients(const std::vector<Type>& types, const std::vector<Doubles>& inputs, int num_ys,
                                  const Body& body, GradientOptions options) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", types, body);
  const Values all = f.results();
  const Values ys(all.begin(), all.begin() + num_ys), xs(all.begin() + num_ys, all.end());
  const auto gradients = Gradients(&f, &m, ys, xs, options);
  EXPECT_TRUE(gradients.ok()) << gradients.status();
  if (!gradients.ok()) return {};
  Values connected;
  for (Value g : *gradients) {
    if (g.valid()) connected.push_back(g);
  }
  f.SetResults(connected);
  const std::vector<Doubles> values = RunFunction(m, "f", inputs);
  std::vector<Doubles> out;
  size_t next = 0;
  for (Value g : *gradients) out.push_back(g.valid() ? values.at(next++) : Doubles());
  return out;
}

namespace {

// <u, J v> from forward mode, where the tangents v are constants of a copy of the function.
double ForwardDerivative(ir::Module* m, const std::string& function, const std::vector<Doubles>& inputs,
                         const std::vector<Doubles>& direction, const std::vector<Doubles>& seeds) {
  ir::Function f = *m->FindFunction(function);
  f.set_name(StrCat(function, ".jvp"));
  ir::Builder b(&f, m);
  Values xs, dxs;
  for (int i = 0; i < f.num_parameters(); ++i) {
    const Type type = f.parameter(i).type;
    if (!IsFloat(type.dtype)) continue;
    const Doubles& v = direction.at(xs.size());
    dxs.push_back(b.Cast(b.Constant(ir::Literal::From<double>(type.shape, v)), type.dtype));
    xs.push_back({i});
  }
  const Values ys(f.results().begin(), f.results().end());
  const auto tangents = Jvp(&f, m, ys, xs, dxs);
  EXPECT_TRUE(tangents.ok()) << tangents.status();
  if (!tangents.ok()) return 0;
  Values results;
  std::vector<size_t> position;
  for (size_t i = 0; i < tangents->size(); ++i) {
    if (!(*tangents)[i].valid()) continue;
    results.push_back((*tangents)[i]);
    position.push_back(i);
  }
  f.SetResults(results);
  f.set_result_names({});
  m->AddFunction(std::move(f));
  const auto values = RunFunction(*m, StrCat(function, ".jvp"), inputs);
  double sum = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    const Doubles& u = seeds.at(position[k]);
    for (size_t e = 0; e < u.size(); ++e) sum += u[e] * values[k][e];
  }
  return sum;
}

}  // namespace

void CheckDerivatives(ir::Module* m, const std::string& function, std::vector<Doubles> inputs, int order) {
  SCOPED_TRACE(function);
  const auto g = AddGradientFunction(m, function, {}, {}, true);
  ASSERT_TRUE(g.ok()) << g.status();
  const ir::Function& f = *m->FindFunction(function);
  Random random;
  // v: a direction for each floating parameter; inputs full-sized.
  std::vector<Doubles> forward = inputs, backward = inputs, direction;
  double scale = 0;
  constexpr double kStep = 1e-5;
  for (int i = 0; i < f.num_parameters(); ++i) {
    const auto n = static_cast<size_t>(i);
    const Type& type = f.parameter(i).type;
    inputs[n] = Numbers(Fill(type, inputs[n]));
    forward[n] = backward[n] = inputs[n];
    if (!IsFloat(type.dtype)) continue;
    direction.emplace_back();
    for (size_t e = 0; e < inputs[n].size(); ++e) {
      const double v = random.Next();
      direction.back().push_back(v);
      forward[n][e] += kStep * v;
      backward[n][e] -= kStep * v;
    }
  }
  const auto above = RunFunction(*m, function, forward);
  const auto below = RunFunction(*m, function, backward);
  double numeric = 0, exact = 0;
  std::vector<Doubles> seeds;
  for (int i = 0; i < f.num_outputs(); ++i) {  // u is the seed of result i
    const auto n = static_cast<size_t>(i);
    seeds.emplace_back();
    const bool is_float = IsFloat(f.type(f.results()[n]).dtype);
    for (size_t e = 0; e < above.at(n).size(); ++e) {
      seeds.back().push_back(is_float ? random.Next() : 0);
      numeric += seeds.back().back() * (above[n][e] - below[n][e]) / (2 * kStep);
      scale = std::max(scale, std::abs(above[n][e]));
    }
  }
  const double tolerance = 1e-7 * (1 + std::abs(numeric) + scale);
  if (f.num_arguments() == f.num_parameters()) {
    EXPECT_NEAR(ForwardDerivative(m, function, inputs, direction, seeds), numeric, tolerance);
  }
  inputs.insert(inputs.begin() + f.num_arguments(), seeds.begin(), seeds.end());  // before state
  const auto gradient = RunFunction(*m, g->name, inputs);
  for (size_t i = 0; i < direction.size(); ++i) {
    for (size_t e = 0; e < direction[i].size(); ++e) exact += direction[i][e] * gradient.at(i)[e];
  }
  EXPECT_NEAR(exact, numeric, tolerance);
  if (order > 1) CheckDerivatives(m, g->name, inputs, order - 1);
}

}  // namespace reel::passes
