// The rows of tf.gradients that concern the symbolic pass; tests are named after the rows.

#include <gtest/gtest.h>

#include <cmath>

#include "ir/strings.h"
#include "ir/verifier.h"
#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Op;
using P = const Values&;

const Doubles kNothing;  // None

Value Twice(Builder& b, Value x) { return b.Mul(x, b.ScalarLike(x, 2)); }
Value Cube(Builder& b, Value x) { return b.Mul(b.Mul(x, x), x); }

TEST(TfGradients, TG02OneGradientPerXSummedOverYs) {
  const auto d = RunGradients({F64(), F64()}, {{3}, {5}}, 2,
                              [](Builder& b, P p) { return Values{Twice(b, p[0]), b.Mul(p[0], p[1]), p[0], p[1]}; });
  EXPECT_EQ(d, (std::vector<Doubles>{{7}, {3}}));
}

TEST(TfGradients, TG03TotalDerivative) {
  const auto d = RunGradients({F64()}, {{1}}, 1, [](Builder& b, P p) {
    const Value y = Twice(b, p[0]);
    return Values{b.Add(p[0], y), p[0], y};
  });
  EXPECT_EQ(d, (std::vector<Doubles>{{3}, {1}}));
}

TEST(TfGradients, TG04StopGradientsMakesItPartial) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64()}, [](Builder& b, P p) {
    const Value y = Twice(b, p[0]);
    return Values{y, b.Add(p[0], y)};
  });
  const Value a{0}, y = f.results()[0], sum = f.results()[1];
  const auto d = Gradients(&f, &m, {sum}, {a, y}, {.stop_gradients = {a, y}});
  ASSERT_TRUE(d.ok()) << d.status();
  f.SetResults(*d);
  EXPECT_EQ(RunFunction(m, "f", {{1}}), (std::vector<Doubles>{{1}, {1}}));
}

// a chain a, b = a * a, c = a * b, d = b * c for every subset of stops, beside stop_gradient nodes.
TEST(TfGradients, TG05StopGradientsEqualsStopGradientNodes) {
  for (unsigned subset = 0; subset < 16; ++subset) {
    const auto build = [&](bool nodes, ir::Module* m) -> std::vector<Doubles> {
      Values v;
      ir::Function& f = Define(m, "f", {F64()}, [&](Builder& b, P p) {
        const auto cut = [&](int i, Value x) { return nodes && (subset >> i & 1) ? b.StopGradient(x) : x; };
        v = {p[0]};
        const Value a = cut(0, p[0]);
        v.push_back(b.Mul(a, a));
        const Value second = cut(1, v[1]);
        v.push_back(b.Mul(a, second));
        const Value third = cut(2, v[2]);
        v.push_back(b.Mul(second, third));
        return Values{b.Mul(cut(3, v[3]), a)};
      });
      GradientOptions options;
      options.zero_unconnected = true;
      for (int i = 0; i < 4; ++i) {
        if (nodes || !(subset >> i & 1)) continue;
        options.stop_gradients.push_back(v[static_cast<size_t>(i)]);
      }
      // With nodes, a stopped value itself gets no gradient: compare the values above the stops
      // only.
      Values xs;
      for (int i = 0; i < 4; ++i) {
        if (!(subset >> i & 1)) xs.push_back(v[static_cast<size_t>(i)]);
      }
      const auto d = Gradients(&f, m, {f.results()[0]}, xs, options);
      EXPECT_TRUE(d.ok()) << d.status();
      f.SetResults(*d);
      return RunFunction(*m, "f", {{3}});
    };
    ir::Module with, without;
    EXPECT_EQ(build(true, &with), build(false, &without)) << "subset " << subset;
  }
}

TEST(TfGradients, TG06StopGradientsIsPerNode) {
  ir::Module m;
  Define(&m, "pair", {F64()}, [](Builder& b, P p) { return Values{Twice(b, p[0]), Cube(b, p[0])}; });
  ir::Function& f = Define(&m, "f", {F64()}, [](Builder& b, P p) {
    const ir::ValueList r = b.Call("pair", {p[0]});
    return Values{r[0], r[1]};
  });
  const auto d = Gradients(&f, &m, {f.results()[1]}, {{0}}, {.stop_gradients = {f.results()[0]}});
  ASSERT_TRUE(d.ok());
  EXPECT_FALSE((*d)[0].valid());
}

TEST(TfGradients, TG07AnXMayDependOnAnX) {
  const auto d = RunGradients({F64()}, {{1}}, 1, [](Builder& b, P p) {
    const Value y = Twice(b, p[0]);
    return Values{b.Mul(y, b.Scalar(kFloat64, 3)), p[0], y};
  });
  EXPECT_EQ(d, (std::vector<Doubles>{{6}, {3}}));
}

TEST(TfGradients, TG08TheNodeThatMakesXIsNotDifferentiated) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64()}, [](Builder& b, P p) {
    const Value x = b.Exp(p[0]);
    return Values{x, Twice(b, x)};
  });
  const Value x = f.results()[0], z = f.results()[1];
  const size_t before = f.nodes().size();
  const auto d = Gradients(&f, &m, {z}, {x});
  ASSERT_TRUE(d.ok());
  for (size_t i = before; i < f.nodes().size(); ++i) {
    for (Value v : f.nodes()[i].operands) EXPECT_NE(v, x);
  }
}

TEST(TfGradients, TG09YsMayDependOnYs) {
  const auto d = RunGradients({F64()}, {{3}}, 2, [](Builder& b, P p) {
    const Value y = b.Mul(p[0], p[0]), y1 = b.Mul(y, y), y2 = b.Mul(y1, y1);
    return Values{y, y2, p[0]};
  });
  EXPECT_EQ(d[0], Doubles{17502});
}

TEST(TfGradients, TG10SeedsDefaultToOnes) {
  const auto d =
      RunGradients({F64({3})}, {{1, 2, 3}}, 1, [](Builder& b, P p) { return Values{b.Mul(p[0], p[0]), p[0]}; });
  EXPECT_EQ(d[0], (Doubles{2, 4, 6}));
}

// z = x + iy: the gradient is dL/dx + i dL/dy, seeds are 1 + 0i.
TEST(TfGradients, TG11ComplexGradientsAreConjugates) {
  const auto d = RunGradients({F64({}), F64({})}, {{3}, {-2}}, 1, [](Builder& b, P p) {
    const Value z = b.Complex(p[0], p[1]);
    return Values{b.Mul(z, z), p[0], p[1]};  // conj(2 z) = 6 + 4i
  });
  EXPECT_EQ(d[0], Doubles{6});
  EXPECT_EQ(d[1], Doubles{4});
}

TEST(TfGradients, TG12TG13GradYsMustMatchInNumberAndType) {
  ir::Function f("f");
  const Value x = f.AddParameter("x", F64()), v = f.AddParameter("v", F64({2}));
  const auto number = Gradients(&f, nullptr, {x}, {x}, {.grad_ys = {x, x}});
  EXPECT_NE(std::string(number.status().message()).find("2 grad_ys for 1 ys"), std::string::npos);
  const auto type = Gradients(&f, nullptr, {x}, {x}, {.grad_ys = {v}});
  EXPECT_NE(std::string(type.status().message()).find("f64[2]"), std::string::npos);
}

TEST(TfGradients, TG14NoneInGradYsMeansOnes) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64(), F64()},
                           [](Builder& b, P p) { return Values{Twice(b, p[0]), b.Mul(p[0], b.Scalar(kFloat64, 3))}; });
  const auto d = Gradients(&f, &m, {f.results()[0], f.results()[1]}, {{0}}, {.grad_ys = {{1}, {}}});
  ASSERT_TRUE(d.ok());
  f.SetResults(*d);
  EXPECT_EQ(RunFunction(m, "f", {{1}, {10}})[0], Doubles{23});
}

TEST(TfGradients, TG15IntegersCutThePath) {
  const auto d = RunGradients({F64()}, {{3}}, 1,
                              [](Builder& b, P p) { return Values{b.Cast(b.Cast(p[0], kInt32), kFloat64), p[0]}; });
  EXPECT_EQ(d[0], kNothing);
}

TEST(TfGradients, TG16AnIntegerIsItsOwnGradientOne) {
  const auto d =
      RunGradients({I32({2}), F64()}, {{3, 4}, {1}}, 2, [](Builder&, P p) { return Values{p[0], p[0], p[0], p[1]}; });
  EXPECT_EQ(d, (std::vector<Doubles>{{2, 2}, kNothing}));
}

TEST(TfGradients, TG17Unconnected) {
  const Body body = [](Builder& b, P p) { return Values{Twice(b, p[0]), p[0], p[1]}; };
  const auto none = RunGradients({F64(), F64({2})}, {{1}, {1, 1}}, 1, body);
  EXPECT_EQ(none, (std::vector<Doubles>{{2}, kNothing}));
  const auto zero = RunGradients({F64(), F64({2})}, {{1}, {1, 1}}, 1, body, {.zero_unconnected = true});
  EXPECT_EQ(zero, (std::vector<Doubles>{{2}, {0, 0}}));
}

TEST(TfGradients, TG18ASiblingResultIsUnconnected) {
  ir::Module m;
  Define(&m, "both", {F64(), F64()}, [](Builder&, P p) { return Values{p[0], p[1]}; });
  ir::Function& f = Define(&m, "f", {F64(), F64()}, [](Builder& b, P p) {
    const ir::ValueList r = b.Call("both", {p[0], p[1]});
    return Values{Twice(b, r[0]), r[1], p[0], p[1]};
  });
  const Values r = f.results();
  const auto d = Gradients(&f, &m, {r[0]}, {r[1], r[2], r[3]});
  ASSERT_TRUE(d.ok());
  EXPECT_FALSE((*d)[0].valid());
  EXPECT_TRUE((*d)[1].valid());
  EXPECT_FALSE((*d)[2].valid());
}

TEST(TfGradients, TG19TG20VariablesAreXs) {
  ir::Module m;
  m.AddVariable({"w", {kFloat32, {2}}, true, ir::Literal::Zeros({kFloat32, {2}})});
  ir::Function f("f");
  const Value x = f.AddParameter("x", {kFloat32, {2}}), w = f.AddState("w", {kFloat32, {2}});
  Builder b(&f, &m);
  const Value y = b.Mul(x, b.Mul(w, w)), next = b.Add(w, x);
  f.SetResults({b.ReduceSum(y, {0}), next});
  f.set_result_names({"loss"});
  m.AddFunction(std::move(f));
  const auto g = AddGradientFunction(&m, "f", {"loss"}, {"w", "x"});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(g->name, "f.grad");
  const ir::Function& grad = *m.FindFunction("f.grad");
  EXPECT_EQ(grad.state(), std::vector<std::string>{"w"});
  EXPECT_EQ(grad.result_name(0), "d.w");
  EXPECT_EQ(grad.type(grad.results()[0]).dtype, kFloat32);
  // d.w = 2 x w, d.x = w^2, w unchanged
  EXPECT_EQ(RunFunction(m, "f.grad", {{3, 5}, {2, 4}}), (std::vector<Doubles>{{12, 40}, {4, 16}, {2, 4}}));
}

TEST(TfGradients, TG21SumOfTen) {
  const auto d = RunGradients({F64()}, {{3}}, 1, [](Builder& b, P p) {
    const Value y = Twice(b, p[0]);
    Value z = y;
    for (int i = 1; i < 10; ++i) z = b.Add(z, y);
    return Values{z, p[0], y};
  });
  EXPECT_EQ(d, (std::vector<Doubles>{{20}, {10}}));
}

TEST(TfGradients, TG28PartOfASplit) {
  const auto d = RunGradients({F64({4})}, {{1, 2, 3, 4}}, 1, [](Builder& b, P p) {
    b.Slice(p[0], {0}, {2}, {1});
    return Values{Twice(b, b.Slice(p[0], {2}, {4}, {1})), p[0]};
  });
  EXPECT_EQ(d[0], (Doubles{0, 0, 2, 2}));
}

TEST(TfGradients, TG34StopGradientIsNone) {
  const auto d = RunGradients({F64()}, {{3}}, 1, [](Builder& b, P p) { return Values{b.StopGradient(p[0]), p[0]}; });
  EXPECT_EQ(d[0], kNothing);
}

TEST(TfGradients, TG44IteratedCosine) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64()}, [](Builder& b, P p) { return Values{b.Cos(p[0])}; });
  Values orders{f.results()[0]};
  for (int i = 0; i < 4; ++i) {
    const auto d = Gradients(&f, &m, {orders.back()}, {{0}});
    ASSERT_TRUE(d.ok()) << d.status();
    orders.push_back((*d)[0]);
  }
  f.SetResults(orders);
  const auto v = RunFunction(m, "f", {{0.7}});
  const double s = std::sin(0.7), c = std::cos(0.7);
  EXPECT_EQ(v, (std::vector<Doubles>{{c}, {-s}, {-c}, {s}, {c}}));
}

// sum(x[:, None] * A * x[None, :]): each row of the Hessian is the gradient of one component.
TEST(TfGradients, TG45HessianOfAQuadraticForm) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64({3}), F64({3, 3})}, [](Builder& b, P p) {
    const Value row = b.Broadcast(p[0], {3, 3}, {0}), column = b.Broadcast(p[0], {3, 3}, {1});
    return Values{b.ReduceSum(b.Mul(b.Mul(row, p[1]), column), {0, 1})};
  });
  const auto d = Gradients(&f, &m, {f.results()[0]}, {{0}});
  ASSERT_TRUE(d.ok());
  Values rows;
  for (int64_t i = 0; i < 3; ++i) {
    Builder b(&f, &m);
    const Value component = b.Slice((*d)[0], {i}, {i + 1}, {1});
    const auto row = Gradients(&f, &m, {component}, {{0}});
    ASSERT_TRUE(row.ok());
    rows.push_back((*row)[0]);
  }
  f.SetResults(rows);
  const auto h = RunFunction(m, "f", {{1, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}});
  EXPECT_EQ(h, (std::vector<Doubles>{{2, 6, 10}, {6, 10, 14}, {10, 14, 20}}));
}

// One row of the Hessian per element of x: the block of each x, shape x.shape + x.shape.
TEST(TfGradients, TG46TG47HessiansOfMatricesPerX) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64({3, 4}), F64()}, [](Builder& b, P p) {
    const Value cubes = b.ReduceSum(Cube(b, p[0]), {0, 1});
    return Values{b.Mul(cubes, Cube(b, p[1]))};
  });
  const auto d = Gradients(&f, &m, {f.results()[0]}, {{0}, {1}});
  ASSERT_TRUE(d.ok());
  Values blocks;
  const auto second = Gradients(&f, &m, {(*d)[1]}, {{1}});
  ASSERT_TRUE(second.ok());
  blocks.push_back((*second)[0]);
  for (int64_t i = 0; i < 12; ++i) {
    Builder b(&f, &m);
    const Value component = b.Slice((*d)[0], {i / 4, i % 4}, {i / 4 + 1, i % 4 + 1}, {1, 1});
    const auto row = Gradients(&f, &m, {component}, {{0}});
    ASSERT_TRUE(row.ok());
    EXPECT_EQ(f.type((*row)[0]), F64({3, 4}));
    blocks.push_back((*row)[0]);
  }
  f.SetResults(blocks);
  const Doubles x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto h = RunFunction(m, "f", {x, {2}});
  EXPECT_EQ(h[0], Doubles{6 * 2 * 6084});  // d2/dy2 sum(x^3) y^3, sum(x^3) = 6084
  for (size_t i = 0; i < 12; ++i) {
    Doubles want(12);
    want[i] = 6 * x[i] * 8;
    EXPECT_EQ(h[i + 1], want);
  }
}

TEST(TfGradients, TG48TheHessianOfALinearFunctionIsZeros) {
  const auto d = RunGradients({F64({2})}, {{1, 2}}, 1, [](Builder& b, P p) { return Values{b.Ones(F64({2})), p[0]}; },
                              {.zero_unconnected = true});
  EXPECT_EQ(d[0], (Doubles{0, 0}));
}

TEST(TfGradients, TG49HessianVectorProduct) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64({2}), F64({2, 2}), F64({2})}, [](Builder& b, P p) {
    const Value ax = b.Contract(p[1], p[0], {{}, {}, {1}, {0}});
    return Values{b.ReduceSum(b.Mul(p[0], ax), {0})};
  });
  const auto d = Gradients(&f, &m, {f.results()[0]}, {{0}});
  ASSERT_TRUE(d.ok());
  const auto product = Gradients(&f, &m, {(*d)[0]}, {{0}}, {.grad_ys = {{2}}});
  ASSERT_TRUE(product.ok());
  f.SetResults(*product);
  // (A + A') v
  EXPECT_EQ(RunFunction(m, "f", {{1, 2}, {1, 2, 5, 3}, {1, 10}})[0], (Doubles{72, 67}));
}

TEST(TfGradients, GT60GT62GT63TargetsAddUp) {
  EXPECT_EQ(RunGradients({F64()}, {{2}}, 2, [](Builder& b, P p) { return Values{p[0], b.Mul(p[0], p[0]), p[0]}; })[0],
            Doubles{5});
  EXPECT_EQ(RunGradients({F64()}, {{2}}, 2, [](Builder&, P p) { return Values{p[0], p[0], p[0]}; })[0], Doubles{2});
}

TEST(TfGradients, GT79ARepeatedXGetsItsGradientTwice) {
  const auto d = RunGradients({F64()}, {{2}}, 1, [](Builder& b, P p) { return Values{Twice(b, p[0]), p[0], p[0]}; });
  EXPECT_EQ(d, (std::vector<Doubles>{{2}, {2}}));
}

TEST(TfGradients, GT99OpsWithoutGradientGiveNone) {
  for (Op op : {Op::kFloor, Op::kCeil}) {
    const auto d =
        RunGradients({F64()}, {{2.5}}, 1, [op](Builder& b, P p) { return Values{b.Emit(op, {p[0]}), p[0]}; });
    EXPECT_EQ(d[0], kNothing) << ir::Name(op);
  }
}

// Symbolic extents pass through: y = x w, summed.
TEST(TfGradients, GT130UnknownShapes) {
  ir::Module m;
  m.symbols().push_back({"B", 1, 100});
  const Type x_type = F64(Shape{Extent::Symbol(0), 3}), w_type = F64({3, 2});
  Define(&m, "f", {x_type, w_type}, [](Builder& b, P p) {
    const Value y = b.Tanh(b.Contract(p[0], p[1], {{}, {}, {1}, {0}}));
    const Shape shape = b.shape(y);  // a copy: emitting moves the types
    const Value row = b.Broadcast(b.ReduceSum(y, {0}), shape, {1});
    return Values{b.ReduceSum(b.Mul(row, y), {0, 1})};
  });
  const auto g = AddGradientFunction(&m, "f", {}, {});
  ASSERT_TRUE(g.ok()) << g.status();
  const ir::Function& grad = *m.FindFunction(g->name);
  EXPECT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
  EXPECT_EQ(grad.type(grad.results()[0]), x_type);
  EXPECT_EQ(grad.type(grad.results()[1]), w_type);
}

// Rules that move along other axes leave a symbolic one alone; with a number in its place they are those of numbers.
TEST(TfGradients, UnknownBatchesOfWindows) {
  const auto make = [](Extent n, ir::Module* m) {
    Define(m, "f", {F64(Shape{n, 6, 6, 2}), F64({3, 3, 1, 2, 2})}, [n](Builder& b, P p) {
      const Value image = b.Reshape(p[0], Shape{n, 6, 6, 1, 2});
      const Value y = b.Conv(image, p[1], {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
      const Value few = b.Emit(Op::kReduceMax, {b.Window(y, {{1, 2}, {2, 2}, {2, 2}, {1, 1}})},
                               {{"axes", std::vector<int64_t>{5, 6}}, {"first", true}});
      const Value many = b.Emit(Op::kReduceMax, {b.Window(y, {{1, 2}, {5, 5}, {1, 1}, {1, 1}})},
                                {{"axes", std::vector<int64_t>{5, 6}}, {"first", true}});
      const Value part = b.Slice(y, {0, 1, 0, 0, 0}, {n.is_constant() ? n.value() : -1, 6, 6, 1, 1}, {1, 2, 1, 1, 1});
      const Value product = b.ReduceProd(part, {1, 2});
      const Value sums = b.Recurrence(y, y, 1, false);
      Value total = b.ReduceSum(b.Mul(few, few), {0, 1, 2, 3, 4});
      for (Value v : {many, sums}) total = b.Add(total, b.ReduceSum(b.Mul(v, v), {0, 1, 2, 3, 4}));
      return Values{b.Add(total, b.ReduceSum(product, {0, 1, 2}))};
    });
    const auto g = AddGradientFunction(m, "f", {}, {});
    EXPECT_TRUE(g.ok()) << g.status();
    EXPECT_TRUE(ir::Verify(*m).ok()) << ir::Verify(*m);
    return g.ok() ? g->name : "f";
  };
  ir::Module symbolic, constant;
  symbolic.symbols().push_back({"B", 1, 100});
  const std::string name = make(Extent::Symbol(0), &symbolic);
  make(3, &constant);
  std::vector<ir::Literal> inputs;
  for (const Shape& shape : {Shape{3, 6, 6, 2}, Shape{3, 3, 1, 2, 2}}) {
    Doubles values(static_cast<size_t>(shape.size()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(37 * i + 1));
    inputs.push_back(ir::Literal::From<double>(shape, values));
  }
  const auto got = ir::EvaluateEntry(symbolic, name, inputs), want = ir::EvaluateEntry(constant, name, inputs);
  ASSERT_TRUE(got.ok() && want.ok()) << got.status() << want.status();
  EXPECT_EQ(got->outputs, want->outputs);
}

// Rules that compute with extents say so where one is symbolic.
TEST(TfGradients, UnknownShapesAreErrorsThatNameTheOp) {
  const Extent n = Extent::Symbol(0);
  const Type rows = F64(Shape{n, 3}), matrices = F64(Shape{n, 3, 3}), columns = F64(Shape{3, n});
  const auto of = [](Op op, ir::Attributes attributes = {}) -> Body {
    return [op, attributes](Builder& b, P p) {
      const ir::ValueList y = b.EmitAll(op, p, attributes);
      return Values{y.empty() ? Value() : y[0]};
    };
  };
  const std::vector<int64_t> first{0};
  struct Row {
    Op op;
    std::vector<Type> types;
    Body body;
  };
  std::vector<Row> table{{Op::kReduceProd, {rows}, of(Op::kReduceProd, {{"axes", first}})},
                         {Op::kReduceMax, {rows}, of(Op::kReduceMax, {{"axes", first}, {"first", true}})},
                         {Op::kReduceMin, {rows}, of(Op::kReduceMin, {{"axes", first}, {"first", true}})},
                         {Op::kTriangularSolve, {matrices, matrices}, [](Builder& b, P p) {
                            return Values{b.TriangularSolve(p[0], p[1], {})};
                          }}};
  for (Op scatter : {Op::kScatterSet, Op::kScatterMul}) {
    table.push_back({scatter, {columns, I32({2}), F64(Shape{2, n})}, [scatter](Builder& b, P p) {
                       return Values{b.Scatter(scatter, p[0], p[1], p[2], 0)};
                     }});
  }
  for (Op linalg : {Op::kCholesky, Op::kLu, Op::kQr, Op::kEigh, Op::kSvd}) {
    table.push_back({linalg, {matrices}, of(linalg)});
  }
  for (const Row& row : table) {
    ir::Module m;
    m.symbols().push_back({"B", 1, 100});
    Define(&m, "f", row.types, row.body);
    const auto g = AddGradientFunction(&m, "f", {}, {});
    const std::string message(g.status().message());
    EXPECT_NE(message.find(ir::Name(row.op)), std::string::npos) << message;
    EXPECT_NE(message.find("fix the dimension"), std::string::npos) << message;
  }
}

// Slices of x[B,3], whose cotangents are added as parts: only the sliced axis counts.
TEST(TfGradients, PartsOfUnknownShapesAddUp) {
  ir::Module m;
  m.symbols().push_back({"B", 1, 100});
  const Type type = F64(Shape{Extent::Symbol(0), 3});
  Define(&m, "f", {type, I32()}, [](Builder& b, P p) {
    const Value part = b.DynamicSlice(p[0], p[1], 1, 1);
    const Value sum = b.ReduceSum(b.Mul(p[0], p[0]), {0, 1});
    return Values{b.Add(b.ReduceSum(b.Mul(part, part), {0, 1}), sum)};
  });
  const auto g = AddGradientFunction(&m, "f", {}, {});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
  const ir::Function& grad = *m.FindFunction(g->name);
  EXPECT_EQ(grad.type(grad.results()[0]), type);
  const ir::Node* last = grad.producer(grad.results()[0]);
  EXPECT_EQ(last->op, ir::Op::kDynamicUpdate) << "not added as a part";
}

TEST(TfGradients, TG41GradientsWithinACalledFunction) {
  ir::Module m;
  ir::Function& inner = Define(&m, "inner", {F64()}, [](Builder& b, P p) { return Values{Cube(b, p[0])}; });
  const auto d = Gradients(&inner, &m, {inner.results()[0]}, {{0}});
  ASSERT_TRUE(d.ok());
  inner.SetResults(*d);  // 3 x^2
  Define(&m, "outer", {F64()}, [](Builder& b, P p) { return Values{b.Call("inner", {p[0]})[0]}; });
  const auto g = AddGradientFunction(&m, "outer", {}, {});
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(RunFunction(m, g->name, {{5}})[0], Doubles{30});
}

// --- AddGradientFunction ---

TEST(AddGradientFunction, NamesWhatIsMissing) {
  ir::Module m;
  Define(&m, "f", {F64()}, [](Builder& b, P p) { return Values{Twice(b, p[0])}; });
  const auto message = [](const auto& r) { return std::string(r.status().message()); };
  EXPECT_NE(message(AddGradientFunction(&m, "g", {}, {})).find("@g"), std::string::npos);
  const auto y = AddGradientFunction(&m, "f", {"loss"}, {});
  EXPECT_EQ(message(y), "gradients: @f has no result 'loss'; it has: result0");
  const auto x = AddGradientFunction(&m, "f", {}, {"w"});
  EXPECT_EQ(message(x), "gradients: @f has no parameter or variable 'w'; it has: p0");
}

TEST(AddGradientFunction, TakesSeedsAndSaysWhatIsUnconnected) {
  ir::Module m;
  Define(&m, "f", {F64(), F64({2})}, [](Builder& b, P p) { return Values{Twice(b, p[0])}; });
  const auto g = AddGradientFunction(&m, "f", {"0"}, {"p0", "p1"}, true);
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(g->connected, (std::vector<bool>{true, false}));
  EXPECT_EQ(m.FindFunction(g->name)->parameter(2).name, "d.result0");
  EXPECT_EQ(RunFunction(m, g->name, {{1}, {1, 1}, {5}}), (std::vector<Doubles>{{10}, {0, 0}}));
}

// --- pruning ---

// Nothing is emitted for a branch that leads to no x: TF differentiates it.
TEST(Pruning, GT91OnlyPathsToXsAreDifferentiated) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64(), F64()}, [](Builder& b, P p) {
    Value other = p[1];
    for (int i = 0; i < 100; ++i) other = b.Sin(other);
    return Values{b.Add(Twice(b, p[0]), other)};
  });
  const size_t before = f.nodes().size();
  ASSERT_TRUE(Gradients(&f, &m, {f.results()[0]}, {{0}}).ok());
  EXPECT_LE(f.nodes().size() - before, 2u);  // the seed and one product
}

TEST(Pruning, NothingIsEmittedWhereNoYDependsOnX) {
  ir::Module m;
  ir::Function& f = Define(&m, "f", {F64(), F64()}, [](Builder& b, P p) {
    for (int i = 0; i < 10; ++i) b.Sin(p[0]);
    return Values{Twice(b, p[1])};
  });
  const size_t before = f.nodes().size();
  ASSERT_TRUE(Gradients(&f, &m, {f.results()[0]}, {{0}}).ok());
  EXPECT_LE(f.nodes().size() - before, 1u);
}

}  // namespace
}  // namespace reel::passes
