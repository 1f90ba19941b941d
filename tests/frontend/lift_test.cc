// Recording and tracing: what ran, as a function.

#include "frontend/record/event_log.h"
#include "ir/eval/eval.h"
#include "passes/pass.h"
#include "tests/frontend/classifier.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ir::Module& Ir(const Function& f) { return f.internal_data()->module; }

const Tensor kInput = Tensor({{1.f, -2.f, 3.f, 0.5f}, {0.f, 1.f, -1.f, 2.f}});
const Tensor kLabels = Tensor({2, 0});

// Runs a lifted step in the reference evaluator from the values it holds.
ir::EntryResult Evaluate(const Function& f, const std::vector<Tensor>& arguments) {
  std::vector<ir::Literal> literals;
  for (const Tensor& x : arguments) literals.push_back(internal::ToLiteral(x));
  auto result = ir::EvaluateEntry(Ir(f), f.name(), literals);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

TEST(Recording, LiftsTheWholeStep) {
  Classifier s;
  s.Train(kInput, kLabels);  // creates the slots
  Recording recording;
  s.Train(kInput, kLabels);
  const Tensor loss = s.Train(kInput, kLabels);
  (void)loss;
  Recording again;
  const Tensor last = s.Train(kInput, kLabels);
  const Function step = again.Lift({{"x", kInput}, {"labels", kLabels}}, {{"loss", last}});
  EXPECT_FALSE(again.recording());
  EXPECT_EQ(step.num_arguments(), 2);
  EXPECT_EQ(step.num_results(), 1);
  // 4 parameters, 8 slots, learning rate, 3 constants and 2 powers of Adam
  EXPECT_EQ(step.variables().size(), 18u);

  // The lifted step continues the eager one.
  const ir::EntryResult lifted = Evaluate(step, {kInput, kLabels});
  const Tensor eager = s.Train(kInput, kLabels);
  EXPECT_NEAR(lifted.outputs[0].AsDouble(0), eager.item<double>(), 1e-5);
  const std::vector<Variable> variables = step.variables();
  for (size_t v = 0; v < variables.size(); ++v) {
    const std::vector<double> want = Values(variables[v].value());
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(lifted.state[v].AsDouble(static_cast<int64_t>(i)), want[i], 1e-5) << variables[v].name();
    }
  }
}

TEST(Recording, GivesTheGraphOfTheTrace) {
  Classifier s;
  s.Train(kInput, kLabels);
  Recording recording;
  const Tensor loss = s.Train(kInput, kLabels);
  const Function recorded = recording.Lift({kInput, kLabels}, {loss});
  const std::vector<double> before = Values(s.model.variables()[0].value());
  const Function traced = Trace([&](const Tensor& x, const Tensor& y) { return s.Train(x, y); },
                                {Spec(kFloat32, {2, 4}), Spec(kInt32, {2})});
  EXPECT_EQ(Values(s.model.variables()[0].value()), before);  // tracing changes nothing
  EXPECT_EQ(recorded.Fingerprint(), traced.Fingerprint());
  EXPECT_EQ(recorded.variables().size(), traced.variables().size());
}

TEST(Recording, VariablesReadAfterAssignAndWrittenOnly) {
  const Variable v(Tensor(2.f), {.name = "v"}), w(Tensor(0.f), {.name = "w"});
  const Tensor x = 3.f;
  Recording recording;
  v.Assign(v * x);
  const Tensor y = v + 1.f;  // sees the assigned value
  w.Assign(y);
  const Function f = recording.Lift({x}, {y});
  EXPECT_EQ(v.value().item<float>(), 6);
  EXPECT_EQ(f.variables().size(), 2u);
  const ir::EntryResult r = Evaluate(f, {Tensor(2.f)});  // from v = 6
  EXPECT_EQ(r.outputs[0].AsDouble(0), 13);
  EXPECT_EQ(r.state[0].AsDouble(0), 12);
  EXPECT_EQ(r.state[1].AsDouble(0), 13);
}

TEST(Recording, RandomDrawsContinueTheSequence) {
  const Generator g(5);
  Recording recording;
  const Tensor first = RandomUniform({6}, {.generator = g});
  const Function f = recording.Lift({}, {first});
  const ir::EntryResult r = Evaluate(f, {});
  const std::vector<double> second = Values(RandomUniform({6}, {.generator = g}));
  for (size_t i = 0; i < second.size(); ++i) EXPECT_EQ(r.outputs[0].AsDouble(static_cast<int64_t>(i)), second[i]);
  EXPECT_EQ(r.state[0].AsInt(1), g.state().value()[1].item<int64_t>());
}

TEST(Recording, CapturedTensorsAreConstantsUpToALimit) {
  const Tensor x = Ones({8}), captured = Arange(0, 8, kFloat32);
  const auto lift = [&](int64_t limit) {
    Recording recording;
    const Tensor y = x * captured;
    return recording.Lift({x}, {y}, {.max_captured_bytes = limit});
  };
  EXPECT_THAT(lift(32).ToText(), HasSubstr("constant"));
  ExpectError(ErrorCode::kResourceExhausted, "f32[8], take more than 31 bytes", [&] { lift(31); });
}

TEST(Recording, KeepsNoIntermediateValues) {
  const Tensor x = Ones({16});
  const int64_t before = internal::LiveTensors();
  Recording recording;
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = Tanh(y);
  EXPECT_EQ(internal::LiveTensors(), before + 1);  // y; x is held already
}

TEST(Recording, DropsWhatTheResultsDoNotNeed) {
  const Tensor x = Ones({4});
  Recording recording;
  const Tensor unused = Exp(x), y = x + x;
  const Function f = recording.Lift({x}, {y});
  EXPECT_THAT(f.ToText(), testing::Not(HasSubstr("exp")));
}

TEST(Recording, Mistakes) {
  const Tensor x = 1.f;
  ExpectError(ErrorCode::kInvalidArgument, "are the same tensor", [&] {
    Recording recording;
    const Tensor y = x * x;
    recording.Lift({x, x}, {y});
  });
  ExpectError(ErrorCode::kInvalidArgument, "null tensor", [&] { Recording().Lift({Tensor()}, {x}); });
}

TEST(Trace, SymbolicTensorsHaveNoValues) {
  ExpectError(ErrorCode::kFailedPrecondition, "lift_test.cc",
              [] { Trace([](const Tensor& x) { return x.item<float>() > 0 ? x : -x; }, {Spec(kFloat32, {})}); });
  ExpectError(ErrorCode::kFailedPrecondition, "Cond, WhileLoop or Where", [] {
    Trace(
        [](const Tensor& x) {
          if (x > 0) return x;
          return -x;
        },
        {Spec(kFloat32, {})});
  });
  EXPECT_EQ(internal::State().trace, nullptr);  // restored
  EXPECT_TRUE(internal::State().sinks.empty());
}

TEST(Trace, SymbolicTensorsEndWithTheirTrace) {
  Tensor leaked;
  Trace([&](const Tensor& x) { return leaked = x * 2.f; }, {Spec(kFloat32, {2})});
  ExpectError(ErrorCode::kFailedPrecondition, "outside the trace that made it", [&] { leaked + 1.f; });
}

TEST(Trace, ResultsAndArguments) {
  const Function f = Trace([](const Tensor& a, const Tensor& b) { return std::pair(a + b, a * b); },
                           {Spec(kFloat32, {2}, "a"), Spec(kFloat32, {2}, "b")}, "both");
  EXPECT_EQ(f.name(), "both");
  EXPECT_EQ(f.num_results(), 2);
  const ir::EntryResult r = Evaluate(f, {Tensor({1.f, 2.f}), Tensor({3.f, 4.f})});
  EXPECT_EQ(r.outputs[0].AsDouble(1), 6);
  EXPECT_EQ(r.outputs[1].AsDouble(1), 8);
  ExpectError(ErrorCode::kInvalidArgument, "one spec per argument",
              [] { Trace([](const Tensor& a) { return a; }, {Spec(kFloat32, {}), Spec(kFloat32, {})}); });
}

TEST(Trace, LazyLayersAreBuiltEagerly) {
  const Sequential model{Dense(3, Relu), Dense(2)};
  const Function f = Trace(model, {Spec(kFloat32, {5, 4})});
  EXPECT_EQ(f.variables().size(), 4u);
  EXPECT_EQ(model(Zeros({1, 4})).shape(), Shape({1, 2}));
}

TEST(Trace, GradientsWithStopsAndSeeds) {
  const auto values = [](auto body) {
    const Function f = Trace(body, {Spec(kFloat32, {})});
    return Evaluate(f, {Tensor(3.f)}).outputs[0].AsDouble(0);
  };
  EXPECT_EQ(values([](const Tensor& x) { return Gradients(x * x, {x}).Dense(0); }), 6);
  EXPECT_EQ(values([](const Tensor& x) {
              const Tensor y = x * x;
              return Gradients(y * x, {x}, {.stop_gradients = {y}}).Dense(0);
            }),
            9);
  EXPECT_EQ(values([](const Tensor& x) { return Gradients(x * x, {x}, {.grad_ys = {Tensor(10.f)}}).Dense(0); }), 60);
  EXPECT_EQ(values([](const Tensor& x) {  // second order
              return Gradients(Gradients(x * x * x, {x}).Dense(0), {x}).Dense(0);
            }),
            18);
  EXPECT_EQ(values([](const Tensor& x) {
              const Tensor zero =
                  Gradients(x * x, {Tensor(1.f) * x}, {.unconnected_gradients = UnconnectedGradients::kZero}).Dense(0);
              return zero;
            }),
            0);
  ExpectError(ErrorCode::kFailedPrecondition, "nothing is being traced", [] { Gradients(Tensor(1.f), {Tensor(1.f)}); });
}

TEST(Trace, GradientsByVariables) {
  const Variable w(Tensor(4.f), {.name = "w"});
  const Function f = Trace([&](const Tensor& x) { return Gradients(w * w * x, {w}).Dense(0); }, {Spec(kFloat32, {})});
  EXPECT_EQ(Evaluate(f, {Tensor(3.f)}).outputs[0].AsDouble(0), 24);
}

TEST(Function, GradientsOfAFunction) {
  const Function f = Trace([](const Tensor& x) { return x * x; }, {Spec(kFloat32, {}, "x")}, "square");
  const Function g = Gradients(f);
  EXPECT_EQ(Evaluate(g, {Tensor(3.f)}).outputs[0].AsDouble(0), 6);
  const Function seeded = Gradients(f, {.xs = {"x"}, .grad_ys = true});
  EXPECT_EQ(Evaluate(seeded, {Tensor(3.f), Tensor(10.f)}).outputs[0].AsDouble(0), 60);
  ExpectError(ErrorCode::kNotFound, "'z'", [&] { Gradients(f, {.xs = {"z"}}); });
}

TEST(Module, SM02_05_06_AO12_SharesVariablesAmongEntries) {
  Classifier s;
  const Module m = Module::Lift({{"train",
                                  [&](const Tensor& x, const Tensor& y) { return s.Train(x, y); },
                                  {Spec(kFloat32, {2, 4}), Spec(kInt32, {2})}},
                                 {"predict", s.model, {Spec(kFloat32, {2, 4})}}});
  EXPECT_THAT(m.entries(), ElementsAre("train", "predict"));
  EXPECT_EQ(m.variables().size(), 18u);
  EXPECT_EQ(Values(m.value("dense/kernel")), Values(s.model.variables()[0].value()));
  m.Verify();
  const Module again = Module::FromText(m.ToText());
  EXPECT_EQ(again.ToText(), m.ToText());
  const std::string path = testing::TempDir() + "/reel_lift_test.reel";
  m.Save(path);
  EXPECT_EQ(Module::Load(path).ToText(), m.ToText());
  EXPECT_THAT(m.ToDot(), HasSubstr("digraph"));
  ExpectError(ErrorCode::kNotFound, "no/such/file", [] { Module::Load("no/such/file.reel"); });
}

TEST(Module, FromARecordingAndACallable) {
  Classifier s;
  s.Train(kInput, kLabels);
  Recording recording;
  const Tensor loss = s.Train(kInput, kLabels);
  const Function step = recording.Lift({kInput, kLabels}, {loss});
  const Module m = Module::Lift({{"train", step}, {"predict", s.model, {Spec(kFloat32, {7, 4})}}});
  EXPECT_EQ(m.variables().size(), 18u);
  ExpectError(ErrorCode::kInvalidArgument, "two entry points", [&] { Module::Lift({{"a", step}, {"a", step}}); });
}

TEST(Module, EqualNamesAreMadeDistinct) {
  const Variable a(Tensor(1.f), {.name = "w"}), b(Tensor(2.f), {.name = "w"});
  const Module m = Module::Lift({{"f", [&](const Tensor& x) { return x * a + b; }, {Spec(kFloat32, {})}}});
  EXPECT_THAT(m.variables(), ElementsAre("w", "w_1"));
}

}  // namespace
}  // namespace reel
