// Recomputation, stopped and passed-through gradients: rows RG and SG.

#include "frontend/values/tensor_data.h"
#include "tests/semantics/derivatives.h"

namespace reel {
namespace {

using testing::ElementsAre;

constexpr TapeOptions kPersistent{.persistent = true};

Variable V(const Tensor& value, const std::string& name = "v") { return Variable(value, {.name = name}); }

TEST(Recompute, RG01_GradientsEqualThePlainFunctions) {
  const Fn plain = [](const Tensor& x) { return ReduceSum(Tanh(x * x) * Exp(x)); };
  const auto again = Recompute(plain);
  const Tensor x({0.5, -1.0, 2.0});
  EXPECT_EQ(Values(again(x)), Values(plain(x)));
  EXPECT_EQ(Values(*Derivative(again, x)), Values(*Derivative(plain, x)));
  EXPECT_EQ(Values(Compiled(again, x)[1]), Values(*Derivative(plain, x)));
  const Tensor none = Zeros({0});
  EXPECT_EQ(Derivative(again, none)->shape(), Shape({0}));
}

TEST(Recompute, RG02_OnceForwardOnceBackward) {
  int runs = 0;
  const auto f = Recompute([&runs](const Tensor& x) {
    ++runs;
    return x * x;
  });
  const Tensor x = 1.f;
  GradientTape tape;
  tape.Watch(x);
  Tensor y = x;
  for (int i = 0; i < 4; ++i) y = f(y);
  EXPECT_EQ(runs, 4);
  tape.Gradient(y, x);
  EXPECT_EQ(runs, 8);
}

TEST(Recompute, RG03_Wrapped) {
  const Fn plain = [](const Tensor& x) { return 2 * x; };
  EXPECT_EQ(Recompute(plain).wrapped()(3.f).item<float>(), 6);
}

TEST(Recompute, RG04_SameTensorTwiceAndUnused) {
  const auto f = Recompute([](const Tensor& a, const Tensor& b) { return a * a + 3 * b; });
  EXPECT_EQ(ValueOf(Derivative([&](const Tensor& x) { return f(x, x); }, 2.f)), 7);
  const auto first = Recompute([](const Tensor& a, const Tensor&) { return a * a; });
  EXPECT_EQ(ValueOf(Derivative([&](const Tensor& x) { return first(5.f, x); }, 2.f)), 0);
}

TEST(Recompute, RG05_IntegersAmongTheInputs) {
  const auto f = Recompute([](const Tensor& x, const Tensor& i) { return Gather(x, i) * 2.f; });
  const Tensor x({1.f, 2.f, 3.f}), i({2, 2});
  EXPECT_THAT(Values(*Derivative([&](const Tensor& t) { return f(t, i); }, x)), ElementsAre(0, 0, 4));
}

TEST(Recompute, RG06_ThreeOrders) {
  const Fn plain = [](const Tensor& x) { return Sin(x) * x; };
  const auto f = Recompute(plain);
  for (int n = 1; n <= 3; ++n) {
    EXPECT_DOUBLE_EQ(Nth(f, Tensor(0.7), n).item<double>(), Nth(plain, Tensor(0.7), n).item<double>());
  }
}

TEST(Recompute, RG07_Variables) {
  const Variable w = V(3.f);
  const auto f = Recompute([&](const Tensor& x) { return Tanh(x * w) * w; });
  const Tensor x = 0.5f;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const GradientList a = tape.Gradient(f(x), {x, w}), b = tape.Gradient(Tanh(x * w) * w, {x, w});
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(Values(a.Dense(i)), Values(b.Dense(i)));
  EXPECT_EQ(tape.WatchedVariables().size(), 1u);
}

TEST(Recompute, RG08_ListOfDifferentShapes) {
  const auto f = Recompute([](const Tensors& x) { return x[0] * ReduceSum(x[1]); });
  EXPECT_THAT(Values(f(Tensors{Tensor({1.f, 2.f}), Ones({2, 3})})), ElementsAre(6, 12));
}

TEST(Recompute, RG09_NothingLeaks) {
  const auto step = [] {
    const Variable w(Ones({2, 2}));
    const auto f = Recompute([&](const Tensor& x) {
      return WhileLoop([](const Tensors& v) { return v[0] < 3; },
                       [&](const Tensors& v) { return Tensors{v[0] + 1, Tanh(MatMul(v[1], w))}; }, {Tensor(0), x})[1];
    });
    GradientTape tape;
    tape.Gradient(f(Ones({2, 2})), {w});
  };
  step();
  const int64_t before = internal::LiveTensors();
  for (int i = 0; i < 5; ++i) step();
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(Recompute, KeepsTheInputsAlone) {
  const Tensor x = Ones({100});
  const auto f = Recompute([](const Tensor& t) { return Exp(Exp(Exp(Exp(t)))); });
  GradientTape tape;
  tape.Watch(x);
  const int64_t before = internal::LiveTensors();
  const Tensor y = f(x);
  EXPECT_EQ(internal::LiveTensors(), before + 1);  // y
}

// The second run draws what the first one did, and leaves the generator where it was.
TEST(Recompute, RandomNumbersAreTheSame) {
  const Generator generator(7), same(7);
  const auto mask = [](const Generator& g, const Tensor& x) {
    return x * Cast(RandomUniform(x.shape(), {.generator = g}) < 0.5f, kFloat32);
  };
  const Tensor x = Ones({64});
  const Tensor want = *Derivative([&](const Tensor& t) { return mask(same, t); }, x);
  const auto f = Recompute([&](const Tensor& t) { return mask(generator, t); });
  EXPECT_EQ(Values(*Derivative(f, x)), Values(want));
  EXPECT_EQ(Values(RandomUniform({4}, {.generator = generator})), Values(RandomUniform({4}, {.generator = same})));
}

// --- stopped and passed through ---

TEST(StopGradient, SG01_NoneOrZeros) {
  const Tensor x = 3.f;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = StopGradient(x);
  EXPECT_EQ(y.item<float>(), 3);
  EXPECT_FALSE(tape.Gradient(y, x));
  EXPECT_EQ(ValueOf(tape.Gradient(y, x, {.unconnected_gradients = UnconnectedGradients::kZero})), 0);
}

TEST(GradPassThrough, SG02_03_OfAnAssign) {
  const Variable x = V(2.f);
  const auto pass = GradPassThrough([&](const Tensor& value) {
    x.Assign(value);
    return x.value();
  });
  const Variable z = V(3.f, "z");
  GradientTape tape;
  const Tensor y = pass(z * z);
  EXPECT_EQ(x.value().item<float>(), 9);
  const GradientList g = tape.Gradient(y, {z, x});
  EXPECT_EQ(g.Dense(0).item<float>(), 6);
  EXPECT_FALSE(g[1].gradient);
}

TEST(GradPassThrough, NeedsAsManyResultsAsInputs) {
  const auto pass = GradPassThrough([](const Tensors& x) { return Tensors{x[0]}; });
  ExpectError(ErrorCode::kInvalidArgument, "1 tensors for 2 inputs", [&] { pass(Tensors{Tensor(1.f), Tensor(2.f)}); });
}

}  // namespace
}  // namespace reel
