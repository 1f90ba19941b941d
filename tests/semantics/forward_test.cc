// Forward mode: rows FA of TensorFlow's semantics.

#include <cmath>

#include "frontend/autodiff/forward_mode.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/tensor_data.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;
using Tensors = std::vector<Tensor>;
using Fn = std::function<Tensor(const Tensor&)>;

double Number(const std::optional<Tensor>& t) {
  EXPECT_TRUE(t.has_value()) << "there is no tangent";
  return t ? t->item<double>() : NAN;
}

Tensor Numbers(const Shape& shape, double scale = 0.37) {
  return Sin(Cast(Reshape(Arange(1, shape.size() + 1), shape.dims()), kFloat64) * scale);
}

Tensor JvpOf(const Fn& f, const Tensor& x, const Tensor& v) {
  ForwardAccumulator acc({x}, {v});
  return *acc.Jvp(f(x), UnconnectedGradients::kZero);
}

// The same in a compiled function.
Tensor CompiledJvpOf(const Fn& f, const Tensor& x, const Tensor& v) {
  const auto jvp = [&](const Tensor& t, const Tensor& d) { return JvpOf(f, t, d); };
  return Compile(Trace(jvp, {Spec(x), Spec(v)}))("main", x, v);
}

TEST(TfSemantics, FA01_SineAtATenth) {
  const Tensor x = 0.1;
  ForwardAccumulator acc({x}, {Tensor(0.2)});
  EXPECT_DOUBLE_EQ(Number(acc.Jvp(Sin(x))), std::cos(0.1) * 0.2);
}

TEST(TfSemantics, FA02_JvpIsALookup) {
  const Tensor x = 0.1;
  Tensor y;
  ForwardAccumulator acc({x}, {Tensor(0.2)});
  y = Sin(x);
  const std::optional<Tensor> first = acc.Jvp(y);
  acc.Stop();
  EXPECT_EQ(acc.Jvp(y)->id(), first->id());
  EXPECT_EQ(acc.Jvp(Tensors{y, x})[0]->id(), first->id());
}

TEST(TfSemantics, FA03_OfThePrimalItself) {
  const Tensor x = 0.1;
  ForwardAccumulator acc({x}, {Tensor(3.0)});
  EXPECT_EQ(Number(acc.Jvp(x)), 3);
}

TEST(TfSemantics, FA04_APrimalTwice) {
  const Tensor x = 0.1;
  ExpectError(ErrorCode::kInvalidArgument, "multiple times",
              [&] { ForwardAccumulator acc({x, x}, {Tensor(1.0), Tensor(2.0)}); });
  EXPECT_TRUE(internal::State().sinks.empty());
}

TEST(TfSemantics, FA05_WatchedAgainTangentsAdd) {
  const Tensor x = 0.1;
  ForwardAccumulator acc({x}, {Tensor(3.0)});
  acc.Watch({x}, {Tensor(10.0)});
  EXPECT_EQ(Number(acc.Jvp(x)), 13);
  acc.Watch({x}, {Tensor(11.0)});
  EXPECT_EQ(Number(acc.Jvp(x)), 24);
  EXPECT_EQ(Number(acc.Jvp(x * 2.0)), 48);
}

TEST(TfSemantics, FA06_StopAndStart) {
  const Tensor x = 0.1;
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  ExpectError(ErrorCode::kFailedPrecondition, "already recording", [&] { acc.Start(); });
  const Tensor before = x * 2.0;
  acc.Stop();
  const Tensor between = x * 3.0;
  acc.Start();
  const Tensor after = before * 5.0;
  EXPECT_EQ(Number(acc.Jvp(before)), 2);
  EXPECT_FALSE(acc.Jvp(between).has_value());
  EXPECT_EQ(Number(acc.Jvp(after)), 10);
}

TEST(TfSemantics, FA07_UnconnectedIsNoneOrZeros) {
  const Tensor x = 0.1, other = Ones({2}, kFloat64);
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  EXPECT_FALSE(acc.Jvp(other).has_value());
  EXPECT_THAT(Values(*acc.Jvp(other, UnconnectedGradients::kZero)), ElementsAre(0, 0));
  EXPECT_EQ(Number(acc.Jvp(x * 2.0, UnconnectedGradients::kZero)), 2);
}

TEST(TfSemantics, FA08_UnwatchedInputsStandStill) {
  const Tensor x = 2.0, c = 5.0;
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  EXPECT_EQ(Number(acc.Jvp(x * c)), 5);
  EXPECT_FALSE(acc.Jvp(c * c).has_value());
}

TEST(TfSemantics, FA09_TangentsTakeThePrimalsDType) {
  const Tensor x({1.f, 2.f});
  ForwardAccumulator acc({x}, {Tensor({1.0, 10.0})});
  EXPECT_EQ(acc.Jvp(x * 2.f)->dtype(), kFloat32);
  EXPECT_THAT(Values(*acc.Jvp(x * 2.f)), ElementsAre(2, 20));
  ExpectError(ErrorCode::kInvalidArgument, "tangent 0 is f64[3], its primal is f32[2]",
              [&] { ForwardAccumulator bad({x}, {Numbers({3})}); });
  ExpectError(ErrorCode::kInvalidArgument, "2 tangents for 1 primals", [&] { ForwardAccumulator bad({x}, {x, x}); });
}

TEST(TfSemantics, FA10_IntegersAreIgnoredWithAWarning) {
  const Tensor x = int64_t{3};
  testing::internal::CaptureStderr();
  ForwardAccumulator acc({x}, {Tensor(int64_t{1})});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("i64[] cannot be differentiated"));
  EXPECT_FALSE(acc.Jvp(x).has_value());
  EXPECT_FALSE(acc.Jvp(x * x).has_value());
}

TEST(TfSemantics, FA11_Variables) {
  const Variable v(Tensor(3.0));
  {
    ForwardAccumulator acc({v}, {Tensor(4.0)});
    EXPECT_EQ(Number(acc.Jvp(v)), 4);
    EXPECT_EQ(Number(acc.Jvp(v * 2.0)), 8);
    EXPECT_EQ(Number(acc.Jvp(v + 0.1)), 4);
  }
  const auto f = [&](const Tensor& d) {
    ForwardAccumulator acc({v}, {d});
    return *acc.Jvp(v * v);
  };
  EXPECT_EQ(Tensor(Compile(Trace(f, {Spec(kFloat64, {})}))("main", Tensor(4.0))).item<double>(), 24);
}

TEST(TfSemantics, FA12_TangentsDieWithTheirTensors) {
  const int64_t before = internal::LiveTensors();
  {
    const Tensor x = Numbers({3});
    ForwardAccumulator acc({x}, {x});
    for (int i = 0; i < 10; ++i) Sin(x) * x;
    EXPECT_EQ(acc.internal_core()->size(), 1u);
    const Tensor y = Sin(x);
    EXPECT_EQ(acc.internal_core()->size(), 2u);
  }
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(TfSemantics, FA13_TheInnerOneDoesNotSeeTheOuters) {
  const Tensor x = 1.1;
  ForwardAccumulator outer({x}, {Tensor(1.0)});
  ForwardAccumulator inner({x}, {Tensor(1.0)});
  const Tensor y = Pow(x, 3.5);
  EXPECT_NEAR(Number(inner.Jvp(y)), 4.4417057, 1e-5);
  EXPECT_NEAR(Number(outer.Jvp(*inner.Jvp(y))), 10.094786, 1e-5);
  EXPECT_FALSE(inner.Jvp(*outer.Jvp(y)).has_value());
}

double NthDerivative(const Fn& f, const Tensor& x, int n, Tensor* value) {
  if (n == 0) {
    *value = f(x);
    return value->item<double>();
  }
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  Tensor inner;
  NthDerivative(f, x, n - 1, &inner);
  *value = *acc.Jvp(inner);
  return value->item<double>();
}

TEST(TfSemantics, FA14_OrdersZeroToThree) {
  const Fn f = [](const Tensor& x) { return Pow(x, 3.5); };
  const double want[] = {std::pow(1.1, 3.5), 3.5 * std::pow(1.1, 2.5), 3.5 * 2.5 * std::pow(1.1, 1.5),
                         3.5 * 2.5 * 1.5 * std::pow(1.1, 0.5)};
  for (int n = 0; n < 4; ++n) {
    Tensor value;
    EXPECT_NEAR(NthDerivative(f, Tensor(1.1), n, &value), want[n], 1e-12) << n;
  }
}

TEST(TfSemantics, FA15_ATapeInsideIgnoresTheTangents) {
  const Tensor x = 0.3;
  ForwardAccumulator acc({x}, {Tensor(0.1)});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Cos(x);
  const std::optional<Tensor> d = acc.Jvp(y);
  EXPECT_DOUBLE_EQ(Number(d), -0.1 * std::sin(0.3));
  EXPECT_FALSE(tape.Gradient(*d, x).has_value());
}

TEST(TfSemantics, FA16_ATapeOutsideSeesThem) {
  const Tensor x = 1.0;
  GradientTape tape;
  tape.Watch(x);
  ForwardAccumulator acc({x}, {Tensor(0.1)});
  const Tensor y = Cos(x);
  EXPECT_DOUBLE_EQ(Number(tape.Gradient(*acc.Jvp(y), x)), -0.1 * std::cos(1.0));
}

TEST(TfSemantics, FA17_TheOrderIsThatOfStarting) {
  const Tensor x = 1.0;
  ForwardAccumulator acc({x}, {Tensor(0.1)});
  acc.Stop();
  GradientTape tape;
  tape.Watch(x);
  acc.Start();  // inside the tape now
  const Tensor y = Cos(x);
  const std::optional<Tensor> d = acc.Jvp(y);
  acc.Stop();
  EXPECT_DOUBLE_EQ(Number(tape.Gradient(*d, x)), -0.1 * std::cos(1.0));
}

Tensor ForwardOverReverse(const Fn& f, const Tensor& x, const Tensor& v) {
  ForwardAccumulator acc({x}, {v});
  GradientTape tape;
  tape.Watch(x);
  return *acc.Jvp(*tape.Gradient(f(x), x));
}
Tensor ReverseOverReverse(const Fn& f, const Tensor& x, const Tensor& v) {
  GradientTape outer;
  outer.Watch(x);
  GradientTape inner;
  inner.Watch(x);
  const Tensor g = *inner.Gradient(f(x), x);
  return *outer.Gradient(g, x, {.output_gradients = {v}});
}
Tensor ReverseOverForward(const Fn& f, const Tensor& x, const Tensor& v) {
  GradientTape tape;
  tape.Watch(x);
  return *tape.Gradient(JvpOf(f, x, v), x);
}

TEST(TfSemantics, FA18_HessianVectorProducts) {
  const Tensor a = Numbers({4, 3}), x = Numbers({3}, 0.7), v = Numbers({3}, 1.3);
  const Fn f = [&](const Tensor& t) { return ReduceSum(Tanh(MatMul(a, Sin(t)))); };
  const std::vector<double> want = Values(ReverseOverReverse(f, x, v));
  for (const auto& hvp : {ForwardOverReverse, ReverseOverForward}) {
    EXPECT_THAT(Values(hvp(f, x, v)), Pointwise(DoubleNear(1e-12), want));
    const auto traced = [&](const Tensor& t, const Tensor& d) { return hvp(f, t, d); };
    EXPECT_THAT(Values(Compile(Trace(traced, {Spec(x), Spec(v)}))("main", x, v)), Pointwise(DoubleNear(1e-12), want));
  }
  EXPECT_THAT(Values(HessianVectorProduct(f, {x}, {v})), Pointwise(DoubleNear(1e-12), want));
}

TEST(TfSemantics, FA19_ControlFlow) {
  const Fn loop = [](const Tensor& y) {  // sum of y i for i = 0..4
    return ForLoop(
        int64_t{5}, [&](const Tensor& i, const Tensor& sum) { return sum + y * Cast(i, kFloat64); }, Tensor(0.0));
  };
  EXPECT_EQ(JvpOf(loop, Tensor(3.0), Tensor(1.0)).item<double>(), 10);
  EXPECT_EQ(CompiledJvpOf(loop, Tensor(3.0), Tensor(1.0)).item<double>(), 10);
  const Fn branch = [](const Tensor& y) { return Cond(y > 0.0, [&] { return y * 3.0; }, [] { return Tensor(7.0); }); };
  for (const auto& [at, want] : {std::pair(1.0, 3.0), std::pair(-1.0, 0.0)}) {
    EXPECT_EQ(JvpOf(branch, Tensor(at), Tensor(1.0)).item<double>(), want);
    EXPECT_EQ(CompiledJvpOf(branch, Tensor(at), Tensor(1.0)).item<double>(), want);
  }
  const Fn scan = [](const Tensor& x) {
    return Scan(
               [](const Tensors& c, const Tensors& row) {
                 const Tensor next = Sin(c[0] + row[0]);
                 return ScanStep{{next}, {next}};
               },
               {Tensor(0.0)}, {x})
        .ys[0];
  };
  const Tensor x = Numbers({4}), v = Numbers({4}, 1.1);
  EXPECT_THAT(Values(CompiledJvpOf(scan, x, v)), Pointwise(DoubleNear(1e-12), Values(JvpOf(scan, x, v))));
}

TEST(TfSemantics, FA20_UnusedArguments) {
  const Tensor x = 1.0, other = 2.0;
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  const auto second = [](const Tensor&, const Tensor& b) { return b * b; };
  const auto call = VectorizedMap(second);
  const Tensor y = call(Reshape(x, {1}), Reshape(other, {1}));
  EXPECT_FALSE(acc.Jvp(y).has_value());
}

TEST(TfSemantics, FA21_Assigns) {
  const Variable v(Tensor(3.0));
  const Tensor x = 1.0;
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  v.AssignSub(x * 0.5);
  EXPECT_EQ(v.value().item<double>(), 2.5);
}

TEST(TfSemantics, FA22_TheUsersBackwardTransposed) {
  const auto f =
      CustomGradient([](const Tensor& x) { return std::pair(x * x, [](const Tensor& dy) { return 7.0 * dy; }); });
  const Fn call = [&](const Tensor& x) { return f(x); };
  EXPECT_EQ(JvpOf(call, Tensor(3.0), Tensor(1.0)).item<double>(), 7);  // TensorFlow: 6 eager, 7 traced
  EXPECT_EQ(CompiledJvpOf(call, Tensor(3.0), Tensor(1.0)).item<double>(), 7);
  EXPECT_EQ(JvpOf([&](const Tensor& x) { return f(x * 2.0) * x; }, Tensor(3.0), Tensor(1.0)).item<double>(),
            36 + 3 * 14);
  const auto bad = CustomGradient([](const Tensor& x) {
    return std::pair(x * x, [](const Tensor&) -> Tensor { throw std::runtime_error("no gradient here"); });
  });
  EXPECT_THROW(JvpOf([&](const Tensor& x) { return bad(x); }, Tensor(3.0), Tensor(1.0)), std::runtime_error);
  EXPECT_TRUE(internal::State().sinks.empty());
}

TEST(TfSemantics, FA24_TheChoicesAreAnEnum) {
  static_assert(std::is_enum_v<UnconnectedGradients> && !std::is_convertible_v<int, UnconnectedGradients>);
}

TEST(TfSemantics, FA25_EqualPrimalsDifferentTangents) {
  const Tensor a({{1.0, 2.0}, {3.0, 4.0}}), b({{1.0, 2.0}, {3.0, 4.0}}), w({{1.0, 1.0}, {0.0, 1.0}});
  ForwardAccumulator acc({a, b}, {Ones({2, 2}, kFloat64), Zeros({2, 2}, kFloat64)});
  EXPECT_THAT(Values(*acc.Jvp(MatMul(a, w))), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(Values(*acc.Jvp(MatMul(b, w))), ElementsAre(0, 0, 0, 0));
}

TEST(TfSemantics, FA26_SuspendedWithTheTapes) {
  const Tensor x = 1.0;
  GradientTape tape;
  tape.Watch(x);
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  Tensor y;
  {
    const internal::SuspendScope suspended;
    y = x * x;
  }
  EXPECT_FALSE(acc.Jvp(y).has_value());
  EXPECT_FALSE(tape.Gradient(y, x).has_value());
}

TEST(TfSemantics, FA27_LayersForwardReverseAndNumeric) {
  const Tensor filter = Numbers({2, 2, 2, 2}, 0.3), w = Numbers({8, 3}, 0.2), beta = 1.5;
  const std::vector<Fn> functions = {
      [](const Tensor& x) { return Elu(x, 1.0); },
      [&](const Tensor& x) { return Swish(x, beta); },
      [&](const Tensor& x) { return Conv2D(x, filter); },
      [&](const Tensor& x) { return Tanh(MatMul(Reshape(x, {2, 8}), w)); },
      [](const Tensor& x) {
        const Tensor mean = ReduceMean(x, {0, 1, 2}), d = x - mean;
        return BatchNormalize(x, mean, ReduceMean(d * d, {0, 1, 2}));
      },
  };
  const Tensor x = Numbers({2, 2, 2, 2}) + 0.05, v = Numbers({2, 2, 2, 2}, 1.7);
  for (const Fn& f : functions) {
    const Tensor d = JvpOf(f, x, v), u = Sin(f(x) * 3.0);
    const Tensor numeric = (f(x + v * 1e-5) - f(x - v * 1e-5)) / 2e-5;
    EXPECT_THAT(Values(d), Pointwise(DoubleNear(1e-7), Values(numeric)));
    GradientTape tape;
    tape.Watch(x);
    const Tensor back = *tape.Gradient(f(x), x, {.output_gradients = {u}});
    EXPECT_NEAR(ReduceSum(back * v).item<double>(), ReduceSum(u * d).item<double>(), 1e-11);
    const Fn along = [&](const Tensor& t) { return JvpOf(f, t, v); };  // second order
    const Tensor twice = (along(x + v * 1e-5) - along(x - v * 1e-5)) / 2e-5;
    EXPECT_THAT(Values(JvpOf(along, x, v)), Pointwise(DoubleNear(1e-6), Values(twice)));
    const Fn third = [&](const Tensor& t) { return JvpOf(along, t, v); };
    const Tensor thrice = (third(x + v * 1e-5) - third(x - v * 1e-5)) / 2e-5;
    EXPECT_THAT(Values(JvpOf(third, x, v)), Pointwise(DoubleNear(1e-5), Values(thrice)));
  }
}

}  // namespace
}  // namespace reel
