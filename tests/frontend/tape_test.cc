// TensorFlow's behaviour of GradientTape, row by row; GTnn are the rows of the project's semantics
// table.

#include <cmath>
#include <memory>
#include <thread>

#include "frontend/core.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;

constexpr TapeOptions kPersistent{.persistent = true};

Variable V(const Tensor& value, bool trainable = true) {
  return Variable(value, {.trainable = trainable});
}

std::vector<uint64_t> Ids(const std::vector<Variable>& variables) {
  std::vector<uint64_t> ids;
  for (const Variable& v : variables) ids.push_back(v.id());
  return ids;
}

// --- watch ---

TEST(Watch, GT01_Constant) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  EXPECT_EQ(ValueOf(tape.Gradient(x * x, x)), 6);
}

TEST(Watch, GT02_TrainableVariableIsWatchedWhenRead) {
  const Variable v = V(1.f);
  GradientTape tape;
  const Tensor y = v * v;
  EXPECT_EQ(tape.Gradient(y, {v}).Dense(0).item<float>(), 2);
}

TEST(Watch, GT03_NonTrainableVariableIsNot) {
  const Variable v = V(1.f, false);
  GradientTape tape;
  EXPECT_FALSE(tape.Gradient(v * v, v));
}

TEST(Watch, GT04_NonTrainableVariableWatched) {
  const Variable v = V(3.f, false);
  GradientTape tape;
  tape.Watch(v);
  EXPECT_EQ(ValueOf(tape.Gradient(v * v, v)), 6);
}

TEST(Watch, GT05_UnwatchedConstant) {
  const Tensor x = 3.f;
  GradientTape tape;
  EXPECT_FALSE(tape.Gradient(x * x, x));
}

TEST(Watch, GT06_ComputedBeforeTheTape) {
  const Variable v = V(2.f);
  const Tensor x2 = v + 1.f;
  GradientTape tape;
  EXPECT_FALSE(tape.Gradient(x2 * x2, x2));
}

TEST(Watch, GT06_ReadBeforeTheTape) {
  const Variable v = V(2.f);
  const Tensor before = v.value();
  GradientTape tape;
  const Tensor inside = v.value();
  EXPECT_FALSE(tape.Gradient(before * before, v));
}

TEST(Watch, GT07_Several) {
  const Tensor x = 2.f, y = 3.f;
  GradientTape tape;
  tape.Watch({x, y});
  const GradientList g = tape.Gradient(x * y, {x, y});
  EXPECT_EQ(g.Dense(0).item<float>(), 3);
  EXPECT_EQ(g.Dense(1).item<float>(), 2);
}

TEST(Watch, GT10_IntegersAreIgnored) {
  const Tensor i = 3;
  GradientTape tape(kPersistent);
  tape.Watch(i);
  EXPECT_FALSE(tape.Gradient(i * i, i));
  EXPECT_EQ(tape.Gradient(i, i)->item<int>(), 1);
}

TEST(Watch, GT12_AfterTheOp) {
  const Tensor x = 3.f;
  GradientTape tape;
  const Tensor y = x * x;
  tape.Watch(x);
  EXPECT_FALSE(tape.Gradient(y, x));
}

TEST(Watch, GT12_AfterAnOpThatWasRecordedForAnother) {
  const Tensor x = 3.f, w = 2.f;
  GradientTape tape(kPersistent);
  tape.Watch(w);
  const Tensor y = x * w;
  EXPECT_FALSE(tape.Gradient(y, x));
  tape.Watch(x);
  EXPECT_FALSE(tape.Gradient(y, x));
  EXPECT_EQ(ValueOf(tape.Gradient(y * x, w)), 9);
  EXPECT_EQ(ValueOf(tape.Gradient(y * x, x)), 6);
}

TEST(Watch, GT13_OfARecordedTensorDoesNotCut) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  tape.Watch(y);
  EXPECT_EQ(ValueOf(tape.Gradient(y * y, x)), 108);
}

TEST(Watch, GT14_TwiceIsOnce) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  tape.Watch(x);
  EXPECT_EQ(ValueOf(tape.Gradient(x * x, x)), 6);
}

TEST(Identity, GT15_SameHandle) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x;
  EXPECT_EQ(ValueOf(tape.Gradient(y, x)), 1);
}

TEST(Identity, GT16_IdentityOp) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  EXPECT_EQ(ValueOf(tape.Gradient(Identity(x), x)), 1);
}

TEST(Identity, GT17_NoOpArithmeticMakesNewTensors) {
  const Tensor x = 3.f;
  const Tensor x1 = Identity(x), x2 = x + 0.f, x3 = x - 0.f, x4 = x * 1.f;
  const auto loss = [](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d,
                       const Tensor& e) { return 2 * a + 3 * b + 3 * c + 3 * d + 3 * e; };
  GradientTape tape;
  tape.Watch({x, x1, x2, x3, x4});
  const GradientList g = tape.Gradient(loss(x, x1, x2, x3, x4), {x, x1, x2, x3, x4});
  std::vector<float> values;
  for (const GradientEntry& entry : g) values.push_back(ValueOf(entry.gradient));
  EXPECT_THAT(values, ElementsAre(2, 3, 3, 3, 3));
}

TEST(Identity, GT18_EqualConstantsAreDistinct) {
  const Tensor x1 = 1.f, x2 = 1.f;
  GradientTape tape;
  tape.Watch({x1, x2});
  EXPECT_EQ(ValueOf(tape.Gradient(x1 + x2, x1)), 1);
}

TEST(Identity, GT19_ReadValue) {
  const Variable v = V(3.f);
  GradientTape tape;
  EXPECT_EQ(ValueOf(tape.Gradient(v.value(), v)), 1);
}

// --- watched variables ---

TEST(WatchedVariables, GT20_21_EmptyThenOnce) {
  const Variable v = V(1.f);
  GradientTape tape;
  EXPECT_TRUE(tape.WatchedVariables().empty());
  const Tensor y = v * v;
  EXPECT_THAT(Ids(tape.WatchedVariables()), ElementsAre(v.id()));
}

TEST(WatchedVariables, GT22_OrderOfCreation) {
  const Variable v0 = V(1.f), v1 = V(2.f);
  GradientTape tape;
  const Tensor a = v1 * 2.f, b = v0 * 2.f;
  EXPECT_THAT(Ids(tape.WatchedVariables()), ElementsAre(v0.id(), v1.id()));
}

TEST(WatchedVariables, GT23_WatchedNeverUsed) {
  const Variable v = V(1.f);
  GradientTape tape;
  tape.Watch(v);
  EXPECT_THAT(Ids(tape.WatchedVariables()), ElementsAre(v.id()));
}

TEST(WatchedVariables, GT24_AfterGradient) {
  const Variable v = V(1.f);
  GradientTape tape;
  tape.Gradient(v * v, v);
  EXPECT_THAT(Ids(tape.WatchedVariables()), ElementsAre(v.id()));
}

TEST(WatchedVariables, GT25_OnlyOfThisTape) {
  const Variable v = V(1.f), w = V(1.f);
  {
    GradientTape first;
    const Tensor y = v * v;
  }
  GradientTape second;
  const Tensor y = w * w;
  EXPECT_THAT(Ids(second.WatchedVariables()), ElementsAre(w.id()));
}

TEST(WatchedVariables, GT26_AfterReset) {
  const Variable v = V(1.f), w = V(1.f);
  GradientTape tape;
  const Tensor a = v * v;
  tape.Reset();
  EXPECT_TRUE(tape.WatchedVariables().empty());
  const Tensor b = w * w;
  EXPECT_THAT(Ids(tape.WatchedVariables()), ElementsAre(w.id()));
}

TEST(WatchedVariables, GT27_28_WatchAccessedVariablesFalse) {
  const Variable x1 = V(1.f), x2 = V(1.f);
  GradientTape tape({.watch_accessed_variables = false});
  tape.Watch(x2);
  const Tensor y = x1 * x1, z = x2 * x2 * x2;
  EXPECT_THAT(Ids(tape.WatchedVariables()), ElementsAre(x2.id()));
  const GradientList g = tape.Gradient({y, z}, {x1, x2});
  EXPECT_FALSE(g[0].gradient);
  EXPECT_EQ(g.Dense(1).item<float>(), 3);
}

TEST(Exceptions, GT32_TheTapeIsPopped) {
  const Tensor x = 3.f;
  try {
    GradientTape tape;
    tape.Watch(x);
    throw std::runtime_error("body");
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(internal::State().sinks.empty());
  GradientTape tape;
  tape.Watch(x);
  EXPECT_EQ(ValueOf(tape.Gradient(x * x, x)), 6);
}

// --- stop, reset, calls ---

TEST(Stop, GT34_Block) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  Tensor y;
  {
    const auto stop = tape.StopRecording();
    y = x * x;
  }
  EXPECT_FALSE(tape.Gradient(y, x));
}

TEST(Stop, GT35_StopAndStart) {
  const Tensor x = 1.f;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor x2 = 2 * x;
  Tensor y;
  {
    const auto stop = tape.StopRecording();
    y = x2 * x2;
  }
  const Tensor z = x2 * x2;
  EXPECT_FALSE(tape.Gradient(y, x2));
  EXPECT_EQ(ValueOf(tape.Gradient(z, x2)), 4);
}

TEST(Stop, GT36_37_ConsumedOrStopped) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  tape.Gradient(x * x, x);
  ExpectError(ErrorCode::kFailedPrecondition,
              "Trying to stop recording a tape which is not recording.",
              [&] { const auto stop = tape.StopRecording(); });
}

TEST(Stop, GT38_GradientInsideTheBlock) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  {
    const auto stop = tape.StopRecording();
    EXPECT_EQ(ValueOf(tape.Gradient(y, x)), 6);
  }
  EXPECT_FALSE(tape.recording());
  ExpectError(ErrorCode::kFailedPrecondition, "non-persistent GradientTape can only",
              [&] { tape.Gradient(y, x); });
}

TEST(Reset, GT39_OnlyWhatFollows) {
  const Variable v = V(1.f);
  GradientTape tape;
  Tensor loss = v * v;
  tape.Reset();
  loss = loss + v * v;
  EXPECT_EQ(ValueOf(tape.Gradient(loss, v)), 2);
}

TEST(Reset, GT40_OfAStoppedTape) {
  GradientTape tape;
  tape.Stop();
  ExpectError(ErrorCode::kFailedPrecondition, "the tape is not recording", [&] { tape.Reset(); });
}

TEST(Calls, GT41_StopsRecording) {
  const Variable v = V(1.f);
  GradientTape tape;
  const Tensor loss = 2 * v;
  EXPECT_EQ(ValueOf(tape.Gradient(loss, v)), 2);
  EXPECT_FALSE(tape.recording());
}

TEST(Calls, GT43_SecondCall) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  tape.Gradient(y, x);
  ExpectError(ErrorCode::kFailedPrecondition, "A non-persistent GradientTape can only",
              [&] { tape.Gradient(y, x); });
}

TEST(Calls, GT45_46_Persistent) {
  const Tensor x = 3.f;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = x * x, z = y * y;
  EXPECT_EQ(ValueOf(tape.Gradient(z, x)), 108);
  EXPECT_EQ(ValueOf(tape.Gradient(y, x)), 6);
  EXPECT_EQ(ValueOf(tape.Gradient(z, x)), 108);
}

TEST(Lifetime, GT47_GradientFreesWhatWasKept) {
  const Tensor x = Ones({100});
  const int64_t before = internal::LiveTensors();
  GradientTape tape;
  tape.Watch(x);
  Tensor y = Exp(Exp(Exp(x)));
  EXPECT_EQ(internal::LiveTensors(), before + 3);  // results of exp
  y = Tensor();
  tape.Gradient(Exp(x), x);
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(Lifetime, GT50_OnlyNeededValuesAreKept) {
  const Tensor x = Ones({100});
  GradientTape tape;
  tape.Watch(x);
  const int64_t before = internal::LiveTensors();
  const Tensor y =
      ReduceSum((x + x) - 1.f);  // none of add, sub, broadcast, reduce_sum needs a value
  EXPECT_EQ(internal::LiveTensors(), before + 1);
}

TEST(Lifetime, GT51_NoLeaks) {
  const auto step = [] {
    const Tensor x = Ones({2, 2});
    GradientTape outer(kPersistent);
    outer.Watch(x);
    GradientTape inner;
    inner.Watch(x);
    const auto g = inner.Gradient(Tanh(MatMul(x, x)), x);
    outer.Gradient(*g, x);
  };
  step();
  const int64_t before = internal::LiveTensors();
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(Threads, GT53_OtherThreadsAreNotRecorded) {
  const Tensor x = 3.f;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  Tensor y;
  std::thread([&] { y = x * x; }).join();
  EXPECT_FALSE(tape.Gradient(y, x));
}

TEST(Threads, GT54_TapeScope) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  Tensor y;
  std::thread([&] {
    const TapeScope scope(tape);
    y = x * x;
  }).join();
  EXPECT_EQ(ValueOf(tape.Gradient(y, x)), 6);
}

TEST(Lifetime, OutOfOrderDestructionDetaches) {
  const Tensor x = 3.f;
  auto first = std::make_unique<GradientTape>();
  auto second = std::make_unique<GradientTape>();
  second->Watch(x);
  testing::internal::CaptureStderr();
  first.reset();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("reverse order"));
  EXPECT_EQ(ValueOf(second->Gradient(x * x, x)), 6);
  second.reset();
  EXPECT_TRUE(internal::State().sinks.empty());
}

// --- nesting and higher order ---

TEST(Nested, GT110_SecondDerivative) {
  const Tensor x = 5.f;
  GradientTape outer;
  outer.Watch(x);
  std::optional<Tensor> dy;
  {
    GradientTape inner;
    inner.Watch(x);
    dy = inner.Gradient(x * x, x);
  }
  EXPECT_EQ(ValueOf(dy), 10);
  EXPECT_EQ(ValueOf(outer.Gradient(*dy, x)), 2);
}

TEST(Nested, GT111_112_InnerResultUsedOutside) {
  const Tensor x = 3.f;
  GradientTape outer(kPersistent);
  outer.Watch(x);
  Tensor y = x * x;
  Tensor z;
  {
    GradientTape inner(kPersistent);
    inner.Watch(y);
    z = 2 * y;
    EXPECT_EQ(ValueOf(inner.Gradient(z, y)), 2);
    const Tensor dz = *inner.Gradient(z, y);
    y = y + dz;
  }
  EXPECT_EQ(ValueOf(outer.Gradient(y, x)), 6);
  EXPECT_EQ(ValueOf(outer.Gradient(z, x)), 12);
}

TEST(Nested, GT113_PersistentHigherOrder) {
  const Tensor x = 3.f;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = x * x * x;
  const Tensor dy = *tape.Gradient(y, x);
  const Tensor d2y = *tape.Gradient(dy, x);
  tape.Stop();
  EXPECT_EQ(dy.item<float>(), 27);
  EXPECT_EQ(d2y.item<float>(), 18);
  EXPECT_EQ(ValueOf(tape.Gradient(d2y, x)), 6);
}

TEST(Nested, GT114_WatchingIsPerTape) {
  const Variable x1 = V(2.f, false), x2 = V(2.f, false);
  GradientTape tape1;
  tape1.Watch(x1);
  std::optional<Tensor> dy, dz;
  {
    GradientTape tape2(kPersistent);
    tape2.Watch({x1, x2});
    const Tensor y = x1 * x1 * x1, z = x2 * x2;
    dy = tape2.Gradient(y, x1);
    dz = tape2.Gradient(z, x2);
  }
  const GradientList g = tape1.Gradient({*dy, *dz}, {x1, x2});
  EXPECT_EQ(g.Dense(0).item<float>(), 12);
  EXPECT_FALSE(g[1].gradient);
}

TEST(Nested, GT115_SecondOrderOfSoftmaxCrossEntropy) {
  const Tensor logits({{0.f}}), labels({0});
  GradientTape outer;
  outer.Watch(logits);
  std::optional<Tensor> g;
  {
    GradientTape inner;
    inner.Watch(logits);
    g = inner.Gradient(SoftmaxCrossEntropy(logits, labels), logits);
  }
  EXPECT_EQ(ValueOf(outer.Gradient(*g, logits)), 0);
}

TEST(Nested, GT116_GradGrad) {
  const auto second = [](const Tensor& x, const std::function<Tensor(const Tensor&)>& f) {
    GradientTape outer;
    outer.Watch(x);
    std::optional<Tensor> g;
    {
      GradientTape inner;
      inner.Watch(x);
      g = inner.Gradient(f(x), x);
    }
    return ValueOf(outer.Gradient(*g, x));
  };
  EXPECT_EQ(second(3.f, [](const Tensor& x) { return x * x; }), 2);
  EXPECT_EQ(second(0.f, [](const Tensor& x) { return Exp(x); }), 1);
}

TEST(Nested, GT117_IteratedGradientsOfCos) {
  const Tensor x = 0.5;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  Tensor y = Cos(x);
  const double want[] = {-std::sin(0.5), -std::cos(0.5), std::sin(0.5), std::cos(0.5)};
  for (double w : want) {
    y = *tape.Gradient(y, x);
    EXPECT_NEAR(y.item<double>(), w, 1e-15);
  }
}

TEST(Nested, GT118_GradientByTheSeed) {
  const Tensor x = 0.5, seed = 2.0;
  GradientTape outer;
  outer.Watch(seed);
  std::optional<Tensor> g;
  {
    GradientTape inner;
    inner.Watch(x);
    g = inner.Gradient(Cos(x), x, {.output_gradients = {seed}});
  }
  EXPECT_NEAR(g->item<double>(), -2 * std::sin(0.5), 1e-15);
  EXPECT_NEAR(outer.Gradient(*g, seed)->item<double>(), -std::sin(0.5), 1e-15);
}

TEST(ControlFlow, GT120_Where) {
  for (const auto& [at, want] : {std::pair(5.f, 1.f), std::pair(50.f, 100.f)}) {
    const Tensor x = at;
    GradientTape tape;
    tape.Watch(x);
    EXPECT_EQ(ValueOf(tape.Gradient(Where(x < 10, x, x * x), x)), want);
  }
}

TEST(ControlFlow, GT121_WhereWithNonFiniteBranch) {
  const Tensor x = 0.f;
  GradientTape tape;
  tape.Watch(x);
  EXPECT_TRUE(std::isnan(ValueOf(tape.Gradient(Where(x > 0, Log(x) * x, 0.f), x))));
}

TEST(ControlFlow, GT122_HostIf) {
  const Variable flag = V(1.f), a = V(2.f), b = V(3.f);
  GradientTape tape;
  const Tensor y = flag.value().item<float>() > 0 ? a * 1.f : b * 1.f;
  const GradientList g = tape.Gradient(y, {flag, a, b});
  EXPECT_FALSE(g[0].gradient);
  EXPECT_EQ(g.Dense(1).item<float>(), 1);
  EXPECT_FALSE(g[2].gradient);
}

TEST(ControlFlow, GT124_125_EagerCondAndWhile) {
  const Tensor x = 3.f;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = Cond(x < x, [&] { return x; }, [&] { return x * x; });
  EXPECT_EQ(ValueOf(tape.Gradient(y, x)), 6);
  const auto z = WhileLoop([](const auto& v) { return v[0] < 2; },
                           [](const auto& v) { return std::vector<Tensor>{v[0] + 1, v[1] * 2.f}; },
                           {Tensor(0), x});
  EXPECT_EQ(ValueOf(tape.Gradient(z[1], x)), 4);
}

}  // namespace
}  // namespace reel
