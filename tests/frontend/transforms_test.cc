// Transforms of callables and of functions: vmap, jvp, vjp, Jacobians, and each inside the others.

#include <cmath>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Pointwise;
using Tensors = std::vector<Tensor>;

// f row by row, stacked.
Tensor RowByRow(const std::function<Tensor(const Tensor&)>& f, const Tensor& xs) {
  Tensors rows;
  for (int64_t i = 0; i < xs.shape().dim(0); ++i) rows.push_back(f(xs[i]));
  return Stack(rows);
}

Tensor Doubles(const Shape& shape, double scale = 0.37) {
  return Sin(Cast(Reshape(Arange(1, shape.size() + 1), shape.dims()), kFloat64) * scale);
}

TEST(VectorizedMap, GivesTheRowsStacked) {
  const Tensor xs({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const auto f = VectorizedMap([](const Tensor& x) { return ReduceSum(x * x); });
  EXPECT_THAT(Values(f(xs)), ElementsAre(5, 25, 61));
}

TEST(VectorizedMap, MovesAxesAndSharesArguments) {
  const Tensor a({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}), v({1.f, 10.f});
  const auto dot = [](const Tensor& x, const Tensor& y) { return x * y; };
  const Tensor y = VectorizedMap(dot, {.in_axes = {1, std::nullopt}, .out_axes = {-1}})(a, v);
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_THAT(Values(y), ElementsAre(1, 2, 3, 40, 50, 60));
}

TEST(VectorizedMap, ReturnsWhatTheFunctionReturns) {
  const auto f =
      VectorizedMap([](const Tensor& x) { return std::pair(x + 1, Tensor(7.f)); }, {.out_axes = {0, std::nullopt}});
  const auto [y, c] = f(Tensor({1.f, 2.f}));
  EXPECT_THAT(Values(y), ElementsAre(2, 3));
  EXPECT_EQ(c.item<float>(), 7);
  const auto all = VectorizedMap([](const Tensor&) { return Tensors{Tensor(7.f)}; });
  EXPECT_THAT(Values(all(Tensor({1.f, 2.f}))[0]), ElementsAre(7, 7));
}

TEST(VectorizedMap, Nests) {
  const Tensor a = Doubles({3, 2}), b = Doubles({4, 2}, 0.2);
  const auto dot = [](const Tensor& x, const Tensor& y) { return ReduceSum(x * y); };
  const auto row = VectorizedMap(dot, {.in_axes = {std::nullopt, 0}});
  const Tensor all = VectorizedMap(row, {.in_axes = {0, std::nullopt}})(a, b);
  EXPECT_THAT(Values(all), Pointwise(DoubleNear(1e-12), Values(MatMul(a, Transpose(b)))));
}

TEST(VectorizedMap, UsesItsSurroundings) {
  const Variable w(Tensor({{1.f, 2.f}, {3.f, 4.f}}));
  const Tensor shift({10.f, 20.f}), xs({{1.f, 0.f}, {0.f, 1.f}});
  GradientTape tape;
  tape.Watch(shift);
  const Tensor y = VectorizedMap([&](const Tensor& x) { return MatMul(w, x) + shift; })(xs);
  EXPECT_THAT(Values(y), ElementsAre(11, 23, 12, 24));
  const GradientList d = tape.Gradient(y, {w, shift});
  EXPECT_THAT(Values(d.Dense(0)), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Values(d.Dense(1)), ElementsAre(2, 2));
}

TEST(VectorizedMap, BranchesOnARowsValue) {
  const auto f = [](const Tensor& x) { return Cond(x > 0.0, [&] { return x * x; }, [&] { return -x; }); };
  const Tensor xs({-2.0, 3.0, -0.5});
  EXPECT_THAT(Values(VectorizedMap(f)(xs)), ElementsAre(2, 9, 0.5));
  GradientTape tape;
  tape.Watch(xs);
  EXPECT_THAT(Values(*tape.Gradient(VectorizedMap(f)(xs), xs)), ElementsAre(-1, 6, -1));
}

TEST(VectorizedMap, LoopsUntilAllRowsAreDone) {
  const auto halvings = [](const Tensor& x) {  // how often x is halved until it is below 1
    return WhileLoop([](const Tensors& v) { return v[0] >= 1.0; },
                     [](const Tensors& v) { return Tensors{v[0] * 0.5, v[1] + int64_t{1}}; }, {x, Tensor(int64_t{0})});
  };
  const auto out = VectorizedMap(halvings)(Tensor({0.5, 9.0, 1.0, 100.0}));
  EXPECT_THAT(Values(out[0]), ElementsAre(0.5, 0.5625, 0.5, 0.78125));
  EXPECT_THAT(Values(out[1]), ElementsAre(0, 4, 1, 7));
}

TEST(VectorizedMap, ScansPerRow) {
  const auto f = [](const Tensor& x) {
    return Scan(
               [](const Tensors& c, const Tensors& row) {
                 const Tensor next = c[0] * 0.5 + Sin(row[0]);
                 return ScanStep{{next}, {next}};
               },
               {Tensor(0.0)}, {x})
        .ys[0];
  };
  const Tensor xs = Doubles({3, 5});
  EXPECT_THAT(Values(VectorizedMap(f)(xs)), ElementsAreArray(Values(RowByRow(f, xs))));
}

TEST(VectorizedMap, TapesInside) {
  const auto gradient = [](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    return *tape.Gradient(ReduceSum(x * x * x), x);
  };
  EXPECT_THAT(Values(VectorizedMap(gradient)(Tensor({{1.0, 2.0}, {3.0, 4.0}}))), ElementsAre(3, 12, 27, 48));
}

TEST(VectorizedMap, CustomGradientsStayTheUsers) {
  const auto triple =
      CustomGradient([](const Tensor& x) { return std::pair(x * x, [](const Tensor& dy) { return 3 * dy; }); });
  const Tensor xs({1.0, 2.0});
  GradientTape tape;
  tape.Watch(xs);
  const Tensor y = VectorizedMap([&](const Tensor& x) { return triple(x); })(xs);
  EXPECT_THAT(Values(y), ElementsAre(1, 4));
  EXPECT_THAT(Values(*tape.Gradient(y, xs)), ElementsAre(3, 3));
  EXPECT_THAT(Values(Jacobian([&](const Tensor& x) { return triple(x); })(xs)), ElementsAre(3, 0, 0, 3));
  const JvpResult jvp = Jvp([&](const Tensor& x) { return triple(x); }, {xs}, {Tensor({1.0, 10.0})});
  EXPECT_THAT(Values(jvp.tangents), ElementsAre(3, 30));
}

TEST(VectorizedMap, RowsDrawTheirOwnNumbers) {
  SetSeed(3);
  const auto noise = [](const Tensor& x) { return x + RandomUniform({2}); };
  const Tensor y = VectorizedMap(noise)(Zeros({3}));
  const std::vector<double> v = Values(y);
  EXPECT_NE(v[0], v[2]);
  EXPECT_NE(v[2], v[4]);
  EXPECT_NE(v, Values(VectorizedMap(noise)(Zeros({3}))));
}

TEST(VectorizedMap, SaysWhatIsWrong) {
  const auto add = [](const Tensor& x, const Tensor& y) { return x + y; };
  const auto identity = [](const Tensor& x) { return Identity(x); };
  ExpectError(ErrorCode::kInvalidArgument, "argument 1, f32[3], has 3 rows, the arguments before it have 2",
              [&] { VectorizedMap(add)(Zeros({2}), Zeros({3})); });
  ExpectError(ErrorCode::kInvalidArgument, "argument 0 is a scalar f32[]",
              [&] { VectorizedMap(identity)(Tensor(1.f)); });
  ExpectError(ErrorCode::kInvalidArgument, "no argument has rows",
              [&] { VectorizedMap(identity, {.in_axes = {std::nullopt}})(Tensor(1.f)); });
  ExpectError(ErrorCode::kInvalidArgument, "2 in_axes for 1",
              [&] { VectorizedMap(identity, {.in_axes = {0, 0}})(Zeros({2})); });
  ExpectError(ErrorCode::kInvalidArgument, "result 0 differs between the rows",
              [&] { VectorizedMap(identity, {.out_axes = {std::nullopt}})(Zeros({2})); });
  const Variable last(Tensor(0.f), {.name = "last"});
  ExpectError(ErrorCode::kInvalidArgument, "assigns variable 'last' a value that differs between the rows", [&] {
    VectorizedMap([&](const Tensor& x) {
      last.Assign(x);
      return x;
    })(Zeros({2}));
  });
  EXPECT_EQ(VectorizedMap(identity)(Zeros({0, 2})).shape(), Shape({0, 2}));
}

TEST(VectorizedMap, AssignsWhatAllRowsShare) {
  const Variable count(Tensor(1.f), {.name = "count"});
  VectorizedMap([&](const Tensor& x) {
    count.AssignAdd(1.f);
    return x;
  })(Zeros({5}));
  EXPECT_EQ(count.value().item<float>(), 2);
}

TEST(Jvp, IsTheDirectionalDerivative) {
  const auto f = [](const Tensor& x, const Tensor& y) { return Tensors{Sin(x) * y, x + 1.0, Cast(x, kInt64)}; };
  const auto [values, tangents] = Jvp(f, {Tensor(0.5), Tensor(2.0)}, {Tensor(0.1), Tensor()});
  EXPECT_DOUBLE_EQ(values[0].item<double>(), std::sin(0.5) * 2);
  EXPECT_DOUBLE_EQ(tangents[0].item<double>(), std::cos(0.5) * 0.2);
  EXPECT_EQ(tangents[1].item<double>(), 0.1);
  EXPECT_EQ(tangents[2].item<int64_t>(), 0);
}

TEST(Jvp, ThroughLoopsOfAnyLength) {
  const auto power = [](const Tensor& x) {  // doubles until above 100: no bound is known
    return WhileLoop([](const Tensors& v) { return v[0] < 100.0; }, [&](const Tensors& v) { return Tensors{v[0] * x}; },
                     {Tensor(1.0)})[0];
  };
  const auto [value, tangent] = Jvp(power, {Tensor(3.0)}, {Tensor(1.0)});
  EXPECT_EQ(Tensor(value).item<double>(), 243);
  EXPECT_DOUBLE_EQ(Tensor(tangent).item<double>(), 5 * 81);
  const Function traced =
      Trace([&](const Tensor& x) { return Tensor(Jvp(power, {x}, {Tensor(1.0)}).tangents); }, {Spec(kFloat64, {})});
  EXPECT_DOUBLE_EQ(Tensor(Compile(traced)("main", Tensor(3.0))).item<double>(), 5 * 81);
}

TEST(Jvp, RefusesWrongTangents) {
  const auto f = [](const Tensor& x) { return Sin(x); };
  ExpectError(ErrorCode::kInvalidArgument, "tangent 0 is f32[2], its primal is f32[3]",
              [&] { Jvp(f, {Zeros({3})}, {Zeros({2})}); });
  ExpectError(ErrorCode::kInvalidArgument, "0 tangents for 1 primals", [&] { Jvp(f, {Zeros({3})}, {}); });
}

TEST(Vjp, GivesGradientsForSeeds) {
  const auto f = [](const Tensor& x, const Tensor& y) { return std::pair(x * x, y * 3.0); };
  const auto [values, pullback] = Vjp(f, {Tensor({1.0, 2.0}), Tensor(5.0)});
  EXPECT_THAT(Values(values[0]), ElementsAre(1, 4));
  const auto d = pullback({Tensor({1.0, 10.0}), Tensor()});
  EXPECT_THAT(Values(*d[0]), ElementsAre(2, 40));
  EXPECT_EQ(d[1]->item<double>(), 0);
  EXPECT_THAT(Values(*pullback({})[0]), ElementsAre(2, 4));
  ExpectError(ErrorCode::kInvalidArgument, "1 seeds for 2 results", [&] { pullback({Tensor(1.0)}); });
  const auto unused = [](const Tensor& x, const Tensor&) { return x; };
  EXPECT_FALSE(Vjp(unused, {Tensor(1.0), Tensor(2.0)}).pullback({})[1].has_value());
}

TEST(Jacobian, ForwardAndReverse) {
  const Tensor a = Doubles({2, 3});
  const auto f = [&](const Tensor& x) { return Tanh(MatMul(a, x)); };           // 3 to 2: reverse
  const auto g = [&](const Tensor& x) { return Tanh(MatMul(Transpose(a), x)); };  // 2 to 3: forward
  const Tensor x = Doubles({3}), z = Doubles({2});
  const auto scale = [](const Tensor& y) { return ExpandDims(1.0 - y * y, 1); };
  EXPECT_THAT(Values(Jacobian(f)(x)), Pointwise(DoubleNear(1e-12), Values(scale(f(x)) * a)));
  EXPECT_THAT(Values(Jacobian(g)(z)), Pointwise(DoubleNear(1e-12), Values(scale(g(z)) * Transpose(a))));
}

TEST(Jacobian, OfAnArgumentAndOfSeveralResults) {
  const auto f = [](const Tensor& x, const Tensor& y) { return std::pair(x * y, y); };
  const auto [first, second] = Jacobian(f, 1)(Tensor({2.0, 3.0}), Tensor({5.0, 7.0}));
  EXPECT_THAT(Values(first), ElementsAre(2, 0, 0, 3));
  EXPECT_THAT(Values(second), ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(Values(Jacobian([](const Tensor&) { return Ones({2}, kFloat64); })(Tensor({1.0, 2.0}))),
              ElementsAre(0, 0, 0, 0));
  ExpectError(ErrorCode::kInvalidArgument, "there is no argument 2", [&] { Jacobian(f, 2)(Tensor(1.0), Tensor(1.0)); });
  ExpectError(ErrorCode::kInvalidArgument, "cannot be differentiated",
              [&] { Jacobian([](const Tensor& x) { return x; })(Tensor({1, 2})); });
}

TEST(Hessian, IsTheJacobianOfTheJacobian) {
  const auto f = [](const Tensor& x) { return ReduceSum(x * x * x) + x[0] * x[1]; };
  const Tensor x({1.0, 2.0});
  EXPECT_THAT(Values(Hessian(f)(x)), ElementsAre(6, 1, 1, 12));
  EXPECT_THAT(Values(HessianVectorProduct(f, {x}, {Tensor({1.0, 10.0})})), ElementsAre(16, 121));
  const auto third = Jacobian(Hessian(f))(x);
  EXPECT_EQ(third.shape(), Shape({2, 2, 2}));
  EXPECT_THAT(Values(third), ElementsAre(6, 0, 0, 0, 0, 0, 0, 6));
}

TEST(Transforms, Compose) {
  const auto f = [](const Tensor& x) { return ReduceSum(Exp(x) * x); };
  const Tensor xs = Doubles({3, 2});
  const Tensor hessians = VectorizedMap(Hessian(f))(xs);  // per row: diag(exp(x) (x + 2))
  const Tensor diagonal = Exp(xs) * (xs + 2.0);
  for (int64_t i = 0; i < 3; ++i) {
    const std::vector<double> h = Values(hessians[i]), d = Values(diagonal[i]);
    EXPECT_THAT(h, Pointwise(DoubleNear(1e-12), std::vector<double>{d[0], 0, 0, d[1]}));
  }
  const Tensor j = Jacobian(VectorizedMap(f))(xs);
  EXPECT_EQ(j.shape(), Shape({3, 3, 2}));
  GradientTape tape;
  tape.Watch(xs);
  const Tensor g = ReduceSum(VectorizedMap(Jacobian(f))(xs));  // the sum of the gradients
  EXPECT_THAT(Values(*tape.Gradient(g, xs)), Pointwise(DoubleNear(1e-12), Values(diagonal)));
}

TEST(Transforms, InATraceAndCompiled) {
  const auto f = [](const Tensor& x) {
    const auto map = VectorizedMap([](const Tensor& row) {
      return Cond(ReduceSum(row) > 0.0, [&] { return Sin(row); }, [&] { return row * 2.0; });
    });
    return Tensors{map(x), Jacobian([&](const Tensor& t) { return ReduceSum(map(t), 1); })(x)};
  };
  const Tensor x({{1.0, 2.0}, {-3.0, 1.0}});
  const Function traced = Trace(f, {Spec(x)});
  const Results compiled = Compile(traced)("main", x);
  const Tensors eager = f(x);
  EXPECT_THAT(Values(compiled[0]), ElementsAreArray(Values(eager[0])));
  EXPECT_THAT(Values(compiled[1]), ElementsAreArray(Values(eager[1])));
  EXPECT_EQ(eager[1].shape(), Shape({2, 2, 2}));
}

// x, x^2, x^3, ... until one is 100 or more: no bound on the iterations is known.
Tensor PowerAbove100(const Tensor& x) {
  return WhileLoop([](const Tensors& v) { return v[0] < 100.0; }, [&](const Tensors& v) { return Tensors{v[0] * x}; },
                   {Tensor(1.0)})[0];
}

TEST(Transforms, DifferentiateLoopsWhoseRowsStopAtDifferentTimes) {
  const auto f = [](const Tensor& x) { return PowerAbove100(x); };
  const auto gradient = [&](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    return *tape.Gradient(f(x), x);
  };
  const auto second = [&](const Tensor& x) { return Tensor(Jvp(gradient, {x}, {Tensor(1.0)}).tangents); };
  const Tensor xs({2.0, 3.0, 11.0});
  GradientTape tape;
  tape.Watch(xs);
  const Tensor y = VectorizedMap(f)(xs);
  EXPECT_THAT(Values(y), ElementsAre(128, 243, 121));
  const std::vector<double> slopes{7 * 64, 5 * 81, 22};
  EXPECT_THAT(Values(*tape.Gradient(y, xs)), Pointwise(DoubleNear(1e-9), slopes));
  EXPECT_THAT(Values(VectorizedMap(Jacobian(f))(xs)), Pointwise(DoubleNear(1e-9), slopes));
  EXPECT_THAT(Values(VectorizedMap(gradient)(xs)), Pointwise(DoubleNear(1e-9), slopes));
  const Function traced = Trace([&](const Tensor& x) { return VectorizedMap(gradient)(x); }, {Spec(xs)});
  EXPECT_THAT(Values(Compile(traced)("main", xs)), Pointwise(DoubleNear(1e-9), slopes));
  EXPECT_THAT(Values(VectorizedMap(second)(xs)), Pointwise(DoubleNear(1e-9), std::vector<double>{42 * 32, 20 * 27, 2}));
}

TEST(Transforms, HessiansOfLoopsPerRow) {
  const auto f = [](const Tensor& x) {
    return ForLoop(
        int64_t{4}, [&](const Tensor& i, const Tensor& s) { return Sin(s * x) + Cast(i, kFloat64) * x; }, Tensor(0.3));
  };
  const Tensor xs = Doubles({5}), all = VectorizedMap(Hessian(f))(xs);
  EXPECT_THAT(Values(all), Pointwise(DoubleNear(1e-10), Values(RowByRow(Hessian(f), xs))));
  const Function traced = Trace([&](const Tensor& x) { return VectorizedMap(Hessian(f))(x); }, {Spec(xs)});
  EXPECT_THAT(Values(Compile(traced)("main", xs)), Pointwise(DoubleNear(1e-10), Values(all)));
}

TEST(Transforms, AnAccumulatorAroundNestedMaps) {
  const auto f = [](const Tensor& a, const Tensor& b) {
    return Cond(ReduceSum(a * b) > 0.0, [&] { return Sin(a) * b; }, [&] { return a - b; });
  };
  const auto all = VectorizedMap(VectorizedMap(f, {.in_axes = {std::nullopt, 0}}), {.in_axes = {0, std::nullopt}});
  const Tensor a = Doubles({3, 2}), b = Doubles({4, 2}, 1.1), v = Ones({2}, kFloat64);
  ForwardAccumulator acc({a}, {Ones({3, 2}, kFloat64)});
  const Tensor y = all(a, b), d = *acc.Jvp(y);
  acc.Stop();
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t k = 0; k < 4; ++k) {
      const auto [value, tangent] = Jvp(f, {a[i], b[k]}, {v, Tensor()});
      EXPECT_EQ(Values(y[i][k]), Values(value));
      EXPECT_EQ(Values(d[i][k]), Values(tangent));
    }
  }
}

TEST(Transforms, AreLiftedFromWhatRan) {
  const Variable w(Doubles({2, 2}), {.name = "w"});
  const auto step = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor y = VectorizedMap([&](const Tensor& row) { return Tanh(MatMul(w, row)); })(x);
    return tape.Gradient(ReduceSum(y), {w}).Dense(0);
  };
  const Tensor xs = Doubles({3, 2});
  Recording recording;
  const Tensor g = step(xs);
  const Function lifted = recording.Lift({{"x", xs}}, {{"g", g}});
  EXPECT_EQ(Values(Compile(lifted)("main", xs)), Values(g));
  EXPECT_EQ(Values(Compile(Trace(step, {Spec(xs)}))("main", xs)), Values(g));
}

TEST(Transforms, WatchedTensorsThatABranchUses) {
  const Tensor w({2.0, 3.0}), xs({1.0, -1.0});
  GradientTape tape;
  tape.Watch(w);
  const Tensor y = VectorizedMap([&](const Tensor& x) {
    return Cond(x > 0.0, [&] { return ReduceSum(w * w) * x; }, [&] { return ReduceSum(w); });
  })(xs);
  EXPECT_THAT(Values(y), ElementsAre(13, 5));
  EXPECT_THAT(Values(*tape.Gradient(y, w)), ElementsAre(5, 7));
}

TEST(Transforms, OfComplexNumbersInside) {
  const auto f = [](const Tensor& x) { return Abs(Complex(x, x * 2.0) * Complex(Sin(x), x)); };
  const Tensor x = Doubles({3}) + 2.0, j = Jacobian(f)(x), numeric = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6;
  for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(j[i][i].item<double>(), numeric[i].item<double>(), 1e-6);
  EXPECT_THAT(Values(VectorizedMap(f)(Reshape(x, {3, 1}))), Pointwise(DoubleNear(1e-12), Values(f(x))));
}

TEST(Transforms, OfALoadedModule) {
  const Variable w(Tensor({{1.0, 2.0}, {3.0, 4.0}}), {.name = "w"});
  const auto f = [&](const Tensor& x) { return Tanh(MatMul(w, x)); };
  const Module saved = Module::Lift({{"predict", f, {Spec(kFloat64, {2}, "x")}}});
  const Function predict = Module::FromText(saved.ToText()).function("predict");
  const Tensor x({0.1, 0.2}), dx({1.0, -1.0}), xs({{0.1, 0.2}, {0.3, -0.4}, {0.0, 1.0}});
  const auto run = [](const Function& g, const auto&... inputs) { return Compile(g)(g.name(), inputs...); };

  const Function map = VectorizedMap(predict, 3);
  EXPECT_THAT(Values(run(map, xs)), ElementsAreArray(Values(VectorizedMap(f)(xs))));
  EXPECT_EQ(Module::Lift({{"map", map}}).entries(), std::vector<std::string>{"map"});
  EXPECT_THAT(Values(run(VectorizedMap(predict, 3, {.in_axes = {1}, .out_axes = {1}}), Transpose(xs))),
              ElementsAreArray(Values(Transpose(VectorizedMap(f)(xs)))));
  const Results jvp = run(Jvp(predict), x, dx);
  EXPECT_THAT(Values(jvp[0]), ElementsAreArray(Values(f(x))));
  EXPECT_THAT(Values(jvp[1]), ElementsAreArray(Values(Jvp(f, {x}, {dx}).tangents)));
  EXPECT_THAT(Values(run(Vjp(predict), x, dx)), ElementsAreArray(Values(*Vjp(f, {x}).pullback({dx})[0])));
  EXPECT_THAT(Values(run(Jacobian(predict), x)), ElementsAreArray(Values(Jacobian(f)(x))));
  EXPECT_THAT(Values(run(Hessian(predict), x)), Pointwise(DoubleNear(1e-12), Values(Hessian(f)(x))));
  const auto sum = [&](const Tensor& t) { return ReduceSum(f(t)); };
  EXPECT_THAT(Values(run(HessianVectorProduct(predict), x, dx)),
              Pointwise(DoubleNear(1e-12), Values(HessianVectorProduct(sum, {x}, {dx}))));
  ExpectError(ErrorCode::kNotFound, "there is no function 'train'", [&] { saved.function("train"); });
}

}  // namespace
}  // namespace reel
