// Gradients() in a trace, as tf.gradients: rows TG. The pass itself is tested row by row in
// tests/passes/gradient_semantics_test.cc; here is what the front adds.

#include <cmath>

#include "frontend/record/observed.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Tensors = std::vector<Tensor>;

constexpr UnconnectedGradients kZero = UnconnectedGradients::kZero;

// What a traced function returns at x, as doubles.
std::vector<double> At(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  return Values(Compile(Trace(f, {Spec(x)}))("main", x));
}

// Traces f, which looks at what gradients there are.
void InTrace(const std::function<void(const Tensor&)>& f) {
  Trace(
      [&](const Tensor& x) {
        f(x);
        return x;
      },
      {Spec(kFloat64, {})});
}

TEST(Gradients, TG01_51_OnlyInsideATrace) {
  const Tensor x = 1.f;
  ExpectError(ErrorCode::kFailedPrecondition, "GradientTape", [&] { Gradients(x, {x}); });
}

TEST(Gradients, TG02_AListAsLongAsXs) {
  InTrace([](const Tensor& x) {
    EXPECT_EQ(Gradients(x * 2, {x}).size(), 1u);
    EXPECT_EQ(Gradients({x * 2, x * 3}, {x, x, x}).size(), 3u);
  });
  EXPECT_THAT(At([](const Tensor& x) { return Gradients({x * 2, x * 3}, {x}).Dense(0); }, 1.0), ElementsAre(5));
}

TEST(Gradients, TG03_04_TotalAndPartial) {
  const auto f = [](bool stop) {
    return [stop](const Tensor& a) {
      const Tensor b = 2 * a;
      SymbolicGradientOptions options;
      if (stop) options.stop_gradients = {a, b};
      const GradientList g = Gradients(a + b, {a, b}, options);
      return Stack({g.Dense(0), g.Dense(1)});
    };
  };
  EXPECT_THAT(At(f(false), 0.0), ElementsAre(3, 1));
  EXPECT_THAT(At(f(true), 0.0), ElementsAre(1, 1));
}

TEST(Gradients, TG07_08_XsInBetween) {
  const auto f = [](const Tensor& x) {
    const Tensor y = 2 * x, z = 3 * y;
    const GradientList g = Gradients(z, {x, y});
    return Stack({g.Dense(0), g.Dense(1), Gradients(z, {y}).Dense(0)});
  };
  EXPECT_THAT(At(f, 1.0), ElementsAre(6, 3, 3));
}

TEST(Gradients, TG09_YsThatDependOnYs) {
  const auto f = [](const Tensor& x) {
    const Tensor y = x * x, y1 = y * y, y2 = y1 * y1;
    return Stack({Gradients({y, y2}, {x}).Dense(0), Gradients(y + y2, {x}).Dense(0),
                  Gradients({Identity(y), Identity(y2)}, {x}).Dense(0)});
  };
  EXPECT_THAT(At(f, 3.0), ElementsAre(17502, 17502, 17502));
}

TEST(Gradients, TG10_14_SeedsAreOnesWhereNoneIsGiven) {
  const auto f = [](const Tensor& x) {
    return Gradients({x * 2, x * 3}, {x}, {.grad_ys = {std::nullopt, x}}).Dense(0);
  };
  EXPECT_THAT(At(f, 10.0), ElementsAre(32));
}

TEST(Gradients, TG11_ComplexYsNeedSeeds) {
  Trace(
      [](const Tensor& z) {
        const Tensor y = z * z;
        ExpectError(ErrorCode::kInvalidArgument, "Gradients of complex tensors must set grad_ys (y.dtype = complex64)",
                    [&] { Gradients(y, {z}); });
        return Gradients(y, {z}, {.grad_ys = {z}}).Dense(0);
      },
      {Spec(kComplex64, {})});
}

TEST(Gradients, TG12_13_SeedsMustFit) {
  InTrace([](const Tensor& x) {
    const Tensor y = x * 2;
    ExpectError(ErrorCode::kInvalidArgument, "2 output_gradients for 1 targets",
                [&] { Gradients(y, {x}, {.grad_ys = {x, x}}); });
    ExpectError(ErrorCode::kInvalidArgument, "they must have the same type",
                [&] { Gradients(y, {x}, {.grad_ys = {Cast(x, kFloat32)}}); });
    EXPECT_TRUE(Gradients(y, {x})[0].gradient);  // the trace goes on
  });
}

TEST(Gradients, TG15_16_Integers) {
  InTrace([](const Tensor& x) {
    const Tensor i = Cast(x, kInt32);
    EXPECT_FALSE(Gradients(Cast(i, kFloat64), {x})[0].gradient);
    EXPECT_EQ(Gradients(i, {i})[0].gradient->dtype(), kInt32);
  });
}

TEST(Gradients, TG17_Unconnected) {
  InTrace([](const Tensor& x) {
    const Tensor other = Ones({2, 3});
    EXPECT_FALSE(Gradients(x, {other})[0].gradient);
    const auto zero = Gradients(x, {other}, {.unconnected_gradients = kZero})[0].gradient;
    ASSERT_TRUE(zero);
    EXPECT_EQ(zero->shape(), Shape({2, 3}));
    ExpectError(ErrorCode::kInvalidArgument, "Unknown value for unconnected_gradients: 9",
                [&] { Gradients(x, {x}, {.unconnected_gradients = static_cast<UnconnectedGradients>(9)}); });
  });
}

TEST(Gradients, TG18_ASiblingIsUnconnected) {
  InTrace([](const Tensor& x) {
    const TopKResult top = TopK(Stack({x, x * 2}), 2);
    const Tensor first = top.values[0], second = top.values[1];
    EXPECT_FALSE(Gradients(first, {second})[0].gradient);
  });
}

TEST(Gradients, TG19_20_Variables) {
  const Variable v(Ones({2}, kFloat64)), unused(Ones({3}, kFloat64));
  InTrace([&](const Tensor& x) {
    const GradientList g = Gradients(v.value() * x, {v, unused}, {.unconnected_gradients = kZero});
    EXPECT_EQ(g[0].gradient->shape(), Shape({2}));
    EXPECT_EQ(g[1].gradient->dtype(), kFloat64);
  });
}

TEST(Gradients, TG21_SumOfTen) {
  const auto f = [](const Tensor& x) {
    const Tensor y = 2 * x;
    Tensor z = y;
    for (int i = 1; i < 10; ++i) z = z + y;
    const GradientList g = Gradients(z, {x, y});
    return Stack({g.Dense(0), g.Dense(1)});
  };
  EXPECT_THAT(At(f, 1.0), ElementsAre(20, 10));
}

TEST(Gradients, TG27_ProductsTransposeTheirOperand) {
  const Function f =
      Trace([](const Tensor& x, const Tensor& w) { return Gradients(MatMul(x, w) + Ones({3}), {w}).Dense(0); },
            {Spec(kFloat32, {4, 2}), Spec(kFloat32, {2, 3})});
  EXPECT_THAT(f.ToText(), HasSubstr("contract"));
  EXPECT_THAT(Values(Compile(f)("main", Ones({4, 2}), Zeros({2, 3}))), ElementsAre(4, 4, 4, 4, 4, 4));
}

TEST(Gradients, TG28_PartOfASplit) {
  const auto f = [](const Tensor& x) { return Gradients(Slice(x, {1}, {2}) * 3, {x}).Dense(0); };
  EXPECT_THAT(At(f, Tensor({1.0, 2.0, 3.0})), ElementsAre(0, 3, 0));
}

TEST(Gradients, TG30_31_NoDerivativeIsKnown) {
  InTrace([](const Tensor& x) {
    const Tensor y = Igamma(x, 2.0) + x;
    ExpectError(ErrorCode::kUnimplemented, "use stop_gradient", [&] { Gradients(y, {x}); });
    EXPECT_TRUE(Gradients(x * x, {x})[0].gradient);  // off the path it does not matter
  });
}

TEST(Gradients, TG34_StopGradient) {
  InTrace([](const Tensor& x) { EXPECT_FALSE(Gradients(StopGradient(x), {x})[0].gradient); });
}

// Within a body what is outside is not connected; the gradient there is that of the body.
TEST(Gradients, TG36_InsideALoopBody) {
  const auto f = [](const Tensor& x) {
    return WhileLoop([](const Tensors& v) { return v[0] < 2; },
                     [](const Tensors& v) { return Tensors{v[0] + 1, Gradients(v[1] * v[1], {v[1]}).Dense(0)}; },
                     {Tensor(0), x})[1];
  };
  EXPECT_THAT(At(f, 3.0), ElementsAre(12));
}

TEST(Gradients, TG37_WhileWithAnIntegerCount) {
  const auto f = [](const Tensor& x) {
    const Tensor y = WhileLoop([](const Tensors& v) { return v[0] < 10; },
                               [&](const Tensors& v) { return Tensors{v[0] * x}; }, {Tensor(2.0)})[0];
    return Gradients(y, {x}).Dense(0);
  };
  EXPECT_THAT(At(f, 2.0), ElementsAre(24));
}

TEST(Gradients, TG38_Cond) {
  const Variable alpha(Tensor(1.0), {.name = "alpha"}), beta(Tensor(1.0), {.name = "beta"});
  const Function f = Trace(
      [&](const Tensor& p) {
        const Tensor y = Cond(p, [&] { return alpha * 2.0; }, [&] { return alpha * 3.0 * beta; });
        const GradientList g = Gradients(y, {alpha, beta});
        return Stack({g.Dense(0), g.Dense(1)});
      },
      {Spec(kBool, {})});
  const Executable run = Compile(f);
  EXPECT_THAT(Values(run("main", Tensor(true))), ElementsAre(2, 0));
  EXPECT_THAT(Values(run("main", Tensor(false))), ElementsAre(3, 3));
}

// Captured: a tensor, a y, a variable, what eager code computed.
TEST(Gradients, TG41_42_Captures) {
  const Variable v(Tensor(4.0));
  const Tensor eager = Tensor(3.0) * 1.0;
  const auto f = [&](const Tensor& x) {
    const auto inner = [&](const Tensor& y) { return Gradients(y * x * eager * v, {x, y, v}); };
    const GradientList g = inner(x * 2);
    EXPECT_FALSE(Gradients(x * 2, {eager})[0].gradient);
    return Stack({g.Dense(0), g.Dense(1), g.Dense(2)});
  };
  EXPECT_THAT(At(f, 1.0), ElementsAre(48, 12, 6));
}

TEST(Gradients, TG43_AVariableReadButUnused) {
  const Variable v(Tensor(4.0));
  InTrace([&](const Tensor& x) {
    const Tensor read = v.value();
    EXPECT_FALSE(Gradients(x * x, {v})[0].gradient);
  });
}

TEST(Gradients, TG44_HigherOrdersWithAndWithoutATape) {
  const double want[] = {std::cos(0.3), -std::sin(0.3), -std::cos(0.3), std::sin(0.3), std::cos(0.3)};
  for (const bool tape : {false, true}) {
    const auto f = [tape](const Tensor& x) {
      std::optional<GradientTape> around;
      if (tape) around.emplace().Watch(x);
      Tensors orders = {Cos(x)};
      for (int n = 1; n < 5; ++n) orders.push_back(Gradients(orders.back(), {x}).Dense(0));
      return Stack(orders);
    };
    const std::vector<double> got = At(f, 0.3);
    for (size_t n = 0; n < 5; ++n) EXPECT_NEAR(got[n], want[n], 1e-15) << n;
  }
}

// The user's gradient of a function counts, also where its body has another.
TEST(Gradients, TG40_AUsersGradient) {
  const auto f =
      CustomGradient([](const Tensor& x) { return std::pair(x * x, [=](const Tensor& dy) { return 3 * x * dy; }); });
  EXPECT_THAT(At([&](const Tensor& x) { return Gradients(f(x), {x}).Dense(0); }, 2.0), ElementsAre(6));
}

}  // namespace
}  // namespace reel
