// Nested tapes, higher orders and control flow: rows GT110 to GT132.

#include <cmath>
#include <functional>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using Tensors = std::vector<Tensor>;

constexpr TapeOptions kPersistent{.persistent = true};

Variable V(const Tensor& value, bool trainable = true) { return Variable(value, {.trainable = trainable}); }

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
                           [](const auto& v) { return std::vector<Tensor>{v[0] + 1, v[1] * 2.f}; }, {Tensor(0), x});
  EXPECT_EQ(ValueOf(tape.Gradient(z[1], x)), 4);
}

TEST(Nested, GT119_SecondOrderOfAFusedLoss) {
  const Tensor logits({{1.0, -1.0, 0.5}}), labels({2});
  const auto loss = [&](const Tensor& z) { return SoftmaxCrossEntropy(z, labels); };
  const auto first = [&](const Tensor& z) {
    GradientTape tape;
    tape.Watch(z);
    return tape.Gradient(loss(z), z).value();
  };
  GradientTape tape;
  tape.Watch(logits);
  const std::vector<double> row = Values(*tape.Gradient(Slice(first(logits), {0, 0}, {1, 1}), logits));
  const std::vector<double> p = Values(Softmax(logits));
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(row[j], p[0] * ((j == 0 ? 1 : 0) - p[j]), 1e-15);
}

TEST(ControlFlow, GT123_HostMaximum) {
  const Variable a = V(2.f), b = V(3.f), c = V(5.f);
  GradientTape tape;
  Tensor largest = a * 1.f;
  for (const Tensor& x : {b * 1.f, c * 1.f}) {
    if (x.item<float>() > largest.item<float>()) largest = x;
  }
  const GradientList g = tape.Gradient(largest, {a, b, c});
  EXPECT_FALSE(g[0].gradient);
  EXPECT_FALSE(g[1].gradient);
  EXPECT_EQ(g.Dense(2).item<float>(), 1);
}

// f and its derivative by a tape inside a trace.
Tensor TracedDerivative(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  const Function step = Trace(
      [&](const Tensor& t) {
        GradientTape tape;
        tape.Watch(t);
        return tape.Gradient(f(t), t).value();
      },
      {Spec(x)});
  return Compile(step)("main", x);
}

TEST(ControlFlow, GT127_CondInAFunction) {
  const auto f = [](const Tensor& x) { return Cond(x > 0.5f, [&] { return 2 * x; }, [&] { return 3 * x; }); };
  EXPECT_EQ(TracedDerivative(f, 1.f).item<float>(), 2);
  EXPECT_EQ(TracedDerivative(f, 0.f).item<float>(), 3);
}

TEST(ControlFlow, GT126_128_WhileInAFunction) {
  const auto f = [](const Tensor& x) {
    return WhileLoop([](const Tensors& v) { return v[0] < 2; },
                     [](const Tensors& v) { return Tensors{v[0] + 1, 2 * v[1]}; }, {Tensor(0), x})[1];
  };
  EXPECT_EQ(TracedDerivative(f, 3.f).item<float>(), 4);
}

TEST(ControlFlow, GT129_ATapeInsideALoopBody) {
  const Variable v = V(3.f);
  const auto f = [&](const Tensor& x) {
    const Tensor read = v.value();
    return WhileLoop([](const Tensors& s) { return s[0] < 2; },
                     [&](const Tensors& s) {
                       GradientTape tape;
                       const Tensor y = v * v * x;
                       const std::optional<Tensor> g = tape.Gradient(y, v);
                       EXPECT_TRUE(g);
                       return Tensors{s[0] + 1, s[1] + *g};
                     },
                     {Tensor(0), read})[1];
  };
  EXPECT_EQ(f(1.f).item<float>(), 15);
  EXPECT_EQ(Tensor(Compile(Trace(f, {Spec(kFloat32, {})}))("main", Tensor(1.f))).item<float>(), 15);
}

TEST(ControlFlow, GT131_TwoGraphsShareNothing) {
  const auto f = [](const Tensor& x) {
    return TracedDerivative([](const Tensor& t) { return t * t; }, x).item<float>();
  };
  EXPECT_EQ(f(3.f), 6);
  EXPECT_EQ(f(4.f), 8);
}

TEST(Assign, GT132_WhatIsAssignedIsNotConnected) {
  const Variable x = V(1.f);
  const Tensor z = 3.f;
  GradientTape tape;
  tape.Watch(z);
  x.Assign(z * z);
  EXPECT_FALSE(tape.Gradient(x.value(), z));
}

}  // namespace
}  // namespace reel
