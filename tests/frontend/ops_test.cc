// Eager ops against values worked out by hand; every primitive's numbers are tested by the op
// table.

#include <cmath>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;

TEST(Elementwise, OperatorsAndBroadcasting) {
  const Tensor a({{1.f, 2.f}, {3.f, 4.f}}), row({10.f, 20.f}), column({{100.f}, {200.f}});
  EXPECT_THAT(Values(a + row), ElementsAre(11, 22, 13, 24));
  EXPECT_THAT(Values(column - a), ElementsAre(99, 98, 197, 196));
  EXPECT_THAT(Values(row * column), ElementsAre(1000, 2000, 2000, 4000));
  EXPECT_THAT(Values(-a / 2), ElementsAre(-0.5, -1, -1.5, -2));
  EXPECT_THAT(Values(a > 2), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(Values((a == 2) | ~(a < 4)), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(Values(Where(a > 2, a, 0)), ElementsAre(0, 0, 3, 4));
  EXPECT_THAT(Values(Maximum(a, 2.5)), ElementsAre(2.5, 2.5, 3, 4));
}

TEST(Elementwise, Compositions) {
  const Tensor x({-1.0, 0.0, 2.0});
  const Tensor s = Softmax(x);
  EXPECT_NEAR(ReduceSum(s).item<double>(), 1, 1e-15);
  EXPECT_NEAR(Exp(LogSoftmax(x))[2].item<double>(), s[2].item<double>(), 1e-15);
  EXPECT_NEAR(Gelu(x)[2].item<double>(), 1 + std::erf(std::sqrt(2.0)), 1e-14);
  EXPECT_THAT(Values(Relu(x)), ElementsAre(0, 0, 2));
  EXPECT_NEAR(Softplus(x)[0].item<double>(), std::log1p(std::exp(-1.0)), 1e-15);
  EXPECT_THAT(Values(Softmax(Tensor({1e30, 1e30}))), ElementsAre(0.5, 0.5));
  EXPECT_TRUE(std::isnan(Relu(Tensor(std::nan(""))).item<double>()));
}

TEST(Reduce, AxesAndKeepdims) {
  const Tensor x({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  EXPECT_EQ(ReduceSum(x).item<float>(), 21);
  EXPECT_THAT(Values(ReduceSum(x, 0)), ElementsAre(5, 7, 9));
  EXPECT_THAT(Values(ReduceMean(x, -1)), ElementsAre(2, 5));
  EXPECT_EQ(ReduceMax(x, {0, 1}, {.keepdims = true}).shape(), Shape({1, 1}));
  EXPECT_EQ(ReduceMin(x, 1, {.keepdims = true}).shape(), Shape({2, 1}));
  EXPECT_TRUE(ReduceAll(x > 0));
  EXPECT_FALSE(ReduceAny(x > 6));
  EXPECT_NEAR(LogSumExp(Tensor({1000.0, 1000.0})).item<double>(), 1000 + std::log(2.0), 1e-12);
  ExpectError(ErrorCode::kInvalidArgument, "axis 2 is out of range for rank 2", [&] { ReduceSum(x, 2); });
  ExpectError(ErrorCode::kInvalidArgument, "named twice", [&] { ReduceSum(x, {0, -2}); });
  ExpectError(ErrorCode::kInvalidArgument, "needs floats", [] { ReduceMean(Tensor({1, 2})); });
}

TEST(Reduce, ArgMax) {
  const Tensor x({{1.f, 7.f, 7.f}, {4.f, -5.f, 2.f}});
  EXPECT_THAT(ArgMax(x).ToVector<int64_t>(), ElementsAre(1, 0));
  EXPECT_THAT(ArgMax(x, 0).ToVector<int64_t>(), ElementsAre(1, 0, 0));
  EXPECT_THAT(ArgMin(x).ToVector<int64_t>(), ElementsAre(0, 1));
  EXPECT_EQ(ArgMax(Tensor({1.f, NAN, 9.f})).item<int>(), 1);
}

TEST(Shape, Movement) {
  const Tensor x = Reshape(Arange(0, 6), {2, -1});
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_THAT(Values(Transpose(x)), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Values(Slice(x, {0, 1}, {2, 3})), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(Values(Slice(x, {0, 0}, {2, 3}, {1, 2})), ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(Values(Pad(Tensor({1.f}), {1}, {2}, 9)), ElementsAre(9, 1, 9, 9));
  EXPECT_THAT(Values(Concat({Tensor({1, 2}), Tensor({3})})), ElementsAre(1, 2, 3));
  EXPECT_EQ(Stack({Tensor({1, 2}), Tensor({3, 4})}, 1).str(), "[[1 3]\n [2 4]]");
  EXPECT_EQ(ExpandDims(x, -1).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(Squeeze(Zeros({1, 2, 1})).shape(), Shape({2}));
  EXPECT_THAT(Values(BroadcastTo(Tensor({1.f, 2.f}), {2, 2})), ElementsAre(1, 2, 1, 2));
  ExpectError(ErrorCode::kInvalidArgument, "does not divide", [&] { Reshape(x, {4, -1}); });
  ExpectError(ErrorCode::kInvalidArgument, "does not fit beside", [] { Concat({Zeros({2, 2}), Zeros({2, 3})}); });
}

TEST(Contract, MatMulHasNumPysRule) {
  const Tensor a({{1.f, 2.f}, {3.f, 4.f}}), v({1.f, 10.f});
  EXPECT_THAT(Values(MatMul(a, a)), ElementsAre(7, 10, 15, 22));
  EXPECT_THAT(Values(MatMul(a, v)), ElementsAre(21, 43));
  EXPECT_THAT(Values(MatMul(v, a)), ElementsAre(31, 42));
  EXPECT_EQ(MatMul(v, v).item<float>(), 101);
  EXPECT_EQ(MatMul(Zeros({5, 1, 2, 3}), Zeros({4, 3, 6})).shape(), Shape({5, 4, 2, 6}));
  EXPECT_EQ(MatMul(Zeros({5, 2, 3}), Zeros({3})).shape(), Shape({5, 2}));
  EXPECT_EQ(MatMul(Zeros({3}), Zeros({5, 3, 2})).shape(), Shape({5, 2}));
  const Tensor stack = Stack({a, 2.f * a});
  EXPECT_THAT(Values(MatMul(stack, stack)), ElementsAre(7, 10, 15, 22, 28, 40, 60, 88));
  ExpectError(ErrorCode::kInvalidArgument, "matmul: shapes [2,2] and [3,2] do not multiply",
              [&] { MatMul(a, Zeros({3, 2})); });
}

TEST(Index, GatherAndScatter) {
  const Tensor table({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  EXPECT_THAT(Values(Gather(table, Tensor({2, 0}))), ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(Values(Gather(table, Tensor({1, 1}), 1)), ElementsAre(2, 2, 4, 4, 6, 6));
  EXPECT_THAT(Values(ScatterAdd(Zeros({3}), Tensor({1, 1, 2}), Tensor({1.f, 2.f, 5.f}))), ElementsAre(0, 3, 5));
  EXPECT_THAT(Values(OneHot(Tensor({1, 3}), 3)), ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_THAT(Values(DynamicSlice(Arange(0, 5), Tensor(9), 2)), ElementsAre(3, 4));
  ExpectError(ErrorCode::kOutOfRange, "gather: index 3 is out of range for axis 0 of f32[3,2]",
              [&] { Gather(table, Tensor({3})); });
  ExpectError(ErrorCode::kInvalidArgument, "indices must be i32 or i64", [&] { Gather(table, Tensor({1.f})); });
}

TEST(Losses, SoftmaxCrossEntropyAndMeanSquaredError) {
  const Tensor logits({{1.0, 2.0, 3.0}, {0.0, 0.0, 0.0}}), labels({2, 0});
  const double first = std::log(std::exp(-2) + std::exp(-1) + 1), second = std::log(3.0);
  EXPECT_NEAR(SoftmaxCrossEntropy(logits, labels).item<double>(), (first + second) / 2, 1e-15);
  EXPECT_NEAR(SoftmaxCrossEntropy(logits, labels, {.reduction = kSum}).item<double>(), first + second, 1e-15);
  EXPECT_EQ(SoftmaxCrossEntropy(logits, labels, {.reduction = kNone}).shape(), Shape({2}));
  EXPECT_EQ(MeanSquaredError(Tensor({1.f, 3.f}), Tensor({0.f, 0.f})).item<float>(), 5);
  ExpectError(ErrorCode::kOutOfRange, "label 3 is not one of 3 classes",
              [&] { SoftmaxCrossEntropy(logits, Tensor({3, 0})); });
  ExpectError(ErrorCode::kInvalidArgument, "do not fit", [&] { SoftmaxCrossEntropy(logits, Tensor({1.f, 0.f})); });
}

TEST(Random, IsTheSequenceOfItsSeed) {
  const Generator g(7);
  const Tensor a = RandomUniform({5}, {.generator = g});
  EXPECT_THAT(g.state().value().ToVector<int64_t>(), ElementsAre(7, 2));
  const Tensor b = RandomUniform({5}, {.generator = g});
  EXPECT_NE(Values(a), Values(b));
  g.Seed(7);
  EXPECT_EQ(Values(RandomUniform({5}, {.generator = g})), Values(a));
  const Tensor u = RandomUniform({4000}, {.low = -2, .high = 6, .dtype = kFloat64, .generator = g});
  EXPECT_NEAR(ReduceMean(u).item<double>(), 2, 0.15);
  EXPECT_GE(ReduceMin(u).item<double>(), -2);
  EXPECT_LT(ReduceMax(u).item<double>(), 6);
  const Tensor n = RandomNormal({4000}, {.mean = 1, .stddev = 2, .generator = g});
  EXPECT_NEAR(ReduceMean(n).item<double>(), 1, 0.15);
  EXPECT_NEAR(ReduceMean(Square(n - 1)).item<double>(), 4, 0.4);
}

TEST(Layers, NamesAndSharing) {
  const Sequential model{Dense(4, 3, Relu), Dense(2), [](const Operand& x) { return Tanh(x); }};
  EXPECT_EQ(model.variables().size(), 2u);  // the second is lazy
  const Sequential copy = model;
  EXPECT_EQ(copy(Zeros({5, 4})).shape(), Shape({5, 2}));
  std::vector<std::string> names;
  for (const Variable& v : model.variables()) names.push_back(v.name());
  EXPECT_THAT(names, ElementsAre("dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"));
  const Embedding embedding(10, 4);
  EXPECT_EQ(embedding(Tensor({{1, 2, 3}})).shape(), Shape({1, 3, 4}));
}

TEST(Optimizers, SgdByHand) {
  const auto run = [](const SgdOptions& options) {
    const Variable p(Tensor(1.0));
    const Sgd sgd(options);
    for (int i = 0; i < 2; ++i) {
      GradientTape tape;
      const Tensor loss = p * p;
      sgd.Apply(tape.Gradient(loss, {p}));
    }
    return p.value().item<double>();
  };
  EXPECT_NEAR(run({.learning_rate = 0.25}), 0.25, 1e-7);                // halves at each step
  EXPECT_NEAR(run({.learning_rate = 0.25, .momentum = 0.5}), 0, 1e-7);  // u = 2, then 1 + 1
  EXPECT_NEAR(run({.learning_rate = 0.25, .momentum = 0.5, .nesterov = true}), -0.0625, 1e-7);
}

TEST(Optimizers, AdamByHand) {
  const Variable p(Tensor(1.0), {.name = "p"});
  const Adam adam({.learning_rate = 0.1});
  double m = 0, v = 0, want = 1;
  for (int t = 1; t <= 5; ++t) {
    GradientTape tape;
    const Tensor loss = p * p * p;
    adam.Apply(tape.Gradient(loss, {p}));
    const double g = 3 * want * want;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    want -= 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  }
  EXPECT_NEAR(p.value().item<double>(), want, 1e-5);  // hyperparameters are f32
  EXPECT_EQ(adam.variables().back().name(), "adam/p/v");
}

TEST(Optimizers, SkipMissingGradients) {
  const Variable p(Tensor(1.f)), q(Tensor(1.f));
  GradientTape tape;
  const Tensor loss = p * 2.f;
  Sgd({.learning_rate = 1}).Apply(tape.Gradient(loss, {p, q}));
  EXPECT_EQ(p.value().item<float>(), -1);
  EXPECT_EQ(q.value().item<float>(), 1);
}

}  // namespace
}  // namespace reel
