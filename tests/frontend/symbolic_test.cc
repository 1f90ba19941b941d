// Symbolic extents: the same graph for every batch, the same bits as the graph traced for that batch.

#include <filesystem>
#include <thread>

#include "frontend/record/event_log.h"
#include "frontend/values/tensor_data.h"
#include "ir/eval/eval.h"
#include "runtime/buffer.h"
#include "tests/frontend/symbolic_util.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Tensors = std::vector<Tensor>;
using Body = std::function<Tensors(const Tensors&)>;
using Specs = std::function<std::vector<Spec>(const Dim&)>;

Function TraceBody(const Body& body, const std::vector<Spec>& specs) {
  return Trace([&](std::span<const Tensor> x) { return body({x.begin(), x.end()}); }, specs);
}

Tensors Arguments(const std::vector<Spec>& specs) {
  Tensors out;
  for (const Spec& spec : specs) out.push_back(Argument(spec.type, static_cast<int>(out.size()) + 1));
  return out;
}

// Traced once for all B in [1, 64], against a trace for each of some B, at both levels; also after a trip
// through text, and near what the reference evaluator says of the symbolic graph.
void ExpectSameForEveryBatch(const Specs& specs, const Body& body) {
  const Function symbolic = TraceBody(body, specs(Dim("B", 1, 64)));
  const Module read = Module::FromText(Module::Lift({{"main", symbolic}}).ToText());
  EXPECT_THAT(read.ToText(), HasSubstr("symbol \"B\" in [1, 64]"));
  const ir::Module& graph = read.internal_data()->module;
  for (const int level : {0, 2}) {
    const Executable run = Compile(symbolic, {.opt_level = level}), again = Compile(read, {.opt_level = level});
    for (const int64_t b : {1, 2, 7, 64, 33, 7}) {
      const std::vector<Spec> constant = specs(Dim(b));
      const Tensors x = Arguments(constant);
      const Results expected = Compile(TraceBody(body, constant), {.opt_level = level})("main", x);
      const Results actual = run("main", x), other = again("main", x);
      std::vector<ir::Literal> literals;
      for (const Tensor& t : x) literals.push_back(internal::ToLiteral(t));
      const auto reference = ir::EvaluateEntry(graph, "main", literals);
      ASSERT_TRUE(reference.ok()) << reference.status();
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(SameBits(actual[i], expected[i]))
            << "B = " << b << ", level " << level << ", result " << i << ": " << actual[i] << " for " << expected[i];
        EXPECT_TRUE(SameBits(other[i], expected[i])) << "read back, B = " << b;
        const std::vector<double> want = Values(expected[i]);
        for (size_t k = 0; k < want.size(); ++k) {
          ASSERT_NEAR(reference->outputs[i].AsDouble(static_cast<int64_t>(k)), want[k], 1e-3 + 1e-3 * std::abs(want[k]))
              << "evaluator, B = " << b << ", result " << i << ", element " << k;
        }
      }
    }
  }
}

Tensors GradientsOf(const Tensor& y, const std::vector<Tensor>& xs) {
  Tensors out;
  for (const GradientEntry& e : Gradients({y}, xs)) out.push_back(*e.gradient);
  return out;
}

TEST(Symbolic, MapsAndBroadcasts) {
  ExpectSameForEveryBatch(
      [](const Dim& b) {
        return std::vector<Spec>{Spec(kFloat32, {b, 5}), Spec(kFloat32, {5}), Spec(kFloat32, {b, 1})};
      },
      [](const Tensors& x) {
        const Tensor y = Tanh(x[0] * x[1] + x[2]) + 1.5f;
        return Tensors{y, Where(y > x[2], y, OnesLike(y)), Transpose(y), Cast(x[0], kInt32)};
      });
}

TEST(Symbolic, ReductionsOverAndBesideTheBatch) {
  ExpectSameForEveryBatch(
      [](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 70})}; },
      [](const Tensors& x) {
        return Tensors{ReduceSum(x[0]),         ReduceSum(x[0], 0),      ReduceSum(x[0], 1),
                       ReduceMean(x[0]),        ReduceMean(x[0], 0),     ReduceMax(x[0], 0),
                       ReduceVariance(x[0], 0), ReduceVariance(x[0], 1), ReduceStd(x[0]),
                       ArgMax(x[0], 1),         LogSumExp(x[0], 0),      ReduceMean(x[0], {0, 1}, {.keepdims = true}),
                       Softmax(x[0], 0),        Softmax(x[0], 1)};
      });
}

TEST(Symbolic, DenseGradientsOfAMeanLoss) {
  ExpectSameForEveryBatch(
      [](const Dim& b) {
        return std::vector<Spec>{Spec(kFloat32, {b, 6}), Spec(kInt32, {b}), Spec(kFloat32, {6, 4}), Spec(kFloat32, {4}),
                                 Spec(kFloat32, {4, 3})};
      },
      [](const Tensors& x) {
        const Tensor h = Relu(MatMul(x[0], x[2]) + x[3]);
        const Tensor loss = SoftmaxCrossEntropy(MatMul(h, x[4]), x[1]);
        Tensors out = GradientsOf(loss, {x[0], x[2], x[3], x[4]});
        out.push_back(loss);
        return out;
      });
}

TEST(Symbolic, SecondOrderGradients) {
  ExpectSameForEveryBatch(
      [](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 3}), Spec(kFloat32, {3, 2})}; },
      [](const Tensors& x) {
        const Tensor loss = ReduceMean(Square(Tanh(MatMul(x[0], x[1]))));
        const Tensor g = GradientsOf(loss, {x[1]})[0];
        return Tensors{g, GradientsOf(ReduceSum(Square(g)), {x[1]})[0]};
      });
}

TEST(Symbolic, ConvolutionAndPooling) {
  ExpectSameForEveryBatch(
      [](const Dim& b) {
        return std::vector<Spec>{Spec(kFloat32, {b, 6, 6, 2}), Spec(kFloat32, {3, 3, 2, 4}), Spec(kFloat32, {36, 3}),
                                 Spec(kInt32, {b})};
      },
      [](const Tensors& x) {
        const Tensor y = MaxPool2D(Relu(Conv2D(x[0], x[1], {.padding = kSame})), {2});
        const Tensor flat = Flatten()(y);
        const Tensor loss = SoftmaxCrossEntropy(MatMul(flat, x[2]), x[3]);
        Tensors out = GradientsOf(loss, {x[0], x[1], x[2]});
        out.insert(out.end(), {y, AvgPool2D(x[0], {3}), GradientsOf(ReduceSum(Square(AvgPool2D(x[0], {3}))), {x[0]})[0],
                               GradientsOf(ReduceSum(Square(MaxPool2D(x[0], {3}, {.strides = {2}}))), {x[0]})[0]});
        return out;
      });
}

TEST(Symbolic, Normalizations) {
  ExpectSameForEveryBatch(
      [](const Dim& b) {
        return std::vector<Spec>{Spec(kFloat32, {b, 3, 8}), Spec(kFloat32, {8}), Spec(kFloat32, {8})};
      },
      [](const Tensors& x) {
        const Tensor y = LayerNormalize(x[0], x[1], x[2]), z = GroupNormalize(x[0], 2, x[1], x[2]);
        const auto [mean, variance] = Moments(x[0], {0, 1});
        const Tensor batch = BatchNormalize(x[0], mean, variance, x[1], x[2]);
        Tensors out = GradientsOf(ReduceMean(Square(batch)) + ReduceSum(Square(y)), {x[0], x[1], x[2]});
        out.insert(out.end(), {y, z, batch});
        return out;
      });
}

TEST(Symbolic, MovedElements) {
  ExpectSameForEveryBatch(
      [](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 4, 6}), Spec(kFloat32, {b, 2, 6})}; },
      [](const Tensors& x) {
        const Tensor joined = Concat({x[0], x[1]}, 1), part = Slice(x[0], {0, 1, 2}, {kEnd, 3, -1});
        const Tensor loss = ReduceSum(Square(joined)) + ReduceMean(Square(part)) + ReduceSum(Square(CumSum(x[1], 1))) +
                            ReduceSum(ReduceProd(x[1], {1, 2}));
        Tensors out = GradientsOf(loss, {x[0], x[1]});
        out.insert(out.end(), {Reshape(x[0], {-1, 24}), Reshape(x[0], Shape{x[0].shape()[0], 2, 12}), joined, part,
                               ExpandDims(x[0], 0), Squeeze(ExpandDims(x[0], 2), 2), Pad(x[0], {0, 1, 0}, {0, 0, 2}),
                               Flip(x[0], 1), Stack({x[1], x[1]}, 1), Transpose(x[0], {2, 0, 1}), Argsort(x[0], 2),
                               CumSum(x[0], 1, {.exclusive = true}), LogCumSumExp(x[0], 1), Roll(x[0], {1}, {2})});
        return out;
      });
}

TEST(Symbolic, GatherAndItsGradient) {
  ExpectSameForEveryBatch(
      [](const Dim& b) {
        return std::vector<Spec>{Spec(kInt32, {b, 2}), Spec(kFloat32, {3, 5}), Spec(kFloat32, {b, 5})};
      },
      [](const Tensors& x) {
        const Tensor rows = Gather(x[1], x[0]);
        return Tensors{rows, GradientsOf(ReduceSum(Square(rows)), {x[1]})[0], Gather(x[2], x[0], 1), OneHot(x[0], 3)};
      });
}

TEST(Symbolic, TheExtentAsANumber) {
  ExpectSameForEveryBatch([](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 3})}; },
                          [](const Tensors& x) {
                            return Tensors{ExtentOf(x[0], 0),   ReduceSum(x[0]) / Cast(ExtentOf(x[0], 0), kFloat32),
                                           ExtentOf(x[0], 1),   Iota(x[0].shape(), 0),
                                           Zeros(x[0].shape()), Iota(Shape{x[0].shape()[0]}, 0)};
                          });
  const Function f = Trace([](const Tensor& x) { return ExtentOf(x, 0); }, {Spec(kFloat32, {Dim("B", 1, 9), 3})});
  const Executable run = Compile(f);
  EXPECT_EQ(Tensor(run("main", Zeros({5, 3}))).item<int64_t>(), 5);
  EXPECT_THAT(run.Plan(), Not(HasSubstr("reduce_sum")));  // known when it is compiled
  EXPECT_EQ(ExtentOf(Zeros({5, 3}), -1).item<int64_t>(), 3);
}

TEST(Symbolic, BranchesAndLoopsCarryTheBatch) {
  ExpectSameForEveryBatch(
      [](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 3}), Spec(kFloat32, {3, 3})}; },
      [](const Tensors& x) {
        const Tensor branch =
            Cond(ReduceSum(x[0]) > 0.5f, [&] { return Tensors{x[0] * 2.f}; }, [&] { return Tensors{Tanh(x[0])}; })[0];
        const Tensors loop =
            WhileLoop([](const Tensors& v) { return v[0] < int64_t{4}; },
                      [&](const Tensors& v) { return Tensors{v[0] + int64_t{1}, Tanh(MatMul(v[1], x[1]))}; },
                      {Tensor(int64_t{0}), x[0]});
        Tensors out = GradientsOf(ReduceMean(Square(loop[1])) + ReduceMean(branch), {x[0], x[1]});
        out.insert(out.end(), {branch, loop[1]});
        return out;
      });
}

TEST(Symbolic, LoopsOfUnknownLength) {
  ExpectSameForEveryBatch([](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 3})}; },
                          [](const Tensors& x) {
                            const Tensors loop =
                                WhileLoop([](const Tensors& v) { return ReduceMax(Abs(v[0])) > 0.3f; },
                                          [](const Tensors& v) { return Tensors{Sin(v[0]) * 0.9f}; }, {x[0]});
                            return Tensors{loop[0], GradientsOf(ReduceSum(loop[0]), {x[0]})[0]};
                          });
}

TEST(Symbolic, RecurrentLayers) {
  const Lstm lstm(4);
  ExpectSameForEveryBatch([](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 5, 3})}; },
                          [&](const Tensors& x) {
                            const Tensor y = lstm(x[0]);
                            return Tensors{y, GradientsOf(ReduceMean(Square(y)), {x[0]})[0]};
                          });
}

TEST(Symbolic, Attention) {
  const MultiHeadAttention layer(8, 2, {.causal = true, .rotary = true});
  ExpectSameForEveryBatch([](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 6, 8})}; },
                          [&](const Tensors& x) {
                            const Tensor y = layer(x[0], x[0], x[0]);
                            return Tensors{y, GradientsOf(ReduceMean(Square(y)), {x[0]})[0]};
                          });
}

TEST(Symbolic, RandomNumbers) {
  ExpectSameForEveryBatch([](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 3}), Spec(kInt64, {2})}; },
                          [](const Tensors& x) {
                            const Generator g = Generator::FromKey(x[1]);
                            const Tensor first = RandomUniform(x[0].shape(), {.generator = g});
                            return Tensors{first, RandomNormal(x[0].shape(), {.generator = g}), g.Key()};
                          });
}

TEST(Symbolic, OneSymbolOnTwoAxes) {
  ExpectSameForEveryBatch([](const Dim& b) { return std::vector<Spec>{Spec(kFloat32, {b, 3}), Spec(kFloat32, {b})}; },
                          [](const Tensors& x) {
                            const Tensor scores = MatMul(x[0], Transpose(x[0]));
                            return Tensors{scores, Softmax(scores), MatMul(x[1], x[0]),
                                           GradientsOf(ReduceMean(Softmax(scores) * x[1]), {x[0]})[0]};
                          });
}

TEST(Symbolic, TwoSymbols) {
  const Specs specs = [](const Dim& t) {
    return std::vector<Spec>{Spec(kFloat32, {Dim("N", 1, 9), t, 4}), Spec(kFloat32, {t, 4})};
  };
  const Function f = Trace(
      [](const Tensor& x, const Tensor& w) { return Tensors{Softmax(x * w, 1), ReduceMean(x, {0, 1}), ReduceMean(x)}; },
      specs(Dim("T", 2, 10)));
  const Executable run = Compile(f);
  for (const auto& [n, t] : {std::pair<int64_t, int64_t>{1, 2}, {9, 10}, {3, 7}, {7, 3}}) {
    const Tensor x = Argument({kFloat32, {n, t, 4}}, 1), w = Argument({kFloat32, {t, 4}}, 2);
    const Results y = run("main", x, w);
    EXPECT_TRUE(SameBits(y[0], Softmax(x * w, 1)));
    EXPECT_TRUE(SameBits(y[1], ReduceMean(x, {0, 1})));
    EXPECT_TRUE(SameBits(y[2], ReduceMean(x)));
  }
  ExpectError(ErrorCode::kInvalidArgument, "argument 0 (\"arg0\"): T = 1 is not in its range [2, 10]",
              [&] { run("main", Zeros({3, 1, 4}), Zeros({1, 4})); });
}

// --- training ---

// Batches of changing size, each step on the variables that the last one left, as eager code.
TEST(Symbolic, TrainsWithAnOptimizerAsEagerCodeDoes) {
  Classifier c;
  const Module module = c.Lift(Dim("B", 1, 100));
  const std::string path = testing::TempDir() + "symbolic_train";
  module.Save(path + ".reel");
  module.Save(path + ".reel.txt");
  std::vector<Executable> runs = {Compile(module), Compile(module, {.opt_level = 0}),
                                  Compile(Module::Load(path + ".reel")), Compile(Module::Load(path + ".reel.txt"))};
  for (const int64_t b : {8, 8, 5, 100, 1, 8, 3}) {
    const Tensor x = Argument({kFloat32, {b, 4}}, static_cast<int>(b)), y = Argument({kInt32, {b}}, 1);
    const Tensor loss = c.Train(x, y), scores = c.model(x);
    for (const Executable& run : runs) {
      EXPECT_TRUE(SameBits(run("train", x, y), loss)) << b;
      EXPECT_TRUE(SameBits(run("predict", x), scores)) << b;
    }
  }
  for (const Variable& v : c.model.variables()) EXPECT_TRUE(SameBits(runs[0].variable(v.name()), v.value()));
  const Executable fresh = runs[0].NewInstance();
  const Tensor x = Argument({kFloat32, {8, 4}}, 1), y = Argument({kInt32, {8}}, 1);
  EXPECT_TRUE(SameBits(fresh("train", x, y), Compile(module)("train", x, y)));
  std::filesystem::remove(path + ".reel");
  std::filesystem::remove(path + ".reel.txt");
}

TEST(Symbolic, BatchNormAndDropoutTrain) {
  const Sequential model{Dense(6), BatchNorm(), Dropout(0.25), Dense(2)};
  const TrainingScope training;
  model(Zeros({2, 3}));  // builds
  const auto step = [&](const Tensor& x) { return ReduceMean(Square(model(x))); };
  SetSeed(7);
  const Executable run = Compile(Trace(step, {Spec(kFloat32, {Dim("B", 1, 50), 3})}));
  for (const int64_t b : {4, 50, 1, 9}) {
    const Tensor x = Argument({kFloat32, {b, 3}}, 1);
    EXPECT_TRUE(SameBits(run("main", x), step(x))) << b;
  }
}

TEST(Symbolic, GradientOfAFunction) {
  const Function f =
      Trace([](const Tensor& x, const Tensor& w) { return NamedTensor("loss", ReduceMean(Square(MatMul(x, w)))); },
            {Spec(kFloat32, {Dim("B", 1, 64), 3}, "x"), Spec(kFloat32, {3, 2}, "w")});
  const Function g = Gradients(f, {.ys = {"loss"}, .xs = {"w"}});
  const Executable run = Compile(g);
  for (const int64_t b : {1, 5, 64}) {
    const Tensor x = Argument({kFloat32, {b, 3}}, 1), w = Argument({kFloat32, {3, 2}}, 2);
    GradientTape tape;
    tape.Watch(w);
    const Tensor loss = ReduceMean(Square(MatMul(x, w)));
    EXPECT_TRUE(SameBits(run(run.entries()[0], x, w), *tape.Gradient(loss, w))) << b;
  }
}

// --- programs ---

TEST(Symbolic, ManyExtentsAndInstancesInTurn) {
  const Variable count(Tensor(int64_t{0}), {.name = "count"});
  const Function f = Trace(
      [&](const Tensor& x) {
        count.AssignAdd(ExtentOf(x, 0));
        return ReduceSum(x * x, 1);
      },
      {Spec(kFloat32, {Dim("B", 1, 1000), 3})});
  const Executable a = Compile(f), b = a.NewInstance();
  int64_t sum = 0;
  for (int round = 0; round < 2; ++round) {
    for (int64_t n = 1; n <= 40; ++n) {  // more than are kept
      const Tensor x = Argument({kFloat32, {n, 3}}, 1);
      EXPECT_TRUE(SameBits(a("main", x), ReduceSum(x * x, 1)));
      sum += n;
    }
  }
  EXPECT_EQ(a.variable("count").item<int64_t>(), sum);
  EXPECT_EQ(b.variable("count").item<int64_t>(), 0);
  b.set_variable("count", Tensor(int64_t{100}));
  b("main", Zeros({1000, 3}));
  EXPECT_EQ(b.variable("count").item<int64_t>(), 1100);
  b.StoreTo({count});
  EXPECT_EQ(count.value().item<int64_t>(), 1100);
}

TEST(Symbolic, ThreadsShareThePrograms) {
  const Function f = Trace([](const Tensor& x) { return ReduceSum(Tanh(x)); }, {Spec(kFloat32, {Dim("B", 1, 64)})});
  const Executable run = Compile(f);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const Executable own = run.NewInstance();
      for (int64_t b = 1; b <= 12; ++b) {
        const Tensor x = Argument({kFloat32, {b}}, 1);
        if (!SameBits(own("main", x), ReduceSum(Tanh(x)))) ++wrong[t];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

TEST(Symbolic, RunsInPlaceAndTellsOfTheLastProgram) {
  const Function f = Trace([](const Tensor& x) { return Tanh(x); }, {Spec(kFloat32, {Dim("B", 1, 64)})});
  const Executable run = Compile(f, {.profile = true});
  ExpectError(ErrorCode::kFailedPrecondition, "plan: a module with symbolic extents is compiled when it is called",
              [&] { run.Plan(); });
  const std::vector<Tensor> x = {Argument({kFloat32, {5}}, 1)};
  std::vector<Tensor> y(1);
  run.Run("main", x, y);
  const void* const memory = y[0].raw_data();
  run.Run("main", x, y);
  EXPECT_EQ(y[0].raw_data(), memory);
  EXPECT_THAT(run.Plan(), HasSubstr("B=5"));
  EXPECT_EQ(run.size().kernels, 1);
  EXPECT_EQ(run.Profile().kernels[0].calls, 2);
  run("main", Zeros({6}));
  EXPECT_THAT(run.Plan(), HasSubstr("B=6"));
  EXPECT_EQ(run.Profile().kernels[0].calls, 1);
}

TEST(Symbolic, ExtentsCanBeFixed) {
  Classifier c;
  const Module module = c.Lift(Dim("B", 1, 100));
  const Executable run = Compile(module, {.extents = {{"B", 5}}});
  EXPECT_GT(run.size().kernels, 0);
  const Tensor x = Argument({kFloat32, {5, 4}}, 1);
  EXPECT_TRUE(SameBits(run("predict", x), c.model(x)));
  ExpectError(ErrorCode::kInvalidArgument, "must be f32[5,4], got f32[6,4]", [&] { run("predict", Zeros({6, 4})); });
  ExpectError(ErrorCode::kInvalidArgument, "the module has no symbolic extent \"T\"",
              [&] { Compile(module, {.extents = {{"T", 5}}}); });
  ExpectError(ErrorCode::kInvalidArgument, "B = 101 is not in its range [1, 100]",
              [&] { Compile(module, {.extents = {{"B", 101}}}); });
}

// --- errors ---

TEST(SymbolicErrors, OfCalls) {
  const Dim b("B", 2, 8);
  const Function f = Trace([](const Tensor& x, const Tensor& y) { return x + y; },
                           {Spec(kFloat32, {b, 3}, "images"), Spec(kFloat32, {b, 1}, "labels")}, "add");
  const Executable run = Compile(f);
  const auto error = [&](const std::string& text, const Tensor& x, const Tensor& y) {
    ExpectError(ErrorCode::kInvalidArgument, text, [&] { run("add", x, y); });
  };
  error("run add: argument 1 (\"labels\") has B = 5, but argument 0 (\"images\") has 4; they must agree", Zeros({4, 3}),
        Zeros({5, 1}));
  error("run add: argument 0 (\"images\"): B = 9 is not in its range [2, 8]", Zeros({9, 3}), Zeros({9, 1}));
  error("run add: argument 0 (\"images\"): B = 1 is not in its range [2, 8]", Zeros({1, 3}), Zeros({1, 1}));
  error("run add: argument 0 (\"images\"): B = 0 is not in its range [2, 8]", Zeros({0, 3}), Zeros({0, 1}));
  error("run add: argument 0 (\"images\") must be f32[B,3], got f32[4,2]", Zeros({4, 2}), Zeros({4, 1}));
  error("run add: argument 1 (\"labels\") must be f32[B,1], got f64[4,1]", Zeros({4, 3}), Zeros({4, 1}, kFloat64));
  error("run add: argument 0 (\"images\") must be f32[B,3], got f32[4]", Zeros({4}), Zeros({4, 1}));
  ExpectError(ErrorCode::kInvalidArgument, "run add: takes 2 arguments, got 1", [&] { run("add", Zeros({4, 3})); });
  EXPECT_TRUE(SameBits(run("add", Ones({2, 3}), Ones({2, 1})), Full({2, 3}, 2)));
}

TEST(SymbolicErrors, OfSpecs) {
  const auto spec = [](const Dim& dim) { Spec(kFloat32, {dim, 3}); };
  for (const Dim& dim : {Dim("B", 0, 8), Dim("B", 9, 8), Dim("", 1, 8)}) {
    ExpectError(ErrorCode::kInvalidArgument, "a range needs a name and 1 <= min <= max", [&] { spec(dim); });
  }
  ExpectError(ErrorCode::kInvalidArgument, "dimension 'B' ranges from 1 to 8 in one place and from 1 to 9 in another",
              [] {
                Trace([](const Tensor& x, const Tensor& y) { return ReduceSum(x) + ReduceSum(y); },
                      {Spec(kFloat32, {Dim("B", 1, 8)}), Spec(kFloat32, {Dim("B", 1, 9)})});
              });
  const auto f = [](int64_t max) {
    return Trace([](const Tensor& x) { return Tanh(x); }, {Spec(kFloat32, {Dim("B", 1, max)})});
  };
  ExpectError(ErrorCode::kInvalidArgument, "dimension 'B' ranges", [&] { Module::Lift({{"f", f(8)}, {"g", f(9)}}); });
  const Module shared = Module::Lift({{"f", f(8)}, {"g", f(8)}});
  EXPECT_THAT(shared.ToText(), HasSubstr("symbol \"B\" in [1, 8]"));
}

// Each names what wants the number, and the symbol.
TEST(SymbolicErrors, OfOpsThatNeedANumber) {
  const auto error = [](const std::string& text, const std::function<Tensor(const Tensor&)>& f) {
    try {
      Trace([&](const Tensor& x) { return f(x); }, {Spec(kFloat32, {Dim("B", 1, 64), 4, 6})});
      ADD_FAILURE() << "nothing was thrown; expected: " << text;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(text));
      EXPECT_THAT(e.what(), Not(HasSubstr("?0")));
    }
  };
  error("reshape: f32[B,4,6] does not divide into rows of 6 elements, as many as the symbolic extent says",
        [](const Tensor& x) { return Reshape(x, {-1, 6}); });
  error("reshape: f32[B,4,6] does not have the number of elements of [48,6]",
        [](const Tensor& x) { return Reshape(x, {48, 6}); });
  error("add: shapes [B,4,6] and [8,4,6] do not broadcast: axis -3 has B and 8",
        [](const Tensor& x) { return x + Ones({8, 4, 6}); });
  error(
      "Slice: needs the extent B as a number, but it is symbolic, in [1, 64]; trace with a constant extent, or write "
      "it with x.shape()[i], ExtentOf(x, axis) or -1 in Reshape (",  // the line
      [](const Tensor& x) { return Slice(x, {0, 0, 0}, {-1, 4, 6}); });
  error("recurrence: needs a constant extent here", [](const Tensor& x) { return CumSum(x, 0); });
  error("CumExtremum: needs the extent B as a number", [](const Tensor& x) { return CumMax(x, 1); });
  error("Sort: needs the extent B as a number", [](const Tensor& x) { return Sort(x, 1); });
  error("scan: the leading axis of f32[B,4,6] is symbolic", [](const Tensor& x) {
    return Scan([](const Tensors& c, const Tensors& row) { return ScanStep{{c[0] + row[0]}, {}}; }, {Zeros({4, 6})},
                {x})
        .carry[0];
  });
  error("argsort: needs a constant extent here, got a symbolic one", [](const Tensor& x) { return Argsort(x, 0); });
  error("reduce_prod of f64[B,4,6]: its derivative needs constant extents",
        [](const Tensor& x) { return *Gradients(ReduceProd(x, 0), {x})[0].gradient; });
}

}  // namespace
}  // namespace reel
