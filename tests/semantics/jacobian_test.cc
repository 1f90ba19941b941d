// Jacobians of tapes: rows JB of TensorFlow's semantics.

#include <cmath>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pointwise;
using Tensors = std::vector<Tensor>;

constexpr TapeOptions kPersistent{.persistent = true};
constexpr JacobianOptions kLoop{.vectorize = false};

Tensor Numbers(const Shape& shape, double scale = 0.37) {
  return Sin(Cast(Reshape(Arange(1, shape.size() + 1), shape.dims()), kFloat64) * scale);
}

// The Jacobian with and without vectorization, which must agree.
std::optional<Tensor> Both(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = f(x);
  const std::optional<Tensor> all = tape.Jacobian(y, x), rows = tape.Jacobian(y, x, kLoop);
  EXPECT_EQ(all.has_value(), rows.has_value());
  if (!all || !rows) return std::nullopt;
  EXPECT_EQ(all->shape(), rows->shape());
  EXPECT_THAT(Values(*all), Pointwise(DoubleNear(1e-12), Values(*rows)));
  return all;
}

Tensor BothBatches(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = f(x);
  const Tensor all = tape.BatchJacobian(y, x), rows = tape.BatchJacobian(y, x, kLoop);
  EXPECT_EQ(all.shape(), rows.shape());
  EXPECT_THAT(Values(all), Pointwise(DoubleNear(1e-12), Values(rows)));
  return all;
}

TEST(TfSemantics, JB01_TheShapeIsTargetsThenSources) {
  const Tensor x({1.0, 2.0}), y({3.0, 4.0});
  GradientTape tape;
  tape.Watch({x, y});
  const auto j = tape.Jacobian(x * x * y, {x, y});
  EXPECT_THAT(Values(*j[0]), ElementsAre(6, 0, 0, 16));
  EXPECT_THAT(Values(*j[1]), ElementsAre(1, 0, 0, 4));
  EXPECT_EQ(Both([](const Tensor& t) { return Reshape(t * t, {2, 1}); }, x)->shape(), Shape({2, 1, 2}));
}

TEST(TfSemantics, JB02_UnconnectedIsNoneOrZeros) {
  const Tensor x({1.0, 2.0}), other({1.0, 2.0, 3.0});
  GradientTape tape(kPersistent);
  tape.Watch({x, other});
  const Tensor y = x * 2.0;
  const auto none = tape.Jacobian(y, {other, x});
  EXPECT_FALSE(none[0].has_value());
  EXPECT_THAT(Values(*none[1]), ElementsAre(2, 0, 0, 2));
  const auto zeros = tape.Jacobian(y, {other}, {.unconnected_gradients = UnconnectedGradients::kZero});
  EXPECT_EQ(zeros[0]->shape(), Shape({2, 3}));
  EXPECT_THAT(Values(*zeros[0]), Each(0));
}

TEST(TfSemantics, JB03_ALoopNeedsAPersistentTape) {
  const Tensor x({1.0, 2.0});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  ExpectError(ErrorCode::kFailedPrecondition, "persistent", [&] { tape.Jacobian(y, x, kLoop); });
}

TEST(TfSemantics, JB04_VectorizedNeedsNone) {
  const Tensor x({1.0, 2.0});
  GradientTape tape;
  tape.Watch(x);
  EXPECT_THAT(Values(*tape.Jacobian(x * x, x)), ElementsAre(2, 0, 0, 4));
}

TEST(TfSemantics, JB05_InsideItsOwnTape) {
  const Tensor x = 3.0;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  const Tensor z = y * y;
  EXPECT_EQ(tape.Jacobian(z, x)->item<double>(), 108);
}

TEST(TfSemantics, JB06_ParallelIterations) {
  const Tensor x = Numbers({3, 2});
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = MatMul(x, Transpose(x));
  const std::vector<double> all = Values(*tape.Jacobian(y, x));
  for (int64_t n : {1, 2, 3, 100}) {
    EXPECT_THAT(Values(*tape.Jacobian(y, x, {.parallel_iterations = n})), Pointwise(DoubleNear(1e-12), all));
  }
  ExpectError(ErrorCode::kInvalidArgument, "parallel_iterations is -1",
              [&] { tape.Jacobian(y, x, {.parallel_iterations = -1}); });
}

TEST(TfSemantics, JB07_SparseGradientsAreDensified) {
  const auto rows = [](const Tensor& x) { return Gather(x, Tensor({1, 0, 1})); };
  const auto j = Both(rows, Tensor({{1.0, 2.0}, {3.0, 4.0}}));
  EXPECT_EQ(j->shape(), Shape({3, 2, 2, 2}));
  EXPECT_EQ(ReduceSum(*j).item<double>(), 6);
  EXPECT_EQ((*j)[0][1][1][1].item<double>(), 1);
}

TEST(TfSemantics, JB08_EmptyTargetByAScalarVariable) {
  const Variable v(Tensor(2.0));
  GradientTape tape(kPersistent);
  const Tensor y = Zeros({0, 3}, kFloat64) * v;
  const std::optional<Tensor> all = tape.Jacobian(y, v), rows = tape.Jacobian(y, v, kLoop);
  EXPECT_EQ(all->shape(), Shape({0, 3}));
  EXPECT_EQ(rows->shape(), Shape({0, 3}));
}

TEST(TfSemantics, JB09_ThroughFoldsBranchesAndGradients) {
  const auto fold = [](const Tensor& x) {
    return FoldL([](const Tensor& a, const Tensor& b) { return a + b; }, Tensor(0.0), x);
  };
  EXPECT_THAT(Values(*Both(fold, Tensor({1.0, 2.0, 3.0}))), ElementsAre(1, 1, 1));
  const auto slope = [](const Tensor& x) {  // of x^3, in a branch
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = Cond(x > 0.0, [&] { return x * x * x; }, [&] { return Identity(x); });
    return *tape.Gradient(y, x);
  };
  EXPECT_EQ(Both(slope, Tensor(1.0))->item<double>(), 6);
  const Function traced = Trace([&](const Tensor& x) { return Jacobian(slope)(x); }, {Spec(kFloat64, {})});
  EXPECT_EQ(Tensor(Compile(traced)("main", Tensor(1.0))).item<double>(), 6);
}

TEST(TfSemantics, JB10_AHintWhereRowsDoNotFit) {
  const Tensor x = Ones({1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, kFloat64);
  GradientTape tape;
  tape.Watch(x);
  ExpectError(ErrorCode::kInvalidArgument, "{.vectorize = false}", [&] { tape.Jacobian(ReduceSum(x * x), x); });
}

TEST(TfSemantics, JB12_BatchJacobian) {
  const Tensor j = BothBatches([](const Tensor& x) { return x * x; }, Tensor({{1.0, 2.0}, {3.0, 4.0}}));
  EXPECT_EQ(j.shape(), Shape({2, 2, 2}));
  EXPECT_THAT(Values(j), ElementsAre(2, 0, 0, 4, 6, 0, 0, 8));
  EXPECT_EQ(BothBatches([](const Tensor& x) { return Reshape(x, {2, 3, 1}); }, Numbers({2, 3})).shape(),
            Shape({2, 3, 1, 3}));
}

TEST(TfSemantics, JB13_FirstDimensionsMustMatch) {
  const Tensor x = Numbers({2, 3});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Reshape(x, {3, 2});
  ExpectError(ErrorCode::kInvalidArgument, "Need first dimension of target shape [3,2] and source shape [2,3] to match",
              [&] { tape.BatchJacobian(y, x); });
}

TEST(TfSemantics, JB14_RanksBelowTwo) {
  const Tensor x = Numbers({2}), z = Numbers({2, 3});
  GradientTape tape;
  tape.Watch({x, z});
  const Tensor y = x * x;
  ExpectError(ErrorCode::kInvalidArgument, "must have rank at least 2", [&] { tape.BatchJacobian(y, x); });
  ExpectError(ErrorCode::kInvalidArgument, "must have rank at least 2", [&] { tape.BatchJacobian(y, z); });
}

TEST(TfSemantics, JB15_UnconnectedBatchesAreZeros) {
  for (DType dtype : {kFloat32, kFloat64}) {
    const Tensor x = Ones({2, 3}, dtype), other = Ones({2, 4}, dtype);
    GradientTape tape;
    tape.Watch({x, other});
    const Tensor j = tape.BatchJacobian(x * x, other);
    EXPECT_EQ(j.type(), (Type{dtype, {2, 3, 4}}));
    EXPECT_THAT(Values(j), Each(0));
  }
}

TEST(TfSemantics, JB16_NoElementsAndNoExamples) {
  const auto f = [](const Tensor& x) { return x * 2.0; };
  EXPECT_EQ(BothBatches(f, Zeros({1, 0}, kFloat64)).shape(), Shape({1, 0, 0}));
  EXPECT_EQ(BothBatches(f, Zeros({0, 2}, kFloat64)).shape(), Shape({0, 2, 2}));
}

TEST(TfSemantics, JB17_ChunksNeedAPersistentTape) {
  const Tensor x = Numbers({2, 3});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  try {
    tape.BatchJacobian(y, x, {.parallel_iterations = 2});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kFailedPrecondition);
    EXPECT_THAT(e.what(), testing::ContainsRegex("persistent=True.*parallel_iterations"));
  }
  EXPECT_EQ(tape.BatchJacobian(y, x, {.parallel_iterations = 3}).shape(), Shape({2, 3, 3}));  // one chunk
}

TEST(TfSemantics, JB18_BatchesInsideTheirOwnTape) {
  const Tensor x({{3.0}});
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensor y = x * x;
  EXPECT_THAT(Values(tape.BatchJacobian(y * y, x)), ElementsAre(108));
}

TEST(TfSemantics, JB19_BatchJacobianOfAJacobian) {
  const Tensor x = Ones({10, 2}, kFloat64);
  GradientTape outer(kPersistent);
  outer.Watch(x);
  Tensor inner;
  {
    GradientTape tape;
    tape.Watch(x);
    inner = *tape.Jacobian(ReduceSum(x * x), x);
  }
  const Tensor j = outer.BatchJacobian(inner, x);
  EXPECT_EQ(j.shape(), Shape({10, 2, 2}));
  for (int64_t i = 0; i < 10; ++i) EXPECT_THAT(Values(j[i]), ElementsAre(2, 0, 0, 2));
}

// f(x): [b, n] -> [b, n], its Jacobian by central differences.
std::vector<double> NumericBatchJacobian(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  const int64_t b = x.shape().dim(0), n = x.size() / b;
  const int64_t m = f(x).size() / b;
  std::vector<double> out(static_cast<size_t>(b * m * n));
  for (int64_t k = 0; k < n; ++k) {
    const Tensor step = Reshape(Cast(Equal(Iota({b, n}, 1), k), kFloat64) * 1e-5, x.shape().dims());
    const std::vector<double> d = Values((f(x + step) - f(x - step)) / 2e-5);
    for (int64_t i = 0; i < b * m; ++i) out[static_cast<size_t>(i * n + k)] = d[static_cast<size_t>(i)];
  }
  return out;
}

TEST(TfSemantics, JB20_NestedBatchJacobians) {
  const auto fold = [](const Tensor& x) {
    return FoldL([](const Tensor& a, const Tensor& b) { return Cos(a + b); }, Zeros({2, 2}, kFloat64),
                 Stack({x, x * 2.0}));
  };
  const auto first = [&](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    return tape.BatchJacobian(fold(x), x);
  };
  const Tensor x = Numbers({2, 2});
  const Tensor second = BothBatches(first, x);
  EXPECT_EQ(second.shape(), Shape({2, 2, 2, 2}));
  EXPECT_THAT(Values(second), Pointwise(DoubleNear(1e-7), NumericBatchJacobian(first, x)));

  const Tensor filter = Numbers({2, 2, 1, 2}, 0.21), image = Numbers({2, 3, 3, 1});
  const auto squares = [&](const Tensor& t) {
    GradientTape tape;
    tape.Watch(t);
    const Tensor y = Conv2D(t, filter);
    return ReduceSum(tape.BatchJacobian(y * y, t), {1, 2, 3});
  };
  GradientTape tape;
  tape.Watch(image);
  const Tensor sum = ReduceSum(squares(image));
  const Tensor gradient = *tape.Gradient(sum, image);
  const auto flat = [&](const Tensor& t) { return Reshape(ReduceSum(squares(t), {1, 2, 3}), {2, 1}); };
  EXPECT_THAT(Values(gradient), Pointwise(DoubleNear(1e-6), NumericBatchJacobian(flat, image)));
}

TEST(TfSemantics, JB21_InAGraph) {
  const auto f = [](const Tensor& x) {
    GradientTape tape(kPersistent);
    tape.Watch(x);
    const Tensor other = Ones({2, 2}, kFloat64), y = Sin(x) * x;
    EXPECT_FALSE(tape.Jacobian(y, other).has_value());
    return Tensors{*tape.Jacobian(y, x), *tape.Jacobian(y, x, kLoop), tape.BatchJacobian(y, x)};
  };
  const Tensor x = Numbers({2, 2});
  const Results compiled = Compile(Trace(f, {Spec(x)}))("main", x);
  const Tensors eager = f(x);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(Values(compiled[i]), Pointwise(DoubleNear(1e-12), Values(eager[i])));
  }
  EXPECT_THAT(Values(eager[0]), Pointwise(DoubleNear(1e-12), Values(eager[1])));
}

}  // namespace
}  // namespace reel
