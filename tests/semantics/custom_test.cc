// Custom gradients: rows CG.

#include <cmath>

#include "frontend/record/event_stream.h"
#include "frontend/values/tensor_data.h"
#include "tests/semantics/derivatives.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Variables = std::vector<Variable>;

constexpr TapeOptions kPersistent{.persistent = true};

Variable V(const Tensor& value, const std::string& name = "v", bool trainable = true) {
  return Variable(value, {.name = name, .trainable = trainable});
}

const auto kTriple =
    CustomGradient([](const Tensor& x) { return std::pair(x, [](const Tensor& dy) { return 3 * dy; }); });

TEST(CustomGradient, CG01_IdentityThatTriples) {
  const Tensor x = 1.f;
  EXPECT_EQ(ValueOf(Derivative([](const Tensor& t) { return kTriple(kTriple(t)); }, x)), 9);
  const Tensors compiled = Compiled([](const Tensor& t) { return kTriple(kTriple(t)); }, x);
  EXPECT_EQ(compiled[0].item<float>(), 1);
  EXPECT_EQ(compiled[1].item<float>(), 9);
}

TEST(CustomGradient, CG02_TheUsersAnswerIsTrusted) {
  const auto swapped = CustomGradient([](const Tensor& a, const Tensor& b) {
    return std::pair(a * b, [=](const Tensor& dy) { return Tensors{dy * a, dy * b}; });
  });
  const Tensor a = 3.f, b = 5.f;
  GradientTape tape;
  tape.Watch({a, b});
  const GradientList g = tape.Gradient(swapped(a, b), {a, b});
  EXPECT_EQ(g.Dense(0).item<float>(), 3);
  EXPECT_EQ(g.Dense(1).item<float>(), 5);
}

TEST(CustomGradient, CG03_OfAMethod) {
  struct Scaler {
    float by;
    Tensor operator()(const Tensor& x) const {
      return CustomGradient([this](const Tensor& t) { return std::pair(t * by, [](const Tensor& dy) { return dy; }); })(
          x);
    }
  };
  EXPECT_EQ(ValueOf(Derivative(Scaler{7}, 2.f)), 1);
}

TEST(CustomGradient, CG04_EagerAndTraced) {
  const auto square =
      CustomGradient([](const Tensor& x) { return std::pair(x * x, [](const Tensor& dy) { return 4 * dy; }); });
  EXPECT_EQ(ValueOf(Derivative(square, 3.f)), 4);
  EXPECT_EQ(Compiled(square, 3.f)[1].item<float>(), 4);
}

TEST(CustomGradient, CG05_TG32_33_TooFewOrWrongGradients) {
  const auto empty =
      CustomGradient([](const Tensor& x) { return std::pair(x, [](const Tensor&) { return Tensors{}; }); });
  ExpectError(ErrorCode::kInvalidArgument, "returns 0 gradients for 1 inputs", [&] { Derivative(empty, 1.f); });
  const auto wrong =
      CustomGradient([](const Tensor& x) { return std::pair(x, [](const Tensor&) { return Tensor({1.f, 2.f}); }); });
  ExpectError(ErrorCode::kInvalidArgument, "is f32[2], it must be f32[]", [&] { Derivative(wrong, 1.f); });
}

TEST(CustomGradient, CG06_ErrorsOfTheGradientReachTheCaller) {
  const auto bad = CustomGradient(
      [](const Tensor& x) { return std::pair(x, [](const Tensor&) -> Tensor { throw std::runtime_error("mine"); }); });
  const int64_t before = internal::LiveTensors();
  {
    const Tensor x = 1.f;
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = bad(x);  // not asked yet
    EXPECT_THROW(tape.Gradient(y, x), std::runtime_error);
  }
  EXPECT_TRUE(internal::State().sinks.empty());
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(CustomGradient, CG07_NumbersAndVariablesAreInputs) {
  const auto scale = CustomGradient([](const Tensor& a, const Tensor& b) {
    return std::pair(a * b, [=](const Tensor& dy) { return Tensors{dy * b, dy * a}; });
  });
  const Variable v = V(3.f);
  GradientTape tape;
  EXPECT_EQ(ValueOf(tape.Gradient(scale(2.f, v), v)), 2);
}

TEST(CustomGradient, CG08_VariablesThatTheGradientDoesNotTake) {
  const Variable w = V(2.f, "weight");
  const auto f = CustomGradient([&](const Tensor& x) { return std::pair(x * w, [](const Tensor& dy) { return dy; }); });
  ExpectError(ErrorCode::kInvalidArgument, "uses variables 'weight'", [&] { f(1.f); });
  EXPECT_TRUE(internal::State().sinks.empty());
}

// f(x) = x w b with ones for the gradients of the variables.
TEST(CustomGradient, CG09_10_12_VariablesInTheOrderOfCreation) {
  const Variable b = V(5.f, "b"), w = V(2.f, "w");
  std::vector<std::string> names;
  const auto f = CustomGradient([&](const Tensor& x) {
    return std::pair(x * w * b, [&names](const Tensor& dy, const Variables& variables) {
      names.clear();
      for (const Variable& v : variables) names.push_back(v.name());
      return std::pair(7 * dy, Tensors{8 * dy, 9 * dy});
    });
  });
  const Tensor x = 1.f;
  GradientTape tape;
  tape.Watch(x);
  const GradientList g = tape.Gradient(f(x), {x, b, w});
  EXPECT_THAT(names, ElementsAre("b", "w"));
  EXPECT_EQ(g.Dense(0).item<float>(), 7);
  EXPECT_EQ(g.Dense(1).item<float>(), 8);
  EXPECT_EQ(g.Dense(2).item<float>(), 9);
  const Function step = Trace(
      [&](const Tensor& t) {
        const GradientList d = Gradients(f(t), {t, b, w});
        return Tensors{d.Dense(0), d.Dense(1), d.Dense(2)};
      },
      {Spec(x)});
  const Results results = Compile(step)("main", x);
  EXPECT_EQ(results[0].item<float>(), 7);
  EXPECT_EQ(results[1].item<float>(), 8);
  EXPECT_EQ(results[2].item<float>(), 9);
}

TEST(CustomGradient, CG11_WrongNumberOfVariableGradients) {
  const Variable w = V(2.f);
  const auto f = CustomGradient([&](const Tensor& x) {
    return std::pair(x * w, [](const Tensor& dy, const Variables&) { return std::pair(dy, Tensors{}); });
  });
  ExpectError(ErrorCode::kInvalidArgument, "returns 0 gradients for 1 variables", [&] { Derivative(f, 1.f); });
}

TEST(CustomGradient, CG13_AVariablePassedIsAnInput) {
  const auto my_square = CustomGradient(
      [](const Tensor& x) { return std::pair(x * x, [x](const Tensor& dr) { return 2 * dr * x + 1; }); });
  const Variable v = V(3.f);
  GradientTape tape;
  EXPECT_EQ(ValueOf(tape.Gradient(my_square(v), v)), 7);
}

TEST(CustomGradient, CG14_15_OnlyTrainableVariablesOnThePath) {
  const Variable used = V(1.f, "used"), frozen = V(1.f, "frozen", false), unused = V(1.f, "unused"),
                 behind = V(1.f, "behind"), inner = V(1.f, "inner"), other = V(1.f, "other");
  const Tensor outside = other * 2.f;  // separated: read before
  const auto g = CustomGradient([&](const Tensor& x) {
    return std::pair(x * inner, [](const Tensor& dy, const Variables&) { return std::pair(dy, Tensors{dy}); });
  });
  std::vector<std::string> names;
  const auto f = CustomGradient([&](const Tensor& x) {
    const Tensor lost = unused * 2.f;
    const Tensor y = g(x * used) * frozen * OnesLike(behind) * Floor(behind) + outside;
    return std::pair(y, [&names](const Tensor& dy, const Variables& variables) {
      names.clear();
      for (const Variable& v : variables) names.push_back(v.name());
      return std::pair(dy, Tensors(variables.size(), dy));
    });
  });
  EXPECT_EQ(ValueOf(Derivative(f, 1.f)), 1);
  EXPECT_THAT(names, ElementsAre("used", "inner"));
  Compiled(f, 1.f);
  EXPECT_THAT(names, ElementsAre("used", "inner"));
}

TEST(CustomGradient, CG18_TakesVariablesButUsesNone) {
  const auto f = CustomGradient([](const Tensor& x) {
    return std::pair(x, [](const Tensor& dy, const Variables& variables) {
      EXPECT_TRUE(variables.empty());
      return CustomGradients{{5 * dy}, {}};
    });
  });
  EXPECT_EQ(ValueOf(Derivative(f, 1.f)), 5);
}

TEST(CustomGradient, CG19_CapturedTensorsGetNone) {
  const Tensor x = 2.f;
  const auto f =
      CustomGradient([&](const Tensor& y) { return std::pair(x * y, [](const Tensor& dy) { return 5 * dy; }); });
  const Tensor y = 3.f;
  GradientTape tape;
  tape.Watch({x, y});
  const GradientList g = tape.Gradient(f(y), {x, y});
  EXPECT_FALSE(g[0].gradient);
  EXPECT_EQ(g.Dense(1).item<float>(), 5);
  const Function step = Trace(
      [&](const Tensor& a, const Tensor& b) {
        const Tensor captured = a * 2;
        const auto h = CustomGradient(
            [&](const Tensor& t) { return std::pair(captured * t, [=](const Tensor& dy) { return captured * dy; }); });
        const Tensor value = h(b);
        const GradientList d = Gradients(value, {a, b});
        EXPECT_FALSE(d[0].gradient);
        return Tensors{value, d.Dense(1)};
      },
      {Spec(x), Spec(y)});
  const Results results = Compile(step)("main", x, y);
  EXPECT_EQ(results[0].item<float>(), 12);
  EXPECT_EQ(results[1].item<float>(), 4);
}

TEST(CustomGradient, CG20_OneInsideTheOtherBothWithVariables) {
  const Variable v = V(2.f), w = V(3.f);
  const auto inner = CustomGradient([&](const Tensor& x) {
    return std::pair(x * v, [](const Tensor& dy, const Variables&) { return std::pair(4 * dy, Tensors{5 * dy}); });
  });
  const auto outer = CustomGradient([&](const Tensor& x) {
    const Tensor y = inner(x) * w;
    return std::pair(y, [=](const Tensor& dy, const Variables& variables) {
      EXPECT_EQ(variables.size(), 2u);
      return std::pair(6 * dy, Tensors{12 * dy, 13 * dy});
    });
  });
  const Tensor x = 1.f;
  GradientTape tape;
  tape.Watch(x);
  const GradientList g = tape.Gradient(outer(x), {x, v, w});
  EXPECT_EQ(g.Dense(0).item<float>(), 6);
  EXPECT_EQ(g.Dense(1).item<float>(), 12);
  EXPECT_EQ(g.Dense(2).item<float>(), 13);
}

TEST(CustomGradient, CG21_ListsInAndOut) {
  const auto f = CustomGradient([](const Tensors& x) {
    return std::pair(Tensors{x[0] + x[1], x[1] * x[2], Cast(x[0], kInt32)}, [](const Tensors& dys) {
      EXPECT_EQ(dys.size(), 3u);
      EXPECT_EQ(dys[2].dtype(), kInt32);
      return std::vector<std::optional<Tensor>>{dys[0], dys[1], std::nullopt};
    });
  });
  const Tensor a = 1.f, b = 2.f, c = 3.f;
  GradientTape tape;
  tape.Watch({a, b, c});
  const Tensors y = f(Tensors{a, b, c});
  ASSERT_EQ(y.size(), 3u);
  const GradientList g = tape.Gradient({y[0], 10 * y[1]}, {a, b, c});
  EXPECT_EQ(g.Dense(0).item<float>(), 1);
  EXPECT_EQ(g.Dense(1).item<float>(), 10);
  EXPECT_FALSE(g[2].gradient);
}

// f(x) = x + 10 with f' = g(x), g = -1.1 with g' = -2.1: first 4 f^3 g, second 12 f^2 g^2 + 4 f^3 g'.
TEST(CustomGradient, CG22_SecondOrderOverridden) {
  const auto g = CustomGradient(
      [](const Tensor& x) { return std::pair(-1.1 * OnesLike(x), [](const Tensor& dy) { return -2.1 * dy; }); });
  const auto f =
      CustomGradient([&](const Tensor& x) { return std::pair(x + 10, [=](const Tensor& dy) { return dy * g(x); }); });
  const Fn power = [&](const Tensor& x) {
    const Tensor y = f(x);
    return y * y * y * y;
  };
  const double x = 3, y = x + 10;
  const double first = 4 * y * y * y * -1.1, second = 12 * y * y * 1.21 + 4 * y * y * y * -2.1;
  EXPECT_DOUBLE_EQ(Nth(power, Tensor(x), 1).item<double>(), first);
  EXPECT_DOUBLE_EQ(Nth(power, Tensor(x), 2).item<double>(), second);
  const Tensors traced = Compiled([&](const Tensor& t) { return Nth(power, t, 1); }, Tensor(x));
  EXPECT_DOUBLE_EQ(traced[0].item<double>(), first);
  EXPECT_DOUBLE_EQ(traced[1].item<double>(), second);
}

TEST(CustomGradient, CG23_OfTheGradientFunctionIsByDy) {
  const auto f = CustomGradient([](const Tensor& x) {
    const auto first = CustomGradient(
        [=](const Tensor& dy) { return std::pair(dy * 2 * x, [](const Tensor& ddy) { return 100 * ddy; }); });
    return std::pair(x * x, [first](const Tensor& dy) { return first(dy); });
  });
  const Tensor x = 3.f, seed = 1.f;
  GradientTape outer;
  outer.Watch({x, seed});
  std::optional<Tensor> d;
  {
    GradientTape inner;
    inner.Watch(x);
    d = inner.Gradient(f(x), x, {.output_gradients = {seed}});
  }
  EXPECT_EQ(ValueOf(d), 6);
  const GradientList g = outer.Gradient(*d, {x, seed});
  EXPECT_FALSE(g[0].gradient);  // captured by `first`
  EXPECT_EQ(g.Dense(1).item<float>(), 100);
}

TEST(CustomGradient, CG24_GradientOfTheGradientByBoth) {
  const auto first_order = CustomGradient([](const Tensor& x, const Tensor& dz) {
    return std::pair(2.1 * OnesLike(x) + 0 * dz, [](const Tensor& ddz) { return Tensors{2.2 * ddz, 3.1 * ddz}; });
  });
  const auto f = CustomGradient(
      [&](const Tensor& x) { return std::pair(x * x, [=](const Tensor& dz) { return first_order(x, dz); }); });
  const Tensor x = 1.0, seed = 1.0;
  GradientTape outer;
  outer.Watch({x, seed});
  std::optional<Tensor> d;
  {
    GradientTape inner;
    inner.Watch(x);
    d = inner.Gradient(f(x), x, {.output_gradients = {seed}});
  }
  EXPECT_DOUBLE_EQ(d->item<double>(), 2.1);
  const GradientList g = outer.Gradient(*d, {x, seed});
  EXPECT_DOUBLE_EQ(g.Dense(0).item<double>(), 2.2);
  EXPECT_DOUBLE_EQ(g.Dense(1).item<double>(), 3.1);
}

TEST(CustomGradient, CG25_AGradientInsideTheFunction) {
  const auto f = CustomGradient([](const Tensor& x) {
    const Tensor y = Derivative([](const Tensor& t) { return t * t; }, x).value();
    return std::pair(y, [](const Tensor& dy) { return dy; });
  });
  EXPECT_EQ(f(1.f).item<float>(), 2);
}

TEST(CustomGradient, CG26_ATrainingLoop) {
  const auto my_mul = CustomGradient([](const Tensor& x, const Tensor& y) {
    return std::pair(x * y, [=](const Tensor& dr) { return Tensors{dr * y, dr * x}; });
  });
  const Variable x = V(2.f);
  const Sgd sgd({.learning_rate = 0.25});
  std::vector<float> losses;
  for (int i = 0; i < 5; ++i) {
    GradientTape tape;
    const Tensor loss = my_mul(2.f, x);
    losses.push_back(loss.item<float>());
    sgd.Apply(tape.Gradient(loss, {x}));
  }
  EXPECT_THAT(losses, ElementsAre(4, 3, 2, 1, 0));
}

// The gradient function differentiates by the variable; the input was never watched.
TEST(CustomGradient, CG27_UnwatchedInput) {
  const Variable w = V(2.f);
  const auto f = CustomGradient([&](const Tensor& x) {
    return std::pair(x * w, [=](const Tensor& dy, const Variables& variables) {
      GradientTape tape;
      const Tensor y = x * variables[0];
      return std::pair(dy, Tensors{dy * tape.Gradient(y, variables[0]).value()});
    });
  });
  const Tensor x = 3.f;
  GradientTape tape;
  const GradientList g = tape.Gradient(f(x), {x, w});
  EXPECT_FALSE(g[0].gradient);
  EXPECT_EQ(g.Dense(1).item<float>(), 3);
}

// --- what the rows do not say ---

// log(1 + exp(x)): the gradient uses what the function computed.
const auto kLog1pExp = CustomGradient([](const Tensor& x) {
  const Tensor e = Exp(x);
  return std::pair(Log(1 + e), [=](const Tensor& dy) { return dy * (1 - 1 / (1 + e)); });
});

TEST(CustomGradient, HigherOrdersGoThroughWhatItCaptured) {
  const Tensor x = 0.5;
  const double s = 1 / (1 + std::exp(-0.5));
  EXPECT_NEAR(Nth(kLog1pExp, x, 1).item<double>(), s, 1e-15);
  EXPECT_NEAR(Nth(kLog1pExp, x, 2).item<double>(), s * (1 - s), 1e-15);
  EXPECT_NEAR(Nth(kLog1pExp, x, 3).item<double>(), s * (1 - s) * (1 - 2 * s), 1e-15);
  std::string text;
  const Tensors traced = Compiled([](const Tensor& t) { return Nth(kLog1pExp, t, 1); }, x, &text);
  EXPECT_NEAR(traced[0].item<double>(), s, 1e-15);
  EXPECT_NEAR(traced[1].item<double>(), s * (1 - s), 1e-15);
  EXPECT_THAT(text, Not(HasSubstr("call")));  // a tape in a trace runs the user's gradient, as in eager code
}

// The gradient of a loaded file is the user's.
TEST(CustomGradient, SurvivesSerialisation) {
  const auto square =
      CustomGradient([](const Tensor& x) { return std::pair(x * x, [](const Tensor& dy) { return 40 * dy; }); });
  const Tensor x = 3.f;
  const Function traced = Trace([&](const Tensor& t) { return square(t) + 1; }, {Spec(x)}, "f");
  Recording recording;
  const Tensor y = square(x) + 1;
  const Function lifted = recording.Lift({{"x", x}}, {{"y", y}}, {.name = "f"});
  for (const Function& f : {traced, lifted}) {
    const std::string text = Module::Lift({{"f", f}}).ToText();
    EXPECT_THAT(text, HasSubstr("vjp=")) << text;
    const Module loaded = Module::FromText(text);
    EXPECT_EQ(Tensor(Compile(loaded)("f", x)).item<float>(), 10);
    EXPECT_EQ(Tensor(Compile(Gradients(f))(Gradients(f).name(), x)).item<float>(), 40);
  }
}

// A recorded step with its backward part computes what eager code does.
TEST(CustomGradient, InARecordedStep) {
  const Variable w = V(0.5f, "w");
  const auto f = CustomGradient([&](const Tensor& x) {
    const Tensor e = Exp(x * w);
    return std::pair(e, [=](const Tensor& dy, const Variables&) { return std::pair(dy * e, Tensors{2 * dy * e}); });
  });
  const Sgd sgd({.learning_rate = 0.1});
  const auto train = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor y = f(x);
    sgd.Apply(tape.Gradient(y, {w}));
    return y;
  };
  const Tensor x = 1.f;
  Recording recording;
  const Tensor y = train(x);
  const Function step = recording.Lift({{"x", x}}, {{"y", y}});
  EXPECT_NEAR(w.value().item<float>(), 0.5f - 0.2f * y.item<float>(), 1e-6f);
  const Executable run = Compile(step);
  const float compiled = Tensor(run(step.name(), x)).item<float>();
  EXPECT_EQ(compiled, train(x).item<float>());
  EXPECT_EQ(run.variable("w").item<float>(), w.value().item<float>());
}

TEST(CustomGradient, AVariableThatTheFunctionAssigns) {
  const Variable w = V(3.f, "w");
  const auto f = CustomGradient([&](const Tensor& x) {
    const Tensor y = x * w;
    w.Assign(w * 2.f);
    return std::pair(y, [](const Tensor& dy, const Variables&) { return std::pair(dy, Tensors{5 * dy}); });
  });
  const Tensor x = 2.f;
  const Executable run = Compile(Trace(
      [&](const Tensor& t) {
        const Tensor y = f(t);
        return Tensors{y, Gradients(y, {w}).Dense(0)};
      },
      {Spec(x)}));
  const Results results = run("main", x);
  EXPECT_EQ(results[0].item<float>(), 6);
  EXPECT_EQ(results[1].item<float>(), 5);
  EXPECT_EQ(run.variable("w").item<float>(), 6);
  GradientTape tape;
  EXPECT_EQ(ValueOf(tape.Gradient(f(x), w)), 5);
  EXPECT_EQ(w.value().item<float>(), 6);
}

TEST(CustomGradient, InBranchesAndLoops) {
  const Tensor x = 2.f;
  const Fn f = [](const Tensor& t) {
    const Tensor y = Cond(t > 0, [&] { return kTriple(t) * 2; }, [&] { return t; });
    return WhileLoop([](const Tensors& v) { return v[0] < 2; },
                     [](const Tensors& v) { return Tensors{v[0] + 1, kTriple(v[1])}; }, {Tensor(0), y})[1];
  };
  EXPECT_EQ(ValueOf(Derivative(f, x)), 54);
  EXPECT_EQ(Compiled(f, x)[1].item<float>(), 54);
}

TEST(CustomGradient, NoneIsNone) {
  const auto f = CustomGradient([](const Tensor& a, const Tensor& b) {
    return std::pair(a * b, [=](const Tensor& dy) { return std::vector<std::optional<Tensor>>{std::nullopt, dy * a}; });
  });
  const Tensor x = 2.f, y = 3.f;
  GradientTape tape(kPersistent);
  tape.Watch({x, y});
  const GradientList g = tape.Gradient(f(Tanh(x * 2), y), {x, y});
  EXPECT_FALSE(g[0].gradient);
  EXPECT_TRUE(g[1].gradient);
  EXPECT_EQ(ValueOf(tape.Gradient(f(x, y) + x * 5, x)), 5);  // nothing but the other path
  EXPECT_EQ(ValueOf(tape.Gradient(f(x, y), x, {.unconnected_gradients = UnconnectedGradients::kZero})), 0);
}

TEST(CustomGradient, ReleasesWhatItCaptured) {
  const Tensor x = Ones({100});
  const int64_t before = internal::LiveTensors();
  GradientTape tape;
  tape.Watch(x);
  {
    const Tensor y = kLog1pExp(x);
    tape.Gradient(y, x);
  }
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(CustomGradient, WrongNumberOfInputs) {
  const auto f = CustomGradient([](const Tensor& x) { return std::pair(x, [](const Tensor& dy) { return dy; }); });
  ExpectError(ErrorCode::kInvalidArgument, "takes 1 tensors, got 2", [&] { f(1.f, 2.f); });
}

}  // namespace
}  // namespace reel
