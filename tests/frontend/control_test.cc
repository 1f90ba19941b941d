// Cond and WhileLoop: the same results eagerly and traced.

#include "frontend/record/event_log.h"
#include "ir/eval/eval.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

ir::EntryResult Evaluate(const Function& f, const std::vector<Tensor>& arguments) {
  std::vector<ir::Literal> literals;
  for (const Tensor& x : arguments) literals.push_back(internal::ToLiteral(x));
  auto result = ir::EvaluateEntry(f.internal_data()->module, f.name(), literals);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

Tensor SquareOrNegate(const Tensor& x) {
  return Cond(x > 0, [&] { return x * x; }, [&] { return -x; });
}

TEST(Cond, EagerAndTraced) {
  const Function f = Trace(SquareOrNegate, {Spec(kFloat32, {})});
  for (float x : {3.f, -2.f}) {
    EXPECT_EQ(Evaluate(f, {Tensor(x)}).outputs[0].AsDouble(0), SquareOrNegate(Tensor(x)).item<double>());
  }
}

TEST(Cond, GradientInsideATrace) {
  const Function f = Trace(
      [](const Tensor& x) {
        GradientTape tape;
        tape.Watch(x);
        return *tape.Gradient(SquareOrNegate(x), x);
      },
      {Spec(kFloat32, {})});
  EXPECT_EQ(Evaluate(f, {Tensor(3.f)}).outputs[0].AsDouble(0), 6);
  EXPECT_EQ(Evaluate(f, {Tensor(-3.f)}).outputs[0].AsDouble(0), -1);
}

TEST(Cond, CarriesVariables) {
  const Variable v(Tensor(1.f), {.name = "v"}), w(Tensor(10.f), {.name = "w"});
  const Function f = Trace(
      [&](const Tensor& flag) {
        v.Assign(v + 1.f);
        return Cond(
            flag,
            [&] {
              v.Assign(v * w);
              return v + 0.f;
            },
            [&] { return w + 0.f; });
      },
      {Spec(kBool, {})});
  EXPECT_EQ(v.value().item<float>(), 1);
  const ir::EntryResult yes = Evaluate(f, {Tensor(true)}), no = Evaluate(f, {Tensor(false)});
  EXPECT_EQ(yes.outputs[0].AsDouble(0), 20);
  EXPECT_EQ(yes.state[0].AsDouble(0), 20);
  EXPECT_EQ(no.outputs[0].AsDouble(0), 10);
  EXPECT_EQ(no.state[0].AsDouble(0), 2);
}

TEST(Cond, Nested) {
  const auto body = [](const Tensor& x) {
    return Cond(
        x > 0, [&] { return Cond(x > 1, [&] { return x * x; }, [&] { return x + x; }); }, [&] { return Tensor(0.f); });
  };
  const Function f = Trace(body, {Spec(kFloat32, {})});
  for (float x : {3.f, 0.5f, -1.f}) {
    EXPECT_EQ(Evaluate(f, {Tensor(x)}).outputs[0].AsDouble(0), body(Tensor(x)).item<double>());
  }
}

TEST(Cond, ConditionMustBeOneBool) {
  ExpectError(ErrorCode::kInvalidArgument, "the condition must be bool[], got f32[]",
              [] { Cond(Tensor(1.f), [] { return Tensor(1.f); }, [] { return Tensor(2.f); }); });
}

std::vector<Tensor> Power(const Tensor& x, const Tensor& n) {
  return WhileLoop([n](const auto& v) { return v[0] < n; },
                   [x](const auto& v) { return std::vector<Tensor>{v[0] + 1, v[1] * x}; }, {Tensor(0), Tensor(1.f)});
}

TEST(While, EagerAndTraced) {
  const Function f =
      Trace([](const Tensor& x, const Tensor& n) { return Power(x, n)[1]; }, {Spec(kFloat32, {}), Spec(kInt32, {})});
  EXPECT_EQ(Power(Tensor(2.f), Tensor(5))[1].item<float>(), 32);
  EXPECT_EQ(Evaluate(f, {Tensor(2.f), Tensor(5)}).outputs[0].AsDouble(0), 32);
  EXPECT_EQ(Evaluate(f, {Tensor(2.f), Tensor(0)}).outputs[0].AsDouble(0), 1);
}

TEST(While, CarriesVariablesAndBounds) {
  const Variable count(Tensor(0), {.name = "count"});
  const auto body = [&](const Tensor& x) {
    return WhileLoop([](const auto&) { return Tensor(true) & Tensor(true); },
                     [&](const auto& v) {
                       count.AssignAdd(1);
                       return std::vector<Tensor>{v[0] + v[0]};
                     },
                     {x}, {.maximum_iterations = 3})[0];
  };
  const Function f = Trace(body, {Spec(kFloat32, {})});
  const ir::EntryResult r = Evaluate(f, {Tensor(1.f)});
  EXPECT_EQ(r.outputs[0].AsDouble(0), 8);
  EXPECT_EQ(r.state[0].AsInt(0), 3);
  EXPECT_EQ(body(Tensor(1.f)).item<float>(), 8);
  EXPECT_EQ(count.value().item<int>(), 3);
}

TEST(While, LoopVariablesKeepTheirTypes) {
  ExpectError(ErrorCode::kInvalidArgument, "loop variable 0 changes from i32[] to f32[]", [] {
    WhileLoop([](const auto&) { return Tensor(true); }, [](const auto&) { return std::vector<Tensor>{Tensor(1.f)}; },
              {Tensor(1)});
  });
}

}  // namespace
}  // namespace reel
