// GradientTape: construction, watching, stopping, lifetime: rows GT01 to GT54.

#include <memory>
#include <thread>

#include "frontend/record/event_stream.h"
#include "frontend/values/tensor_data.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;

constexpr TapeOptions kPersistent{.persistent = true};

Variable V(const Tensor& value, bool trainable = true) { return Variable(value, {.trainable = trainable}); }

std::vector<uint64_t> Ids(const std::vector<Variable>& variables) {
  std::vector<uint64_t> ids;
  for (const Variable& v : variables) ids.push_back(v.id());
  return ids;
}

TEST(Stop, StoppedTapesMayDieInAnyOrder) {
  auto first = std::make_unique<GradientTape>();
  first->Stop();
  GradientTape second;
  testing::internal::CaptureStderr();
  first.reset();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const Tensor x = 3.f;
  second.Watch(x);
  EXPECT_EQ(ValueOf(second.Gradient(x * x, x)), 6);
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
  const auto loss = [](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Tensor& e) {
    return 2 * a + 3 * b + 3 * c + 3 * d + 3 * e;
  };
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

TEST(WatchedVariables, GT28_AnEmptyListWarns) {
  GradientTape tape({.watch_accessed_variables = false});
  const Dense layer(3);  // built by its first call
  testing::internal::CaptureStderr();
  tape.Watch(layer.variables());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("the list is empty"));
  const Tensor y = layer(Ones({1, 2}));
  const GradientList g = tape.Gradient(y, layer.variables());
  for (const GradientEntry& entry : g) EXPECT_FALSE(entry.gradient);
}

TEST(WatchedVariables, GT29_ReadInsideAFunctionAtEveryCall) {
  const Variable v = V(3.f);
  const auto f = [&](const Tensor& x) { return x * v; };
  for (int call = 0; call < 2; ++call) {
    GradientTape tape;
    const Tensor y = f(2.f);
    EXPECT_THAT(Ids(tape.WatchedVariables()), ElementsAre(v.id()));
    EXPECT_EQ(ValueOf(tape.Gradient(y, v)), 2);
  }
}

TEST(Recording, GT30_GoesOnAfterAPause) {
  const Tensor x = 1.f;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = 2 * x;
  {
    const auto stop = tape.StopRecording();
  }
  const Tensor z = 2 * y;
  EXPECT_EQ(ValueOf(tape.Gradient(z, x)), 4);
}

TEST(Recording, GT31_NotTwiceOnAThread) {
  GradientTape tape;
  ExpectError(ErrorCode::kFailedPrecondition, "Tape is still recording", [&] { const TapeScope scope(tape); });
  EXPECT_EQ(internal::State().sinks.size(), 1u);
}

TEST(Dtypes, GT33_FloatsAndComplex) {
  for (const DType dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kComplex64, kComplex128}) {
    const Tensor x = Ones({2}, dtype);
    GradientTape tape;
    tape.Watch(x);
    const auto g = tape.Gradient(x + x, x);
    ASSERT_TRUE(g) << Name(dtype);
    EXPECT_EQ(g->dtype(), dtype);
  }
  for (const DType dtype : {kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64}) {
    const Tensor x = Ones({2}, dtype);
    GradientTape tape;
    tape.Watch(x);
    EXPECT_FALSE(tape.Gradient(x + x, x)) << Name(dtype);
  }
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
  ExpectError(ErrorCode::kFailedPrecondition, "Trying to stop recording a tape which is not recording.",
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
  ExpectError(ErrorCode::kFailedPrecondition, "non-persistent GradientTape can only", [&] { tape.Gradient(y, x); });
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

TEST(Calls, GT42_APersistentTapeRecordsItsGradients) {
  const Variable v = V(3.f);
  GradientTape tape(kPersistent);
  const Tensor loss = v * v;
  const Tensor g = tape.Gradient(loss, v).value();
  EXPECT_TRUE(tape.recording());
  EXPECT_EQ(ValueOf(tape.Gradient(g, v)), 2);
}

TEST(Calls, GT43_SecondCall) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  tape.Gradient(y, x);
  ExpectError(ErrorCode::kFailedPrecondition, "A non-persistent GradientTape can only", [&] { tape.Gradient(y, x); });
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

TEST(Lifetime, GT48_APersistentTapeKeepsItsValues) {
  const Tensor x = Ones({100});
  const int64_t before = internal::LiveTensors();
  {
    GradientTape tape(kPersistent);
    tape.Watch(x);
    tape.Gradient(Exp(x), x);
    EXPECT_GT(internal::LiveTensors(), before);
  }
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(Lifetime, GT49_OpsThatNobodyNeedsAreDropped) {
  const Variable v = V(Ones({100}));
  const Tensor x = Ones({100});
  const int64_t before = internal::LiveTensors();
  GradientTape tape;
  tape.Watch(x);
  Tensor y = x;
  for (int i = 0; i < 20'000; ++i) {
    const Tensor lost = Exp(Exp(x * v));
    if (i % 1000 == 0) y = Tanh(y * v);
  }
  EXPECT_LT(internal::LiveTensors(), before + 5000);  // of 80,000 and more
  EXPECT_TRUE(tape.Gradient(y, x));
  y = Tensor();
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(Lifetime, GT50_OnlyNeededValuesAreKept) {
  const Tensor x = Ones({100});
  GradientTape tape;
  tape.Watch(x);
  const int64_t before = internal::LiveTensors();
  const Tensor y = ReduceSum((x + x) - 1.f);  // none of add, sub, broadcast, reduce_sum needs a value
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

TEST(Threads, GT54_GradientOnAnotherThread) {
  const Tensor x = 3.f;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  std::optional<Tensor> g;
  std::thread([&] { g = tape.Gradient(y, x); }).join();
  EXPECT_EQ(ValueOf(g), 6);
  EXPECT_FALSE(tape.recording());
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

// --- bad input ---

TEST(BadInput, NullTensors) {
  const Tensor x = 3.f;
  const int64_t before = internal::LiveTensors();
  {
    GradientTape tape;
    tape.Watch(x);
    ExpectError(ErrorCode::kInvalidArgument, "watch: a null tensor", [&] { tape.Watch(Tensor()); });
    const Tensor y = x * x;
    ExpectError(ErrorCode::kInvalidArgument, "target 0 is a null tensor", [&] { tape.Gradient(Tensor(), x); });
    ExpectError(ErrorCode::kInvalidArgument, "source 1 is a null tensor", [&] { tape.Gradient(y, {x, Tensor()}); });
    ExpectError(ErrorCode::kInvalidArgument, "output gradient 0 is a null tensor",
                [&] { tape.Gradient(y, x, {.output_gradients = {Tensor()}}); });
    EXPECT_EQ(ValueOf(tape.Gradient(y, x)), 6);  // nothing was used up
  }
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(BadInput, TensorsOfADeadTrace) {
  Tensor leaked;
  Trace([&](const Tensor& t) { return leaked = t * 2; }, {Spec(kFloat32, {})});
  GradientTape tape;
  ExpectError(ErrorCode::kFailedPrecondition, "outside the trace that made it", [&] { leaked * 2; });
  ExpectError(ErrorCode::kFailedPrecondition, "symbolic", [&] { leaked.item<float>(); });
  EXPECT_EQ(internal::State().trace, nullptr);
  EXPECT_TRUE(tape.recording());
}

TEST(BadInput, AnErrorInsideATraceRestoresTheThread) {
  GradientTape tape;
  const Tensor x = 3.f;
  tape.Watch(x);
  EXPECT_THROW(Trace([](const Tensor& t) { return MatMul(t, t); }, {Spec(kFloat32, {2, 3})}), Error);
  EXPECT_EQ(internal::State().sinks.size(), 1u);
  EXPECT_EQ(ValueOf(tape.Gradient(x * x, x)), 6);
}

}  // namespace
}  // namespace reel
